"""An exercise as data: what is given, what is asked, the answer, likely wrong ones, and why.

The answer is computed when the exercise is made, from the same functions and traces that draw the
pictures, so the two can never disagree. Seed 0 gives the numbers of the lessons; every other seed a twin
with numbers of its own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.errors import SettingError, require

KINDS = ("number", "numbers", "choose", "cells", "row", "order")
TOPICS = (
    "soft lookup", "scaling", "softmax", "masks", "heads", "positions", "sharing and cache", "cost", "block",
    "reading heatmaps",
)  # fmt: skip
LEVELS = ("intro", "core", "advanced")

Cells = frozenset[tuple[int, int]]  # (row, column)
Answer = float | tuple[float, ...] | str | tuple[str, ...] | Cells


@dataclass(frozen=True)
class Part:
    """One thing that is asked for.

    What an answer is: "number" a float; "numbers" and "row" (weights to be drawn as bars) a tuple of
    floats; "choose" one of the options; "order" a tuple of all options; "cells" a frozenset of (row,
    column). Whatever the kind, one of ``words`` is an answer too.
    """

    kind: str
    answer: Answer
    label: str = ""  # what it asks for, where a task has several parts
    options: tuple[str, ...] = ()  # choices; cards as dealt; names of bars; names of columns
    rows: tuple[str, ...] = ()  # "cells": names of rows
    words: tuple[str, ...] = ()  # such as "it cannot be known"
    tolerance: float = 0.0  # absolute, for each number
    names: tuple[str, ...] = ()  # "numbers": what each is
    also: tuple[Answer, ...] = ()  # other answers that are just as right

    def __post_init__(self) -> None:
        require(
            self.kind in KINDS, f"expected a kind among {', '.join(KINDS)}, got {self.kind}.", SettingError
        )


@dataclass(frozen=True)
class Wrong:
    """A likely wrong answer, what is behind it, and a line to somebody who gave it."""

    answers: tuple[Answer | None, ...]  # one for each part; None = any
    misconception: str  # short and the same wherever it is met: progress is counted by it
    feedback: str


@dataclass(frozen=True)
class Task:
    """An exercise with its numbers. Texts are Markdown with LaTeX between $."""

    setup: str  # all that is needed to answer
    question: str
    parts: tuple[Part, ...]
    wrong: tuple[Wrong, ...]
    explain: str  # why the answer is right
    link: Mapping[str, str] = field(default_factory=dict)  # the state of the page that shows it


@dataclass(frozen=True)
class Exercise:
    """One idea to be predicted, and the page that shows it."""

    id: str  # never changes: links and progress name it; "I01" is a question of interviews
    title: str
    topic: str  # one of TOPICS
    level: str  # one of LEVELS
    page: str  # the address of the page that shows the result
    covers: tuple[str, ...]  # what of the source lessons it asks
    make: Callable[[int], Task]  # seed -> the exercise with its numbers

    def __post_init__(self) -> None:
        for value, known in ((self.topic, TOPICS), (self.level, LEVELS)):
            require(value in known, f"expected one of {', '.join(known)}, got {value}.", SettingError)

    @property
    def interview(self) -> bool:
        """Whether it is a question of the kind that interviewers ask."""
        return self.id.startswith("I")
