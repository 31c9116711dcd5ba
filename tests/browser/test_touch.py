"""A finger: taps choose cells, slides move sliders, and swiping over a picture does not zoom it."""

import pytest
from playwright.sync_api import expect

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


class Finger:
    """One finger, through Chromium's own input events."""

    def __init__(self, page):
        self._session = page.context.new_cdp_session(page)

    def _send(self, kind, *points):
        touch = {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]}
        self._session.send("Input.dispatchTouchEvent", touch)

    def swipe(self, start, end, steps=10):
        self._send("touchStart", start)
        for step in range(1, steps + 1):
            self._send(
                "touchMove", tuple(a + (b - a) * step / steps for a, b in zip(start, end, strict=True))
            )
        self._send("touchEnd")


def test_taps_and_swipes(visit):
    lab = visit(context=PHONE, head=1)
    ranges = lab.ranges
    start, end = lab.cell_box(8, 2), lab.cell_box(2, 8)
    Finger(lab.page).swipe((start["x"], start["y"]), (end["x"], end["y"]))
    lab.wait_frames(10)
    assert lab.ranges == pytest.approx(ranges)
    place = lab.cell_box(3, 4)
    lab.page.touchscreen.tap(place["x"], place["y"])
    lab.expect_settled(cell=(1, 3, 4))
    assert lab.ranges == pytest.approx(ranges)

    lab.slider("d_k").scroll_into_view_if_needed()
    box = lab.slider("d_k").bounding_box()
    y = box["y"] + box["height"] / 2
    start = box["x"] + 11 + (box["width"] - 22) * 7 / int(lab.slider("d_k").get_attribute("max"))
    Finger(lab.page).swipe((start, y), (box["x"] + box["width"] * 0.8, y))
    d_k = int(lab.slider("d_k").get_attribute("aria-valuetext"))
    assert d_k > 64
    lab.expect_settled(d_k=d_k)
    assert lab.traffic.most_in_flight == 1


def test_the_menu_of_a_phone_closes_behind_who_has_chosen_a_page(visit):
    lab = visit("/glossary", context=PHONE)
    sidebar = lab.page.get_by_test_id("stSidebar")
    lab.page.get_by_test_id("stExpandSidebarButton").tap()
    expect(sidebar).to_be_in_viewport(ratio=0.9)
    sidebar.get_by_role("link", name="Exercises").tap()
    expect(lab.page.get_by_role("heading", name="Predict, then check")).to_be_visible()
    expect(sidebar).not_to_be_in_viewport()
