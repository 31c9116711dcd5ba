"""Light and dark are equally legible, and a change of theme reaches a live plot without reload."""

import pytest


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
