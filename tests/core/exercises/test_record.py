"""What somebody has answered, as a file and as counts."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import NumbersError
from core.exercises.place import PlaceSettings
from core.exercises.record import Record, misconceptions, read, to_ask_again, written

RECORDS = st.builds(
    Record,
    id=st.sampled_from(["X01", "X02", "X58"]),
    seed=st.integers(0, 9999),
    right=st.booleans(),
    confidence=st.integers(-1, 2),
    misconception=st.text(max_size=30),
)


@given(st.lists(RECORDS, max_size=20))
def test_a_file_gives_back_what_was_written(records):
    assert read(written(records)) == tuple(records)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "7", '{"answers": 3}', '{"answers": [1]}', '{"answers": [{"id": "X01"}]}', "[" * 10_000,
     json.dumps({"answers": [{"id": 1, "seed": "x", "right": 1, "confidence": 0, "misconception": ""}]}),
     json.dumps({"answers": [{"id": "X01", "seed": 0, "right": True, "confidence": 0, "evil": 1}]}),
     "x" * 300_000],
    ids=lambda text: text[:30],
)  # fmt: skip
def test_what_is_no_progress_file_gets_a_sentence(text):
    with pytest.raises(NumbersError, match="no progress file"):
        read(text)


def test_misconceptions_are_counted_and_only_confident_errors_come_again():
    wrong = Record("X01", 0, False, 2, "the best match takes all")
    records = [wrong, wrong, Record("X02", 0, False, 0, "no scaling"), Record("X03", 0, True, 2)]
    assert misconceptions(records) == [("the best match takes all", 2), ("no scaling", 1)]
    assert to_ask_again(records) == ("X01",)
    assert to_ask_again([*records, Record("X01", 1, True, 1)]) == ()


@given(st.builds(PlaceSettings, id=st.sampled_from(["X01", "X58"]), seed=st.integers(0, 9999)))
def test_every_place_is_a_link(place):
    assert PlaceSettings.from_query(place.to_query()) == (place, [])


def test_a_place_that_does_not_exist_is_told():
    place, notes = PlaceSettings.from_query({"id": "X99", "seed": "-1", "set": "history"})
    assert place == PlaceSettings()
    assert len(notes) == 3
