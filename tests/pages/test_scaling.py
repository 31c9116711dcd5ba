"""The page about the scale: what each control changes, and what it leaves."""

import json
import re
from concurrent.futures import Future

import pytest

from core.lessons.scaling import ScalingSettings
from core.reference.scaling import autograd_gradients
from pages.ui import judge

PLOTS = ("spread", "row", "jacobians", "curves", "gradients", "overflow", "scaling_mistakes")


@pytest.fixture
def scaling(open_page):
    """Return a function that opens the page by a link."""
    return lambda **link: open_page("scaling.py", link)


def state(page):
    return page.data("scaling_sliders")["query"]


def pictures(page):
    names = ("figure", "alt", "beside", "below")
    return {key: [page.data(f"plot_{key}")[name] for name in names] for key in PLOTS}


def text(page, key, slot="below"):
    return re.sub(r"<[^>]+>", " ", page.data(f"plot_{key}")[slot])


def moved(before, after):
    return {key for key in PLOTS if before[key] != after[key]}


def test_the_standard_deviations_of_the_lessons_stand_on_the_page(scaling):
    words = text(scaling(), "spread", "beside")
    for theory in ("2.0000", "8.0000", "11.3137", "22.6274"):
        assert theory in words
    assert "4,000 pairs" in words


def test_d_k_moves_what_depends_on_it_and_not_the_overflow(scaling):
    page = scaling()
    before, settings = pictures(page), state(page)
    page.change("scaling_sliders", d_k=512)
    assert moved(before, pictures(page)) == set(PLOTS) - {"overflow"}
    assert state(page) == {**settings, "d_k": "512"}
    assert page.link["d_k"] == "512"
    assert "\\sqrt{512}" in page.app.latex[0].value


def test_the_divisor_changes_the_formula_and_not_the_dot_products(scaling):
    page = scaling()
    before = json.loads(page.data("plot_spread")["figure"])["data"]
    page.set("scale", "sqrt_d_model")
    assert state(page)["scale"] == "sqrt_d_model"
    assert "\\sqrt{512}" in page.app.latex[0].value  # 8 heads of 64
    after = json.loads(page.data("plot_spread")["figure"])["data"]
    assert after[0] == before[0]
    assert after[2] != before[2]


def test_the_offset_moves_the_overflow_alone(scaling):
    page = scaling()
    assert text(page, "overflow").count("not a number") == 3
    before = pictures(page)
    page.change("overflow_sliders", offset=100)
    assert moved(before, pictures(page)) == {"overflow"}
    assert text(page, "overflow").count("not a number") == 2  # float64 is well
    page.change("overflow_sliders", offset=0)
    assert text(page, "overflow").count("not a number") == 0
    assert text(page, "overflow").count("(0.0900, 0.2447, 0.6652)") >= 5


def test_heads_and_seed(scaling):
    page = scaling()
    before = pictures(page)
    page.set("heads", 4)
    assert moved(before, pictures(page)) == {"row", "scaling_mistakes"}
    page.set("seed", 3)
    assert state(page) == {**ScalingSettings().to_query(), "heads": "4", "seed": "3"}


def test_the_wrong_printed_row_is_corrected(scaling):
    words = text(scaling(), "scaling_mistakes")
    assert "(0.5990, 0.1337, 0.1337, 0.1337)" in words
    assert "0.99999" in words
    assert "0.41" in words


def test_what_pytorch_says_is_shown(scaling, monkeypatch):
    answer = autograd_gradients(ScalingSettings())
    done = Future()
    done.set_result(answer)
    monkeypatch.setattr(judge, "answer", lambda question: done)
    page = scaling()
    assert "autograd, at this d_k" in page.html
    assert f"{answer['none']['median']:.4f}" in page.html


def test_pytorch_that_cannot_be_asked_is_told(scaling, monkeypatch):
    failed = Future()
    failed.set_exception(OSError("no process"))
    monkeypatch.setattr(judge, "answer", lambda question: failed)
    monkeypatch.setattr(judge, "ask", lambda question: failed)
    assert "could not be asked" in scaling().html


@pytest.mark.parametrize("link", [{"d_k": "1"}, {"scale": "<b>"}, {"offset": "inf"}, {"heads": "99"}])
def test_a_bad_link_gets_a_sentence_and_a_picture(link, scaling):
    page = scaling(**link)
    assert len(page.warnings) == 1
    assert "<b>" not in page.app.latex[0].value


def test_the_lessons_numbers_and_the_source(scaling):
    page = scaling()
    page.open("printed").open("source_code")
    assert "22.6274" in page.html
    assert "0.5990, 0.1337" in page.html
    assert any("def gradients" in code.value for code in page.app.code)
