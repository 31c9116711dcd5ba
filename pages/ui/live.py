"""Live components: a plot that is updated in place and a slider that sends while it is dragged.

What Streamlit's own lack: its charts are rebuilt at every change (zoom and hover are lost), and
its sliders send on release only. The JavaScript is in assets/live; a component's inline script is
sent again with every update, so here it is a loader of two lines.

Every message from the browser carries a sequence number, and the answer carries it back: the
browser sends the next value when the picture of the last one has been painted, never earlier.
"""

import json
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from pages.ui import assets

_SEQUENCE = "_live_sequence"


def live_plot(
    figure: go.Figure,
    *,
    key: str,
    alt: str,
    file_name: str,
    on_cell: Callable[[tuple[int, int, int]], None] | None = None,
    secondary: bool = False,
) -> None:
    """Draw a figure in place: zoom and hover survive every update.

    Args:
        figure: what to draw.
        key: the plot's identity; the same key is the same plot.
        alt: the text alternative, a sentence or a few.
        file_name: of the PNG that the plot's own button saves, without its ending.
        on_cell: called with (head, query, key) when a cell is clicked or chosen by keyboard.
        secondary: give way to the other plots while a slider is dragged.
    """

    def chosen() -> None:
        event = _event(key, "cell")
        if event is not None and on_cell is not None:
            head, query, key_index = (int(x) for x in event["cell"])
            on_cell((head, query, key_index))

    _component("live_plot")(
        key=key,
        data={
            # As text: a component's dictionary would be turned into JSON by slower means.
            "figure": figure.to_json(),
            "alt": alt,
            "fileName": file_name,
            "choosable": on_cell is not None,
            "secondary": secondary,
            "sequence": st.session_state.get(_SEQUENCE, 0),
        },
        on_cell_change=chosen,
    )


def live_slider(
    label: str,
    options: Sequence[float],
    value: float,
    *,
    key: str,
    on_change: Callable[[float], None],
    low: float,
    high: float,
    help: str = "",
    disabled: str = "",
    unit: str = "",
) -> None:
    """Draw a slider that sends while it is dragged, with a field for exact values beside it.

    Must stand in a fragment together with the plots that answer. When the slider has been still
    for a moment, the whole page runs once more (see :func:`settled`).

    Args:
        label: what it sets.
        options: the values the slider stops at, in rising order.
        value: the present value; the page's settings own it, not the slider.
        key: the slider's identity.
        on_change: called with the new value before the rerun.
        low: the least value the field takes.
        high: the largest.
        help: one sentence, shown as a tooltip and read by screen readers.
        disabled: why it cannot be used now; "" if it can.
        unit: shown after the value.
    """

    def moved() -> None:
        event = _event(key, "value")
        if event is not None:
            on_change(event["value"])

    _component("live_slider")(
        key=key,
        data={
            "label": label,
            "options": list(options),
            "value": value,
            "low": low,
            "high": high,
            "help": help,
            "disabled": disabled,
            "unit": unit,
            "sequence": st.session_state.get(_SEQUENCE, 0),
        },
        on_value_change=moved,
        on_settled_change=lambda: None,
    )


def settled(*keys: str) -> bool:
    """Whether one of these sliders or plots has come to rest just now: time for the slow parts."""
    return any(_state(key).get("settled") for key in keys)


def _event(key: str, name: str) -> dict[str, Any] | None:
    """Return what a component has sent; remember its number, so that the answer can carry it."""
    event = _state(key).get(name)
    if isinstance(event, dict):
        st.session_state[_SEQUENCE] = event.get("sequence", 0)
        return event
    return None


def _state(key: str) -> dict[str, Any]:
    return dict(st.session_state.get(key) or {})


@cache
def _component(name: str) -> Any:
    loader = (
        "export default async function (component) {\n"
        f"  const address = new URL({json.dumps(assets.path(name + '.js'))}, document.baseURI)\n"
        "  return (await import(address.href)).default(component)\n}"
    )
    return st.components.v2.component(name, js=loader, isolate_styles=False)
