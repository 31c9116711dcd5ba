"""Attempts that the open page holds for a server that starts anew."""

import json

import pytest

from core.exercises.place import BY_ID
from pages.ui import kept_attempts
from pages.ui.attempts import ATTEMPTS, Attempt, task_of


@pytest.fixture
def session(monkeypatch):
    """What the session holds."""
    found = {}
    monkeypatch.setattr(kept_attempts.st, "session_state", found)
    return found


def answered(exercise, given):
    attempt = Attempt(revealed=True, noticed="the same as I predicted")
    attempt.commit(given, 2, "why <b>not</b>")
    return attempt


def possible(task):
    """The right answer, the known wrong ones, and words where a part takes words."""
    right = tuple(part.answer for part in task.parts)
    yield right
    for wrong in task.wrong:
        yield tuple(a if b is None else b for a, b in zip(right, wrong.answers, strict=True))
    for i, part in enumerate(task.parts):
        for word in part.words:
            yield (*right[:i], word, *right[i + 1 :])


@pytest.mark.parametrize("exercise", BY_ID.values(), ids=BY_ID)
def test_every_kind_of_answer_comes_back_as_it_was(exercise, session):
    for given in possible(task_of(exercise, 3)):
        chosen = {(exercise.id, 3): answered(exercise, given)}
        session[ATTEMPTS] = chosen
        text = kept_attempts.written()
        session.clear()
        kept_attempts.restore(text)
        assert session[ATTEMPTS] == chosen


def test_one_who_does_not_know_stays_so_and_what_is_not_committed_is_not_kept(session):
    unknown = Attempt()
    unknown.commit(None, -1, "")
    session[ATTEMPTS] = {("X01", 0): unknown, ("X10", 0): Attempt()}
    text = kept_attempts.written()
    session.clear()
    kept_attempts.restore(text)
    assert session[ATTEMPTS] == {("X01", 0): unknown}
    session[ATTEMPTS] = {("X10", 0): Attempt()}
    assert kept_attempts.written() == ""


def test_a_session_that_knows_better_is_told_nothing(session):
    old, new = Attempt(), Attempt(revealed=True)
    old.commit((0.25,), 0, "")
    new.commit((0.5,), 1, "")
    session[ATTEMPTS] = {("X01", 0): old}
    text = kept_attempts.written()
    session[ATTEMPTS] = {("X01", 0): new}
    kept_attempts.restore(text)
    assert session[ATTEMPTS] == {("X01", 0): new}


GOOD = {"committed": True, "given": [0.5]}


@pytest.mark.parametrize(
    "row",
    [
        ["nowhere", 0, GOOD], ["X01", "0", GOOD], ["X01", 0, None], ["X01", 0, {"given": 5}], ["X01", 0],
        ["X01", 0, {"given": [{}]}], ["X01", 0, {"given": [{"cells": [[1]]}]}], [["X01"], 0, GOOD], 7,
        ["X01", 0, {"given": ["x" * 400]}], ["X01", 0, {"given": [None]}], ["X01", 0, {"given": [1e999]}],
        ["X01", 0, {"given": [[[[[1]]]]], "committed": True}], ["X11", 0, GOOD],
        ["X01", 10_000, GOOD], ["X01", -1, GOOD], ["X01", 10**400, GOOD],
        ["X01", 0, {**GOOD, "given": ["0.5"]}], ["X01", 0, {**GOOD, "given": [True]}],
        ["X01", 0, {**GOOD, "warned_of": ["x"]}],
    ],
    ids=range(20),
)  # fmt: skip
def test_what_is_no_attempt_is_passed_over(row, session):
    kept_attempts.restore(json.dumps([row, ["X01", 1, GOOD]]))
    good = session[ATTEMPTS].pop(("X01", 1))
    assert good == Attempt(given=(0.5,), committed=True)
    assert session[ATTEMPTS] == {}


def test_lists_in_lists_without_end_are_passed_over(session):
    deep = "[" * 800 + "]" * 800
    good = json.dumps(["X01", 1, GOOD])
    kept_attempts.restore(f'[["X01", 0, {{"given": {deep}}}], {good}]')
    assert session[ATTEMPTS] == {("X01", 1): Attempt(given=(0.5,), committed=True)}


def test_how_sure_somebody_was_is_one_of_the_choices(session):
    kept_attempts.restore(json.dumps([["X01", 0, {**GOOD, "confidence": 99}]]))
    assert session[ATTEMPTS]["X01", 0].sure == ""


@pytest.mark.parametrize("text", [None, 5, "", "{", "{}", "[" * 100_000, "null", "[[" + "1," * 9 + "1]]"])
def test_what_is_no_text_of_attempts_changes_nothing(text, session):
    kept_attempts.restore(text)
    assert session[ATTEMPTS] == {}
