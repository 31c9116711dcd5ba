"""The mouse wheel scrolls the page and never changes a value."""

from playwright.sync_api import expect


def test_the_wheel_over_sliders_and_fields_changes_nothing(visit):
    lab = visit(rope="true")
    link, ranges = lab.page.url, lab.ranges
    targets = {
        "slider": lab.slider("d_k"),
        "exact field": lab.field("d_k"),
        "shift": lab.slider("query_shift"),
        "heads": lab.number("heads"),
        "seed": lab.number("seed"),
        "base": lab.number("rope_base"),
        "picture": lab.canvas,
    }
    for name, target in targets.items():
        before = target.input_value() if name != "picture" else None
        for focused in (False, True):
            if focused:
                target.focus()
            target.hover()
            for turn in (240, -240):
                lab.page.mouse.wheel(0, turn)
                lab.wait_frames()
        if before is not None:
            expect(target, name).to_have_value(before)
    lab.wait_frames(30)
    assert lab.page.url == link
    assert lab.ranges == ranges
    assert lab.traffic.count == 0
