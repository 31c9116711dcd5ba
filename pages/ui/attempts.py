"""How far this session has come with each exercise: kept while other pages are open."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import streamlit as st

from core.exercises.exercise import Answer, Exercise, Task
from core.exercises.notice import notice
from core.exercises.record import CONFIDENCE, Record
from core.exercises.verdict import Verdict, verdict
from pages.ui import progress, state

ATTEMPTS = "_attempts"


@dataclass
class Attempt:
    """One exercise with its numbers. What has been done is never taken back by going away or back."""

    given: tuple[Answer, ...] | None = None  # None: "I don't know"
    confidence: int = -1  # of CONFIDENCE; -1: "I don't know"
    reason: str = ""
    committed: bool = False
    revealed: bool = False
    noticed: str = ""  # what somebody says they see
    warned_of: tuple[Answer, ...] | None = None  # another answer in the fields when they asked to reveal

    def commit(self, given: tuple[Answer, ...] | None, confidence: int, reason: str) -> None:
        """Take an answer as committed, in place of an earlier one; ``None``: "I don't know"."""
        self.given, self.confidence, self.reason, self.committed = given, confidence, reason, True

    @property
    def sure(self) -> str:
        """How sure somebody was, in words."""
        return CONFIDENCE[self.confidence] if self.confidence >= 0 else ""

    def judged(self, task: Task) -> Verdict | None:
        """Return what the answer is; None if there is none."""
        return None if self.given is None else verdict(task, self.given)

    @property
    def explained(self) -> bool:
        """Whether the explanation is due: after somebody with a prediction has said what they see."""
        return self.revealed and (self.given is None or bool(self.noticed))

    def saw(self, task: Task) -> bool:
        """Whether what they say they see is there."""
        return self.given is None or self.noticed in notice(task, self.given).seen


@lru_cache(maxsize=512)
def task_of(exercise: Exercise, seed: int) -> Task:
    """Return an exercise with the numbers of a seed: made once, for every run and every session."""
    return exercise.make(seed)


def attempt_at(exercise: Exercise, seed: int) -> Attempt:
    """Return the session's attempt at an exercise with the numbers of a seed."""
    attempts = st.session_state.setdefault(ATTEMPTS, {})
    return attempts.setdefault((exercise.id, seed), Attempt())


def reveal(exercise: Exercise, seed: int, task: Task, then: Callable[[], None]) -> None:
    """Open the result, and note the answer in the progress.

    Args:
        exercise: what was asked.
        seed: of its numbers.
        task: the exercise with those numbers.
        then: called last, to bring the page to the state that shows the result.
    """
    attempt = attempt_at(exercise, seed)
    if not attempt.committed or attempt.revealed:
        return
    attempt.revealed = True
    found = attempt.judged(task)
    name = found.wrong.misconception if found and found.wrong else ""
    progress.add(Record(exercise.id, seed, bool(found and found.right), attempt.confidence, name))
    then()
    state.moved()
