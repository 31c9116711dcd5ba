"""Prediction over result: what each picture shows, read back from its HTML."""

import math
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.exercises import EXERCISES
from core.exercises.exercise import Part
from pages.ui.exercise_pictures import overlay
from pages.ui.number_line import gap_in_words, line_for

NUMBER = Part("number", 0.3302, tolerance=0.02, words=("it cannot be known",))
ROW = Part("row", (0.2, 0.8), options=("k1", "k2"), tolerance=0.03)
CELLS = Part("cells", frozenset({(0, 1), (1, 1)}), options=("the", "cat"), rows=("the", "cat"))
ENTRIES = Part("cells", frozenset({(0, 2)}), options=("a", "b", "c"), rows=("",))
ORDER = Part("order", ("b", "a", "c"), options=("a", "b", "c"), words=("equal",))
CHOOSE = Part("choose", "no", options=("yes", "no", "both"))
NASTY = "<img src=x onerror=alert(1)>'\""
VOID = {"br", "img"}


class Tags(HTMLParser):
    """Opens and closes in turn; ``seen`` holds (tag, class), ``text`` what is shown."""

    def __init__(self, html):
        super().__init__()
        self.open, self.seen, self.text = [], [], ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs).get("class", "")))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def count(self, name):
        return sum(name in kind.split() for _, kind in self.seen)


def shown(part, given=None):
    html = overlay(part, given)
    assert not re.search(r"\b(nan|inf|None)\b", html)
    return Tags(html)


def widths(html, kind):
    return [
        float(x) for x in re.findall(rf"class='lab-{kind}' style='(?:left:[\d.]+%;)?width:([\d.]+)%'", html)
    ]


def test_a_row_has_both_bars_and_the_gap_with_its_size():
    html = overlay(ROW, (0.35, 0.65))
    assert widths(html, "got") == [20, 80]
    assert widths(html, "mine") == [35, 65]
    assert widths(html, "gap") == [15]  # drawn too long
    assert widths(html, "gap lab-within") == [15]  # and too short
    assert "gap <b>+0.15</b>" in html
    assert "gap <b>−0.15</b>" in html


def test_a_bar_within_the_tolerance_is_ticked_and_has_no_gap_in_words():
    text = shown(ROW, (0.21, 0.79)).text
    assert text.count("✓") == 2
    assert "gap" not in text


def test_cells_missed_and_cells_too_many():
    html = overlay(CELLS, frozenset({(0, 1), (1, 0)}))
    assert "You missed (cat, cat). (cat, the) does not belong here." in html
    picture = Tags(html)
    assert picture.count("lab-over-cell") == 4
    assert picture.count("lab-got") == 2  # computed
    assert html.count("<i></i>") == 2  # ringed
    assert "computed, you picked it" in html


def test_entries_of_a_list_are_named_alone_and_no_cell_is_an_answer():
    assert "You missed c. a and b do not belong here." in overlay(ENTRIES, frozenset({(0, 0), (0, 1)}))
    assert "You missed c." in overlay(ENTRIES, frozenset())
    assert "Exactly these." in overlay(ENTRIES, frozenset({(0, 2)}))


def test_many_cells_are_counted_and_not_listed():
    names = tuple(map(str, range(4)))
    part = Part(
        "cells", frozenset((i, j) for i in range(4) for j in range(4) if j <= i), options=names, rows=names
    )
    assert "You missed 10 of 16 cells." in overlay(part, frozenset())


def test_an_order_has_a_line_for_each_card():
    html = overlay(ORDER, ("a", "b", "c"))
    assert Tags(html).count("lab-moves") == 2
    assert Tags(html).count("lab-stays") == 1
    assert "1 of 3 in place: a comes 1 later and b comes 1 earlier." in html
    assert "Every card is in its place." in overlay(ORDER, ("b", "a", "c"))


def test_of_many_cards_out_of_place_the_furthest_is_named():
    part = Part("order", tuple("abcde"), options=tuple("eabcd"))
    assert "0 of 5 in place. Furthest off: e comes 4 later." in overlay(part, part.options)


def test_an_option_is_marked_by_words_too():
    html = overlay(CHOOSE, "both")
    assert re.search(r"lab-got-option'.*?no</span><em>✓ computed</em>", html)
    assert re.search(r"lab-mine-option'><b[^>]*>C</b><span>both</span><em class='lab-you'>you</em>", html)
    assert "lab-got-option lab-mine-option" in overlay(CHOOSE, "no")


def test_numbers_stand_on_one_line():
    html = overlay(NUMBER, 0.5)
    assert "left:33.02%" in html
    assert "left:50.00%" in html
    assert "Your 0.5 is 0.1698 too high." in html
    assert "lab-gap" not in overlay(NUMBER, 0.33)  # right within the tolerance


def test_a_line_of_powers_of_ten_says_so():
    assert "in powers of ten" in overlay(Part("number", 131072), 0.33)
    assert "in powers of ten" not in overlay(NUMBER, 0.5)


def test_numbers_with_names_each_have_a_line():
    part = Part("numbers", (1.0, 2.0), names=("before", "after"))
    text = shown(part, (1.0, 4.0)).text
    assert "before" in text
    assert "Your 4 is 2 too high." in text
    assert "Your 1 is right." in text


@pytest.mark.parametrize(
    "part", [NUMBER, ROW, CELLS, ENTRIES, ORDER, CHOOSE], ids=lambda part: f"{part.kind}{len(part.rows)}"
)
def test_not_to_know_shows_the_result_alone(part):
    html = overlay(part, None)
    assert "you predicted" not in html
    assert "lab-mine" not in html
    assert "lab-got" in html


@pytest.mark.parametrize(("part", "word"), [(NUMBER, "it cannot be known"), (ORDER, "equal")])
def test_a_word_that_was_said_stands_above_the_result(part, word):
    html = overlay(part, word)
    assert f"You predicted: <b>{word}</b>" in html
    assert "lab-mine-label" not in html


def test_a_word_may_be_the_right_answer():
    part = Part("number", "it cannot be known", words=("it cannot be known",))
    html = overlay(part, 0.3)
    assert "<span>it cannot be known</span><em>✓ computed</em>" in html
    assert "<span>0.3</span><em class='lab-you'>you</em>" in html
    assert "lab-got-option lab-mine-option" in overlay(part, "it cannot be known")


@pytest.mark.parametrize(
    ("computed", "given", "tolerance", "words"),
    [
        (131072, 0.33, 0, "Your 0.33 is about 400,000 times too small."),
        (1, 12, 0, "Your 12 is about 12 times too large."),
        (-1.5, 1.2, 0, "Your 1.2 is 2.7 too high."),
        (0, -3, 0, "Your −3 is 3 too low."),
        (15, 15, 0, "Your 15 is right."),
        (0.3302, 0.33, 0.02, "Your 0.33 is right within ±0.02."),
        (5, None, 0, ""),
    ],
)
def test_the_gap_in_words(computed, given, tolerance, words):
    assert gap_in_words(computed, given, tolerance) == words


def test_a_line_is_as_wide_as_it_must_be():
    assert (line_for([0.33, 0.5]).low, line_for([0.33, 0.5]).high) == (0, 1)
    assert line_for([15, 12]).low == 0
    near = line_for([1048576, 1048500])  # closer than 0 would let them be told apart
    assert 1048000 < near.low < 1048500
    assert near.place(1048576) - near.place(1048500) > 0.1
    powers = line_for([0.33, 131072])
    assert (powers.low, powers.high) == (0.1, 1e6)
    assert 0.05 < powers.place(0.33) < 0.1 < 0.8 < powers.place(131072) < 1
    assert line_for([-2, 3]).low <= -2


@given(st.lists(st.floats(-1e15, 1e15), min_size=1, max_size=4))
def test_every_number_has_its_place_and_a_larger_one_is_never_further_left(values):
    line = line_for(values)
    places = [line.place(x) for x in sorted(values)]
    assert all(0 <= x <= 1 for x in places)
    assert places == sorted(places)
    marks = [line.place(x) for x in line.marks()]
    assert 2 <= len(marks) <= 13
    assert (marks[0], marks[-1]) == (0, 1)
    if max(values) > 2 * max(min(values), 1e-9):
        assert places[-1] - places[0] > 0.04


ODD = st.one_of(
    st.none(),
    st.floats(),
    st.text(max_size=9),
    st.lists(st.floats(), max_size=3).map(tuple),
    st.lists(st.sampled_from("abc"), max_size=4).map(tuple),
    st.frozensets(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), max_size=6),
)


@given(part=st.sampled_from([NUMBER, ROW, CELLS, ENTRIES, ORDER, CHOOSE]), odd=ODD)
def test_whatever_was_given_the_picture_is_whole(part, odd):
    assert shown(part, odd).count("lab-over") == 1


@given(computed=st.floats(-1e15, 1e15), mine=st.floats(-1e15, 1e15))
def test_any_two_numbers_can_be_compared(computed, mine):
    html = overlay(Part("number", computed), mine)
    assert all(0 <= float(x) <= 100 for x in re.findall(r"left:([\d.]+)%", html))
    assert "nan" not in html


@pytest.mark.parametrize(
    "part",
    [
        Part("row", (0.2, 0.8), options=(NASTY, "b"), label=NASTY),
        Part("cells", frozenset({(0, 0)}), options=(NASTY, "b"), rows=(NASTY, "b")),
        Part("cells", frozenset({(0, 0)}), options=(NASTY, "b"), rows=("",)),
        Part("order", ("b", NASTY), options=(NASTY, "b")),
        Part("choose", NASTY, options=(NASTY, "b")),
        Part("numbers", (1.0, 2.0), names=(NASTY, "b")),
        Part("number", 1.0, words=(NASTY,)),
    ],
    ids=lambda part: part.kind,
)
def test_names_show_literally(part):
    predicted = {
        "row": (0.5, 0.5),
        "order": (NASTY, "b"),
        "choose": NASTY,
        "numbers": (1.0, 3.0),
        "number": NASTY,
        "cells": frozenset(),
    }
    html = overlay(part, predicted[part.kind])
    assert "<img" not in html
    assert NASTY in Tags(html).text


@pytest.mark.parametrize("item", EXERCISES, ids=lambda item: item.id)
def test_every_answer_of_every_exercise_has_a_picture(item):
    for seed in (0, 1, 2):
        task = item.make(seed)
        for i, part in enumerate(task.parts):
            for each in (part.answer, None, *(wrong.answers[i] for wrong in task.wrong)):
                picture = shown(part, each)
                assert ("you predicted" in picture.text) == (each is not None)
                if part.kind == "number" and isinstance(each, float) and math.isfinite(each):
                    assert picture.count("lab-mine-stem") == 1
