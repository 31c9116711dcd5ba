"""The page of the soft lookup: what each control changes, and what it leaves."""

import json
import re

import pytest

LINK = {"source": "cat-sat-mat", "query": "1", "temperature": "0.5", "step": "4"}


@pytest.fixture
def lookup(open_page):
    """Return a function that opens the page by a link."""
    return lambda **link: open_page("soft_lookup.py", link)


def state(page):
    return page.data("path_sliders")["query"]


def words(page):
    """The steps in numbers, without tags."""
    return re.sub(r"<[^>]+>", " ", page.data("plot_lookup")["beside"])


def figure(page, name="lookup"):
    return json.loads(page.data(f"plot_{name}")["figure"])


def changed(page, before):
    now = state(page)
    return {name for name in now if now[name] != before[name]}


def test_the_steps_come_one_after_the_other(lookup):
    """A step's numbers are not on the page before it, in words, fields or pictures."""
    page = lookup()
    for step, number in enumerate(["1.0000", "0.7071", "2.0281", "0.6698", "6.6976"]):
        page.change("stepper_step", step=step)
        everything = page.html + json.dumps(
            [page.data(f"plot_{key}") for key in ("lookup", "lookup_mistakes")]
        )
        assert number in words(page) or number in page.data("plot_lookup")["beside"]
        for later in ["0.7071", "2.0281", "0.6698", "6.6976"][step:]:
            assert later not in everything
    assert page.link["step"] == "4"


def test_the_values_arrows_are_as_thick_as_their_weights(lookup):
    page = lookup(step="4")
    right = [t for t in figure(page)["data"] if t["xaxis"] == "x2" and t["mode"] == "lines+markers"]
    first, second, output = right
    assert first["line"]["width"] > second["line"]["width"]
    assert output["x"][1] == pytest.approx(6.6976, abs=5e-5)
    assert output["y"][1] == pytest.approx(1.9814, abs=5e-5)


def test_dragging_the_query_moves_the_output_and_nothing_else(lookup):
    page = lookup(step="4")
    before = state(page)
    page.change("plot_lookup", q="0,2")
    assert changed(page, before) == {"q"}
    assert page.link["q"] == "0,2"
    assert "0.1956" in page.html
    assert "4.8266" in page.html
    sliders = page.data("lookup_sliders")["sliders"]
    assert [each["value"] for each in sliders] == [0, 2, 1]


def test_a_number_can_be_typed_over_and_put_back(lookup):
    page = lookup(step="4")
    before = state(page)
    page.change("plot_lookup", edit="weights:0.5,0.5")
    assert changed(page, before) == {"edit"}
    assert "(5.0000, 3.0000)" in words(page)
    assert "typed over the weights" in words(page)
    page.change("plot_lookup", edit="")
    assert changed(page, before) == set()
    assert "6.6976" in words(page)


def test_temperature_0_is_the_exact_lookup(lookup):
    page = lookup(step="4")
    page.change("lookup_sliders", temperature=0)
    assert "best match is left" not in words(page)  # that is step 3's sentence
    assert "(10.0000, 0.0000)" in words(page)
    page.change("stepper_step", step=2)
    assert "only the best match is left" in words(page)


def test_the_corrected_score_of_the_printed_example(lookup):
    html = lookup(**LINK).data("plot_lookup")["beside"]
    assert "value='0.5500'" in html
    assert "0.6500" not in html


def test_every_choice_of_numbers(lookup):
    page = lookup()
    for source in ("cat-sat-mat", "three-tokens", "custom", "two-keys"):
        page.set("source", source)
        assert state(page)["source"] == source
        assert page.warnings == []
        assert ("query" in page.keys) == (source != "two-keys")
    page.set("source", "three-tokens").set("query", 1)
    assert state(page)["query"] == "1"


def test_own_numbers_go_through_the_same_steps(lookup):
    page = lookup(source="custom", step="4", numbers="1,0,0|2,0,0;0,2,0|1;3")
    assert "÷ √d_k" in words(page)
    page.edit("v", {0: {"0": "7"}})
    assert state(page)["numbers"] == "1,0,0|2,0,0;0,2,0|7;3"


def test_an_examples_numbers_can_be_edited_from_where_they_stand(lookup):
    page = lookup(source="cat-sat-mat", query="2", step="4")
    before = page.data("plot_lookup")["figure"]
    page.click("Edit Q, K, V")
    assert state(page)["source"] == "custom"
    assert state(page)["query"] == "2"
    assert state(page)["numbers"].startswith("1,0.5,0.2,0.8;0.3,0.9,0.1,0.4;0.6,0.2,0.7,0.3|")
    arrows = [json.loads(each)["data"][-1]["x"] for each in (before, page.data("plot_lookup")["figure"])]
    assert arrows[0] == arrows[1]  # the output


def test_own_numbers_that_cannot_be_read_lose_nothing(lookup):
    page = lookup(source="custom", step="4")
    before = page.data("plot_lookup")
    page.edit("q", {0: {"0": "abc"}})
    assert any("'abc' is not a number" in warning for warning in page.warnings)
    assert page.data("plot_lookup")["figure"] == before["figure"]


def test_the_reader_moves_the_path_alone(lookup):
    page = lookup()
    before = state(page)
    picture = page.data("plot_lookup")["figure"]
    page.change("path_sliders", reader=10)
    assert changed(page, before) == {"reader"}
    assert "9 steps" in page.data("plot_path")["alt"]
    assert page.data("plot_lookup")["figure"] == picture


def test_two_ways_to_score_and_what_they_cost(lookup):
    page = lookup(width="64", hidden="32")
    scoring = re.sub(r"<[^>]+>", " ", page.data("plot_scoring")["below"])
    assert f"{2 * 64 * 32 + 32:,}" in scoring
    assert f"{9 * 64:,}" in scoring
    assert f"{6 * 64 * 32 + 9 * 32:,}" in scoring


def test_a_bad_link_gets_sentences_and_a_picture(lookup):
    page = lookup(q="1,x", edit="weights:1", step="99", source="<b>", temperature="hot")
    assert len(page.warnings) == 5
    assert "nan" not in page.data("plot_lookup")["figure"].lower()


def test_text_of_a_person_shows_literally(lookup):
    assert "<img" not in lookup(edit="<img src=x>").html


def test_the_lessons_numbers_and_the_source(lookup):
    page = lookup()
    page.open("printed").open("source_code")
    text = re.sub(r"<[^>]+>", " ", page.html)
    for number in ("3.0281", "(1.9557, 4.8266)", "0.55", "(0.6374, 0.5607, 0.3027, 0.5175)"):
        assert number in text
    assert any("def softmax" in code.value for code in page.app.code)
