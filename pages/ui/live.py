"""Live components: a plot that is updated in place and sliders that send while they are dragged.

What Streamlit's own lack: its charts are rebuilt at every change (zoom and hover are lost), and
its sliders send on release only. The JavaScript is in assets/live; a component's inline script is
sent again with every update, so here it is a loader of two lines.

While the hand moves, the components ask ``live_route`` for pictures. When it has come to rest, they
tell the script: ``on_change`` is called with all that has changed, and the page runs once.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import streamlit as st

from core.query import Linked
from pages.ui import assets, live_route, state
from pages.ui.pictures.picture import Picture

_HEARD = "_live_report_heard"
OnChange = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Slider:
    """One live slider. The page's settings own its value, not the slider."""

    name: str  # of the setting
    label: str
    options: Sequence[float]  # the values it stops at, in rising order
    value: float
    low: float  # the least that can be typed into its field
    high: float
    help: str = ""  # a sentence, shown as a tooltip
    disabled: str = ""  # why it cannot be used now
    whole: bool = True  # whether only whole numbers can be typed
    index: int | None = None  # of the entry that it moves, where the setting is a list of numbers


def live_plot(
    picture: Picture, *, key: str, on_change: OnChange | None = None, secondary: bool = False
) -> None:
    """Draw a picture in place: zoom and hover survive every update.

    Args:
        picture: what to draw.
        key: the plot's identity, and its name in the view that answers while a slider moves.
        on_change: called with {"cell": (head, query, key)} when a cell has been chosen by click or
            keyboard; without it, cells can be read but not chosen.
        secondary: give way to the other plots while a slider is dragged.
    """
    data = {**picture.data(), "key": key, "choosable": on_change is not None, "secondary": secondary}
    _mount("live_plot", f"plot_{key}", data, on_change)


def live_sliders(
    sliders: Sequence[Slider], *, key: str, view: str, settings: Linked, on_change: OnChange
) -> None:
    """Draw sliders that send while they are dragged, each with a field for exact values.

    Args:
        sliders: side by side where there is room; those that the link hides are left out.
        key: the identity of the group.
        view: the name in ``pictures.VIEWS`` of what answers while they move.
        settings: the state that the changes are made to.
        on_change: called with {name: value} when they have come to rest.
    """
    shown = [slider for slider in sliders if slider.name not in state.hidden()]
    data = {
        "sliders": [{**asdict(slider), "options": list(slider.options)} for slider in shown],
        "view": live_route.path(view),
        "query": settings.to_query(),
    }
    _mount("live_sliders", key, data, on_change)


def stepper(
    name: str,
    labels: Sequence[str],
    *,
    label: str,
    view: str,
    settings: Linked,
    on_change: OnChange,
    numbered: bool = True,
) -> None:
    """Draw buttons for the steps of a picture, which PageDown, PageUp and the arrow keys press too.

    Args:
        name: of the setting that holds the step, counted from 0.
        labels: the name of each step.
        label: what the group is called.
        view: as for :func:`live_sliders`.
        settings: as there.
        on_change: as there.
        numbered: whether each label has its number, from 1, before it.
    """
    data = {
        "numbered": numbered,
        "name": name,
        "value": getattr(settings, name),
        "labels": list(labels),
        "label": label,
        "view": live_route.path(view),
        "query": settings.to_query(),
    }
    _mount("stepper", f"stepper_{name}", data, on_change)


def _mount(name: str, key: str, data: dict[str, Any], on_change: OnChange | None) -> None:
    def changed() -> None:
        report = reported(key, "changes")
        if on_change is not None and isinstance(report, dict):
            st.session_state[_HEARD] = report["serial"]
            on_change(report["values"])

    # Streamlit does not call a component whose data are as before, but it must hear of every answer:
    # a change may have been repaired to the value that held. The number of the report tells them apart.
    told = {**data, "heard": st.session_state.get(_HEARD, 0)}
    component(name)(key=key, data=told, on_changes_change=changed)


def reported(key: str, name: str) -> Any:
    """Return what the component of a key has said under a name: anything that JSON holds, or None."""
    return dict(st.session_state.get(key) or {}).get(name)


def kept(name: str, data: dict[str, Any], take: Callable[[str], None], *, anew: bool) -> None:
    """Let the component of a name keep a text in the browser, and take what the browser had kept before.

    Args:
        name: of the component, and its key.
        data: what it is given.
        take: called with the text that the browser tells, at the start or when another window has written.
        anew: whether this session knows nothing yet: what was said to the server before this one counts.
    """

    def told() -> bool:
        text = reported(name, "kept")
        if isinstance(text, str):
            state.moved()
            take(text)
        return isinstance(text, str)

    component(name)(key=name, data=data, on_kept_change=told)
    if anew and told():
        st.rerun()


def component(name: str) -> Callable[..., Any]:
    """Return the component whose script is assets/live/<name>.js.

    Its data name the session: a component that is not called when its data are as before is called when
    the server has started anew, and can tell again what the new session does not know.
    """

    def mount(*, key: str, data: dict[str, Any] | None = None, **on_change: Any) -> Any:
        return _component(name)(key=key, data={**(data or {}), "session": state.session()}, **on_change)

    return mount


@cache
def _component(name: str) -> Any:
    loader = (
        "export default async function (component) {\n"
        f"  const address = new URL({json.dumps(assets.path(name + '.js'))}, document.baseURI)\n"
        "  const leave = await (await import(address.href)).default(component)\n"
        # Streamlit runs this also when the next call has overtaken this one: then the place is still there.
        "  return leave && (() => { if (!component.parentElement.isConnected) leave() })\n}"
    )
    return st.components.v2.component(name, js=loader, isolate_styles=False)
