"""What the browser says of an answer: checked, and read. None of it can be trusted to be well formed."""

from collections.abc import Sequence
from typing import Any

from core.errors import NumbersError
from core.exercises.exercise import Answer, Part
from core.exercises.typed import read_typed
from core.exercises.verdict import read_number, read_numbers

State = dict[str, Any]  # JSON: what is held for a part, under the names in ``cleaned``
LONGEST = 60  # characters of a number


def names(part: Part) -> tuple[str, ...]:
    """Return what each number or bar of a part is called; there are as many as numbers in its answer.

    Args:
        part: of kind "number", "numbers" or "row".
    """
    if part.kind == "row":
        return part.options
    n = len(part.answer) if isinstance(part.answer, tuple) else 1
    if part.names:
        return part.names
    return (part.label or "Your answer",) if n == 1 else tuple(f"number {i + 1}" for i in range(n))


def cleaned(part: Part, raw: object) -> State:
    """Return what is held for a part; whatever cannot be is left out.

    Args:
        part: what is asked.
        raw: anything that JSON can hold.

    Returns:
        "word" (an index, or None) and, by kind, "texts" (one for each number or bar), "picked" (pairs of
        row and column) and "none", "order" (indices of all cards, or None), "choice" (an index, or None).
    """
    told = raw if isinstance(raw, dict) else {}
    return {"word": _index(told.get("word"), part.words), **_CLEANED[part.kind](part, told)}


def read(part: Part, state: State) -> Answer | None:
    """Return the answer that is held, or None where there is none yet.

    Args:
        part: what is asked.
        state: of ``cleaned``.

    Raises:
        NumbersError: a sentence that says what cannot be read, or what is still missing.
    """
    if state["word"] is not None:
        return part.words[state["word"]]
    if part.kind in ("number", "numbers", "row"):
        return _read_texts(part, state["texts"])
    if part.kind == "cells":
        return frozenset(map(tuple, state["picked"])) if state["picked"] or state["none"] else None
    if part.kind == "order":
        return tuple(part.options[i] for i in state["order"]) if state["order"] else None
    return None if state["choice"] is None else part.options[state["choice"]]


def fault(part: Part, state: State) -> tuple[int, str]:
    """Return which text is no number, and a sentence about it; (-1, "") where all can be read.

    Args:
        part: what is asked.
        state: of ``cleaned``. A text that is still missing is no fault yet.
    """
    for i, text in enumerate(state.get("texts", ())):
        try:
            if text.strip():
                _number(part, i, text)
        except NumbersError as error:
            return i, str(error)
    return -1, ""


def _read_texts(part: Part, texts: Sequence[str]) -> Answer | None:
    if not any(text.strip() for text in texts):
        return None
    if part.kind != "row":
        return read_numbers(part, texts)
    if not all(text.strip() for text in texts):
        raise NumbersError("Give every bar a weight; 0 is a weight too.")
    return tuple(_number(part, i, text) for i, text in enumerate(texts))


def _number(part: Part, i: int, text: str) -> float:
    if part.kind != "row":
        return read_number(part, i, text)
    name = names(part)[i]
    try:
        weight = read_typed(text)
    except NumbersError as error:
        raise NumbersError(f"{name}: {error}.") from None
    if not 0 <= weight <= 1:
        raise NumbersError(f"{name}: a weight is at least 0 and at most 1, got {text.strip()}.")
    return weight


def _index(x: object, options: Sequence[str]) -> int | None:
    return x if type(x) is int and 0 <= x < len(options) else None


def _texts(part: Part, told: State) -> State:
    n, texts = len(names(part)), told.get("texts")
    if not isinstance(texts, list) or len(texts) != n:
        return {"texts": [""] * n}
    return {"texts": [text if isinstance(text, str) and len(text) <= LONGEST else "" for text in texts]}


def _cells(part: Part, told: State) -> State:
    picked = told.get("picked")
    pairs = [pair for pair in picked if isinstance(pair, list)] if isinstance(picked, list) else []
    known = [[i, j] for i in range(len(part.rows)) for j in range(len(part.options))]
    held = [pair for pair in known if any(pair == each and _whole(each) for each in pairs)]
    return {"picked": held, "none": told.get("none") is True and not held}


def _whole(pair: list[Any]) -> bool:
    return all(type(x) is int for x in pair)  # True == 1, and 1.0 == 1


def _order(part: Part, told: State) -> State:
    order = told.get("order")
    fit = isinstance(order, list) and _whole(order) and sorted(order) == list(range(len(part.options)))
    return {"order": order if fit else None}


def _choice(part: Part, told: State) -> State:
    return {"choice": _index(told.get("choice"), part.options)}


_CLEANED = {
    "number": _texts, "numbers": _texts, "row": _texts, "cells": _cells, "order": _order, "choose": _choice,
}  # fmt: skip
