"""Light and dark are equally legible, and a change of theme reaches a live plot without reload."""

import numpy as np
import pytest
from plotly.colors import sample_colorscale

from core.figures.theme import DIVERGING, SEQUENTIAL
from core.settings import AttentionSettings
from core.trace import trace_attention
from tests.browser.lab import Colours, picture

DIGITS = """() => [...labTest.canvas().querySelectorAll('.heatmap-label')].map((label) =>
    [label.textContent, getComputedStyle(label.querySelector("text") ?? label).fill])"""


def expect_legible(lab, dark):
    """Labels stand out from the page, and the picture has the page's background."""
    assert lab.colours.contrast >= 4.5
    page = lab.page.get_by_test_id("stApp").evaluate("(app) => getComputedStyle(app).backgroundColor")
    assert lab.colours.background == page
    assert (sum(int(part) for part in page[4:-1].split(",")) < 3 * 128) == dark


def test_a_page_opened_in_the_dark(visit):
    lab = visit("/", context={"color_scheme": "dark"})
    expect_legible(lab, dark=True)
    expect_legible(lab.go("/playground"), dark=True)


def test_a_change_of_theme_recolours_the_live_plot(visit):
    lab = visit(panel="saturation", head=0)
    lab.slider("d_k").press("ArrowRight")
    settings = lab.expect_settled(d_k=18)
    lab.zoom((2, 2), (7, 7))
    lab.page.wait_for_function("labTest.canvas()._fullLayout.xaxis.range[0] > 1")
    zoomed = lab.ranges
    lab.mark()
    expect_legible(lab, dark=False)
    light = lab.colours
    lab.page.emulate_media(color_scheme="dark")
    lab.page.wait_for_function(
        "(text) => [...document.querySelectorAll('.lab-canvas .xtick text')]"
        ".every((label) => getComputedStyle(label).fill !== text)",
        arg=light.text,
    )
    expect_legible(lab, dark=True)
    lab.expect_same_instance()
    lab.expect_drawn(settings)
    assert lab.ranges == pytest.approx(zoomed)
    lab.page.emulate_media(color_scheme="light")
    lab.page.wait_for_function(
        "(text) => getComputedStyle(document.querySelector('.lab-canvas .xtick text')).fill === text",
        arg=light.text,
    )
    assert lab.colours == light


def expect_digits_legible(lab, stage, within=slice(None)):
    """Each digit stands out from its cell by 4.5 to 1, which not every grey does, and is black or white."""
    settings = AttentionSettings(text="one two three four five six seven", head=0, stage=stage)
    values = picture(trace_attention(settings))[0]
    largest = np.nanmax(np.abs(values))
    values = values[within, within]
    values = values[np.isfinite(values)]
    lab.page.wait_for_function(
        "(n) => labTest.canvas()?.querySelectorAll('.heatmap-label').length === n", arg=len(values)
    )
    scale, low, high = (SEQUENTIAL, 0, 1) if stage == "weights" else (DIVERGING, -1, 1)
    shares = (values / (1 if stage == "weights" else largest) - low) / (high - low)
    colours = sample_colorscale(scale, shares.tolist())
    digits = lab.page.evaluate(DIGITS)
    for (text, fill), value, colour in zip(digits, values, colours, strict=True):
        assert float(text.replace("−", "-")) == pytest.approx(value, abs=0.0051)
        assert fill in ("rgb(0, 0, 0)", "rgb(255, 255, 255)")
        assert Colours(fill, colour).contrast >= 4.5, (text, colour, fill)
    assert {fill for _, fill in digits} == {"rgb(0, 0, 0)", "rgb(255, 255, 255)"}


@pytest.mark.parametrize("stage", ["weights", "scaled"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_digits_stand_out_from_every_cell(visit, scheme, stage):
    lab = visit(
        text="one two three four five six seven", head=0, stage=stage, context={"color_scheme": scheme}
    )
    expect_digits_legible(lab, stage)
    nearer = {"xaxis.range": [0.8, 5.2], "yaxis.range": [5.2, 0.8]}
    lab.page.evaluate("(nearer) => Plotly.relayout(labTest.canvas(), nearer)", nearer)  # writes digits anew
    expect_digits_legible(lab, stage, slice(1, 6))


def test_digits_stand_out_in_a_lecture(visit):
    lab = visit(None)
    query = {"text": "one two three four five six seven", "head": 0, "lecture": 1}
    lab.page.goto(lab.address("/playground", **query))
    lab.page.locator(".lab-lecture-head").wait_for(timeout=30_000)
    expect_digits_legible(lab, "weights")
