"""Every misconception has one family, and a family's set holds the exercises where it can be met."""

import pytest

from core.exercises import EXERCISES
from core.exercises.exercise import TOPICS
from core.exercises.misconceptions import FAMILIES, FAMILY_OF, can_be_met, exercises_of

SEEDS = range(6)
EVERY = {w.misconception for each in EXERCISES for seed in SEEDS for w in each.make(seed).wrong}


def test_every_misconception_of_every_exercise_is_in_a_family():
    missing = sorted(EVERY - FAMILY_OF.keys())
    assert missing == [], (
        "give each a family in core/exercises/misconceptions.py, the one a student would name"
    )


def test_no_family_holds_a_misconception_that_nobody_can_meet():
    gone = sorted(FAMILY_OF.keys() - EVERY)
    assert gone == [], (
        "renamed or taken out of the exercises: change it in core/exercises/misconceptions.py too"
    )


def test_no_misconception_is_in_two_families():
    names = [name for family in FAMILIES.values() for name in family.names]
    twice = sorted({name for name in names if names.count(name) > 1})
    assert twice == [], "keep each in one family of core/exercises/misconceptions.py"


def test_a_family_is_no_topic_so_that_a_link_means_one_thing():
    assert FAMILIES.keys().isdisjoint({*TOPICS, "all", "again", "quiz", "list", "interview"})
    assert len({family.title for family in FAMILIES.values()}) == len(FAMILIES)


def test_what_can_be_met_is_the_same_for_all_twins():
    for exercise in EXERCISES:
        met = {wrong.misconception for seed in SEEDS for wrong in exercise.make(seed).wrong}
        assert can_be_met()[exercise.id] == met, "look at more seeds in core/exercises/misconceptions.py"


@pytest.mark.parametrize("family", FAMILIES)
def test_the_set_of_a_family(family):
    names = set(FAMILIES[family].names)
    wanted = [
        each.id for each in EXERCISES if any(wrong.misconception in names for wrong in each.make(0).wrong)
    ]
    assert set(exercises_of(family)) >= set(wanted)
    assert wanted
