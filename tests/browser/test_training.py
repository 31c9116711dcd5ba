"""The training lab in Chromium: predict, train, watch, cancel; a closed tab makes room for the next."""

import re

from playwright.sync_api import expect

from tests.browser.test_access import faults

PROGRESS = "[data-testid=stProgress]"


def press(lab, name):
    lab.page.get_by_role("button", name=name, exact=True).click()


def progress(lab):
    return lab.page.locator(PROGRESS)


def test_it_asks_first_and_opens_with_the_reveal(visit):
    lab = visit(None, fresh=False)
    lab.ask("/training")
    assert lab.page.locator(".lab-plot").count() == 0
    assert list(faults(lab.page, "light")) == []
    press(lab, "I don't know")
    press(lab, "Reveal")
    lab.page.locator(".lab-canvas .main-svg").nth(1).wait_for()
    lab.expect_parameter(experiment="layers", step="300")


def test_dragging_the_step_moves_the_heads_before_it_is_let_go(visit):
    lab = visit("/training")
    before = lab.page.evaluate("labTest.tiles(labTest.canvas(1))")
    slider = lab.page.get_by_role("slider", name=re.compile("^step"))
    box = slider.bounding_box()
    lab.page.mouse.move(box["x"] + box["width"] - 8, box["y"] + box["height"] / 2)
    lab.page.mouse.down()
    lab.page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2, steps=8)
    lab.page.wait_for_function(
        "(before) => JSON.stringify(labTest.tiles(labTest.canvas(1))) !== JSON.stringify(before)", arg=before
    )
    lab.page.mouse.up()
    lab.expect_parameter(step=lambda text: int(text) < 150)


def test_a_training_is_started_watched_and_cancelled(visit):
    lab = visit("/training", experiment="positions", run="causal-rope")
    tops = "() => [...document.querySelectorAll('.lab-canvas')].map((each) => each.offsetTop)"
    before = lab.page.evaluate(tops)
    press(lab, "Train it now")
    expect(progress(lab)).to_contain_text(re.compile("Training causal|In line"))
    expect(lab.page.get_by_role("button", name="Train it now")).to_be_disabled()
    expect(progress(lab)).to_contain_text(re.compile(r"step [1-9]\d* of 500"), timeout=120_000)
    lab.page.locator(".lab-legend", has_text="this training").wait_for()
    assert lab.page.evaluate(tops) == before  # nothing has jumped
    press(lab, "Cancel")
    expect(progress(lab)).to_contain_text("Cancelled at step")
    expect(lab.page.get_by_role("button", name="Train it now")).to_be_enabled()
    lab.rested()


def test_a_closed_tab_gives_its_place_to_the_next(visit):
    first = visit("/training", experiment="mask", run="text-causal")
    press(first, "Train it now")
    expect(progress(first)).to_contain_text("Training causal mask")
    second = visit("/training", experiment="positions", run="causal-rope")
    press(second, "Train it now")
    expect(progress(second)).to_contain_text("In line: 1 training comes first.")
    first.page.goto("about:blank")
    expect(progress(second)).to_contain_text("Training causal", timeout=30_000)
    press(second, "Cancel")
    expect(progress(second)).to_contain_text("Cancelled")
    second.rested()
