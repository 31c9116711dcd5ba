"""What is there to be seen when a prediction stands beside the result."""

import pytest

from core.exercises import EXERCISES
from core.exercises.exercise import Part, Task
from core.exercises.notice import BOTH, EXTRA, LARGER, MISSED, SAME, SMALLER, notice

NUMBER = Part("number", 0.33, tolerance=0.02, words=("it cannot be known",))
ROW = Part("row", (0.7, 0.2, 0.1), options=("a", "b", "c"), tolerance=0.03)
CELLS = Part("cells", frozenset({(0, 0), (1, 0)}), options=("a", "b"), rows=("a", "b"))
ORDER = Part("order", ("x", "y", "z"), options=("z", "y", "x"))
CHOICE = Part("choose", "grid A", options=("grid B", "grid A"))


def seen(given, *parts):
    return set(notice(Task("", "", parts, (), ""), given).seen)


@pytest.mark.parametrize(
    ("part", "given", "there"),
    [
        (NUMBER, 0.34, {SAME}),
        (NUMBER, 0.5, {SMALLER}),
        (NUMBER, 0.1, {LARGER}),
        (NUMBER, "it cannot be known", {"a number, where I predicted none"}),
        (ROW, (0.72, 0.19, 0.09), {"none: all are as predicted"}),
        (ROW, (0.2, 0.2, 0.6), {"a", "c"}),
        (ROW, (0.7, 0.0, 0.3), {"b", "c"}),
        (ROW, (0.7, 0.15, 0.35), {"c"}),
        (CELLS, frozenset({(0, 0), (1, 0)}), {SAME}),
        (CELLS, frozenset({(0, 0)}), {MISSED}),
        (CELLS, frozenset({(0, 0), (1, 0), (1, 1)}), {EXTRA}),
        (CELLS, frozenset({(0, 1)}), {BOTH}),
        (ORDER, ("x", "z", "y"), {"place 2"}),
        (ORDER, ("x", "y", "z"), {"nowhere"}),
        (CHOICE, "grid A", {SAME}),
        (CHOICE, "grid B", {"another than I predicted"}),
    ],
)
def test_what_is_seen(part, given, there):
    assert seen((given,), part) == there


def test_of_several_parts_the_first_wrong_one_is_compared():
    assert seen(("grid A", 0.9), CHOICE, NUMBER) == {SMALLER}
    assert seen(("grid A", 0.33), CHOICE, NUMBER) == {SAME}


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: each.id)
def test_every_known_answer_can_be_compared(exercise):
    for seed in range(6):
        task = exercise.make(seed)
        right = tuple(part.answer for part in task.parts)
        wrong = [
            tuple(r if w is None else w for r, w in zip(right, each.answers, strict=True))
            for each in task.wrong
        ]
        for given in (right, *wrong):
            asked = notice(task, given)
            assert asked.seen <= set(asked.options)
            assert len(set(asked.options)) == len(asked.options)
            assert asked.seen
            agrees = asked.seen & {SAME, "nowhere", "none: all are as predicted"}
            assert bool(agrees) == (given == right), given
