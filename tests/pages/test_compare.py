"""Pin, change, unpin: A stays what it was, B follows the controls."""

from urllib.parse import parse_qsl

import pytest

from core.settings import PINNED


def pinned(page):
    return dict(parse_qsl(page.query["compare"]))


def test_pinning_keeps_every_control_and_changes_no_other_parameter(playground):
    page = playground(d_k="8", causal="true", head="1", stage="scores")
    before = page.query
    page.click("Pin as A and compare")
    assert pinned(page) == {name: before[name] for name in PINNED}
    assert {**page.query, "compare": ""} == before
    assert page.data("plot_heads")["fileName"] != "attention"


def test_changes_after_pinning_are_b_and_leave_a_alone(playground):
    page = playground(text="a b c").click("Pin as A and compare")
    a = page.query["compare"]
    page.set("causal", True).change("sliders", d_k=64)
    assert page.query["compare"] == a
    assert (page.query["causal"], page.query["d_k"]) == ("true", "64")
    assert (pinned(page)["causal"], pinned(page)["d_k"]) == ("false", "16")


def test_unpinning_keeps_b(playground):
    page = playground().click("Pin as A and compare").set("causal", True).click("Unpin")
    assert page.query["compare"] == ""
    assert page.query["causal"] == "true"
    assert page.data("plot_heads")["fileName"] == "attention"


def test_pinning_anew_makes_b_the_new_a(playground):
    page = playground().click("Pin as A and compare").set("causal", True).click("Pin anew")
    assert pinned(page)["causal"] == "true"


def test_reset_lets_the_pinned_setting_go(playground):
    page = playground().click("Pin as A and compare").click("Reset")
    assert page.query["compare"] == ""


def test_a_comparison_opens_from_its_link(playground):
    page = playground(text="x y").click("Pin as A and compare").set("scale", "none")
    again = playground(**page.link)
    assert again.warnings == []
    assert again.query == page.query
    session = {"session": again.data("plot_heads")["session"]}
    assert again.data("plot_heads") == page.data("plot_heads") | session


@pytest.mark.parametrize(
    ("key", "value"), [("stage", "masked"), ("head", 3), ("panel", "saturation"), ("heads", 2)]
)
def test_while_comparing_what_is_looked_at_can_change(key, value, playground):
    page = playground(text="x y z").click("Pin as A and compare").set("causal", True)
    before = page.data("plot_heads")
    page.set(key, value)
    assert page.warnings == []
    assert page.data("plot_heads") != before
    assert ("plot_saturation" in page.keys) == (key == "panel")


def test_every_source_can_be_compared(playground):
    page = playground(text="x y").click("Pin as A and compare")
    for source in ("patterns", "two-keys", "cat-sat-mat", "three-tokens", "custom", "random"):
        page.set("source", source)
        assert page.warnings == []
        assert pinned(page)
