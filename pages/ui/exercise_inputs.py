"""The fields in which a part of an exercise is answered: each returns the answer, or None without one."""

from collections.abc import Sequence

import streamlit as st

from core.errors import NumbersError
from core.exercises.exercise import Answer, Part
from core.exercises.verdict import read_numbers

_BELOW = "my answer is below"  # a radio button cannot be taken back


def field(part: Part, key: str) -> Answer | None:
    """Show the field of a part.

    Args:
        part: what is asked.
        key: unlike that of any other field.

    Raises:
        NumbersError: what is typed is no number; a sentence.
    """
    if part.label:
        st.markdown(f"**{part.label}**")
    word = None
    if part.words:
        said = st.radio("Or say", (_BELOW, *part.words), key=f"{key}_word", horizontal=True)
        word = None if said == _BELOW else said
    found = _FIELDS[part.kind](part, key)
    return word if word is not None else found


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
            " → ".join(map(str, answer)) if part.kind == "order" else f"({', '.join(map(_number, answer))})"
        )
    return answer if isinstance(answer, str) else _number(answer)


def _number(x: object) -> str:
    value = float(x)  # type: ignore[arg-type]
    return f"{value:,.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.4g}"


def _numbers(part: Part, key: str) -> Answer | None:
    n = len(part.answer) if isinstance(part.answer, tuple) else 1
    names: Sequence[str] = part.names or tuple(
        f"number {i + 1}" if n > 1 else "Your answer" for i in range(n)
    )
    texts = []
    for i, (column, name) in enumerate(zip(st.columns(max(n, 3)), names, strict=False)):
        texts.append(column.text_input(name, key=f"{key}_{i}", placeholder="0.5 or 1/3"))
    return None if not any(text.strip() for text in texts) else read_numbers(part, texts)


def _choose(part: Part, key: str) -> Answer | None:
    return st.radio("Your answer", part.options, None, key=key)


def _row(part: Part, key: str) -> Answer | None:
    st.caption("Draw the row: type each weight, or use the steppers.")
    values = []
    for column, name in zip(st.columns(max(len(part.options), 3)), part.options, strict=False):
        with column:
            values.append(
                st.number_input(name, 0.0, 1.0, None, 0.05, key=f"{key}_{name}", placeholder="0 to 1")
            )
            st.progress(values[-1] or 0.0)
    given = [value for value in values if value is not None]
    if given:
        st.caption(f"So far they sum to {sum(given):.2f}.")
    if len(given) < len(values):
        if given:
            raise NumbersError("Give every bar a weight; 0 is a weight too.")
        return None
    return tuple(given)


def _cells(part: Part, key: str) -> Answer | None:
    chosen = set()
    for i, row in enumerate(part.rows):
        columns = list(range(len(part.options)))
        picked = st.pills(
            row or "Pick all that apply", columns, selection_mode="multi", key=f"{key}_{i}",
            format_func=part.options.__getitem__,
        )  # fmt: skip
        chosen |= {(i, int(j)) for j in picked}
    return frozenset(chosen) if chosen else None


def _order(part: Part, key: str) -> Answer | None:
    picked = st.multiselect("Choose the cards in their order", part.options, key=key)
    if picked and len(picked) < len(part.options):
        raise NumbersError(f"{len(part.options) - len(picked)} of the cards are still to be placed.")
    return tuple(picked) or None


_FIELDS = {
    "number": _numbers, "numbers": _numbers, "choose": _choose, "row": _row, "cells": _cells, "order": _order,
}  # fmt: skip
