"""How an exercise is answered: each kind, whatever a browser may send, and what is kept of it."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import NumbersError
from core.exercises import EXERCISES
from core.exercises.exercise import KINDS, Part
from core.exercises.place import BY_ID
from pages.ui.exercise_answers import cleaned, fault, names, read
from pages.ui.exercise_inputs import as_text

NUMBER = Part("number", 0.5, words=("it cannot be known",))
PAIR = Part("numbers", (1.0, 2.0), names=("before", "after"))
ROW = Part("row", (0.25, 0.75), options=("k1", "k2"))
CELLS = Part("cells", frozenset({(0, 1)}), options=("the", "cat"), rows=("the", "cat"))
ORDER = Part("order", ("b", "a", "c"), options=("a", "b", "c"))
CHOOSE = Part("choose", "no", options=("yes", "no"))
PARTS = {part.kind: part for part in (NUMBER, PAIR, ROW, CELLS, ORDER, CHOOSE)}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["word", "texts", "picked", "none", "order", "choice"]), inner, max_size=6
        )
    ),
    max_leaves=20,
)


def answer(part, **told):
    return read(part, cleaned(part, told))


@pytest.mark.parametrize(
    ("part", "told", "wanted"),
    [
        (NUMBER, {"texts": ["0,33"]}, 0.33),
        (NUMBER, {"texts": [" 1/3 "]}, 1 / 3),
        (NUMBER, {"texts": ["\u22120.5"]}, -0.5),
        (NUMBER, {"texts": ["131 072"]}, 131072.0),
        (NUMBER, {"texts": ["1\u202f048\u00a0576"]}, 1048576.0),
        (NUMBER, {"word": 0}, "it cannot be known"),
        (NUMBER, {"word": 0, "texts": ["abc"]}, "it cannot be known"),
        (NUMBER, {"texts": ["  "]}, None),
        (PAIR, {"texts": ["1", "2.5"]}, (1.0, 2.5)),
        (ROW, {"texts": ["1/4", "0,75"]}, (0.25, 0.75)),
        (ROW, {"texts": ["1", "1"]}, (1.0, 1.0)),  # another sum than 1 can be predicted
        (ROW, {"texts": ["", ""]}, None),
        (CELLS, {"picked": [[1, 0], [0, 1]]}, frozenset({(0, 1), (1, 0)})),
        (CELLS, {"picked": [], "none": True}, frozenset()),
        (CELLS, {"picked": [], "none": False}, None),
        (ORDER, {"order": [1, 0, 2]}, ("b", "a", "c")),
        (ORDER, {"order": None}, None),
        (CHOOSE, {"choice": 1}, "no"),
        (CHOOSE, {"choice": None}, None),
    ],
)
def test_what_is_given_is_read(part, told, wanted):
    assert answer(part, **told) == wanted


@pytest.mark.parametrize(
    ("part", "told", "words"),
    [
        (NUMBER, {"texts": ["abc"]}, "'abc' is not a number"),
        (NUMBER, {"texts": ["1/0"]}, "not a number"),
        (NUMBER, {"texts": ["inf"]}, "not finite"),
        (NUMBER, {"texts": ["1,234"]}, "two ways"),
        (PAIR, {"texts": ["1", ""]}, "after: nothing is typed"),
        (PAIR, {"texts": ["1", "x"]}, "after: 'x' is not a number"),
        (ROW, {"texts": ["0.5", ""]}, "every bar"),
        (ROW, {"texts": ["0.5", "half"]}, "k2: 'half' is not a number"),
        (ROW, {"texts": ["1.2", "0"]}, "k1: a weight is at least 0"),
        (ROW, {"texts": ["0", "\u22120.1"]}, "k2: a weight is at least 0"),
    ],
)
def test_what_cannot_be_read_gets_a_sentence(part, told, words):
    with pytest.raises(NumbersError, match=words):
        answer(part, **told)


def test_while_something_is_missing_only_what_cannot_be_read_is_named():
    assert fault(PAIR, cleaned(PAIR, {"texts": ["1", ""]})) == (-1, "")
    at, words = fault(PAIR, cleaned(PAIR, {"texts": ["", "x"]}))
    assert at == 1
    assert words.startswith("after: 'x' is not a number")
    assert fault(CHOOSE, cleaned(CHOOSE, {})) == (-1, "")


@pytest.mark.parametrize(
    ("part", "told"),
    [
        (NUMBER, {"texts": [0.5]}),
        (NUMBER, {"texts": "0.5"}),
        (NUMBER, {"texts": ["1", "2"]}),
        (NUMBER, {"texts": ["1" * 61]}),
        (NUMBER, {"word": 1}),
        (NUMBER, {"word": True}),
        (NUMBER, {"word": "it cannot be known"}),
        (ROW, {"texts": {"0": "1"}}),
        (CELLS, {"picked": [[0, 9], [-1, 0], [0], "ab", [True, 0], [0.0, 1], None, [[0], 1]]}),
        (CELLS, {"none": 1}),
        (ORDER, {"order": [0, 1]}),
        (ORDER, {"order": [0, 1, 1]}),
        (ORDER, {"order": [0, True, 2]}),
        (ORDER, {"order": ["a", "b", "c"]}),
        (CHOOSE, {"choice": 2}),
        (CHOOSE, {"choice": -1}),
        (CHOOSE, {"choice": "no"}),
    ],
)
def test_what_no_field_of_ours_would_send_is_no_answer(part, told):
    assert answer(part, **told) is None


@given(kind=st.sampled_from(KINDS), raw=JSON)
def test_whatever_is_sent_gives_an_answer_none_or_a_sentence(kind, raw):
    part = PARTS[kind]
    state = cleaned(part, raw)
    assert cleaned(part, json.loads(json.dumps(state))) == state
    at, words = fault(part, state)
    assert (at == -1) == (words == "")
    with suppress(NumbersError):
        as_text(part, read(part, state))


def test_no_number_is_without_a_name():
    assert names(NUMBER) == ("Your answer",)
    assert names(Part("numbers", (1.0, 2.0))) == ("number 1", "number 2")
    assert names(ROW) == ("k1", "k2")
    assert names(Part("number", 1.0, label="the larger slope")) == ("the larger slope",)


@pytest.mark.parametrize("item", EXERCISES, ids=lambda item: item.id)
def test_what_the_fields_show_as_it_is_holds_no_latex(item):
    parts = [part for seed in range(4) for part in item.make(seed).parts]
    shown = [x for part in parts for x in (*part.options, *part.rows, *part.words, *part.names)]
    assert [x for x in shown if "$" in x or "**" in x] == []


# --- on the page -------------------------------------------------------------------------------


@pytest.fixture
def exercise(open_page):
    """Return a function that opens an exercise by its id."""
    return lambda name, **link: open_page("exercises.py", {"id": name, **link})


ANSWERS = {
    "X03": ({"texts": ["0,2", "4/5"]}, (0.2, 0.8)),
    "X10": ({"texts": ["1", "0", "0", "0", "0", "0"]}, (1.0, 0, 0, 0, 0, 0)),
    "X11": ({"picked": [[0, 2], [1, 0]]}, frozenset({(0, 2), (1, 0)})),
    "X38": ({"picked": [], "none": True}, frozenset()),
    "X58": ({"picked": [[0, 4], [0, 7]]}, frozenset({(0, 4), (0, 7)})),
    "X24": (
        {"order": [2, 0, 1, 4, 5, 3]},
        ("project", "dot products", "scale", "hide future", "softmax", "mix values"),
    ),
    "X09": ({"choice": 1}, "grid B"),
    "X28": ({"texts": ["1", "2", "3", "4"]}, (1.0, 2.0, 3.0, 4.0)),
    "X07": ({"word": 0}, "it cannot be known"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_each_kind_can_be_answered_and_is_there_again_after_going_away(name, exercise):
    told, wanted = ANSWERS[name]
    part, key = BY_ID[name].make(0).parts[0], f"{name}_0_0"
    page = exercise(name).answer(key, **told)
    held = page.data(key)["value"]
    assert read(part, held) == wanted
    page.visit("home.py").visit("exercises.py", id=name)
    assert page.data(key)["value"] == held
    page.click("A guess")
    assert page.warnings == []


def test_two_parts_are_answered_apart(exercise):
    page = exercise("X22").answer("X22_0_0", order=[1, 0]).answer("X22_0_1", texts=["0,24"])
    assert page.data("X22_0_0")["value"]["order"] == [1, 0]
    assert page.data("X22_0_1")["value"]["texts"] == ["0,24"]


def test_a_word_can_be_taken_back(exercise):
    page = exercise("X07").answer("X07_0_0", word=0, texts=["0.29"])
    part = BY_ID["X07"].make(0).parts[0]
    assert read(part, page.data("X07_0_0")["value"]) == part.words[0]
    page.answer("X07_0_0", word=None, texts=["0.29"])
    assert read(part, page.data("X07_0_0")["value"]) == 0.29


def test_a_fault_is_said_beside_the_field_and_the_text_stays(exercise):
    page = exercise("X28").answer("X28_0_0", texts=["1", "zwei", "", ""])
    data = page.data("X28_0_0")
    assert data["said"] == "second: 'zwei' is not a number; write it as 0.5 or 1/3."
    assert data["fault"] == 1
    assert data["value"]["texts"] == ["1", "zwei", "", ""]


@pytest.mark.parametrize(
    "state", [None, 7, "x", [], {}, {"serial": "1", "value": {}}, {"serial": 1e300, "value": {"choice": 0}}]
)
def test_a_broken_report_changes_nothing(state, exercise):
    page = exercise("X09").answer("X09_0_0", choice=1)
    before = page.data("X09_0_0")
    page.send("X09_0_0", given=state)
    assert page.data("X09_0_0") == before


def test_the_number_of_the_last_report_goes_back_so_that_nothing_is_taken_back(exercise):
    page = exercise("X09")
    assert page.data("X09_0_0")["heard"] == 0
    page.send("X09_0_0", given={"serial": 5, "value": {"choice": 9}})
    assert page.data("X09_0_0")["heard"] == 5
    assert page.data("X09_0_0")["value"]["choice"] is None


def test_a_report_that_was_overtaken_changes_nothing(exercise):
    page = exercise("X09").send("X09_0_0", given={"serial": 5, "value": {"choice": 1}})
    page.send("X09_0_0", given={"serial": 4, "value": {"choice": 0}})
    assert page.data("X09_0_0")["value"]["choice"] == 1


def test_a_restarted_server_finds_what_the_browser_holds(exercise):
    page = exercise("X09").answer("X09_0_0", choice=1)
    del page.app.session_state["_answers"]  # the component's own state comes with each message
    page.click("A guess")
    assert page.warnings == []


@pytest.mark.parametrize("item", EXERCISES, ids=lambda item: item.id)
def test_the_field_is_told_what_is_asked_and_nothing_of_the_answer(item, exercise):
    page = exercise(item.id)
    for i, part in enumerate(item.make(0).parts):
        data = page.data(f"{item.id}_0_{i}")
        assert set(data) == {
            "kind",
            "label",
            "options",
            "rows",
            "names",
            "words",
            "value",
            "heard",
            "fault",
            "said",
            "session",  # of the server: a new one is told all again
        }
        assert tuple(data["options"]) == part.options
        assert tuple(data["words"]) == part.words
        assert read(part, data["value"]) is None
        if part.kind in ("number", "numbers"):  # their names and nothing of their values
            assert tuple(data["names"]) == names(part)
            assert data["options"] == []
