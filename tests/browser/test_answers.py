"""Answers under the hand: each kind by pointer, by touch and by keyboard alone."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.test_touch import PHONE, Finger

ONE_OF_EACH = ("X03", "X11", "X58", "X24", "X09", "X28", "X07", "X22")


@pytest.fixture
def opened(visit):
    """Return a function that opens an exercise and waits for its field."""

    def opened(name, **more):
        lab = visit("/exercises", **({"id": name} if name else {}), **more)
        lab.page.locator(".lab-answer").first.wait_for()
        return lab

    return opened


def bar(lab, name):
    return lab.page.get_by_role("slider", name=f"{name}, weight")


def cell(lab, query, key):
    return lab.page.get_by_role("button", name=f"query {query}, key {key}")


def card(lab, name):
    return lab.page.get_by_role("button", name=f"{name}, place")


def at(locator, share=0.5):
    """A point of an element, at a share of its width."""
    box = locator.bounding_box()
    return box["x"] + box["width"] * share, box["y"] + box["height"] / 2


def drag(lab, start, end):
    lab.page.mouse.move(*start)
    lab.page.mouse.down()
    lab.page.mouse.move(*end, steps=8)
    lab.page.mouse.up()


def in_turn(opened, names, seed=0, **more):
    """Open a list of exercises, and yield the lab with each when its field is there."""
    lab, before = opened(None, list=",".join(f"{name}:{seed}" for name in names), **more), None
    for name in names:
        if before:
            lab.button("Next exercise").click()
            expect(asked(lab, before, seed)).to_have_count(0)
        asked(lab, name, seed).wait_for()
        lab.rested()
        lab.page.locator(".lab-answer").first.wait_for()
        yield lab, name
        before = name


def asked(lab, name, seed):
    """The words of an exercise with certain numbers."""
    return lab.page.locator(f".st-key-{name}_{seed}_asked")


def press(lab, *keys):
    for key in keys:
        lab.page.keyboard.press(key)


def expect_committed(lab, text):
    """Commit by a click: whatever is under the hand must have been told by then."""
    lab.button("A guess").click()
    expect(lab.page.get_by_text(f"Committed: {text}")).to_be_visible()


# --- by pointer ----------------------------------------------------------------------------------


def test_bars_are_dragged_and_typed(opened):
    lab = opened("X03")
    drag(lab, at(bar(lab, "k1"), 0.2), at(bar(lab, "k1"), 0.8))
    expect(bar(lab, "k1")).to_have_attribute("aria-valuetext", "0.80")
    drag(lab, at(bar(lab, "k0"), 0.3), at(bar(lab, "k0"), 1.5))  # past the end
    expect(bar(lab, "k0")).to_have_attribute("aria-valuetext", "1.00")
    expect(lab.page.get_by_text("Sum 1.80.")).to_be_visible()
    lab.page.get_by_role("textbox", name="k0").fill("1/5")
    expect(bar(lab, "k0")).to_have_attribute("aria-valuetext", "0.20")
    lab.button("k0: less").click()
    expect(lab.page.get_by_role("textbox", name="k0")).to_have_value("0.15")
    expect_committed(lab, "(0.15, 0.8)")


def test_the_rest_of_a_row_is_set_to_0_at_once(opened):
    lab = opened("X10")
    drag(lab, at(bar(lab, "0 the"), 0.1), at(bar(lab, "0 the"), 1))
    lab.button("set the rest to 0").click()
    expect_committed(lab, "(1, 0, 0, 0, 0, 0)")


def test_cells_are_painted(opened):
    lab = opened("X11")
    drag(lab, at(cell(lab, "t0", "t1")), at(cell(lab, "t0", "t2")))
    cell(lab, "t1", "t2").click()
    cell(lab, "t1", "t2").click()
    cell(lab, "t2", "t2").click()
    drag(lab, at(cell(lab, "t2", "t2")), at(cell(lab, "t2", "t0")))  # the first was picked: takes away
    expect_committed(lab, "(t0, t1), (t0, t2)")


def test_no_cell_is_an_answer_and_nothing_picked_is_none(opened):
    lab = opened("X11")
    lab.button("A guess").click()
    expect(lab.warnings).to_be_visible()
    cell(lab, "t1", "t1").click()
    lab.button("no cell").click()
    expect(cell(lab, "t1", "t1")).to_have_attribute("aria-pressed", "false")
    expect_committed(lab, "none")


def test_cards_are_dragged(opened):
    lab = opened("X24")
    drag(lab, at(card(lab, "project")), at(card(lab, "dot products")))
    expect(card(lab, "project")).to_have_accessible_name("project, place 1 of 6")
    drag(lab, at(card(lab, "mix values")), at(card(lab, "softmax")))
    expect_committed(lab, "project → dot products → scale → hide future → softmax → mix values")


def test_cards_as_dealt_are_no_answer_unless_that_is_said(opened):
    lab = opened("X24")
    lab.button("A guess").click()
    expect(lab.warnings).to_be_visible()
    lab.button("this order is right").click()
    expect_committed(lab, "dot products → scale → project → mix values → hide future → softmax")


def test_an_option_is_clicked_and_a_word_taken_back(opened):
    lab = opened("X09")
    lab.page.get_by_text("neither").click()
    expect_committed(lab, "neither")

    lab.go("/exercises", id="X07")
    word = lab.button("it cannot be known")
    lab.page.get_by_role("textbox", name="Your answer").fill("0,29")
    word.click()
    expect_committed(lab, "it cannot be known")
    word.click()
    expect(word).to_have_attribute("aria-pressed", "false")
    expect_committed(lab, "0.29")


# --- by keyboard alone -----------------------------------------------------------------------------


def test_a_row_by_keyboard(opened):
    lab = opened("X03")
    bar(lab, "k0").focus()
    press(lab, "ArrowRight", "ArrowUp", "Shift+ArrowRight")
    expect(bar(lab, "k0")).to_have_attribute("aria-valuetext", "0.11")
    press(lab, "PageUp", "ArrowLeft", "Shift+ArrowDown")
    expect(bar(lab, "k0")).to_have_attribute("aria-valuetext", "0.15")
    press(lab, "Tab", "Tab", "Tab", "Tab", "End", "ArrowLeft")  # past −, the field and + to the next bar
    expect(bar(lab, "k1")).to_have_attribute("aria-valuetext", "0.95")
    press(lab, "Home", "PageUp")
    expect(bar(lab, "k1")).to_have_attribute("aria-valuetext", "0.10")
    lab.button("A guess").press("Enter")
    expect(lab.page.get_by_text("Committed: (0.15, 0.1)")).to_be_visible()


def test_cells_by_keyboard(opened):
    lab = opened("X11")
    cell(lab, "t0", "t0").focus()
    press(lab, "ArrowRight", " ", "ArrowDown", "ArrowRight", "Enter", "ArrowRight", "ArrowDown", "ArrowUp")
    expect(cell(lab, "t1", "t2")).to_be_focused()
    press(lab, "Tab")  # one stop for all cells
    expect(lab.button("no cell")).to_be_focused()
    expect_committed(lab, "(t0, t1), (t1, t2)")


def test_entries_by_keyboard(opened):
    lab = opened("X58")
    lab.button("0").first.focus()
    press(lab, " ", *["ArrowRight"] * 7, " ")
    expect_committed(lab, "0, 7")


def test_an_order_by_keyboard(opened):
    lab = opened("X24")
    card(lab, "project").focus()
    press(lab, "Alt+ArrowUp", "Alt+ArrowUp", "Alt+ArrowUp")
    expect(card(lab, "project")).to_be_focused()
    expect(card(lab, "project")).to_have_accessible_name("project, place 1 of 6")
    card(lab, "mix values").focus()
    press(lab, "ArrowDown")  # not taken yet
    expect(card(lab, "mix values")).to_have_accessible_name("mix values, place 4 of 6")
    press(lab, " ", "ArrowDown", "ArrowDown", " ", "ArrowUp")
    expect(card(lab, "mix values")).to_have_accessible_name("mix values, place 6 of 6")
    expect(lab.page.locator(".lab-answer-hidden")).to_have_text("mix values put down")
    lab.button("Move mix values up").press("Enter")
    expect_committed(lab, "project → dot products → scale → hide future → mix values → softmax")


def test_options_by_letter_and_number(opened):
    lab = opened("X09")
    option = lab.page.get_by_role("radio")
    option.first.focus()
    press(lab, "c")
    expect(option.nth(2)).to_be_checked()
    press(lab, "2", "9", "z")
    expect(option.nth(1)).to_be_checked()
    press(lab, "ArrowUp")
    expect(option.first).to_be_checked()
    expect_committed(lab, "grid A")
    lab.page.get_by_role("textbox").last.focus()  # why?
    press(lab, "c")
    expect(option.first).to_be_checked()


def test_numbers_by_keyboard_and_a_fault_that_loses_nothing(opened):
    lab = opened("X28")
    note, number = lab.page.locator(".lab-answer-note"), lab.page.get_by_role("textbox")
    second = number.and_(lab.page.get_by_label("second"))
    number.and_(lab.page.get_by_label("first")).focus()
    lab.page.keyboard.type("1/2")
    press(lab, "Tab")
    lab.page.keyboard.type("zwei")
    lab.page.wait_for_timeout(1200)  # told at rest, but no complaint while it is typed
    lab.rested()
    expect(note).to_be_empty()
    press(lab, "Tab")
    expect(note).to_contain_text("second: 'zwei' is not a number")
    expect(second).to_have_attribute("aria-invalid", "true")
    expect(second).to_have_accessible_description(re.compile("second: 'zwei'"))
    lab.page.keyboard.type("−3")
    press(lab, "Enter")
    expect(second).to_have_value("zwei")
    second.fill("0,2")
    expect(second).to_have_attribute("aria-invalid", "false")
    number.and_(lab.page.get_by_label("fourth")).fill("1 000")
    expect_committed(lab, "(0.5, 0.2, −3, 1,000)")


# --- by touch ----------------------------------------------------------------------------------------


def test_a_finger_draws_paints_and_carries(opened):
    lab = opened("X03", context=PHONE)
    finger = Finger(lab.page)
    bar(lab, "k0").scroll_into_view_if_needed()
    finger.swipe(at(bar(lab, "k0"), 0.1), at(bar(lab, "k0"), 0.6))
    expect(bar(lab, "k0")).to_have_attribute("aria-valuetext", "0.60")
    lab.page.touchscreen.tap(*at(bar(lab, "k1"), 0.3))
    expect(bar(lab, "k1")).to_have_attribute("aria-valuetext", "0.30")
    x, y = at(bar(lab, "k1"), 0.9)
    finger.swipe((x, y), (x + 4, y - 200))  # scrolls the page
    lab.wait_frames(10)
    expect(bar(lab, "k1")).to_have_attribute("aria-valuetext", "0.30")

    lab.go("/exercises", id="X11")
    cell(lab, "t0", "t0").scroll_into_view_if_needed()
    finger.swipe(at(cell(lab, "t0", "t0")), at(cell(lab, "t0", "t2")))
    cell(lab, "t2", "t0").scroll_into_view_if_needed()
    lab.page.touchscreen.tap(*at(cell(lab, "t2", "t0")))
    expect(lab.page.get_by_text("4 of 9 cells picked.")).to_be_visible()

    lab.go("/exercises", id="X24")
    card(lab, "softmax").scroll_into_view_if_needed()
    finger.swipe(at(card(lab, "project")), at(card(lab, "dot products")))
    expect(card(lab, "project")).to_have_accessible_name("project, place 1 of 6")


def test_a_phone_gets_the_keys_that_its_digits_lack(opened):
    lab = opened("X07", context=PHONE)
    field = lab.page.get_by_role("textbox", name="Your answer")
    expect(field).to_have_attribute("inputmode", "decimal")
    field.fill("13")
    field.evaluate("(field) => field.setSelectionRange(1, 1)")
    lab.button("divided by").click()
    expect(field).to_have_value("1/3")
    expect(field).to_be_focused()


# --- what holds for all --------------------------------------------------------------------------------


def test_the_wheel_changes_nothing(opened):
    lab = opened("X03")
    bar(lab, "k0").focus()
    press(lab, "End")
    for target in (bar(lab, "k0"), lab.page.get_by_role("textbox", name="k0")):
        for focused in (False, True):
            if focused:
                target.focus()
            target.hover()
            lab.page.mouse.wheel(0, 200)
            lab.page.mouse.wheel(0, -200)
            lab.wait_frames(5)
    expect(bar(lab, "k0")).to_have_attribute("aria-valuetext", "1.00")


def test_an_answer_is_there_again_after_another_exercise_and_another_page(opened):
    lab = opened("X11")
    cell(lab, "t1", "t0").click()
    lab.rested()
    lab.page.get_by_role("link", name="Glossary").click()
    lab.page.locator(".lab-glossary").wait_for()
    lab.page.get_by_role("link", name="Exercises").click()
    expect(cell(lab, "t1", "t0")).to_have_attribute("aria-pressed", "true")
    expect(cell(lab, "t0", "t0")).to_have_attribute("aria-pressed", "false")


def test_a_slow_server_takes_nothing_back(visit):
    """Reports then overtake what the script says; each of its answers is older than the hand."""
    lab = visit(None)
    late = lab.late()
    lab.go("/exercises", id="X03")
    bar(lab, "k0").focus()
    late["by"] = 0.7
    lab.page.evaluate(
        """() => {
            const bar = document.querySelector(".lab-weight [role=slider]")
            labTest.seen = []
            const note = () => labTest.seen.push(Number(bar.getAttribute("aria-valuenow")))
            new MutationObserver(note).observe(bar, { attributeFilter: ["aria-valuenow"] })
        }"""
    )
    for _ in range(5):  # told after each pause, which is shorter than the script's answer is late
        press(lab, "ArrowRight", "ArrowRight")
        lab.page.wait_for_timeout(480)
    lab.page.wait_for_timeout(2000)
    seen = lab.page.evaluate("labTest.seen")
    assert seen == sorted(seen)
    assert seen[-1] == 0.5
    late["by"] = 0.0
    press(lab, "Tab", "Tab", "Tab", "Tab", "End")
    expect_committed(lab, "(0.5, 1)")


def test_what_was_never_heard_is_told_again(visit):
    lab = visit(None)
    lost = []

    def connect(socket):
        server = socket.connect_to_server()

        def passed(message):
            if b"serial" in message and not lost:
                lost.append(message)
            else:
                server.send(message)

        socket.on_message(passed)

    lab.page.route_web_socket("**/_stcore/stream", connect)
    lab.go("/exercises", id="X07")
    lab.page.get_by_role("textbox", name="Your answer").fill("zwei")
    lab.page.locator("h4").first.click()  # elsewhere: told, and lost
    lab.wait_until(lambda: lost)
    expect(lab.page.locator(".lab-answer-note")).to_contain_text("'zwei' is not a number")


@pytest.mark.parametrize("seed", [0, 1])
def test_on_a_phone_all_fits_and_can_be_hit(seed, opened):
    names = ("X10", "X11", "X14", "X24", "X28", "X38", "X47", "X56", "X58")
    for lab, name in in_turn(opened, names, seed, context=PHONE):
        too_small = lab.page.locator(".lab-answer").first.evaluate(
            """(root) => [...root.querySelectorAll("button, [role=slider], label.lab-option, [type=text]")]
                .map((each) => [each.textContent, each.getBoundingClientRect()])
                .filter(([, { width }]) => width)
                .filter(([, { width, height, right }]) => width < 44 || height < 44 || right > innerWidth)
                .map(([text, box]) => `${text} ${box.width} x ${box.height}, right at ${box.right}`)"""
        )
        assert too_small == [], name


def test_axe_finds_nothing_in_any_kind(opened):
    found = {}
    for lab, name in in_turn(opened, ONE_OF_EACH):
        for button in lab.page.locator(".lab-answer .lab-pick:visible").all():  # no cell, a word
            button.click()
        for scheme in ("light", "dark"):
            lab.switch_theme(scheme)
            told = Axe().run(lab.page, ".lab-answer", {"resultTypes": ["violations"]}).response
            found[name, scheme] = [(each["id"], each["nodes"][0]["html"]) for each in told["violations"]]
    assert {name: each for name, each in found.items() if each} == {}
