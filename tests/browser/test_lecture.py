"""Lecture mode: one panel at a time, large enough for the back row, driven by a clicker."""

import re

import pytest
from playwright.sync_api import expect

from core.settings import AttentionSettings
from core.trace import trace_attention
from pages.ui.lecture_panels import PANELS
from tests.browser.conftest import free_port, serving
from tests.browser.lab import PROBE, Lab

SIZES = {"small": (1280, 720), "large": (1920, 1080)}
LEAST_PX = 24  # on 1280 by 720; the same share of a larger screen
ABOUT = {"glossary": {"term": "d_k"}, "playground": {"panel": "saturation"}}

# What is too small, cut, or scrolls. Two kinds of type are let go: characters set lower or higher than
# their line in a picture or a formula (the k of d_k), and what only a screen reader finds.
FAULTS = """() => {
    const unit = Math.min(innerWidth / 1280, innerHeight / 720)
    const unseen = "style, script, noscript, title, .katex, .lab-unseen, .lab-hidden, #js-plotly-tester, " +
        "tspan[dy]"
    const faults = []
    const lines = [] // of text that lies: [box, its words]
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const seen = { visibilityProperty: true, opacityProperty: true }
    while (walker.nextNode()) {
        const text = walker.currentNode.textContent.trim()
        const element = walker.currentNode.parentElement
        if (!text || !element.checkVisibility(seen) || element.closest(unseen)) continue
        const range = document.createRange()
        range.selectNodeContents(walker.currentNode)
        const box = range.getBoundingClientRect()
        if (box.width < 2 || box.height < 2 || text === "Skip to main content") continue // until it has focus
        const drawn = element.getScreenCTM?.()
        const scale = drawn ? Math.hypot(drawn.a, drawn.b) : 1
        const size = parseFloat(getComputedStyle(element).fontSize) * scale
        if (size < LEAST * unit - 0.1) faults.push(`${text.slice(0, 20)}: ${(size / unit).toFixed(1)} px`)
        if (box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight) {
            faults.push(`${text.slice(0, 20)}: cut`)
        }
        const lies = !drawn || Math.abs(drawn.b) < 0.01
        if (!lies || element.closest("sub, sup")) continue
        for (const line of range.getClientRects()) lines.push([line, text])
    }
    lines.forEach(([a, one], i) => lines.slice(i + 1).forEach(([b, other]) => {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left)
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
        if (wide > 3 && high > 0.3 * Math.min(a.height, b.height)) {
            faults.push(`${one.slice(0, 20)} over ${other.slice(0, 20)}`)
        }
    }))
    const boxes = "[data-testid=stMain], .lab-scroll, .lab-card, .lab-below, .lab-beside, .katex-display"
    for (const each of document.querySelectorAll(boxes)) {
        if (!each.checkVisibility()) continue
        const [wide, high] = [each.scrollWidth - each.clientWidth, each.scrollHeight - each.clientHeight]
        const scrolls = wide > 1 || (each.matches("[data-testid=stMain]") && high > 1)
        if (scrolls) faults.push(`${each.className.slice(0, 20)}: ${wide}, ${high} too large`)
    }
    for (const gd of document.querySelectorAll(".lab-canvas")) {
        if (!gd.checkVisibility() || !gd._fullLayout) continue
        const box = gd.getBoundingClientRect()
        for (const part of gd.querySelectorAll("text")) {
            const each = part.getBoundingClientRect()
            const out = each.left < box.left - 2 || each.right > box.right + 2 || each.top < box.top - 2 ||
                each.bottom > box.bottom + 2
            if (out && each.width) faults.push(`${part.textContent.slice(0, 20)}: beyond its picture`)
        }
    }
    return faults
}""".replace("LEAST", str(LEAST_PX))
# The panel's words and pictures are there, and as large as they will be.
STANDS = """async () => {
    const state = () => JSON.stringify([...document.querySelectorAll("[data-lab-on]")].map((each) => {
        const { top, left, width, height } = each.getBoundingClientRect()
        const drawn = !each.matches(".lab-canvas") || each._fullLayout
        return [top, left, width, drawn ? height : Math.random()]
    }))
    for (let last = "", same = 0; same < 3;) {
        await new Promise(requestAnimationFrame)
        same = state() === last ? same + 1 : 0
        last = state()
    }
}"""


class Stage:
    """The lecture of one page."""

    def __init__(self, lab, path, number=1, **query):
        self.lab, self.page = lab, lab.page
        self.sent = []  # messages to the server
        self.page.on(
            "websocket", lambda socket: socket.on("framesent", lambda frame: self.sent.append(frame))
        )
        self.page.goto(lab.address(path, **query, lecture=number))
        self.page.locator(".lab-lecture-head").wait_for(timeout=30_000)
        lab.rested()

    @property
    def title(self):
        return self.page.locator(".lab-lecture-head h1")

    @property
    def row(self):
        """The row that is told in large digits, of the picture that is shown."""
        return self.page.locator(".lab-row[data-lab-on]")

    def expect_panel(self, number):
        expect(self.page.locator(".lab-lecture-count")).to_have_text(re.compile(f"^{number} / "))

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def on(self):
        return self.page.get_by_role("button", name="Next panel")

    @property
    def step(self):
        """Which step the panel that is shown has come to, counted from 0."""
        return self.steps.evaluate_all("(all) => all.findIndex((each) => each.ariaCurrent === 'step')")

    @property
    def steps(self):
        """The steps of the panel that is shown, if its picture has some."""
        return self.page.locator(".lab-stepper li button:visible")

    @property
    def back(self):
        return self.page.get_by_role("button", name="Previous panel")

    def expect_link(self, number):
        self.lab.expect_parameter(lecture=str(number))


@pytest.fixture
def stage(visit):
    return lambda path="/scaling", number=1, context=None, **query: Stage(
        visit(None, context=context), path, number, **query
    )


@pytest.mark.parametrize(
    "page", [page for page in PANELS if page != "exercises"], ids=lambda page: page or "home"
)
def test_every_panel_can_be_read_from_the_back_row(stage, page):
    lecture = stage(f"/{page}", **ABOUT.get(page, {}))
    wrong = {}
    for turn, (name, (width, height)) in zip((lecture.on, lecture.back), SIZES.items(), strict=True):
        lecture.page.set_viewport_size({"width": width, "height": height})
        while True:
            lecture.page.evaluate(STANDS)
            if faults := lecture.page.evaluate(FAULTS):
                wrong[lecture.title.text_content(), name] = faults[:6]
            # All steps, the last at the end: from there the button leads to the next panel. Going back
            # on the large screen it leads through the steps by itself.
            n_steps = lecture.steps.count() if name == "small" else 0
            at = lecture.step if n_steps else 0
            for step in [each for each in range(n_steps) if each != at] + [n_steps - 1] * (at == n_steps - 1):
                with lecture.page.expect_response(lambda answer: answer.request.method == "POST"):
                    lecture.steps.nth(step).click()
                lecture.page.evaluate(STANDS)
                if faults := lecture.page.evaluate(FAULTS):
                    wrong[lecture.title.text_content(), f"step {step}"] = faults[:6]
            if turn.is_disabled():
                break
            turn.click()
        lecture.lab.rested()
    assert wrong == {}


def test_where_digits_would_be_too_small_the_chosen_row_alone_is_told(stage):
    lecture = stage("/playground", cell="1,3,0")
    weights = trace_attention(AttentionSettings()).weights[1, 3]
    expect(lecture.row.locator("td")).to_have_text([f"{weight:.2f}" for weight in weights])
    expect(lecture.row.locator("caption")).to_have_text("head 1, query 3 “cross”: weight")
    assert lecture.lab.layout("data[0].texttemplate") is None
    assert (
        lecture.row.locator("td").first.evaluate("(cell) => parseFloat(getComputedStyle(cell).fontSize)")
        >= 24
    )


def test_of_a_long_row_the_largest_are_told(stage):
    text = " ".join(f"word{i}" for i in range(40))
    lecture = stage("/playground", text=text, cell="0,20,0")
    weights = trace_attention(AttentionSettings(text=text)).weights[0, 20]
    told = lecture.row.locator("td").all_text_contents()
    assert 6 <= len(told) < 40
    largest = sorted(weights, reverse=True)[: len(told)]
    assert sorted(told, reverse=True) == [f"{weight:.2f}" for weight in largest]
    expect(lecture.row.locator("caption")).to_contain_text(f"the {len(told)} largest of 40 keys")


def test_digits_that_can_be_read_stand_in_their_cells(stage):
    lecture = stage("/masking", 2)
    expect(lecture.page.locator("[data-lab-on].lab-canvas .main-svg").first).to_be_visible()
    expect(lecture.row).to_be_hidden()
    assert lecture.lab.layout("data[0].texttemplate") == "%{z:.2f}"


def test_a_panel_beyond_the_last_is_the_last(stage):
    lecture = stage("/scaling", 999)
    lecture.expect_panel(len(PANELS["scaling"]))
    expect(lecture.page.locator(".lab-card[data-lab-on]").first).to_be_visible()


def test_a_panel_that_is_empty_in_this_state_is_passed_over(stage):
    lecture = stage("/playground", 3)  # saturation, which the state does not show
    lecture.expect_panel(5)
    lecture.expect_link(5)


def test_a_repaired_link_is_told_to_whoever_lectures(stage):
    lecture = stage("/scaling", 2, d_k="abc")
    note = lecture.page.get_by_text("abc")
    expect(note).to_be_hidden()  # the room sees the picture
    expect(lecture.page.locator("[data-lab-on].lab-canvas .main-svg").first).to_be_visible()
    lecture.lab.button("Notes of the page").click()
    expect(note).to_be_visible()
    lecture.page.evaluate(STANDS)
    assert lecture.page.evaluate(FAULTS) == []
    lecture.lab.button("Notes of the page").click()
    expect(note).to_be_hidden()


def test_there_is_nothing_but_the_panel(stage):
    lecture = stage("/playground")
    for part in ("stHeader", "stSidebar", "stToolbar"):
        expect(lecture.page.get_by_test_id(part).first).to_be_hidden()
    expect(lecture.lab.button("Copy link")).to_be_hidden()


def test_a_clicker_goes_through_the_panels_and_the_link_follows(stage):
    lecture = stage()
    for number, key in enumerate(("PageDown", "ArrowRight", "ArrowDown", "Space"), 2):
        lecture.press(key)
        lecture.expect_panel(number)
    lecture.expect_link(5)
    for number, key in zip(
        (4, 3, 2, 1, 1), ("PageUp", "ArrowLeft", "ArrowUp", "Shift+Space", "PageUp"), strict=True
    ):
        lecture.press(key)
        lecture.expect_panel(number)
    lecture.expect_link(1)
    lecture.press(*["PageDown"] * 6)  # faster than the page's script hears of it
    lecture.expect_panel(7)
    lecture.expect_link(7)
    lecture.page.reload()
    lecture.expect_panel(7)


def test_no_panel_is_skipped_while_the_page_still_loads(visit):
    lab = visit(None)
    held = []
    lab.page.route("**/plotly.min.js", lambda route: held.append(route))
    lab.page.goto(lab.address("/masking", lecture=4))
    lab.page.locator(".lab-lecture-head").wait_for()
    lab.wait_until(lambda: held)
    lab.page.keyboard.press("PageDown")
    title = lab.page.locator(".lab-lecture-head h1")
    expect(title).to_have_text("One row, by each way")
    for route in held:
        route.continue_()
    expect(lab.page.locator(".st-key-plot_masking .lab-below .lab-matrix").first).to_be_visible()
    expect(title).to_have_text("One row, by each way")


def test_a_step_of_a_picture_comes_before_the_next_panel(stage):
    lecture = stage("/soft-lookup", 2, step="3")
    lecture.press("PageDown")
    lecture.lab.expect_parameter(step="4", lecture="2")
    lecture.press("PageDown")
    lecture.expect_panel(3)


def test_keys_are_left_to_what_uses_them(stage):
    lecture = stage("/scaling", 2)
    slider, field = lecture.lab.slider("d_k"), lecture.lab.field("d_k")
    slider.focus()
    lecture.press("ArrowRight")
    expect(field).to_have_value("72")
    lecture.press("PageDown")
    field.focus()
    lecture.press("Space", ".", "b", "ArrowDown", "PageDown", "L")
    lecture.expect_panel(2)
    assert lecture.page.locator(".lab-lecture-black").count() == 0
    field.evaluate("(field) => field.blur()")
    taken = lecture.page.evaluate(
        """() => ["F5", "Escape", "Home", "Tab", "x"].filter((key) => !document.body.dispatchEvent(
            new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })))"""
    )
    assert taken == []
    lecture.press("Control+ArrowRight", "Alt+PageDown")
    lecture.expect_panel(2)
    lecture.press("PageDown")
    lecture.expect_panel(3)


def test_after_a_drag_the_clicker_goes_on(stage):
    lecture = stage("/scaling", 2)
    with lecture.lab.dragging("d_k") as move:
        move(0.9)
        before = "() => labTest.canvas()._fullData[0].y.length > 0"
        lecture.page.wait_for_function(before)
    value = lecture.lab.field("d_k").input_value()
    assert int(value) > 64
    lecture.press("PageDown")
    lecture.expect_panel(3)
    lecture.lab.expect_parameter(d_k=value, lecture="3")


def test_the_screen_is_blanked_and_any_key_brings_it_back(stage):
    lecture = stage("/scaling", 2)
    black = lecture.page.locator(".lab-lecture-black")
    for key in (".", "b", "B"):
        lecture.press(key)
        expect(black).to_be_visible()
        assert black.bounding_box() == {"x": 0, "y": 0, "width": 1280, "height": 720}
        lecture.press("PageDown")  # only brings it back
        expect(black).to_have_count(0)
        lecture.expect_panel(2)


def test_shortcuts_can_be_switched_off_and_stay_so(stage):
    lecture = stage("/scaling", 2)
    lecture.lab.button("Shortcut keys").click()
    lecture.press("PageDown", ".", "Space")
    lecture.expect_panel(2)
    lecture.page.reload()
    lecture.page.locator(".lab-lecture-head").wait_for()
    lecture.press("PageDown")
    lecture.expect_panel(2)
    lecture.on.click()  # the buttons go on working
    lecture.expect_panel(3)
    lecture.lab.button("Shortcut keys").click()
    lecture.press("PageDown")
    lecture.expect_panel(4)


def test_the_wheel_changes_nothing(stage):
    lecture = stage("/scaling", 2)
    lecture.lab.field("d_k").focus()
    link = lecture.page.url
    for place in (
        lecture.lab.slider("d_k"),
        lecture.lab.field("d_k"),
        lecture.page.locator("[data-lab-on].lab-canvas"),
    ):
        place.hover()
        for turn in (400, -250):
            lecture.page.mouse.wheel(0, turn)
            lecture.lab.wait_frames()
    expect(lecture.lab.field("d_k")).to_have_value("64")
    assert lecture.page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0
    assert lecture.page.url == link


def test_in_by_button_and_key_and_out_again(visit):
    lab = visit("/masking", mask="window")
    lab.button("Lecture mode").click()
    lab.page.locator(".lab-lecture-head").wait_for()
    lab.expect_parameter(lecture="1", mask="window")
    lab.button("End the lecture").click()
    expect(lab.page.locator(".lab-lecture-head")).to_have_count(0)
    lab.page.wait_for_url(lambda url: "lecture" not in url and "mask=window" in url)
    lab.painted()
    lab.page.keyboard.press("l")
    lab.page.locator(".lab-lecture-head").wait_for()
    lab.expect_parameter(lecture="1", mask="window")


def test_a_lecture_asks_for_no_prediction_and_is_light(stage):
    lecture = stage(
        "/scaling", 7, context={"viewport": {"width": 1280, "height": 720}, "color_scheme": "dark"}
    )
    expect(lecture.page.get_by_text("The spread grows like")).to_be_visible()
    background = "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    assert lecture.page.evaluate(background) == "rgb(255, 255, 255)"


LISTENS = """() => [...document.querySelectorAll(".st-key-lecture, .st-key-lecture *")]
    .some((each) => each.labLecture)"""
DARK = """document.addEventListener("DOMContentLoaded", () => document.head.insertAdjacentHTML(
    "beforeend", "<style>[data-testid=stApp] { background: #000 !important }</style>"))"""


def test_a_page_that_stays_dark_is_loaded_anew_once_and_shown(visit):
    lab = visit(None)
    lab.page.add_init_script(DARK)  # as an extension or forced colours do
    loaded, sent = [], []
    lab.page.on("request", lambda each: each.is_navigation_request() and loaded.append(each.url))
    lab.page.on("websocket", lambda each: each.on("framesent", lambda frame: sent.append(frame)))
    lab.go("/masking", mask="window")
    lab.rested()
    lab.page.wait_for_function(LISTENS)  # the script of the lecture's keys comes after the pictures
    sent.clear()
    lab.page.keyboard.press("l")
    lab.page.locator(".lab-lecture-head").wait_for()
    lab.rested()
    lab.expect_parameter(lecture="1", mask="window", embed_options="light_theme")
    assert len(loaded) == 2
    assert not any(b'"panel"' in frame for frame in sent)  # nothing is told of a panel that was not shown


def test_a_prepared_page_asks_for_nothing_while_it_waits(visit):
    lab = visit(None)
    lab.page.clock.install()
    lecture = Stage(lab, "/playground")
    expect(lecture.page.get_by_text(re.compile(r"scaled_dot_product_attention: \d"))).to_have_count(
        1, timeout=30000
    )
    lecture.lab.rested()
    asked, sent = [], len(lecture.sent)
    lecture.page.on("request", lambda request: asked.append(request.url))
    lecture.page.clock.run_for(9 * 60_000)  # every timer of nine minutes
    lecture.page.clock.fast_forward("01:00:00")
    assert asked == []
    assert len(lecture.sent) == sent


def test_the_server_restarts_and_the_lecture_is_where_it_was(browser, tmp_path):
    port = free_port()
    page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
    page.add_init_script(PROBE)
    with serving(port, tmp_path / "first.txt") as server:
        lecture = Stage(Lab(page, server.url), "/scaling", 2, d_k="256")
        lecture.press("PageDown")
        lecture.expect_link(3)
    with serving(port, tmp_path / "second.txt"):
        page.wait_for_function(
            "document.querySelector('[data-testid=stApp]').dataset.testConnectionState === 'CONNECTED'"
        )
        lecture.lab.rested()
        lecture.expect_panel(3)
        expect(lecture.lab.field("d_k")).to_have_value("256")
        lecture.press("PageUp")  # and what is pressed now reaches the new server
        lecture.expect_link(2)
        lecture.lab.slider("d_k").press("Home")
        lecture.lab.expect_parameter(d_k="2", lecture="2")
    page.context.close()
