"""A show of hands: how many of a room say what, typed in, drawn, and known to both windows of a lecture.

Nothing of the right answer is sent before the reveal. Where phones vote one day, their counts arrive here
as if they had been typed.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.errors import NumbersError
from core.exercises import hands
from core.exercises.exercise import Task
from core.exercises.verdict import is_right
from pages.ui import state
from pages.ui.exercise_inputs import as_text, in_short
from pages.ui.live import component, reported

NAMES = ("hands", "again")  # the first count, and the one after talk
_HEARD, _FAULTS = "_hands_heard", "_hands_faults"


def show_of_hands(
    task: Task,
    seed: int,
    counts: tuple[str, str],
    told: Callable[..., None],
    *,
    name: str,
    revealed: bool = False,
    on: Callable[[], None] | None = None,
) -> None:
    """Draw a field for each count and a bar for it.

    Args:
        task: the exercise with its numbers.
        seed: of those numbers.
        counts: the first count and the second, as a link holds them.
        told: called with ``hands=`` or ``again=`` when one has been typed.
        name: of the exercise with its numbers, the same in every window.
        revealed: whether the right answer is marked.
        on: called when a clicker asks for more than the page has; None where nothing follows.
    """

    def changed() -> None:
        report = reported("hands", "told")
        if not isinstance(report, dict):
            return
        st.session_state[_HEARD] = report.get("serial", 0)
        state.moved()
        if report.get("name") != name:  # late, and of an exercise that is no longer shown
            return
        if report.get("on") and on:
            on()
            return
        for each in NAMES:
            text = report.get(each)
            if isinstance(text, str):
                _take(name, each, text, task, seed, told)

    data = {
        "name": name,
        "rows": _rows(task, seed, counts, revealed),
        "lettered": bool(hands.ballot(task, seed)),
        "typed": list(counts),
        "said": " ".join(filter(None, st.session_state.get(_FAULTS, {}).get(name, {}).values())),
        "heard": st.session_state.get(_HEARD, 0),
        "revealed": revealed,
        "more": on is not None,
    }
    component("hands")(key="hands", data=data, on_told_change=changed)


def option_text(task: Task, answers: hands.Answers) -> str:
    """Return an answer to all parts in one line."""
    texts = []
    for part, answer in zip(task.parts, answers, strict=True):
        label = f"{part.label}: " if part.label else ""
        texts.append(label + as_text(part, answer))
    return " · ".join(texts)


def _take(name: str, which: str, text: str, task: Task, seed: int, told: Callable[..., None]) -> None:
    faults = st.session_state.setdefault(_FAULTS, {}).setdefault(name, {})
    try:
        held = hands.in_one_form(text, task, seed)
    except NumbersError as error:  # what was typed stays in its field
        faults[which] = str(error)[:1].upper() + str(error)[1:].rstrip(".") + "."
        return
    faults[which] = ""
    told(**{which: held})


def _rows(task: Task, seed: int, counts: tuple[str, str], revealed: bool) -> list[dict[str, Any]]:
    options = hands.ballot(task, seed)
    if not options:
        return _called_rows(task, counts, revealed)
    first, again = (hands.read_counts(text, len(options)) or (0,) * len(options) for text in counts)
    return [
        {
            "label": option_text(task, answers),
            "counts": [before, after],
            "right": revealed and all(map(is_right, task.parts, answers)),
        }
        for answers, before, after in zip(options, first, again, strict=True)
    ]


def _called_rows(task: Task, counts: tuple[str, str], revealed: bool) -> list[dict[str, Any]]:
    part = task.parts[0]
    first, again = (dict(hands.read_called(text, part)) for text in counts)
    values = set(first) | set(again)
    if revealed and not any(is_right(part, value) for value in values):
        values.add(float(part.answer))  # type: ignore[arg-type]
    return [
        {
            "label": in_short(value),
            "counts": [first.get(value, 0), again.get(value, 0)],
            "right": revealed and is_right(part, value),
        }
        for value in sorted(values)
    ]
