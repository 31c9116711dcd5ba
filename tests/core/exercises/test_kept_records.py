"""Answers of several windows and files put together; what is broken or hostile is refused as a whole."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import NumbersError
from core.exercises.met import by_family, topics_met
from core.exercises.misconceptions import FAMILIES
from core.exercises.record import MOST, Record, merged, read, read_with_era, written

RECORDS = st.lists(
    st.builds(
        Record,
        id=st.sampled_from(["X01", "X02", "X58"]),
        seed=st.integers(0, 3),
        right=st.booleans(),
        confidence=st.integers(-1, 2),
        misconception=st.sampled_from(["", "the scale forgotten"]),
        at=st.integers(0, 30),
    ),
    max_size=12,
)
OLD = {"id": "X02", "seed": 0, "right": False, "confidence": 2, "misconception": "the scale forgotten"}


@given(RECORDS, st.integers(0, 5))
def test_a_file_gives_back_records_and_era(records, era):
    assert read_with_era(written(records, era)) == (tuple(records), era)


def test_a_file_of_the_first_form_still_loads_in_its_order():
    text = json.dumps({"attention-lab-progress": 1, "answers": [OLD, {**OLD, "right": True}]})
    first, second = read(text)
    assert (first.at, second.at) == (0, 1)
    assert (first.right, second.right) == (False, True)
    assert read_with_era(text)[1] == 0


def test_the_answers_of_a_file_have_the_first_form_so_that_an_older_app_reads_it():
    assert json.loads(written([Record(**OLD, at=4)]))["answers"] == [OLD]


@given(RECORDS, RECORDS, RECORDS)
def test_putting_together_loses_nothing_and_does_not_depend_on_the_order(a, b, c):
    assert set(merged(a, b)) == {*a, *b}
    assert merged(a, b) == merged(b, a)
    assert merged(merged(a, b), c) == merged(a, merged(b, c))
    assert merged(a, b, a) == merged(a, b)
    assert [each.at for each in merged(a, b)] == sorted(each.at for each in {*a, *b})


def test_only_the_newest_are_kept():
    many = [Record("X01", 0, True, 1, at=i) for i in range(MOST + 5)]
    assert merged(many) == tuple(many[5:])
    text = written(many)
    assert read(text) == tuple(many[5:])
    longest = [Record("X" * 200, 9999, False, -1, "ü" * 200, at=10**9 - i) for i in range(MOST)]
    with pytest.raises(NumbersError):  # no answer of ours is as long as that
        read(written(longest))


@pytest.mark.parametrize(
    "change",
    [
        {"at": [0, 1]}, {"at": ["x"]}, {"at": [-1]}, {"at": [10**30]}, {"at": None}, {"at": [True]},
        {"era": -1}, {"era": "x"}, {"era": None}, {"era": 10**30},
        {"answers": [{**OLD, "misconception": "\ud800"}]},
        {"answers": [{**OLD, "misconception": "x" * 201}]},
        {"answers": [{**OLD, "id": "x" * 201}]},
        {"answers": [{**OLD, "seed": -1}]},
        {"answers": [{**OLD, "seed": 10**30}]},
        {"answers": [{**OLD, "confidence": 3}]},
        {"answers": [{**OLD, "at": 0}]},
        {"answers": [{}]}, {"answers": [[]]}, {"answers": "x"}, {"answers": None},
        {"answers": [OLD] * 20_000},
    ],
    ids=lambda change: str(change)[:40],
)  # fmt: skip
def test_a_file_that_is_not_sound_gets_a_sentence(change):
    good = {"attention-lab-progress": 1, "era": 0, "answers": [OLD], "at": [0]}
    assert read(json.dumps(good))
    with pytest.raises(NumbersError, match="no progress file"):
        read(json.dumps({**good, **change}))


def test_what_was_met_stands_under_its_family_and_is_put_right_by_a_later_right_answer():
    records = [
        Record("X01", 0, True, 1),  # right before: puts nothing right
        Record("X18", 0, False, 2, "the scale forgotten"),
        Record("X02", 0, False, 2, "the scale forgotten"),
        Record("X09", 0, False, 0, "columns sum to 1"),
        Record("Z99", 0, False, 0, "a name of long ago"),
    ]
    found = dict(by_family(records))
    (scale,), (columns,), (old,) = (found[key] for key in (FAMILIES["scale-place"], FAMILIES["sums"], None))
    assert (scale.name, scale.count, scale.put_right) == ("the scale forgotten", 2, False)
    assert (columns.name, columns.put_right) == ("columns sum to 1", False)
    assert (old.name, old.put_right) == ("a name of long ago", False)
    # Somebody who forgets the scale answers X57 wrong, so a right answer there puts it right.
    found = dict(by_family([*records, Record("X57", 5, True, 0), Record("Z99", 0, True, 0)]))
    assert found[FAMILIES["scale-place"]][0].put_right
    assert not found[FAMILIES["sums"]][0].put_right
    assert found[None][0].put_right


def test_topics_are_counted_by_exercise():
    records = [Record("X01", 0, True, 1), Record("X01", 1, False, 1), Record("X02", 0, True, 1)]
    ((topic, done, total),) = topics_met([*records, Record("Z99", 0, True, 1)])
    assert (topic, done) == ("soft lookup", 2)
    assert total >= 7
