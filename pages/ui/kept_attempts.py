"""What has been committed and revealed stays when the server starts anew: the open page tells it again.

The browser holds it as long as the window is not loaded anew, and tells it to no session that knows better.
"""

import json
import math
from dataclasses import fields
from typing import Any

import streamlit as st

from core.exercises.exercise import Answer, Part
from core.exercises.place import BY_ID, MAX_SEED
from core.exercises.record import CONFIDENCE
from pages.ui import state
from pages.ui.attempts import ATTEMPTS, Attempt, task_of
from pages.ui.exercise_answers import names
from pages.ui.live import component, reported

_MOST = 100  # attempts, and entries of an answer
_LONGEST = 300  # characters of a text
_ANSWERS = ("given", "warned_of")


def keep() -> None:
    """Let the open page hold this session's attempts; call it when the exercise has been shown."""

    def told() -> None:
        kept = reported("attempts", "kept")
        state.moved()
        if isinstance(kept, dict):
            restore(kept.get("saved"))

    component("attempts")(key="attempts", data={"saved": written()}, on_kept_change=told)


def written() -> str:
    """Return the session's committed attempts as a text, the last ``_MOST`` of them; "" if there are none."""
    known = st.session_state.get(ATTEMPTS, {})
    rows = [[id, seed, _plain(attempt)] for (id, seed), attempt in known.items() if attempt.committed]
    return json.dumps(rows[-_MOST:]) if rows else ""


def restore(text: Any) -> None:
    """Take up attempts that a text holds, where this session has none; what is no attempt is passed over."""
    attempts = st.session_state.setdefault(ATTEMPTS, {})
    try:
        rows = json.loads(text)[:_MOST]
    except (ValueError, TypeError, KeyError, RecursionError):
        return
    for row in rows:
        try:
            id, seed, plain = row
            known = attempts.get((id, seed))
            legal = id in BY_ID and type(seed) is int and 0 <= seed <= MAX_SEED
            if legal and not (known and known.committed):
                found, parts = _attempt(plain), task_of(BY_ID[id], seed).parts
                if all(_fit(parts, given) for given in (found.given, found.warned_of)):
                    attempts[id, seed] = found
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError):
            continue


def _fit(parts: tuple[Part, ...], given: tuple[Answer, ...] | None) -> bool:
    return given is None or (len(given) == len(parts) and all(map(_fits, parts, given)))


def _fits(part: Part, answer: Any) -> bool:
    """Return whether somebody can have given this answer to a part, right or wrong."""
    if isinstance(answer, str) and answer in part.words:
        return True
    if part.kind == "number":
        return _is_number(answer)
    if part.kind in ("numbers", "row"):
        return type(answer) is tuple and len(answer) == len(names(part)) and all(map(_is_number, answer))
    if part.kind == "cells":
        cells = {(i, j) for i in range(len(part.rows)) for j in range(len(part.options))}
        return type(answer) is frozenset and answer <= cells
    if part.kind == "order":
        return type(answer) is tuple and sorted(answer) == sorted(part.options)
    return answer in part.options


def _is_number(x: Any) -> bool:
    return type(x) in (int, float) and math.isfinite(x)


def _plain(attempt: Attempt) -> dict[str, Any]:
    values = {field.name: getattr(attempt, field.name) for field in fields(Attempt)}
    return values | {name: _as_json(values[name]) for name in _ANSWERS}


def _as_json(answers: tuple[Answer, ...] | None) -> list[Any] | None:
    if answers is None:
        return None
    return [{"cells": sorted(each)} if isinstance(each, frozenset) else each for each in answers]


def _attempt(plain: dict[str, Any]) -> Attempt:
    own = Attempt(given=_answers(plain.get("given")), warned_of=_answers(plain.get("warned_of")))
    for field in fields(Attempt):
        value = plain.get(field.name)
        if field.name not in _ANSWERS and type(value) is type(field.default):
            setattr(own, field.name, value[:_LONGEST] if isinstance(value, str) else value)
    if not -1 <= own.confidence < len(CONFIDENCE):
        own.confidence = -1
    return own


def _answers(plain: Any) -> tuple[Answer, ...] | None:
    return None if plain is None else tuple(_answer(each) for each in plain[:_MOST])


def _answer(plain: Any) -> Any:
    if isinstance(plain, dict):
        return frozenset((int(i), int(j)) for i, j in plain["cells"][:_MOST])
    if isinstance(plain, list):
        return tuple(_answer(each) for each in plain[:_MOST])
    if isinstance(plain, str) and len(plain) <= _LONGEST:
        return plain
    if _is_number(plain):
        return plain
    raise ValueError(plain)
