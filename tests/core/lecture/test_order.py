"""A running order: what it may hold, how it is changed, and that every form reads back as the same."""

import base64
import json
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import NumbersError, SettingError
from core.exercises import place
from core.lecture import forms
from core.lecture.forms import LONGEST_LINK, as_link, from_link, read, revision_of, written
from core.lecture.order import MOST_ITEMS, UNTITLED, Item, RunningOrder, item_at
from core.lecture.ready import READY
from core.lecture.stops import STOPS
from core.lecture.view import LectureSettings

A, B, C = (Item(page, minutes=minutes) for page, minutes in (("masking", 5), ("heads", 7), ("cost", 3)))
ORDER = RunningOrder("Three", (A, B, C))

MASKS = st.fixed_dictionaries({}, optional={
    "mask": st.sampled_from(["causal", "window", "none"]), "d_k": st.integers(2, 64).map(str),
    "text": st.text(max_size=40), "hide": st.text(max_size=20), "lecture": st.sampled_from(["1", "7", "x"]),
})  # fmt: skip
ITEMS = st.builds(
    item_at, st.sampled_from(sorted(STOPS)), MASKS, st.text(max_size=30), st.text(max_size=80),
    st.integers(0, 180),
)  # fmt: skip
ORDERS = st.builds(RunningOrder, st.text(max_size=30), st.lists(ITEMS, max_size=4).map(tuple))


@settings(max_examples=60, deadline=None)
@given(ORDERS, st.integers(0, 1000))
def test_a_file_reads_back_as_the_same_order_without_a_note(order, revision):
    assert read(written(order, revision)) == (order, [])
    assert revision_of(written(order, revision)) == revision


@settings(max_examples=60, deadline=None)
@given(ORDERS)
def test_a_link_reads_back_as_the_same_order_without_a_note(order):
    assert from_link(as_link(order)) == (order, [])


def test_an_item_holds_the_whole_state_and_is_named_after_its_page():
    item = Item("exercises", (("id", "X10"),))
    query = dict(item.query)
    assert (query["id"], query["seed"], query["v"]) == ("X10", "0", "1")
    assert item.name == "X10: The first row"
    assert Item("scaling").name == "Why √d_k"


def test_an_item_keeps_its_panel_and_what_is_hidden():
    item = item_at("masking", {"mask": "none", "lecture": "03", "hide": "seed", "embed": "true"})
    query = dict(item.query)
    assert (query["mask"], query["lecture"], query["hide"]) == ("none", "3", "seed")
    assert "embed" not in query
    assert item.link.startswith("masking?lecture=3&v=1&")
    assert Item("", ()).link == "?lecture=1&v=1"


@pytest.mark.parametrize(
    ("text", "kept"),
    [("2", "2"), ("02-004", "2-4"), ("3-3", "3-3"), ("4-2", None), ("0-2", None), ("2-", None),
     ("-2", None), ("1-1000", "1"), ("00014", "14"), ("²-3", None), ("x", None)],
)  # fmt: skip
def test_an_item_says_from_which_panel_to_which(text, kept):
    item = item_at("masking", {"lecture": text})
    assert dict(item.query).get("lecture") == kept
    assert item.link.startswith(f"masking?lecture={kept or 1}&v=1&")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"page": "nowhere"}, "address of a page"),
        ({"query": (("d_k", "-1"),)}, "d_k = '-1'"),
        ({"query": (("nonsense", "1"),)}, "does not exist here"),
        ({"minutes": -1}, "whole minutes from 0 to 180"),
        ({"minutes": 2.5}, "whole minutes"),
        ({"name": "x" * 101}, "100 characters; these are 101"),
        ({"notes": "x" * 2001}, "2,000 characters; these are 2,001"),
    ],
)
def test_what_is_not_possible_raises_a_sentence(values, words):
    with pytest.raises(SettingError, match=words):
        Item(**{"page": "masking", **values})


def test_too_many_items_raise_a_sentence():
    full = RunningOrder("Full", (A,) * MOST_ITEMS)
    with pytest.raises(SettingError, match="at most 60 items"):
        full.added(B)


def test_the_order_is_changed_by_making_another():
    assert ORDER.minutes == 15
    assert ORDER.starts == (0, 5, 12)
    assert ORDER.moved(0, 2).items == (B, C, A)
    assert ORDER.moved(2, 1).items == (A, C, B)
    assert ORDER.without(1).items == (A, C)
    assert ORDER.changed(1, minutes=9).starts == (0, 5, 14)
    assert ORDER.added(A).items == (A, B, C, A)
    assert ORDER.items == (A, B, C)
    assert RunningOrder().minutes == 0
    assert RunningOrder().starts == ()


def test_names_are_one_line_and_notes_keep_their_lines():
    item = Item("cost", (), "  two \n words ", "\n first\r\nsecond \n", 1)
    assert item.name == "two words"
    assert item.notes == "first\nsecond"
    assert RunningOrder("   ").title == UNTITLED


def test_a_link_that_would_be_too_long_says_so():
    words = [f"{i * 2654435761 % 2**32:08x}" for i in range(1500)]  # nothing that could be packed
    notes = [" ".join(words[i : i + 150]) for i in range(0, 1500, 150)]
    order = RunningOrder("Long", tuple(Item("cost", notes=each) for each in notes))
    with pytest.raises(SettingError, match="too long for a link") as caught:
        as_link(order)
    assert f"{LONGEST_LINK:,}" in str(caught.value)
    assert read(written(order)) == (order, [])


# --- the three that ship ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "minutes", "exercises"),
    [("first", 50, (3, 5)), ("rope-gqa-cache", 50, (3, 5)), ("demonstration", 10, (1, 2))],
)
def test_a_ready_order_has_its_length_and_its_exercises(name, minutes, exercises):
    order = READY[name]
    assert sum(item.minutes for item in order.items) == minutes
    low, high = exercises
    assert low <= sum(item.page == "exercises" for item in order.items) <= high
    assert all(item.notes for item in order.items)
    assert len({item.name for item in order.items}) == len(order.items)
    assert len(as_link(order)) < 2500


# --- hostile ones -------------------------------------------------------------------------------

FILE = '{"attention-lab-lecture": 1, "title": "T", "items": […]}'
GOOD = '{"page": "cost", "query": {}, "name": "n", "notes": "", "minutes": 4}'


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "7", '"x"', "{}", '{"attention-lab-lecture": 1}', "[" * 100_000, "x" * 1_000_001,
     '{"attention-lab-lecture": 1, "items": {}}', '{"items": []}', "1" * 5000],
    ids=lambda text: text[:20],
)  # fmt: skip
def test_what_is_no_order_is_one_sentence(text):
    with pytest.raises(NumbersError, match="no running order of Attention Lab"):
        read(text)


@pytest.mark.parametrize(
    ("item", "note", "kept"),
    [
        ('{"page": "<b>nowhere</b>"}', "no page '<b>nowhere</b>'", 1),
        ('{"page": ["cost"]}', "no page", 1),
        ("null", "no page", 1),
        ('{"page": "masking", "query": "x", "minutes": 5}', "settings cannot be read", 2),
        ('{"page": "masking", "query": {"d_k": "-1"}, "minutes": 5}', "d_k = '-1'", 2),
        ('{"page": "masking", "query": {"d_k": 8}, "minutes": 5}', "no text", 2),
        ('{"page": "masking", "query": {}, "minutes": 1e999}', "minutes", 2),
        ('{"page": "masking", "query": {}, "minutes": true}', "minutes", 2),
        ('{"page": "masking", "query": {}, "minutes": -3}', "0 is used", 2),
        ('{"page": "masking", "query": {}, "minutes": 5, "name": "%s"}' % ("x" * 300), "name is cut", 2),
        ('{"page": "masking", "query": {}, "minutes": 5, "notes": "%s"}' % ("x" * 3000), "notes are cut", 2),
        ('{"page": "masking", "query": {"hide": "%s"}, "minutes": 5}' % ("x" * 300), "hide", 2),
    ],
    ids=range(12),
)
def test_what_is_wrong_with_an_item_is_told_and_the_others_stay(item, note, kept):
    order, notes = read(FILE.replace("…", f"{item}, {GOOD}"))
    assert len(order.items) == kept
    assert order.items[-1] == Item("cost", (), "n", "", 4)
    (said,) = notes
    assert said.startswith("Item 1: ")
    assert note in said


def test_half_a_character_is_no_trap():
    order, notes = read(FILE.replace("T", "\\ud800").replace("…", GOOD))
    assert order.title == "?"
    assert notes == []
    assert from_link(as_link(order))[0] == order


def test_many_faults_are_counted_and_not_all_listed():
    order, notes = read(FILE.replace("…", ", ".join(["null"] * 100)))
    assert order.items == ()
    assert len(notes) == 7
    assert "more notes" in notes[-1]


BOMB = "eNrswYEAAAAAgKD9qRepAg"


@pytest.mark.parametrize("text", ["x", "%%%", "é", "AAAA", BOMB, "A" * 7000, as_link(ORDER)[:-9], ""])
def test_a_link_that_cannot_be_read_is_one_sentence(text):
    with pytest.raises(NumbersError, match="cannot be read"):
        from_link(text)


def test_a_short_text_that_unpacks_to_gigabytes_is_not_unpacked():
    bomb = base64.urlsafe_b64encode(zlib.compress(b"[" + b" " * 3_000_000, 9)).decode().rstrip("=")
    assert len(bomb) < LONGEST_LINK
    with pytest.raises(NumbersError, match="cannot be read"):
        from_link(bomb)


def test_a_short_text_of_more_than_a_lecture_is_neither_written_nor_read():
    long = RunningOrder("Long", tuple(Item("cost", notes="x" * 2000) for _ in range(MOST_ITEMS)))
    assert from_link(as_link(long))[0] == long  # 120,000 characters of notes: somebody may have that
    wide = RunningOrder("Wide", tuple(Item("cost", notes="é😀" * 1000) for _ in range(MOST_ITEMS)))
    with pytest.raises(SettingError, match="too long for a link"):
        as_link(wide)
    plain = b'[1, "t", [["exercises", "list=%s", "", "", 1]]]' % (b"," * 300_000)
    with pytest.raises(NumbersError, match="cannot be read"):
        from_link(base64.urlsafe_b64encode(zlib.compress(plain, 9)).decode().rstrip("="))


def test_settings_without_end_are_not_read():
    numbers = "|".join([";".join([",".join(["0.5", *["0.12345678"] * 4])] * 64)] * 3)
    most = {"source": "custom", "numbers": numbers, "text": "w" * 3000}
    assert 7000 < len(numbers) < 10_000
    item = json.dumps({"page": "playground", "query": most, "minutes": 5})
    order, _ = read(FILE.replace("…", item))
    assert dict(order.items[0].query)["numbers"] == numbers
    item = json.dumps({"page": "exercises", "query": {"list": "X01," * 5001}, "minutes": 5})
    order, notes = read(FILE.replace("…", f"{item}, {GOOD}"))
    assert order.items == (Item("exercises"), Item("cost", (), "n", "", 4))
    assert notes == ["Item 1: its settings have more than 20,000 characters; its first are used."]


def test_a_long_list_is_compared_with_itself_only_once(monkeypatch):
    compared = 0

    class Entry(place.Entry):
        __hash__ = tuple.__hash__

        def __eq__(self, other):
            nonlocal compared
            compared += 1
            return tuple.__eq__(self, other)

    monkeypatch.setattr(place, "Entry", Entry)
    text = ",".join(f"X01:{seed}" for seed in range(1000))
    found, notes = place.PlaceSettings.from_query({"list": text})
    assert len(found.list) == 30
    assert notes == ["A list holds at most 30 exercises; the last 970 are left out."]
    assert compared < 10_000  # each with each would be half a million


def test_the_order_of_a_link_is_read_once_however_often_it_is_asked_for(monkeypatch):
    read_now, parsed = forms._order, []
    monkeypatch.setattr(forms, "_order", lambda *told: parsed.append(told) or read_now(*told))
    text = as_link(RunningOrder("Asked for often", ORDER.items))
    settings, _ = LectureSettings.from_query({"order": text})
    order, notes = from_link(settings.order)
    notes.append("of mine")
    assert from_link(text) == (order, [])
    assert len(parsed) == 1


@pytest.mark.parametrize("plain", ["[]", "{}", "7", '[1, "t", 3]', '[1, "t", [[1]]]'])
def test_a_link_of_another_form_is_one_sentence(plain):
    with pytest.raises(NumbersError, match="cannot be read"):
        from_link(base64.urlsafe_b64encode(zlib.compress(plain.encode())).decode())


def test_settings_of_a_link_that_are_no_text_are_told():
    text = base64.urlsafe_b64encode(zlib.compress(b'[1, "t", [["cost", 3, "", "", 1]]]')).decode()
    order, notes = from_link(text)
    assert order.items == (Item("cost", minutes=1),)
    assert notes == ["Item 1: its settings cannot be read; the page opens with its first ones."]
