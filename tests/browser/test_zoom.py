"""Zoom survives every change that keeps the picture's shape, and can be reset."""

import pytest


def test_zoom_survives_and_is_reset(visit):
    lab = visit(head=0)
    whole = lab.ranges
    lab.zoom((2, 2), (7, 7))
    lab.page.wait_for_function("(x) => labTest.canvas()._fullLayout.xaxis.range[0] > x + 1", arg=whole[0])
    zoomed = lab.ranges
    assert lab.link.cell is None  # a drag is no click

    lab.slider("d_k").press("ArrowRight")
    lab.expect_settled(d_k=18)
    assert lab.ranges == pytest.approx(zoomed)
    with lab.dragging("d_k") as move:
        for step in range(8):
            move(0.2 + step / 20)
    lab.expect_settled(d_k=int(lab.slider("d_k").get_attribute("aria-valuetext")))
    assert lab.ranges == pytest.approx(zoomed)
    lab.flip("causal")
    lab.expect_settled(causal=True)
    assert lab.ranges == pytest.approx(zoomed)

    lab.button("Reset zoom").click()
    lab.page.wait_for_function("(x) => labTest.canvas()._fullLayout.xaxis.range[0] === x", arg=whole[0])
    assert lab.ranges == pytest.approx(whole)
    lab.slider("d_k").press("ArrowRight")
    lab.expect_settled(d_k=int(lab.slider("d_k").get_attribute("aria-valuetext")))
    assert lab.ranges == pytest.approx(whole)

    # A picture of another shape is shown whole.
    lab.zoom((2, 2), (7, 7))
    lab.page.wait_for_function("(x) => labTest.canvas()._fullLayout.xaxis.range[0] > x + 1", arg=whole[0])
    lab.control("text").get_by_role("textbox").fill("a b c d e")
    lab.control("text").get_by_role("textbox").press("Enter")
    lab.expect_settled(text="a b c d e")
    assert lab.ranges == pytest.approx([-0.5, 4.5, 4.5, -0.5])
