"""Where the exercises stand in the lessons."""

import re
from pathlib import Path

import pytest

from core.exercises import EXERCISES
from core.exercises.in_lessons import LESSONS, MAIN_PICTURE, TOP, picture_of
from core.exercises.place import BY_ID
from core.training.experiments import EXPERIMENTS
from pages.ui.pictures import VIEWS

PAGES = Path(__file__).parents[3] / "pages"
ASKED = [name for places in LESSONS.values() for place in places.values() for name in place.exercises]


def test_every_exercise_is_asked_in_one_lesson_but_those_of_interviews():
    assert sorted(ASKED) == sorted(each.id for each in EXERCISES if not each.interview)
    assert len(set(ASKED)) == len(ASKED)


def test_every_place_is_in_its_page_and_every_place_of_a_page_is_known():
    for page, places in LESSONS.items():
        source = (PAGES / f"{page.replace('-', '_')}.py").read_text()
        found = set(re.findall(r'(?:place=|predict\.first\()"(\w+)"', source))
        if page == "training":  # it asks at the place of the chosen experiment
            found |= EXPERIMENTS.keys()
        assert found == places.keys() - {TOP}, page  # the top is asked by lesson.opening
        assert "lesson.opening(" in source


def test_every_picture_is_one_of_its_page():
    for page, places in LESSONS.items():
        names = VIEWS[page].pictures(VIEWS[page].kind()).keys()
        assert {place.picture for place in places.values()} - {""} <= names, page
    assert MAIN_PICTURE["playground"] in VIEWS["playground"].pictures(VIEWS["playground"].kind())


def test_an_exercise_is_shown_by_a_picture_of_its_own_page():
    for each in EXERCISES:
        name = picture_of(each)
        assert not name or name in VIEWS[each.page].pictures(VIEWS[each.page].kind())


def _numbers_asked(task):
    """The answers that are no whole numbers, as explanations print them."""
    for part in task.parts:
        for x in part.answer if isinstance(part.answer, tuple) else (part.answer,):
            if isinstance(x, float | int) and abs(x - round(x)) > 1e-6:
                yield from {f"{x:.4f}", f"{x:.4g}"}


@pytest.mark.parametrize("page", LESSONS)
def test_no_exercise_gives_away_the_answer_of_a_later_one_of_its_page(page):
    """The first of a place is asked with the lesson's numbers, the others as twins."""
    asked = [
        (name, BY_ID[name].make(min(i, 1)))
        for place in LESSONS[page].values()
        for i, name in enumerate(place.exercises)
    ]
    for at, (name, task) in enumerate(asked):
        told = " ".join((task.explain, *(wrong.feedback for wrong in task.wrong)))
        numbers = set(re.findall(r"\d+\.\d+", told))
        for later, other in asked[at + 1 :]:
            found = numbers & {x.lstrip("-") for x in _numbers_asked(other)}
            assert not found, f"{name} tells what {later} asks: {found}"
