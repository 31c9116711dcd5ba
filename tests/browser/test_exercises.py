"""Predict, then check, in a browser: nothing leaks before the reveal, and progress survives a reload."""

import pytest
from playwright.sync_api import expect

from core.exercises.place import BY_ID


@pytest.fixture
def frames(visit):
    """Return a function that opens an exercise, and all that its server has sent."""

    def opened(name):
        lab = visit(None, fresh=False)
        heard = lab.heard()
        lab.go("/exercises", id=name)
        return lab, heard

    return opened


def said(heard, text):
    """Whether a text was sent, whatever stands between its LaTeX."""
    longest = max(text.replace("$", "\n").split("\n"), key=len).strip().encode()
    return any(longest in (frame if isinstance(frame, bytes) else frame.encode()) for frame in heard)


@pytest.mark.parametrize("name", ["X01", "X09", "X11"])
def test_the_answer_is_not_sent_before_the_reveal(frames, name):
    lab, heard = frames(name)
    task = BY_ID[name].make(0)
    assert said(heard, task.setup)
    lab.button("I don't know").click()
    expect(lab.page.get_by_text("Committed: I don't know")).to_be_visible()
    assert not said(heard, task.explain)
    assert not any(said(heard, wrong.feedback) for wrong in task.wrong)
    assert not said([lab.page.content(), lab.page.url], task.explain)
    lab.button("Reveal").click()
    lab.wait_until(lambda: said(heard, task.explain))


def test_progress_survives_a_reload_and_can_be_forgotten(frames):
    lab, _ = frames("X01")
    answer = lab.page.get_by_role("textbox", name="Your answer")
    answer.fill("1/2")
    lab.button("A guess").press("Enter")  # by keyboard
    expect(lab.page.get_by_text("Committed: 0.5, a guess")).to_be_visible()
    lab.button("Reveal").press("Enter")
    expect(lab.page.get_by_text("1 answer, 0 right")).to_be_visible()
    lab.rested()
    lab.page.reload()
    expect(lab.page.get_by_text("1 answer, 0 right")).to_be_visible()
    lab.page.get_by_text("1 answer, 0 right").click()
    expect(lab.page.get_by_text("attention is a plain average")).to_be_visible()
    lab.button("Forget all").click()
    lab.button("Yes, forget them").click()
    expect(lab.page.get_by_text("0 answers, 0 right")).to_be_visible()
    lab.rested()
    lab.page.reload()
    expect(lab.page.get_by_text("0 answers, 0 right")).to_be_visible()
