"""Predictions in a lesson, in a browser: nothing leaks, the keyboard will do, and an answer is remembered."""

import pytest
from playwright.sync_api import expect

from core.exercises.place import BY_ID
from tests.browser.lab import Lab
from tests.browser.test_sizes import at_every_size

# A lesson, its first exercise, and texts that would give the answer away.
LEAKS = [
    ("/soft-lookup", "X01", ["0.3302", "0.6698"]),
    ("/scaling", "X19", ["8.0000", "7.98"]),
    ("/positions", "X32", ["equivariant:"]),
    ("/kv-cache", "X39", ["13 // 4", "= 3"]),
]


def is_in(said, text):
    return any(text.encode() in (each if isinstance(each, bytes) else each.encode()) for each in said)


@pytest.mark.parametrize(("path", "name", "texts"), LEAKS)
def test_nothing_of_the_result_is_sent_before_the_reveal(visit, path, name, texts):
    lab = visit(None, fresh=False)
    said = lab.heard()
    lab.ask(path)
    task = BY_ID[name].make(0)
    secrets = [*texts, task.explain[:40], *(wrong.feedback[:40] for wrong in task.wrong)]
    lab.button("I don't know").click()
    expect(lab.page.get_by_text("Committed: I don't know")).to_be_visible()
    assert [text for text in secrets if is_in(said, text)] == []
    names = lab.page.evaluate(
        "() => [...document.querySelectorAll('*')].flatMap((each) => "
        "['aria-label', 'title', 'alt'].map((name) => each.getAttribute(name) ?? '')).join(' ')"
    )
    shown = [lab.page.content(), names, lab.page.url, lab.page.title()]
    assert [text for text in secrets if is_in(shown, text)] == []
    assert lab.page.locator(".lab-plot").count() == 0
    assert not is_in(said, "lab-live")
    lab.button("Reveal").click()
    lab.page.locator(".lab-plot").first.wait_for()
    lab.wait_until(lambda: is_in(said, task.explain[:40]))


def test_by_keyboard_alone_and_never_asked_twice(visit):
    lab = visit(None, fresh=False)
    lab.ask("/soft-lookup")
    lab.page.get_by_role("textbox", name="Your answer").press_sequentially("1/3")
    lab.page.keyboard.press("Tab")
    lab.button("Certain").press("Enter")
    expect(lab.page.get_by_text("Committed: 0.3333, certain")).to_be_visible()
    lab.button("Reveal").press("Space")
    lab.painted()
    lab.page.get_by_role("radio", name="the same as I predicted").press("Enter")
    expect(lab.page.get_by_text("As you predicted.")).to_be_visible()
    lab.rested()
    lab.ask("/soft-lookup")  # a new session in the same browser
    expect(lab.page.locator(".lab-plot").first).to_be_visible()
    expect(lab.button("Predict first: 11 questions")).to_be_visible()


def test_a_step_back_in_history_takes_no_reveal_back(visit):
    lab = visit(None, fresh=False)
    lab.ask("/kv-cache")
    lab.button("I don't know").click()
    lab.button("Reveal").click()
    lab.painted()
    lab.expect_parameter(heads="32")
    lab.page.go_back()
    lab.page.wait_for_url(lambda url: "heads" not in url)
    lab.painted()
    expect(lab.page.get_by_text("You did not know")).to_be_visible()


def test_a_locked_lesson_fits_every_size(visit):
    lab = visit(None, fresh=False)
    wide = "() => document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
    for size in at_every_size(lab, "/masking", {}, opened=Lab.ask):
        assert lab.page.evaluate(wide) <= 0, size
