"""Sets, lists and quizzes as links."""

import subprocess
import sys
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SettingError
from core.exercises import EXERCISES
from core.exercises.draw import quiz
from core.exercises.exercise import TOPICS
from core.exercises.misconceptions import FAMILIES
from core.exercises.place import (
    BY_ID,
    SETS,
    Entry,
    PlaceSettings,
    entries,
    position,
    short_query,
)
from core.exercises.record import Record

IDS = [each.id for each in EXERCISES]
ITEM = st.builds(
    lambda name, seed: name if seed is None else f"{name}:{seed}",
    st.sampled_from([*IDS[:6], "X99", ""]),
    st.none() | st.integers(0, 9999) | st.just("x"),
)
LINKS = st.fixed_dictionaries(
    {},
    optional={
        "set": st.sampled_from([*SETS, "none"]),
        "list": st.lists(ITEM, max_size=35).map(",".join),
        "id": st.sampled_from([*IDS, "", "X99"]),
        "seed": st.integers(-1, 10_000).map(str) | st.just("x"),
        "numbers": st.integers(-1, 10_000).map(str),
        "length": st.integers(0, 20).map(str),
    },
)


def opened(**link):
    return PlaceSettings.from_query(link)


def ids(place, records=()):
    return [each.id for each in entries(place, records)]


@given(LINKS)
def test_whatever_the_link_its_place_is_a_link_that_gives_it_back(link):
    place, _ = PlaceSettings.from_query(link)
    assert PlaceSettings.from_query(place.to_query()) == (place, [])
    assert place.id == "" or place.id in BY_ID
    assert 0 <= place.seed <= 9999


@given(LINKS)
def test_the_short_link_leads_to_the_same_set(link):
    place, _ = PlaceSettings.from_query(link)
    again, notes = PlaceSettings.from_query(short_query(place))
    assert notes == []
    assert entries(again) == entries(place)
    assert (again.id, again.seed) == (entries(place)[0] if entries(place) else ("", again.numbers))


def test_old_links_keep_their_meaning():
    place, notes = opened(id="X07", seed="3", set="masks")
    assert (place.id, place.seed, place.set, notes) == ("X07", 3, "masks", [])
    assert opened(id="X07")[0].seed == 0
    assert opened()[0] == PlaceSettings()
    assert (PlaceSettings().id, PlaceSettings().seed, PlaceSettings().set) == ("X01", 0, "all")


def test_sets_by_topic_and_all():
    assert ids(PlaceSettings()) == IDS
    assert ids(PlaceSettings(set="masks")) == [each.id for each in EXERCISES if each.topic == "masks"]
    assert PlaceSettings(set="masks").id == "X10"
    assert ids(PlaceSettings(set="interview")) == [name for name in IDS if name.startswith("I")]


def test_a_list_keeps_its_order_and_its_numbers():
    place, notes = opened(list="X30,X10:3,X01")
    assert notes == []
    assert place.set == "list"
    assert entries(place) == (Entry("X30", 0), Entry("X10", 3), Entry("X01", 0))
    assert (place.id, place.seed) == ("X30", 0)
    assert opened(list="X10:3,X01")[0].seed == 3  # the first comes with its own
    assert entries(opened(list="X30,X10:3", numbers="7")[0]) == (Entry("X30", 7), Entry("X10", 3))
    assert entries(opened(list="X01,X01:7", numbers="7")[0]) == (Entry("X01", 7),)  # the same twice: once


def test_what_stands_often_in_a_list_is_said_once():
    _, notes = opened(list="X01,X01,x01,X01")
    assert notes == ["'X01' stands more than once in the list; once counts."]
    _, notes = opened(list="X01,X02,X01,X02:3,X02,X02:3")
    assert notes == ["'X01', 'X02', 'X02:3' stand more than once in the list; once counts."]


@pytest.mark.parametrize("link", [{"id": "x07"}, {"id": "X07"}, {"list": "x07"}])
def test_small_letters_name_an_exercise_too(link):
    place, notes = opened(**link)
    assert (place.id, notes) == ("X07", [])


def test_what_is_no_exercise_is_repeated_as_it_was_typed():
    _, (note,) = opened(id="nonsense")
    assert "'nonsense'" in note


def test_a_list_may_hold_an_exercise_twice_with_other_numbers():
    place, _ = opened(list="X01,X01:5,X02", id="X01", seed="5")
    assert place.numbers == 0
    assert position(place, entries(place)) == 1
    twin, _ = place.changed(seed=6)
    assert position(twin, entries(twin)) == 0  # as good as any: a twin of both


@pytest.mark.parametrize(
    ("text", "left", "note"),
    [
        ("X01,X99,Y1", ["X01"], "'X99', 'Y1'"),
        ("X01,<b>x</b>", ["X01"], "'<b>x</b>'"),
        ("X01:abc", ["X01"], "'X01:abc'"),
        ("X01:99999", ["X01"], "0 to 9999"),
        ("X01:-1", ["X01"], "0 to 9999"),
        ("X01,X02,X01", ["X01", "X02"], "'X01' stands more than once"),
        (",".join(IDS[:34]), IDS[:30], "last 4"),
        ("a,b,c,d,e,X01", ["X01"], "and 2 more"),
    ],
)
def test_what_is_wrong_in_a_list_is_told_and_left_out(text, left, note):
    place, notes = opened(list=text)
    assert ids(place) == left
    assert len(notes) == 1
    assert note in notes[0]


def test_a_list_without_any_exercise_shows_all():
    place, notes = opened(list="Y1,Y2")
    assert place.set == "all"
    assert len(notes) == 1
    place, notes = opened(set="list")
    assert place.set == "all"
    assert "list=X01,X10" in notes[0]
    with pytest.raises(SettingError):
        PlaceSettings(set="list")


def test_an_exercise_outside_a_list_or_a_quiz_is_told():
    place, notes = opened(list="X10,X30", id="X01")
    assert (place.id, len(notes)) == ("X10", 1)
    outside = next(name for name in IDS if name not in quiz(0, 6))
    place, notes = opened(set="quiz", id=outside)
    assert (place.id, len(notes)) == (quiz(0, 6)[0], 1)


@pytest.mark.parametrize("length", range(3, 13))
def test_a_quiz_is_mixed(length):
    for seed in range(40):
        drawn = [BY_ID[name] for name in quiz(seed, length)]
        assert len({each.id for each in drawn}) == length
        topics = [each.topic for each in drawn]
        assert len(set(topics)) == min(length, len(TOPICS))
        assert all(a != b for a, b in pairwise(topics))
        kinds = Counter(each.make(0).parts[0].kind for each in drawn)
        assert len(kinds) >= min(length, 6) // 2


def test_a_quiz_follows_its_seed_and_so_do_its_numbers():
    assert quiz(7, 6) == quiz(7, 6)
    assert len({quiz(seed, 6) for seed in range(30)}) == 30
    assert quiz(7, 9)[:6] == quiz(7, 6)  # a longer one goes on where a shorter ends
    place, notes = opened(set="quiz", seed="7", length="4")
    assert notes == []
    assert entries(place) == tuple(Entry(name, 7) for name in quiz(7, 4))
    assert (place.id, place.seed) == (quiz(7, 4)[0], 7)


def test_the_draw_does_not_hang_on_the_machine():
    """A class and its lecturer get the same quiz from the same seed, each on a machine of their own."""
    code = "from core.exercises.draw import quiz; print(quiz(1, 12))"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == str(quiz(1, 12))


def test_another_set_begins_with_its_first_exercise_and_keeps_the_numbers():
    place, _ = opened(id="X07", numbers="4")
    changed, notes = place.changed(set="masks")
    assert (changed.id, changed.seed, changed.numbers, notes) == ("X10", 4, 4, [])
    changed, notes = changed.changed(set="quiz")
    assert (changed.id, notes) == (quiz(4, 6)[0], [])
    changed, notes = changed.changed(length=3)
    assert (changed.id, notes) == (quiz(4, 3)[0], [])


def test_another_exercise_comes_with_the_numbers_of_the_set_not_with_those_of_a_twin():
    place, _ = opened(id="X07", numbers="4")
    twin, _ = place.changed(seed=5)
    assert (twin.seed, twin.numbers, twin.id) == (5, 4, "X07")
    assert twin.changed(id="X08")[0].seed == 4
    assert twin.changed(numbers=9)[0].seed == 9


def test_other_numbers_leave_the_exercise_but_in_a_quiz_they_draw_anew():
    assert opened(id="X07")[0].changed(numbers=9)[0].id == "X07"
    place, _ = opened(set="quiz", id=quiz(0, 6)[3])
    changed, notes = place.changed(numbers=9)
    assert (changed.id, changed.seed, notes) == (quiz(9, 6)[0], 9, [])


def test_confident_errors_are_asked_again_as_twins():
    records = [
        Record("X01", 0, False, 2), Record("X02", 3, False, 1), Record("X03", 0, False, 0),
        Record("X04", 0, False, 2), Record("X04", 1, True, 2), Record("X05", 9999, False, 2),
        Record("Z99", 0, False, 2),
    ]  # fmt: skip
    place = PlaceSettings(set="again")
    assert place.id == ""  # it depends on the answers
    assert entries(place, records) == (Entry("X01", 1), Entry("X02", 4), Entry("X05", 0))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_a_set(family):
    place, notes = opened(set=family)
    assert notes == []
    assert place.id == ids(place)[0]
