"""A lecture in Chromium: collected on the pages, projected in one window and presented in another."""

import re
import threading
from contextlib import contextmanager
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO

import pytest
from playwright.sync_api import expect

from core.lecture.forms import as_link, read, written
from core.lecture.order import Item, RunningOrder
from tests.browser.conftest import free_port, launched, serving
from tests.browser.lab import PROBE, Lab
from tests.browser.test_access import faults
from tests.browser.test_keyboard import missed_by_tab

NAME = "attention-lab-lecture"
ORDER = RunningOrder(
    "Three stops",
    (
        Item("scaling", (("lecture", "2-2"),), notes="The words first."),
        Item("exercises", (("id", "X10"), ("lecture", "1-1")), notes="Hands up.", minutes=4),
        Item("masking", (("mask", "none"),), notes="No mask yet.", minutes=6),
    ),
)

BUSY = """setTimeout(() => { // longer than anybody would wait for an answer
    const end = performance.now() + 1500
    while (performance.now() < end);
})"""

PRESSED = """() => new Promise((done) => {
    const how = { key: "PageDown", bubbles: true, cancelable: true }
    document.body.dispatchEvent(new KeyboardEvent("keydown", how))
    setTimeout(done)
})"""

ANSWERED = """() => new Promise((answered) => {
    const channel = new BroadcastChannel("attention-lab-lecture")
    channel.onmessage = ({ data }) => data.at !== undefined && answered(channel.close())
    channel.postMessage({ ask: true })
})"""

TAKE_ONE_KEY = """window.addEventListener("keydown", (event) => {
    window.taken = event.key
    event.preventDefault()
}, { once: true });"""


NO_ROOM = """Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError") }"""

NO_STORAGE = """for (const name of ["localStorage", "sessionStorage", "indexedDB"]) {
    Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError") } })
}
Object.defineProperty(document, "cookie", { get() { return "" }, set() {} })"""


def open_lecture(lab, **query):
    """Open the page in a browser that keeps the order."""
    lab.page.goto(lab.address("/lecture"))
    lab.page.get_by_text("Nothing here yet").wait_for()
    lab.rested()
    lab.page.evaluate("([name, text]) => localStorage.setItem(name, text)", [NAME, written(ORDER, 50)])
    lab.page.goto(lab.address("/lecture", **query))
    lab.page.locator(".lab-conductor, .lab-start").wait_for()
    return lab.rested()


def kept(lab):
    return read(lab.page.evaluate("(name) => localStorage.getItem(name)", NAME))[0]


def opened_by(lab, link):
    """Follow a link to a window of its own."""
    with lab.page.context.expect_page() as window:
        lab.page.get_by_role("link", name=link).click()
    return Lab(window.value, lab.root)


def is_at(projected, presenter, at):
    """Both windows have come to an item."""
    item = ORDER.items[at]
    expect(projected.page).to_have_url(re.compile(rf"/{item.page}\?.*lecture="), timeout=15_000)
    expect(presenter.page.get_by_text(item.notes)).to_be_visible()
    projected.page.locator(".lab-lecture-head").wait_for()
    projected.rested()


def test_two_windows_go_through_the_lecture_together(visit):
    lab = open_lecture(visit(None))
    presenter = opened_by(lab, "Presenter's window")
    expect(presenter.page.get_by_text("The words first.")).to_be_visible()
    expect(presenter.page.get_by_text("is not open")).to_be_visible()
    projected = opened_by(lab, "Start")
    is_at(projected, presenter, 0)
    expect(presenter.page.get_by_text("On the screen: The spread of q·k")).to_be_visible()
    projected.page.evaluate(TAKE_ONE_KEY)  # as the next panel or a reveal does
    presenter.button("Next ›").click()
    projected.page.wait_for_function("window.taken === 'PageDown'")
    presenter.page.evaluate(ANSWERED)  # whatever was said to it before has been heard
    is_at(projected, presenter, 0)
    presenter.button("Next ›").click()
    is_at(projected, presenter, 1)
    expect(presenter.page.get_by_text("Answer:")).to_be_visible()
    expect(projected.page.get_by_text("Answer:")).to_have_count(0)
    presenter.page.keyboard.press("PageDown")
    is_at(projected, presenter, 2)
    projected.page.locator("body").press("PageUp")  # the projected window's own clicker
    is_at(projected, presenter, 1)
    presenter.page.reload()
    is_at(projected, presenter, 1)
    projected.page.reload()
    is_at(projected, presenter, 1)
    presenter.page.locator("body").press("ArrowLeft")
    is_at(projected, presenter, 0)
    # What is typed into a field turns nothing, in either window.
    field = projected.field("d_k")
    field.press("PageDown")
    field.press("Space")
    projected.rested()
    is_at(projected, presenter, 0)
    projected.button("Next panel").click()  # there is none, so the next item comes
    is_at(projected, presenter, 1)
    presenter.button("Go to it now").click()
    is_at(projected, presenter, 2)
    projected.page.close()
    expect(presenter.page.get_by_text("is not open")).to_be_visible(timeout=12_000)
    presenter.button("‹ Back").click()  # the notes go on alone
    expect(presenter.page.get_by_text("Hands up.")).to_be_visible()
    projected = opened_by(presenter, "Open it")
    is_at(projected, presenter, 1)
    # What is added during the lecture comes at its end.
    other = Lab(lab.page.context.new_page(), lab.root).go("/cost")
    other.button("Add to lecture").click()
    expect(presenter.page.get_by_text("4 items, 20 minutes")).to_be_visible()
    presenter.button("Next ›").click()
    is_at(projected, presenter, 2)
    projected.page.keyboard.press("ArrowRight")
    projected.expect_parameter(lecture="2")  # the next panel of the page
    presenter.page.get_by_text("4. Cost").click()
    expect(projected.page).to_have_url(re.compile("/cost"))


def test_a_busy_window_takes_a_step_once_and_a_window_that_left_the_lecture_no_key(visit):
    lab = open_lecture(visit(None))
    projected = opened_by(lab, "Start")
    presenter = Lab(lab.page.context.new_page(), lab.root)  # with a thread of its own
    presenter.page.goto(lab.address("/lecture", presenter="true"))
    expect(presenter.page.get_by_text("On the screen: The spread of q·k")).to_be_visible()
    is_at(projected, presenter, 0)
    at = "sessionStorage['attention-lab-at']"
    projected.page.evaluate(TAKE_ONE_KEY + BUSY)
    presenter.button("Next ›").click()
    presenter.page.evaluate(ANSWERED)  # whatever was said to it before has been heard
    assert projected.page.evaluate(f"[window.taken, {at}]") == ["PageDown", "0"]
    projected.button("End the lecture").click()
    expect(projected.page.locator(".lab-lecture-head")).to_have_count(0)
    projected.rested()
    projected.page.evaluate(PRESSED)  # a listener that was there before has had its turn
    assert projected.page.evaluate(at) == "0"
    presenter.button("Next ›").click()  # asked of this window by name
    is_at(projected, presenter, 1)


def start(lab, order):
    """Open the projected window with an order that this browser keeps."""
    lab.page.goto(lab.address("/lecture", order=as_link(order)))
    return opened_by(lab, "Start")


def test_the_buttons_at_the_edges_lead_where_a_clicker_leads(visit):
    lab = visit(None, context={"color_scheme": "dark"})
    order = RunningOrder(
        "", (Item("soft-lookup", (("step", "3"), ("lecture", "2-3"))), Item("cost", (("lecture", "2-2"),)))
    )
    projected = start(lab, order)
    on, back = (projected.button(f"{way} panel") for way in ("Next", "Previous"))
    count = projected.page.locator(".lab-lecture-count")
    expect(count).to_have_text("1 / 2")  # of the item, not of the page
    loaded = []
    projected.page.on("request", lambda each: each.is_navigation_request() and loaded.append(each.url))
    projected.button("Shortcut keys").click()  # switched off: the buttons go on working
    on.click()
    projected.expect_parameter(step="4", lecture="2")
    on.click()
    expect(count).to_have_text("2 / 2")
    projected.expect_parameter(step="4", lecture="3")
    on.click()
    projected.page.wait_for_url("**/cost?**")
    expect(count).to_have_text("1 / 1")
    expect(on).to_be_disabled()  # the end
    assert len(loaded) == 1  # not once more to become light
    back.click()
    projected.page.wait_for_url("**/soft-lookup?**")
    expect(count).to_have_text("2 / 2")  # as it was left
    for step in ("3", "2", "1", "0"):
        back.click()
        projected.expect_parameter(step=step)
    back.click()
    expect(count).to_have_text("1 / 2")
    expect(back).to_be_disabled()


def test_a_clicker_at_the_presenters_computer_blanks_the_screen(visit):
    lab = open_lecture(visit(None))
    projected = opened_by(lab, "Start")
    presenter = opened_by(lab, "Presenter's window")
    is_at(projected, presenter, 0)
    black = projected.page.locator(".lab-lecture-black")
    told = presenter.page.get_by_text("The screen is blank")
    for key, window in ((".", presenter), ("b", presenter), ("PageDown", presenter), ("PageDown", projected)):
        expect(told).to_have_count(0)
        expect(presenter.page.get_by_text("On the screen: The spread of q·k")).to_be_visible()
        presenter.page.keyboard.press("b")
        expect(black).to_be_visible()
        expect(told).to_be_visible()
        window.page.keyboard.press(key)  # brings it back, and does nothing else
        expect(black).to_have_count(0)
    is_at(projected, presenter, 0)
    projected.button("Shortcut keys").click()  # switched off, for both
    presenter.page.keyboard.press("b")
    presenter.page.evaluate(ANSWERED)  # whatever was said to it before has been heard
    assert black.count() == 0


def test_back_leads_to_the_last_panel_of_the_item_before(visit):
    first = Item("masking", (("lecture", "2-4"),))
    items = (first, Item("exercises", (("id", "X10"),)), Item("cost", (("lecture", "2-3"),)))
    projected = start(visit(None), RunningOrder("", items))
    presenter = Lab(projected.page.context.new_page(), projected.root)
    presenter.page.goto(projected.address("/lecture", presenter="true"))
    count, title = (
        projected.page.locator(f".lab-lecture-head {part}") for part in (".lab-lecture-count", "h1")
    )

    def shows(address, where, what):
        expect(projected.page).to_have_url(re.compile(f"/{address}"))
        expect(title).to_have_text(what)
        expect(count).to_have_text(where)
        projected.rested()

    def back():
        projected.page.locator("body").press("PageUp")

    shows("masking", "1 / 3", "Without a mask")
    presenter.page.get_by_text("3. Cost").click()  # without a look at what lies between
    shows("cost", "1 / 2", "n², counted")
    back()
    shows("exercises", re.compile("^1 /"), "What is given")  # not its answer
    back()
    shows("masking", "3 / 3", "Without, with, and the difference")
    projected.page.locator("body").press("PageDown")
    shows("exercises", re.compile("^1 /"), "What is given")
    last = ""
    while "/exercises" in projected.page.url:
        found = title.inner_text()
        last = found if "/exercises" in projected.page.url else last
        projected.page.locator("body").press("PageDown")
        projected.rested()
    shows("cost", "1 / 2", "n², counted")
    projected.page.reload()
    shows("cost", "1 / 2", "n², counted")
    back()
    shows("exercises", re.compile(r"^(\d+) / \1$"), last)
    projected.page.close()
    expect(presenter.page.get_by_text("is not open")).to_be_visible(timeout=12_000)
    projected = opened_by(presenter, "Open it")
    expect(projected.page.locator(".lab-lecture-head h1")).to_have_text(last)


def test_the_clock_outlives_a_reload_and_asks_the_server_nothing(visit):
    lab = open_lecture(visit(None), presenter="true")
    asked = []
    lab.page.on("request", lambda each: asked.append(each.url))
    lab.page.on("websocket", lambda each: each.on("framesent", lambda sent: asked.append(sent)))
    lab.page.clock.install()
    lab.page.reload()
    lab.button("Start the clock").click()
    expect(lab.page.get_by_text("The words first.")).to_be_visible()
    lab.rested()
    assert asked
    asked.clear()
    lab.page.clock.run_for(9 * 60_000)  # every timer of nine minutes
    assert asked == []
    expect(lab.page.get_by_role("timer")).to_have_text(re.compile("^9:0"))
    expect(lab.page.get_by_text("minute 0 to 5, 4 min behind")).to_be_visible()
    lab.button("Pause").click()
    lab.page.reload()
    expect(lab.page.get_by_role("timer")).to_have_text(re.compile("^9:0"))


def test_a_state_is_added_on_its_page_and_seen_in_every_window(visit):
    lab = open_lecture(visit(None))
    other = Lab(lab.page.context.new_page(), lab.root).go("/masking", mask="window", window="3", hide="seed")
    other.button("Add to lecture").click()
    expect(other.button("Added as item 4")).to_be_visible()
    expect(lab.page.get_by_text("4 items, 20 minutes")).to_be_visible()
    query = dict(kept(lab).items[3].query)
    assert (query["mask"], query["window"], query["hide"]) == ("window", "3", "seed")
    lab.page.reload()
    lab.page.get_by_text("4 items, 20 minutes").click()
    lab.page.get_by_text("4. Masks").click()
    lab.expect_parameter(item="4")
    name = lab.page.get_by_role("textbox", name="Name of item 4")
    name.fill("A window of <b>three</b>")
    name.press("Enter")
    lab.wait_until(lambda: kept(lab).items[3].name == "A window of <b>three</b>")
    lab.rested()
    lab.button("↑ Up").press("Enter")
    expect(lab.page.get_by_text("3. A window of <b>three</b>")).to_be_visible()
    expect(lab.button("↑ Up")).to_be_focused()
    lab.button("↑ Up").press("Enter")
    lab.wait_until(
        lambda: [each.page for each in kept(lab).items] == ["scaling", "masking", "exercises", "masking"]
    )


def test_a_browser_without_room_adds_to_what_it_keeps_for_this_window(visit):
    lab = open_lecture(visit(None))
    lab.page.add_init_script(NO_ROOM)
    lab.go("/masking", mask="window", window="3").rested()
    lab.button("Add to lecture").click()
    expect(lab.button("Added in this window")).to_be_visible()
    lab.rested()
    lab.page.get_by_role("link", name="Lecture", exact=True).click()
    expect(lab.page.get_by_text("4 items, 20 minutes")).to_be_visible()
    assert kept(lab) == ORDER


def test_without_room_the_clock_and_the_keys_obey_all_the_same(visit):
    lab = open_lecture(visit(None), presenter="true")
    lab.button("Start the clock").click()
    lab.button("Pause").click()
    lab.page.add_init_script(NO_ROOM)
    lab.page.reload()
    lab.button("To zero").click()
    lab.button("Start the clock").click()
    expect(lab.button("Pause")).to_be_visible()
    expect(lab.page.get_by_role("timer")).not_to_have_text("0:00")
    lab.page.goto(lab.address("/scaling", lecture="2"))
    lab.page.locator(".lab-lecture-head").wait_for()
    lab.rested()
    keys = lab.button("Shortcut keys")
    keys.click()
    expect(keys).to_have_attribute("aria-pressed", "false")
    lab.page.keyboard.press("PageDown")
    keys.click()
    expect(keys).to_have_attribute("aria-pressed", "true")
    lab.page.keyboard.press("PageUp")
    expect(lab.page.locator(".lab-lecture-count")).to_have_text(re.compile("^1 / "))  # from the second


def test_an_order_goes_by_link_and_by_file_to_another_browser(visit, tmp_path):
    lab = open_lecture(visit(None))
    lab.page.get_by_text("Files, a link").click()
    link = lab.page.get_by_role("textbox", name="Link", exact=True)
    expect(link).to_have_value(f"{lab.root}/lecture?order={as_link(ORDER)}")
    link = link.input_value()
    file = tmp_path / "lecture.json"
    file.write_bytes(lab.download("Save as a file").read_bytes())
    other = visit(None)
    other.page.goto(link[:-20])  # cut by a mail program
    expect(other.page.get_by_test_id("stAlert").first).to_contain_text("cannot be read")
    other.page.get_by_text("Nothing here yet").wait_for()
    for text, said in ((b"{", "This is no running order"), (file.read_bytes(), "3 items, 15 minutes")):
        other.page.locator("input[type=file]").set_input_files(
            {"name": "l.json", "mimeType": "application/json", "buffer": text}
        )
        expect(other.page.get_by_text(said)).to_be_visible()
    other.wait_until(lambda: kept(other) == ORDER)
    other.page.evaluate("localStorage.clear()")
    other.page.goto(link)
    expect(other.page.get_by_text("3 items, 15 minutes")).to_be_visible()
    other.wait_until(lambda: kept(other) == ORDER)


@pytest.mark.parametrize("broken", ["{broken", '{"items": 5}'])
def test_a_kept_text_that_is_no_order_is_put_aside_and_not_lost(broken, visit):
    lab = visit(None)
    lab.page.goto(lab.root)
    lab.page.evaluate("([name, text]) => localStorage.setItem(name, text)", [NAME, broken])
    lab.page.goto(lab.address("/lecture"))
    expect(lab.page.get_by_text("It is put aside in its storage")).to_be_visible()
    lab.wait_until(lambda: kept(lab) == RunningOrder())
    assert lab.page.evaluate("(name) => localStorage.getItem(name)", f"{NAME}-unread") == broken


# --- the server is away, and another one comes ------------------------------------------------------


def test_after_a_restart_every_window_is_where_it_was(browser, tmp_path):
    port = free_port()
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    context.add_init_script(PROBE)
    connected = "document.querySelector('[data-testid=stApp]').dataset.testConnectionState === 'CONNECTED'"

    def page(path, **query):
        found = Lab(context.new_page(), f"http://127.0.0.1:{port}")
        found.page.goto(found.address(path, **query))
        return found

    with serving(port, tmp_path / "first.txt"):
        lesson = page("/masking", mask="window", window="3", d_k="16").painted()
        editor = page("/lecture", order=as_link(ORDER))
        presenter = opened_by(editor, "Presenter's window")
        presenter.button("Next ›").click()
        expect(presenter.page.get_by_text("Hands up.")).to_be_visible()
        projected = opened_by(presenter, "Open it")
        is_at(projected, presenter, 1)
        exercise = page("/exercises", id="X01").rested()
        answer = exercise.page.get_by_role("textbox", name="Your answer")
        answer.fill("0.25")
        answer.press("Enter")
        exercise.button("Certain").click()
        exercise.button("Reveal").click()
        expect(exercise.page.get_by_text("you predicted")).to_be_visible()
        exercise.rested()
    windows = (lesson, editor, presenter, projected, exercise)
    lesson.page.wait_for_function(f"!({connected})")
    lesson.slider("d_k").press("End")  # no server hears of it
    expect(projected.page.locator(".lab-lecture-count")).to_be_visible()
    with serving(port, tmp_path / "second.txt"):
        for each in windows:
            each.page.wait_for_function(connected, timeout=30_000)
            expect(each.page.get_by_role("dialog")).to_have_count(0)
        lesson.expect_parameter(mask="window", window="3", d_k="512")
        expect(lesson.page.locator(".katex-display annotation").first).to_contain_text("sqrt{512}")
        expect(presenter.page.get_by_text("Hands up.")).to_be_visible()
        exercise.page.get_by_text("larger than I predicted").click()  # the answer is 0.3302
        expect(exercise.page.get_by_text("Softmax makes 0.6698 and 0.3302")).to_be_visible()
        presenter.button("Go to it now").click()
        is_at(projected, presenter, 2)
        expect(editor.page.get_by_text("3 items, 15 minutes")).to_be_visible()
        name = editor.page.get_by_role("textbox", name="Name of item 1")
        name.fill("Still here")
        name.press("Enter")
        editor.wait_until(lambda: kept(editor).items[0].name == "Still here")
        assert kept(editor).items[1:] == ORDER.items[1:]
    context.close()


# --- in other people's pages ---------------------------------------------------------------------


@contextmanager
def course(html):
    """A server of somebody else that serves one page."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(html.encode() if self.path == "/" else b"")

        def log_message(self, *_):
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://course.example:{server.server_port}/"
        server.shutdown()


def attributes(snippet):
    """The element of a snippet, which is the only one and is closed, and the address in it."""
    found = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            found.extend(
                [tag, next(value for name, value in attrs if name in ("src", "data-background-iframe"))]
            )

        def handle_endtag(self, tag):
            assert tag == found[0]

    Reader().feed(snippet)
    assert snippet.endswith(f"</{found[0]}>")
    return found


@pytest.fixture
def elsewhere(browser):
    """A Chromium that refuses cookies of third parties, and knows one other host."""
    rules = "--host-resolver-rules=MAP course.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    other = launched(browser.browser_type, rules, "--test-third-party-cookie-phaseout")
    yield other
    other.close()


def test_a_state_works_in_a_frame_of_another_site_without_cookies(visit, elsewhere):
    lab = visit("/masking", mask="none", hide="seed")
    lab.button("Share").click()
    field = lab.page.get_by_role("textbox", name=re.compile("Frame"))
    snippet = field.input_value()
    slide = lab.page.get_by_role("textbox", name=re.compile("Slide")).input_value()
    wanted = f"{lab.root}/masking?v=1&mask=none&hide=seed&embed=true"
    assert attributes(snippet) == ["iframe", wanted]
    assert attributes(slide) == ["section", wanted]
    expect(lab.page.get_by_text("A phone cannot reach 127.0.0.1")).to_be_visible()
    with course(f"<!doctype html><title>A course</title><h1>A course</h1>{snippet}") as address:
        page = elsewhere.new_page()
        page.add_init_script(PROBE)
        errors = []
        page.on("pageerror", lambda each: errors.append(str(each)))
        page.goto(address)
        inside = page.frame_locator("iframe")
        inside.locator(".lab-canvas .main-svg").first.wait_for(timeout=20_000)
        frame = page.frames[1]
        assert frame.evaluate("document.cookie = 'probe=1; path=/'; document.cookie") == ""
        expect(inside.get_by_test_id("stHeader")).to_be_hidden()
        expect(inside.locator(".st-key-seed")).to_have_count(0)
        expect(inside.get_by_role("button", name="Add to lecture")).to_have_count(0)
        hidden = "() => labTest.tiles(labTest.canvas()).flat(2).filter((cell) => cell === null).length"
        assert frame.evaluate(hidden) == 0
        inside.get_by_role("button", name="Reset", exact=True).click()  # to the causal mask
        frame.wait_for_function(f"({hidden})() > 0")
        assert errors == []


def test_a_state_works_where_nothing_can_be_stored(visit, elsewhere):
    lab = visit(None)
    frame = f'<iframe src="{lab.address("/scaling", v=1, embed="true")}" width="1200" height="680"></iframe>'
    with course(f"<!doctype html><title>A course</title>{frame}") as address:
        page = elsewhere.new_page()
        page.add_init_script(PROBE)
        page.add_init_script(NO_STORAGE)
        errors = []
        page.on("pageerror", lambda each: errors.append(str(each)))
        page.goto(address)
        inside = page.frame_locator("iframe")
        inside.locator(".lab-canvas .main-svg").first.wait_for(timeout=20_000)
        inside.get_by_role("slider", name="d_k, width of q and k").first.press("End")
        formula = inside.locator(".katex-display annotation").first
        expect(formula).to_contain_text("512", timeout=20_000)
        assert errors == []


def test_a_frame_that_is_shut_off_says_so(visit, elsewhere):
    lab = visit(None)
    src = lab.address("/masking", mask="none", embed="true").replace("&", "&amp;")
    frames = f'<iframe sandbox="allow-scripts" src="{src}"></iframe><iframe src="{src}"></iframe>'
    with course(f"<!doctype html><title>A course</title>{frames}") as address:
        page = elsewhere.new_page()
        page.goto(address)
        expect(
            page.frame_locator("iframe").first.get_by_text("sandbox without allow-same-origin")
        ).to_be_visible()
        page.frame_locator("iframe").nth(1).locator(".lab-canvas .main-svg").first.wait_for(timeout=20_000)


# --- on the phones in the room ------------------------------------------------------------------


def test_a_phone_reads_the_state_off_the_screen(visit, elsewhere):
    import zxingcpp  # reads codes, and has nothing of the library that writes them
    from PIL import Image

    root = visit(None).root.replace("127.0.0.1", "course.example")
    page = elsewhere.new_page(viewport={"width": 1280, "height": 720})
    page.goto(f"{root}/scaling?v=1&d_k=128&hide=seed&lecture=2")
    page.locator(".lab-lecture-head").wait_for(timeout=20_000)
    wanted = f"{root}/scaling?v=1&d_k=128&hide=seed"

    def read(picture):
        box = picture.bounding_box()
        assert min(box["x"], box["y"]) >= 0
        assert box["x"] + box["width"] <= page.viewport_size["width"]
        assert box["y"] + box["height"] <= page.viewport_size["height"]
        (code,) = zxingcpp.read_barcodes(Image.open(BytesIO(picture.screenshot())))
        return code.text, box["height"]

    page.keyboard.press("q")
    big = page.locator(".lab-lecture-qr")
    expect(big).to_contain_text(wanted.removeprefix("http://"))
    text, height = read(big.locator("img"))
    assert text == wanted
    assert height > 500  # of 720: for the back row
    page.keyboard.press("PageDown")  # goes away, and nothing else happens
    expect(big).to_have_count(0)
    expect(page.locator(".lab-lecture-count")).to_have_text(re.compile("^2 / "))
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(wanted)
    page.get_by_role("button", name="Share").click(timeout=20_000)
    small = page.locator(".lab-code img")
    small.wait_for()
    assert read(small)[0] == wanted


# --- for everybody -------------------------------------------------------------------------------


def test_it_fits_a_phone_and_axe_and_tab_find_nothing(visit):
    lab = open_lecture(visit(None), item=2)
    found = {}
    for name, query in {"order": {}, "presenter": {"presenter": "true"}}.items():
        if query:
            lab.page.goto(lab.address("/lecture", item=2, **query))
            lab.page.locator(".lab-conductor").wait_for()
            lab.rested()
        assert missed_by_tab(lab, least=8 if query else 16) == [], name  # the presenter sees no menu
        for scheme in ("light", "dark"):
            lab.switch_theme(scheme)
            found[name, scheme] = list(faults(lab.page, scheme))
        lab.page.set_viewport_size({"width": 390, "height": 844})
        lab.wait_frames(4)
        assert lab.page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
        lab.page.set_viewport_size({"width": 1280, "height": 720})
    lab.go("/glossary")
    lab.button("Share").click()
    lab.page.get_by_role("textbox", name="Link", exact=True).wait_for()
    found["share"] = list(faults(lab.page, "dark"))
    assert {name: each for name, each in found.items() if each} == {}
