"""The soft lookup under the hand: the step keys, the dragged query, numbers typed over."""

import pytest
from playwright.sync_api import expect


@pytest.fixture
def lookup(visit):
    """Return a function that opens the page by a link."""
    return lambda **query: visit("/soft-lookup", **query)


def words(lab):
    return lab.page.get_by_role("region", name="The steps in numbers")


def test_the_step_keys(lookup):
    lab = lookup()
    for key, title in [
        ("PageDown", "2 of 5"), ("PageDown", "3 of 5"), ("ArrowRight", "4 of 5"), ("PageUp", "3 of 5"),
        ("ArrowLeft", "2 of 5"),
    ]:  # fmt: skip
        lab.page.keyboard.press(key)
        expect(words(lab)).to_contain_text(title)
    lab.expect_parameter(step="1")
    lab.button("Next").click()
    expect(words(lab)).to_contain_text("3 of 5")
    lab.button("Back").press("Enter")
    expect(words(lab)).to_contain_text("2 of 5")
    lab.page.get_by_role("button", name="Weighted sum").click()
    expect(words(lab)).to_contain_text("(6.6976, 1.9814)")
    expect(lab.button("Next")).to_be_disabled()
    lab.expect_parameter(step="4")


def test_the_step_keys_leave_fields_and_sliders_alone(lookup):
    lab = lookup(step=2)
    lab.field("q0").focus()
    lab.page.keyboard.press("PageDown")
    lab.page.keyboard.press("ArrowRight")
    expect(words(lab)).to_contain_text("3 of 5")
    lab.slider("temperature").press("ArrowRight")  # moves the slider, not the step
    expect(words(lab)).to_contain_text("3 of 5")
    lab.expect_parameter(step="2", temperature="1.25")


def test_the_query_is_dragged_and_the_output_moves_under_the_hand(lookup):
    lab = lookup(step=4)
    lab.mark()
    handle = lab.page.locator(".lab-handle").first
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tip = "() => { const out = labTest.canvas().data.at(-1); return [out.x[1], out.y[1]] }"
    before = lab.page.evaluate(tip)
    lab.page.mouse.move(x, y)
    lab.page.mouse.down()
    link_then = lab.watch_for(f"(before) => Math.abs(({tip})()[1] - before[1]) > 0.3", before)
    lab.page.mouse.move(x - 20, y - 40, steps=8)
    assert "q=" not in link_then(), "the link is written at rest, not while dragging"
    value = float(lab.slider("q1").get_attribute("aria-valuetext"))
    assert value > 0, "the sliders follow"
    lab.page.mouse.up()
    lab.expect_parameter(q=lambda text: text.endswith(f",{value:g}"))
    lab.expect_same_instance()

    handle.focus()
    lab.page.keyboard.press("ArrowUp")
    lab.expect_parameter(q=lambda text: text.endswith(f",{value + 0.1:g}"))


def test_a_number_is_typed_over(lookup):
    lab = lookup(step=4)
    weight = words(lab).locator("input[data-setting=weights]").first
    weight.fill("1/2")
    weight.press("Enter")
    expect(words(lab)).to_contain_text("typed over the weights")
    expect(words(lab)).to_contain_text("(5.0000, 1.9814)")
    lab.expect_parameter(edit=lambda text: text.startswith("weights:0.5,0.33"))

    scaled = words(lab).locator("input[data-setting=scaled]").first
    scaled.fill("abc")
    scaled.press("Enter")
    expect(lab.page.get_by_text("“abc” is not a number")).to_be_visible()
    expect(scaled).to_have_value("abc")  # nothing typed is lost
    lab.button("Put back").click()
    expect(words(lab)).to_contain_text("(6.6976, 1.9814)")
    lab.expect_parameter(edit="")


def test_the_knowledge_check_is_one_click_away(lookup):
    lab = lookup(step=4)
    lab.button("q = (0, 2)").click()
    expect(words(lab)).to_contain_text("(1.9557, 4.8266)")
    lab.expect_parameter(q="0,2")
    lab.page.reload()
    expect(words(lab)).to_contain_text("(1.9557, 4.8266)")
