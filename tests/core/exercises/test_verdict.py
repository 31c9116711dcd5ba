"""Reading and judging answers."""

import pytest

from core.errors import NumbersError, SettingError
from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.verdict import read_numbers, same, verdict

NUMBER = Part("number", 0.3302, tolerance=0.02, words=("it cannot be known",))
PAIR = Part("numbers", (1.0, 2.0), names=("x", "y"), tolerance=0.01)
CELLS = Part("cells", frozenset({(0, 1), (2, 2)}), rows=("a", "b", "c"), options=("a", "b", "c"))
ORDER = Part("order", ("scale", "mask", "softmax"), options=("mask", "softmax", "scale"))


def task(*parts, wrong=()):
    return Task("given", "asked?", parts, wrong, "why")


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.33", 0.33), ("0,33", 0.33), (" 1/3 ", 1 / 3), ("-2e-1", -0.2), ("1,048,576", 1048576)],
)
def test_numbers_are_read_as_people_write_them(text, value):
    assert read_numbers(NUMBER, [text]) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "word"),
    [("abc", "0.5 or 1/3"), ("", "nothing is typed"), ("1e16", "too large"), ("1,234", "two ways")],
)
def test_what_is_no_number_gets_a_sentence(text, word):
    with pytest.raises(NumbersError, match=word):
        read_numbers(NUMBER, [text])


def test_a_bad_number_of_several_is_named():
    with pytest.raises(NumbersError, match=r"^y: "):
        read_numbers(PAIR, ["1", "two"])
    with pytest.raises(NumbersError, match="2 numbers, got 1"):
        read_numbers(PAIR, ["1"])


@pytest.mark.parametrize(("given", "right"), [(0.33, True), (0.3502, True), (0.3503, False), (0.31, False)])
def test_a_number_is_right_within_its_tolerance(given, right):
    assert verdict(task(NUMBER), (given,)).right == right


def test_other_kinds():
    assert same(PAIR, (1.0, 2.0), (1.005, 1.995))
    assert not same(PAIR, (1.0, 2.0), (1.0,))
    assert same(CELLS, CELLS.answer, frozenset({(2, 2), (0, 1)}))
    assert not same(CELLS, CELLS.answer, frozenset({(0, 1)}))
    assert same(ORDER, ORDER.answer, ("scale", "mask", "softmax"))
    assert not same(ORDER, ORDER.answer, ("mask", "scale", "softmax"))


def test_two_answers_can_both_be_right():
    other = ("mask", "scale", "softmax")
    both = Part("order", ORDER.answer, options=ORDER.options, also=(other,))
    known = Wrong((("softmax", "scale", "mask"), None), "backwards", "From the end.")
    asked = task(both, NUMBER, wrong=(known,))
    for order in (ORDER.answer, other):
        assert verdict(asked, (order, 0.33)).right
    assert verdict(asked, (other, 0.9)).by_part == (True, False)
    assert verdict(task(ORDER, NUMBER), (other, 0.33)).by_part == (False, True)
    assert not verdict(asked, (("softmax", "scale", "mask"), 0.33)).right


def test_a_known_wrong_answer_gets_its_own_feedback():
    known = Wrong((0.5,), "plain average", "Key 1 scores higher.")
    word = Wrong(("it cannot be known",), "needs the values", "Weights do not depend on them.")
    asked = task(NUMBER, wrong=(known, word))
    assert verdict(asked, (0.49,)).wrong is known
    assert verdict(asked, ("it cannot be known",)).wrong is word
    assert verdict(asked, (0.9,)).wrong is None
    assert verdict(asked, (0.33,)).wrong is None


def test_several_parts_are_judged_each():
    either = Wrong((None, 9.0), "nine", "Not nine.")
    asked = task(ORDER, Part("number", 1.0), wrong=(either,))
    found = verdict(asked, (ORDER.answer, 9.0))
    assert found.by_part == (True, False)
    assert not found.right
    assert found.wrong is either


def test_what_does_not_exist_is_refused():
    with pytest.raises(SettingError, match="number, numbers"):
        Part("essay", "x")
    with pytest.raises(SettingError, match="soft lookup"):
        Exercise("X", "t", "history", "intro", "page", (), lambda seed: task(NUMBER))
