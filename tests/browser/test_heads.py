"""The page about heads in Chromium: steps by key, pictures under the hand, a phone."""

import re

import numpy as np
from playwright.sync_api import expect

from core.lessons.heads import HeadsSettings, trace_heads


def tiles(**values):
    trace = trace_heads(HeadsSettings(**values))
    return np.where(trace.mask, trace.weights, np.nan)


def step(lab):
    return lab.page.get_by_role("region", name=re.compile("^Step "))


def test_page_down_and_up_walk_through_the_steps(visit):
    lab = visit("/heads")
    for name in ("Project", "Split", "Attend", "Merge", "× W_O"):
        lab.page.keyboard.press("PageDown")
        expect(step(lab)).to_have_attribute("aria-label", f"Step {name}")
    lab.page.keyboard.press("PageUp")
    expect(step(lab)).to_contain_text("merged [6, 8]")
    lab.page.wait_for_url(re.compile("step=4"))


def test_heads_follow_the_hand_and_x_stays(visit):
    lab = visit("/heads", step=1)
    lab.mark()
    matrices = step(lab).locator(".lab-matrix tbody")
    before = matrices.all_text_contents()
    with lab.dragging("heads") as move:
        link_then = lab.watch_for_tiles(tiles(heads=8))
        move(1.0)
        assert "heads=8" not in link_then()  # drawn at once, the link is written at rest
        expect(step(lab)).to_contain_text("weights [8, 6, 6]")
        assert matrices.all_text_contents() == before
        move(0.0)
        lab.expect_tiles(tiles(heads=1))
    lab.page.wait_for_url(re.compile("heads=1&"))
    lab.rested().expect_tiles(tiles(heads=1))
    lab.expect_same_instance()


def test_the_count_follows_the_width_and_pytorch_counts_the_same(visit):
    lab = visit("/heads")
    counts = lab.page.get_by_role("region", name="Parameters", exact=True)
    expect(counts).to_contain_text("1,048,576, whatever H")
    lab.slider("wide").press("ArrowRight")
    expect(counts).to_contain_text(f"{4 * 768**2:,}, whatever H")
    expect(lab.page.locator(".lab-torch").last).to_contain_text(f"{4 * 768**2:,}", timeout=30_000)


def test_a_phone_scrolls_tables_and_not_the_page(visit):
    lab = visit("/heads", context={"viewport": {"width": 390, "height": 844}}, step=1, d_model=32)
    wide = lab.page.evaluate(
        "[document.scrollingElement, document.querySelector('[data-testid=stMain]')]"
        ".map((each) => each.scrollWidth - each.clientWidth)"
    )
    assert max(wide) <= 0
    box = step(lab).locator(".lab-scroll").first
    assert box.evaluate("(each) => each.scrollWidth > each.clientWidth")
    assert box.get_attribute("tabindex") == "0"
