"""Cost under the hand: the dragged number of tokens, the steps of the walk, a measurement on demand."""

import re

import pytest
from playwright.sync_api import expect


@pytest.fixture
def cost(visit):
    """Return a function that opens the page by a link."""
    return lambda **query: visit("/cost", **query)


def test_the_markers_move_under_the_hand_and_the_axes_stay(cost):
    lab = cost(n=1024)
    lab.mark()
    marker = "() => labTest.canvas().data.at(-1).x[0]"
    axes = "() => ['xaxis', 'yaxis', 'xaxis2', 'yaxis2'].map((name) => labTest.canvas().layout[name].range)"
    before = lab.page.evaluate(axes)
    with lab.dragging("n") as move:
        link_then = lab.watch_for(f"() => ({marker})() > 1024")
        move(0.7)
        assert "n=" not in link_then().replace("n=1024", ""), "the link is written at rest"
        move(0.8)
    value = lab.slider("n").get_attribute("aria-valuetext")
    lab.expect_parameter(n=value)
    assert lab.page.evaluate(axes) == before
    expect(lab.page.get_by_role("region", name="What doubling does")).to_contain_text(f"n = {int(value):,}")
    lab.expect_same_instance()


def test_the_tiles_stream_past_by_key(cost):
    lab = cost()
    held = lab.page.get_by_role("list", name="Scores held")
    whole = lab.page.locator(".lab-map")
    expect(held).to_contain_text("scores held now 0")
    for n_gone in (0, 16, 32):
        lab.page.keyboard.press("PageDown")
        expect(held).to_contain_text("4 × 4 = 16")
        expect(whole.locator(".lab-gone")).to_have_count(n_gone)
    lab.page.keyboard.press("PageDown")
    expect(held).to_contain_text("scores held now 0")
    expect(lab.page.get_by_text("no approximation")).to_be_visible()
    lab.expect_parameter(step="4")
    lab.slider("tile").press("Home")  # one key at a time: the step is still there
    expect(lab.page.get_by_role("group", name="Steps").get_by_role("listitem")).to_have_count(14)
    lab.expect_parameter(tile="1", step="4")


def test_more_layers_reach_further(cost):
    lab = cost(near=3, depth=1)
    filled = (  # the second plot that draws
        "() => [...labTest.grids(labTest.canvas(1))[0]].flatMap((row) => [...row])"
        ".filter((z) => z !== null && !Number.isNaN(z)).length"
    )
    lab.page.wait_for_function("labTest.canvas(1)?.data")
    before = lab.page.evaluate(filled)
    lab.slider("depth").press("ArrowRight")
    lab.page.wait_for_function(f"(n) => ({filled})() > n", arg=before)
    expect(lab.page.get_by_role("region", name="Reach")).to_contain_text("1 + 2·2 = 5")
    lab.expect_parameter(depth="2")


def test_it_is_measured_when_somebody_asks(cost):
    lab = cost()
    lab.button("Measure on this machine").click()
    slopes = lab.page.get_by_role("region", name="Fitted slopes")
    expect(slopes).to_contain_text("peak memory, in tiles", timeout=60_000)
    row = slopes.get_by_role("row", name=re.compile("^peak memory, whole matrix"))
    expect(row.locator("b")).to_have_text(re.compile(r"1\.9|2\.0"))  # bytes asked for: no matter of speed
    expect(lab.button("Measure again")).to_be_enabled()
