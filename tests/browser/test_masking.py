"""The page on masks in Chromium: dragging, choosing a row, a phone, links."""

import numpy as np
from playwright.sync_api import expect

from core.lessons.masking import MaskingSettings, trace_masking

_WINDOW, _NEW = "window: keys that a query sees", "new queries"


def tiles(**settings):
    """What must be drawn: A, B, B - A."""
    trace = trace_masking(MaskingSettings(**settings))
    return np.stack([*trace.values, trace.difference])


def test_the_three_pictures_are_what_core_computes(visit):
    visit("/masking").expect_tiles(tiles())


def test_left_padding_and_a_row_without_a_key(visit):
    lab = visit("/masking", mask="causal-padding", side="left")
    lab.expect_tiles(tiles(mask="causal-padding", side="left"))
    expect(lab.page.get_by_text("No key is left for query 0")).to_be_visible()
    assert lab.hatchings.count() == 1


def test_dragging_the_window_redraws_before_the_hand_lets_go(visit):
    lab = visit("/masking", mask="window")
    slider = lab.page.get_by_role("slider", name=_WINDOW)
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2
    lab.page.mouse.move(box["x"] + 11 + (box["width"] - 22) / 15, y)
    lab.page.mouse.down()
    lab.page.mouse.move(box["x"] + 11 + (box["width"] - 22) * 4 / 15, y, steps=4)
    lab.expect_tiles(tiles(mask="window", window=5))
    lab.page.mouse.up()
    lab.page.wait_for_url("**window=5**")
    lab.rested()
    lab.expect_tiles(tiles(mask="window", window=5))


def test_a_click_chooses_the_row_that_is_worked_out(visit):
    lab = visit("/masking")
    lab.click_cell(4, 1, tile=1)
    expect(lab.page.get_by_text("Query 4 “the”, by each way")).to_be_visible()


def test_new_queries_by_keyboard(visit):
    lab = visit("/masking")
    slider = lab.page.get_by_role("slider", name=_NEW)
    slider.focus()
    slider.press("ArrowRight")
    expect(lab.page.get_by_text("[2, 6]").first).to_be_visible()
    lab.page.wait_for_url("**new=2**")


def test_a_phone_has_no_sideways_scroll_and_cells_to_look_at(visit):
    lab = visit("/masking", context={"viewport": {"width": 390, "height": 844}, "has_touch": True})
    assert lab.page.evaluate("document.scrollingElement.scrollWidth") <= 390
    main = lab.page.get_by_test_id("stMain")
    assert main.evaluate("(main) => main.scrollWidth <= main.clientWidth")
    assert lab.cell_box(0, 0)["width"] > 11
