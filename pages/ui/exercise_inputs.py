"""The field in which a part of an exercise is answered: it returns the answer, or None without one.

The browser holds what is under the hand and tells it when the hand has come to rest. It is kept in the
session under the field's key, so that it is there again when the exercise is. Nothing of the right answer
is sent: only what is asked, and what was given.
"""

from typing import Any

import streamlit as st

from core.errors import NumbersError
from core.exercises.exercise import Answer, Part
from pages.ui import state
from pages.ui.exercise_answers import cleaned, fault, names, read
from pages.ui.live import component, reported

_HELD = "_answers"
_LARGEST_SERIAL = 2**53  # whole numbers in JavaScript


def field(part: Part, key: str) -> Answer | None:
    """Show the field of a part.

    Args:
        part: what is asked.
        key: unlike that of any other field; what was answered under it stays for the session.

    Raises:
        NumbersError: what is typed is no number, or something is still missing; a sentence.
    """
    if part.label and part.kind != "number":  # that has its label at the field
        st.markdown(f"**{part.label}**")
    held = _held(key)
    given = cleaned(part, held.get("value"))
    at, said = fault(part, given)
    data = {
        "kind": part.kind,
        "label": part.label or "Your answer",
        "options": part.options,
        "rows": part.rows,
        "names": names(part),
        "words": part.words,
        "value": given,
        "heard": held.get("serial", 0),
        "fault": at,
        "said": said,
    }
    told = component("answer")(key=key, data=data, on_given_change=lambda: _told(part, key))
    _keep(part, key, told.given)  # after a restart of the server the browser tells it without a change
    return read(part, cleaned(part, _held(key).get("value")))


def answered(part: Part, key: str) -> Answer | None:
    """Return what stands in a part's field now; None if that is no answer yet.

    Args:
        part: what is asked.
        key: of its field.
    """
    _keep(part, key, reported(key, "given"))
    try:
        return read(part, cleaned(part, _held(key).get("value")))
    except NumbersError:
        return None


def as_text(part: Part, answer: Answer | None) -> str:
    """Return an answer as Markdown."""
    if answer is None:
        return "—"
    if isinstance(answer, frozenset):
        if len(part.rows) == 1:
            return ", ".join(part.options[j] for _, j in sorted(answer)) or "none"
        return ", ".join(f"({part.rows[i]}, {part.options[j]})" for i, j in sorted(answer)) or "none"
    if isinstance(answer, tuple):
        return (
            " → ".join(map(str, answer)) if part.kind == "order" else f"({', '.join(map(in_short, answer))})"
        )
    return answer if isinstance(answer, str) else in_short(answer)


def in_short(x: Any) -> str:
    """Return a number to four digits, a whole one in full."""
    value = float(x)
    text = f"{value:,.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.4g}"
    return text.replace("-", "−")


def _told(part: Part, key: str) -> None:
    _keep(part, key, reported(key, "given"))
    state.moved()


def _keep(part: Part, key: str, report: object) -> None:
    """Keep what the browser has told, if it is newer and can be read at all."""
    if not isinstance(report, dict):
        return
    serial, held = report.get("serial"), _held(key)
    if type(serial) is int and held.get("serial", 0) < serial < _LARGEST_SERIAL:
        held.update(serial=serial, value=cleaned(part, report.get("value")))


def _held(key: str) -> dict[str, Any]:
    return st.session_state.setdefault(_HELD, {}).setdefault(key, {})
