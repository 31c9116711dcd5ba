"""The words and numbers around a picture, against the lesson's."""

import re

import pytest


def panel(page, plot="plot_heads"):
    """The text that stands beside and below a plot, without its markup."""
    data = page.data(plot)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", data["beside"] + data["below"]))


def test_one_cell_explained_has_every_number_of_the_lesson(playground):
    words = panel(playground(source="two-keys", cell="0,0,1"))
    assert "query 0 “q” → key 1 “k1”" in words
    for number in ("0.0000", "1.4142", "0.4931", "1.4931", "0.3302"):  # score, √2, exp(−1/√2), sum, weight
        assert number in words
    assert "33.0%" in words


def test_a_hidden_cell_says_so_and_has_no_weight(playground):
    words = panel(playground(source="three-tokens", causal="true", cell="0,0,2"))
    assert "−∞" in words
    assert "0.0%" in words


def test_a_query_without_visible_keys_is_named_under_the_picture(playground):
    words = panel(playground(source="custom", causal="true", numbers="1,0;0,1;1,1|1,0;0,1|1;2"))
    assert "No visible key for query 0 “q0”" in words


@pytest.mark.parametrize("panel_name", ["cell", "saturation"])
def test_shapes_and_row_sums_stand_under_every_picture(panel_name, playground):
    words = panel(playground(text="a b c", heads="4", kv_heads="2", d_k="8", panel=panel_name))
    for shape in ("q [4, 3, 8]", "weights [4, 3, 3]", "output [3, 32]"):
        assert shape in words
    assert "sum to 1" in words


def test_how_sharp_each_row_is_stands_beside_the_curves(playground):
    words = panel(playground(source="two-keys", panel="saturation"))
    for number in ("0.670", "1.89", "0.442"):  # largest weight, exp(entropy), size of the Jacobian
        assert number in words


def test_compared_pictures_say_which_of_the_two_the_numbers_are(playground):
    page = playground(text="a b").click("Pin as A and compare")
    assert re.search(r"\bB\b", panel(page))
