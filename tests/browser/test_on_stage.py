"""An exercise before a room in a browser: one key from its set-up to the next one, hands, two windows."""

import re

import pytest
from playwright.sync_api import expect

from core.lecture.order import Item, RunningOrder
from tests.browser.test_lecture import FAULTS, SIZES, STANDS, Stage
from tests.browser.test_lecture_windows import start

# The widest of each kind: two grids of numbers, six bars, a row and numbers, cards, cells, numbers called.
WIDEST = {
    "X09": "1,2,3",
    "X10": "12,30,8,2",
    "N08": "5,0,9,1",
    "X24": "1,2,3",
    "X11": "1,2,3,4",
    "X01": "0.5x9 0.33x4 1x2",
}
WHOLE = [
    "What is given", "Your own prediction", "Show of hands", "Talk it over, then hands again",
    "What comes out", "How you voted", "What do you see?", "Why", "On its page",
]  # fmt: skip


@pytest.fixture
def stage(visit):
    return lambda id, number=1, **query: Stage(visit(None), "/exercises", number, id=id, **query)


def count(lecture, *texts):
    """Type a count into the fields in sight, by keyboard alone."""
    rested(lecture)
    fields = lecture.page.locator(".lab-hands [type=text]:visible")
    fields.first.focus()
    for text in texts:
        lecture.page.keyboard.type(text)
        lecture.press("Enter")


def rested(lecture):
    """Wait for what the page's script still brings: until then no key leads past a result."""
    if lecture.title.text_content() == "What comes out":
        lecture.page.locator(".lab-results").wait_for(state="attached")
    lecture.page.wait_for_function(
        "document.querySelector('[data-testid=stApp]').dataset.testScriptState !== 'running'"
    )


def next_panel(lecture, title):
    rested(lecture)
    lecture.press("PageDown")
    expect(lecture.title).to_have_text(title)


def test_one_key_leads_from_the_set_up_to_the_next_exercise(stage):
    lecture = stage("X10")
    page = lecture.page
    right = page.locator(".lab-hands-right")
    for title in WHOLE[:3]:
        expect(lecture.title).to_have_text(title)
        expect(right).to_have_count(0)
        expect(page.get_by_text("Computed:")).to_have_count(0)
        if title != WHOLE[2]:
            lecture.press("PageDown")
    count(lecture, "12", "30", "8", "2")
    next_panel(lecture, WHOLE[3])
    count(lecture, "3", "9", "40", "0")
    lecture.lab.expect_parameter(hands="12,30,8,2", again="3,9,40,0")
    next_panel(lecture, WHOLE[4])
    expect(page.locator(".lab-results .lab-over")).to_be_visible()
    next_panel(lecture, WHOLE[5])
    expect(right).to_have_count(1)
    expect(right.locator(".lab-hands-label")).to_contain_text("(1, 0, 0, 0, 0, 0)")
    for title in WHOLE[6:]:
        next_panel(lecture, title)
    lecture.lab.expect_parameter(id="X10", lecture="9")
    next_panel(lecture, WHOLE[0])
    lecture.lab.expect_parameter(id="X11", hands="", lecture="1")


def test_without_a_count_its_panels_are_passed_over(stage):
    lecture = stage("X10", 3)
    next_panel(lecture, "What comes out")
    next_panel(lecture, "What do you see?")
    lecture.press("PageUp", "PageUp")
    expect(lecture.title).to_have_text("Show of hands")
    expect(lecture.page.locator(".lab-results")).to_have_count(0)


def test_a_hasty_double_press_goes_no_further_than_the_result(stage):
    """The second press comes while the script still brings what the first has asked for."""
    lecture = stage("X10", 3)
    lecture.press("PageDown", "PageDown", "PageDown", "PageDown", "PageDown", "PageDown")
    expect(lecture.page.locator(".lab-results .lab-over")).to_be_attached()
    expect(lecture.title).to_have_text(re.compile("What comes out|What do you see"))
    lecture.lab.expect_parameter(id="X10")


def test_the_first_count_is_covered_until_somebody_shows_it(stage):
    lecture = stage("X15", 3)
    page = lecture.page
    count(lecture, "12", "30", "8", "2")
    bars = page.locator(".lab-hands-bar.lab-hands-hands em")
    expect(bars.first).to_be_hidden()
    lecture.press("h")
    expect(bars.first).to_be_visible()
    expect(bars.first).to_have_text("12")
    widths = [bar.bounding_box()["width"] for bar in page.locator(".lab-hands-bar.lab-hands-hands i").all()]
    assert widths[0] / widths[1] == pytest.approx(12 / 30, abs=0.01)
    assert widths[3] / widths[1] == pytest.approx(2 / 30, abs=0.01)
    lecture.press("h")
    expect(bars.first).to_be_hidden()
    next_panel(lecture, WHOLE[3])
    expect(bars.first).to_be_hidden()
    count(lecture, "1", "2", "3", "4")
    expect(bars.first).to_be_visible()  # the second count cannot be pulled along any more


def test_a_count_that_the_link_brings_is_covered_too(stage):
    lecture = stage("X15", 3, hands="12,30,8,2")
    bars = lecture.page.locator(".lab-hands-bar.lab-hands-hands em")
    expect(bars.first).to_have_text("12")
    expect(bars.first).to_be_hidden()


def test_keys_in_a_field_of_a_count_are_typed(stage):
    lecture = stage("X01", 3)
    field = lecture.page.locator(".lab-hands [type=text]:visible")
    field.fill("0.5")
    lecture.press("Space", "b", "h", "ArrowLeft", ".")
    expect(lecture.title).to_have_text("Show of hands")
    expect(field).to_have_value("0.5 b.h")
    expect(lecture.page.locator(".lab-lecture-black")).to_have_count(0)
    lecture.press("PageDown")  # leaves the field and no more: the next press leads on
    expect(field).not_to_be_focused()
    expect(lecture.title).to_have_text("Show of hands")
    next_panel(lecture, WHOLE[3])


def test_a_count_in_words_gets_a_sentence_and_stays_in_its_field(stage):
    lecture = stage("X01", 3)
    field = lecture.page.locator(".lab-hands [type=text]:visible")
    field.fill("many")
    lecture.press("Enter")
    expect(lecture.page.locator(".lab-hands-said")).to_contain_text("'many' is not a number")
    expect(field).to_have_value("many")
    field.fill("0.5x7")
    lecture.press("Enter")
    expect(lecture.page.locator(".lab-hands-said")).to_have_text("")
    lecture.lab.expect_parameter(hands="0.5x7")


def test_a_reload_shows_the_same_panel_with_the_same_count(stage):
    lecture = stage("X10", 6, hands="12,30,8,2", again="3,9,40,0")
    expect(lecture.page.locator(".lab-hands-again em").first).to_have_text("3")
    lecture.page.reload()
    lecture.page.locator(".lab-hands-right").wait_for()
    expect(lecture.page.locator(".lab-hands-again em").first).to_have_text("3")
    expect(lecture.title).to_have_text("How you voted")


def test_hands_typed_in_the_presenters_window_are_on_the_screen(visit):
    order = RunningOrder("", (Item("exercises", (("id", "X15"),)), Item("cost", (("lecture", "2-2"),))))
    desk = visit(None)
    projected = start(desk, order)
    desk.page.goto(desk.address("/lecture", presenter="true"))
    projected.page.locator(".lab-lecture-head").wait_for()
    screen = Stage.__new__(Stage)
    screen.lab, screen.page = projected, projected.page
    field = desk.page.get_by_label("Hands for C, first count")
    field.wait_for()
    for title in WHOLE[1:3]:
        desk.button("Next ›").click()
        expect(screen.title).to_have_text(title)
    field.fill("9")
    desk.page.get_by_label("Hands for A, first count").fill("3")
    expect(desk.page.get_by_text("Right: 75%.")).to_be_visible()
    bars = screen.page.locator(".lab-hands-bar.lab-hands-hands em")
    expect(bars.nth(2)).to_be_hidden()
    expect(screen.page.locator(".lab-hands-right")).to_have_count(0)
    desk.button("Show the count to the room").click()
    expect(bars.nth(2)).to_have_text("9")
    expect(bars.nth(2)).to_be_visible()
    projected.expect_parameter(hands="3,0,9,0", lecture="3")
    # The way to the end is the desk's Next alone; after the last panel comes the next item.
    for title in (
        "Talk it over, then hands again",
        "What comes out",
        "What do you see?",
        "Why",
        "On its page",
    ):
        rested(screen)
        desk.button("Next ›").click()
        expect(screen.title).to_have_text(title)
    rested(screen)
    desk.button("Next ›").click()
    projected.page.wait_for_url("**/cost?**")


@pytest.mark.parametrize("id", WIDEST)
def test_every_panel_can_be_read_from_the_back_row(stage, id):
    lecture = stage(id, hands=WIDEST[id])
    page, wrong, title = lecture.page, {}, ""
    while title != "On its page":
        title = lecture.title.text_content()
        for name, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(STANDS)
            if faults := page.evaluate(FAULTS):
                wrong[title, name] = faults[:6]
        rested(lecture)
        lecture.press("PageDown")
        expect(lecture.title).not_to_have_text(title)
        rested(lecture)
    assert wrong == {}
