"""My numbers: what is typed reaches the picture; what cannot be read costs nothing."""

import pytest

from core.settings import AttentionSettings

FIRST = AttentionSettings().to_query()["numbers"]  # 1,0;0,1;1,1|1,0;0,1;1,1|1,0;0,10;5,5
GIVEN = "0,2|1,0;0,1|10,0;0,6"


def custom(playground, **link):
    return playground(source="custom", **link)


def numbers(page):
    return page.query["numbers"]


def tables(page):
    """What the three tables show before any edit."""
    return [table.value.to_numpy().tolist() for table in page.app.data_editor]


# --- what can be read --------------------------------------------------------------------------


def test_a_link_fills_the_tables_and_the_picture(playground):
    page = custom(playground, numbers=GIVEN)
    assert numbers(page) == GIVEN
    assert tables(page) == [[["0", "2"]], [["1", "0"], ["0", "1"]], [["10", "0"], ["0", "6"]]]
    assert page.warnings == []
    assert "0.8044" in page.data("plot_heads")["alt"]  # A-kc


def test_every_digit_of_a_number_survives_the_tables(playground):
    precise = "0.1,0.30000000000000004|1e-07,123456.789|0.3333333333333333"
    page = custom(playground, numbers=precise)
    page.edit("v", {0: {"0": "1"}})
    assert numbers(page) == precise.replace("0.3333333333333333", "1")


@pytest.mark.parametrize(
    ("typed", "read"),
    [("5", "5"), ("0,5", "0.5"), ("1/4", "0.25"), ("−2", "-2"), (" 7 ", "7"), ("2e-3", "0.002"), ("-0", "0")],
)
def test_a_cell_is_read_as_people_write_numbers(typed, read, playground):
    page = custom(playground, numbers=GIVEN)
    before = page.query
    page.edit("q", {0: {"1": typed}})
    assert page.query == {**before, "numbers": f"0,{read}|1,0;0,1|10,0;0,6"}
    assert page.warnings == []
    assert page.link["numbers"] == page.query["numbers"]


def test_edits_of_two_tables_add_up(playground):
    page = custom(playground).edit("q", {0: {"0": "5"}}).edit("k", {2: {"1": "9"}})
    assert numbers(page) == "5,0;0,1;1,1|1,0;0,1;1,9|1,0;0,10;5,5"


def test_rows_can_be_added_and_taken_out(playground):
    page = custom(playground).edit("q", added=[{"0": "7", "1": "8"}], deleted=[0, 1])
    assert numbers(page) == "1,1;7,8|1,0;0,1;1,1|1,0;0,10;5,5"


def test_blank_rows_at_the_end_are_left_out(playground):
    page = custom(playground).edit("q", added=[{}, {"0": "", "1": "  "}])
    assert (numbers(page), page.warnings) == (FIRST, [])


def test_a_link_to_other_numbers_refills_the_tables(playground):
    page = custom(playground).edit("q", {0: {"0": "5"}})
    page.go({"source": "custom", "numbers": GIVEN})
    assert numbers(page) == GIVEN
    assert tables(page)[0] == [["0", "2"]]


def test_reset_brings_the_first_numbers_back(playground):
    page = custom(playground, numbers=GIVEN).click("Reset").set("source", "custom")
    assert numbers(page) == FIRST
    assert tables(page)[0] == [["1", "0"], ["0", "1"], ["1", "1"]]


# --- what cannot -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "typed",
    [
        "abc",
        "nan",
        "NaN",
        "inf",
        "-inf",
        "1e400",
        "1/0",
        "1,000",
        "2000000",
        "",
        "  ",
        None,
        "=1+1",
        "<b>x</b>",
    ],
)
def test_a_bad_cell_is_said_in_one_sentence_and_the_last_picture_stays(typed, playground):
    page = custom(playground).edit("k", {1: {"0": "4"}})
    good, picture = page.query, page.data("plot_heads")
    page.edit("q", {0: {"1": typed}})
    (warning,) = page.warnings
    assert warning.startswith("Q, row 0, column 1")
    assert page.query == good
    assert page.data("plot_heads") == picture
    page.edit("q", {0: {"1": "3"}})  # mended: the other table's edit is still there
    assert numbers(page) == "1,3;0,1;1,1|1,0;4,1;1,1|1,0;0,10;5,5"
    assert page.warnings == []


def test_a_bad_cell_does_not_keep_other_controls_from_working(playground):
    page = custom(playground).edit("q", {0: {"0": "abc"}}).set("causal", True)
    assert page.query["causal"] == "true"
    assert len(page.warnings) == 1
    page.edit("q", {0: {"0": "2"}})
    assert numbers(page).startswith("2,0;")


@pytest.mark.parametrize("typed", ["$x$ $y$", "**b**", "[a](http://b.c)", ":material/home:"])
def test_what_was_typed_is_shown_literally_in_the_sentence(typed, playground):
    page = custom(playground).edit("q", {0: {"0": typed}})
    (markdown,) = [warning.value for warning in page.app.warning]
    for character in "*$[]<>":
        assert markdown.count(character) == markdown.count("\\" + character)
    assert typed in page.warnings[0]


@pytest.mark.parametrize(
    ("table", "edits", "word"),
    [
        ("q", {"deleted": [0, 1, 2]}, "Q is empty"),
        ("k", {"deleted": [0]}, "rows"),  # V has one more
        ("q", {"added": [{"0": "1", "1": "2"}] * 62}, "64"),
        ("q", {"added": [{"0": "1"}]}, "Q, row 3, column 1"),
    ],
    ids=["no row", "K shorter than V", "65 rows", "half a row"],
)
def test_tables_that_do_not_fit_are_said_in_one_sentence(table, edits, word, playground):
    page = custom(playground).edit(table, **edits)
    (warning,) = page.warnings
    assert word in warning
    assert numbers(page) == FIRST


def test_bad_numbers_of_a_link_are_repaired_with_a_note(playground):
    page = custom(playground, numbers="1,2;3|1|1", seed="4")
    assert len(page.warnings) == 1
    assert (numbers(page), page.query["seed"]) == (FIRST, "4")


# --- width -------------------------------------------------------------------------------------


def test_a_wider_table_keeps_every_edit_of_every_table(playground):
    page = custom(playground).edit("q", {0: {"0": "5"}}).edit("k", {0: {"1": "6"}}, added=[], deleted=[])
    page.edit("v", {2: {"0": "7"}}).widen("v", 3)
    assert numbers(page) == "5,0;0,1;1,1|1,6;0,1;1,1|1,0,0;0,10,0;7,5,0"


def test_a_narrower_table_loses_only_its_last_columns(playground):
    page = custom(playground).widen("v", 1)
    assert numbers(page) == "1,0;0,1;1,1|1,0;0,1;1,1|1;0;5"


def test_q_and_k_of_different_width_are_said_until_both_are_changed(playground):
    page = custom(playground).widen("q", 3)
    (warning,) = page.warnings
    assert "Q has 3 columns and K has 2" in warning
    assert numbers(page) == FIRST
    page.widen("k", 3)
    assert numbers(page) == "1,0,0;0,1,0;1,1,0|1,0,0;0,1,0;1,1,0|1,0;0,10;5,5"
    assert page.warnings == []


def test_an_odd_width_switches_rope_off_and_says_so(playground):
    page = custom(playground, rope="true").widen("q", 3).widen("k", 3)
    assert page.query["rope"] == "false"
    assert any("RoPE" in warning for warning in page.warnings)


def test_a_blank_new_row_stays_blank_when_a_table_is_widened(playground):
    page = custom(playground).edit("q", added=[{}])  # cells that were cleared are not sent
    page.widen("v", 3)
    assert page.warnings == []
    assert numbers(page) == "1,0;0,1;1,1|1,0;0,1;1,1|1,0,0;0,10,0;5,5,0"


# --- going away and coming back ----------------------------------------------------------------


def test_numbers_survive_another_source(playground):
    page = custom(playground).edit("q", {0: {"0": "5"}}).set("source", "random")
    typed = numbers(page)
    page.set("source", "custom")
    assert numbers(page) == typed == "5,0;0,1;1,1|1,0;0,1;1,1|1,0;0,10;5,5"
    assert tables(page)[0][0] == ["5", "0"]


def test_numbers_survive_another_page(playground):
    page = custom(playground).edit("q", {0: {"0": "5"}})
    page.visit("home.py").visit("playground.py")
    assert numbers(page) == "5,0;0,1;1,1|1,0;0,1;1,1|1,0;0,10;5,5"
