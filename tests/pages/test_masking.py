"""The page on masks: every control does what it names, and the numbers are on it."""

import re
from dataclasses import fields

import pytest

from core.lessons.masking import MaskingSettings
from core.reference.questions import QUESTIONS
from pages.ui import live_route, masking_answers
from pages.ui.pictures import VIEWS

DEFAULT = MaskingSettings().to_query()
PLOTS = ("masking", "padding", "empty", "cached", "mistakes")


@pytest.fixture
def masks(open_page):
    return lambda **link: open_page("masking.py", link)


def state_of(page):
    return page.data("sliders")["query"]


def test_the_page_opens_cold_with_the_first_settings(masks):
    page = masks()
    assert page.warnings == []
    assert state_of(page) == DEFAULT
    assert {f"plot_{name}" for name in PLOTS} <= page.keys


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mask", "window"), ("mask", "padding"), ("mask", "causal-padding"), ("mask", "none"),
        ("how", "after"), ("how", "renormalised"), ("how", "zeroed"),
        ("stage", "masked"),
        ("source", "three-tokens"), ("source", "cat-sat-mat"),
        ("text", "one two"), ("seed", 3),
    ],
)  # fmt: skip
def test_a_control_changes_its_setting_and_nothing_else(masks, name, value):
    page = masks()
    before = page.data("plot_masking")
    after = page.set(name, value)
    assert state_of(after) == {**DEFAULT, name: str(value)}
    # What differs on no cell is the same picture: B by dividing again is what it was.
    assert (after.data("plot_masking") == before) == ((name, value) == ("how", "renormalised"))
    assert after.link == {} or after.link[name] == str(value)


@pytest.mark.parametrize(
    ("link", "group", "name", "value", "plots"),
    [
        ({}, "sliders", "d_k", 64, {"masking", "padding", "cached", "mistakes"}),
        ({"mask": "window"}, "sliders", "window", 3, {"masking"}),
        ({"mask": "padding"}, "sliders", "padding", 5, {"masking", "padding"}),
        ({}, "new_queries", "new", 3, {"cached"}),
    ],
    ids=["d_k", "window", "padding", "new"],
)
def test_a_slider_changes_its_setting_and_the_pictures_that_depend_on_it(
    masks, link, group, name, value, plots
):
    page = masks(**link)
    before = {plot: page.data(f"plot_{plot}") for plot in PLOTS}
    page.change(group, **{name: value})
    assert state_of(page) == {**DEFAULT, **link, name: str(value)}

    def content(data):
        return [data[part] for part in ("figure", "alt", "beside", "below")]

    changed = {plot for plot in PLOTS if content(page.data(f"plot_{plot}")) != content(before[plot])}
    assert changed == plots


def test_the_side_of_padding_is_offered_where_there_is_padding(masks):
    page = masks()
    assert "side" not in page.keys
    page.set("mask", "causal-padding")
    assert "side" in page.keys
    page.set("side", "left")
    assert "No key is left for query 0 “‹pad›”, 1 “‹pad›”" in page.html


def test_a_row_without_a_key_can_be_shown_in_the_picture(masks):
    page = masks(d_k="4")
    page.click("Show one above: left padding, causal")
    assert state_of(page) == {**DEFAULT, "d_k": "4", "mask": "causal-padding", "side": "left"}
    assert "No key is left for query 0" in page.html


def test_a_chosen_cell_chooses_the_row(masks):
    page = masks()
    page.change("plot_masking", cell="1,4,2")
    assert state_of(page) == {**DEFAULT, "cell": "1,4,2"}
    assert "Query 4 “the”, by each way" in page.html


def test_the_route_answers_with_what_the_page_shows(masks):
    page = masks(mask="causal-padding", side="left", how="zeroed")
    assert page.data("sliders")["view"] == live_route.path("masking")
    view = VIEWS["masking"]
    settings, _ = view.kind.from_query(state_of(page))
    for name, picture in view.pictures(settings).items():
        assert page.data(f"plot_{name}").items() >= picture.data().items()


@pytest.mark.parametrize(
    "number",
    ["0.3156", "0.4260", "0.2584", "0.6799", "0.1607", "0.1092"],
)
def test_the_numbers_are_on_the_page(masks, number):
    assert number in masks().html


def test_the_printed_row_is_struck_out(masks):
    html = masks().html
    assert "<s>as lesson B prints it</s>" in html
    assert "0.2800" in html


def test_rows_that_lose_weight_say_what_they_sum_to(masks):
    page = masks(source="three-tokens", how="after")
    assert re.search(r"rows of B sum to <b class='lab-bad'>0\.4011 … 1\.0000", page.html)
    page = masks(source="three-tokens")
    assert "rows of B sum to <b class='lab-good'>1.0000" in page.html


@pytest.mark.parametrize(
    "link",
    [
        {"mask": "x"}, {"how": ""}, {"window": "-3"}, {"padding": "many"}, {"new": "1e9"}, {"side": "up"},
        {"cell": "9,9,9"}, {"text": ""}, {"seed": "-1"}, {"d_k": "1"}, {"rope": "true"},
        {"stage": "scores"}, {"source": "custom"},
    ],
    ids=str,
)  # fmt: skip
def test_a_bad_link_is_repaired_with_one_sentence(masks, link):
    page = masks(**link)
    assert len(page.warnings) == 1
    assert state_of(page) == DEFAULT or next(iter(link)) in ("window", "new", "seed", "d_k")


def test_text_is_shown_literally(masks):
    page = masks(text="<b>x</b> </script> $y$ %{z}")
    assert "<b>x</b>" not in page.html
    assert "&lt;b&gt;x&lt;/b&gt;" in page.html


def test_controls_can_be_hidden_by_the_link(masks):
    page = masks(hide="mask,d_k,new")
    assert not {"mask", "new_queries"} & page.keys
    assert [each["name"] for each in page.data("sliders")["sliders"]] == ["window", "padding"]


def test_what_pytorch_answers_can_be_drawn():
    for name in ("dtypes", "empty", "meaning", "alignment"):
        html = getattr(masking_answers, name)(QUESTIONS[f"masking.{name}"](DEFAULT))
        assert "PyTorch" in html
    dtypes = masking_answers.dtypes(QUESTIONS["masking.dtypes"](DEFAULT))
    assert "masked_fill refuses" in dtypes
    assert dtypes.count("<tr>") == 16


def test_the_table_of_controls_names_settings_that_exist():
    assert set(DEFAULT) == {field.name for field in fields(MaskingSettings)} | {"v"}
