"""Where the exercises stand in the lessons."""

import re
from pathlib import Path

from core.exercises import EXERCISES
from core.exercises.in_lessons import LESSONS, MAIN_PICTURE, TOP, picture_of
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
