"""Sets of exercises in a browser: windows that share their answers, links for a course, sheets on paper."""

import json
import re

import pytest
from playwright.sync_api import expect

from core.exercises import EXERCISES
from core.exercises.draw import quiz
from core.exercises.place import BY_ID
from core.export.worksheet import answer_sheet, worksheet
from tests.browser.lab import Lab
from tests.browser.test_access import faults
from tests.browser.test_keyboard import missed_by_tab

NAME = "attention-lab-progress"
WRONG = {"id": "X02", "seed": 0, "right": False, "confidence": 2, "misconception": "the scale forgotten"}
KEPT = json.dumps({"attention-lab-progress": 1, "answers": [WRONG]})


def keep(lab, text, name=NAME):
    """Put a text into the browser's storage, as an earlier visit would have left it."""
    lab.page.evaluate("([name, text]) => localStorage.setItem(name, text)", [name, text])


def stored(lab, name=NAME):
    return lab.page.evaluate("(name) => localStorage.getItem(name)", name)


def answers(lab):
    return [each["id"] for each in json.loads(stored(lab) or '{"answers": []}')["answers"]]


def window(lab):
    """Another window of the same browser."""
    page = lab.page.context.new_page()
    return Lab(page, lab.root)


def answer(lab):
    """Answer the exercise in view, and wait until the browser has kept it."""
    before = len(answers(lab))
    lab.button("I don't know").click()
    expect(lab.page.get_by_text("Committed:")).to_be_visible()
    lab.button("Reveal").click()
    lab.wait_until(lambda: len(answers(lab)) > before)
    lab.rested()


def expect_progress(lab, words):
    expect(lab.page.get_by_text(f"Progress: {words}")).to_be_visible()


def test_two_windows_do_not_erase_each_others_answers(visit):
    one = visit("/exercises", id="X01")
    two = window(one).go("/exercises", id="X05")
    answer(one)
    expect_progress(two, "1 answer, 0 right")  # heard without a reload
    answer(two)
    expect_progress(one, "2 answers, 0 right")
    one.button("Next exercise").click()
    one.expect_parameter(id="X02")
    answer(one)
    one.wait_until(lambda: sorted(answers(one)) == ["X01", "X02", "X05"])
    two.page.reload()
    expect_progress(two, "3 answers, 0 right")
    # Forgetting reaches the other window, and its next answer does not bring the old ones back.
    one.page.get_by_text("Progress: 3 answers").click()
    one.button("Forget all").click()
    one.button("Yes, forget them").click()
    expect_progress(two, "0 answers, 0 right")
    two.button("Next exercise").click()
    two.expect_parameter(id="X06")
    answer(two)
    assert answers(two) == ["X06"]
    expect_progress(one, "1 answer, 0 right")


def test_a_window_that_writes_over_another_at_the_same_moment_loses_nothing(visit):
    """As if another window had read before and writes after us: it heard nothing of our answer."""
    lab = visit("/exercises", id="X01")
    answer(lab)
    other = window(lab)
    other.page.goto(lab.address("/glossary"))  # any page of ours: its storage is the same
    keep(other, KEPT)
    expect_progress(lab, "2 answers, 0 right")
    lab.wait_until(lambda: sorted(answers(lab)) == ["X01", "X02"])


@pytest.mark.parametrize("broken", ["{no JSON", "x" * 3_000_000], ids=["garbled", "huge"])
def test_what_cannot_be_read_is_told_and_put_aside(visit, broken):
    lab = visit("/exercises", id="X01")
    keep(lab, broken)
    lab.page.reload()
    expect(lab.page.get_by_text("put aside")).to_be_visible()
    answer_after = lab.button("I don't know")
    answer_after.click()
    lab.button("Reveal").click()
    expect_progress(lab, "1 answer, 0 right")
    if len(broken) < 1_000_000:  # there is room for both
        lab.wait_until(lambda: stored(lab, f"{NAME}-unread") == broken)
        lab.wait_until(lambda: stored(lab) != broken and answers(lab) == ["X01"])
        lab.page.reload()
        expect_progress(lab, "1 answer, 0 right")
        expect(lab.page.get_by_text("put aside")).to_have_count(0)
        assert stored(lab, f"{NAME}-unread") == broken
    else:  # there is none: what was kept stays, the new answer lasts as long as the session
        lab.rested()
        assert broken in (stored(lab), stored(lab, f"{NAME}-unread"))


def test_a_confident_error_of_an_earlier_visit_is_asked_again(visit):
    lab = visit("/exercises")
    keep(lab, KEPT)
    lab.page.goto(lab.address("/exercises", set="again"))
    lab.page.get_by_role("heading", name=re.compile("first number of the output")).wait_for()
    lab.expect_parameter(id="X02", seed="1", set="again")
    assert BY_ID["X02"].make(1).question.startswith("What is the first number of the output")


def test_progress_leads_to_a_family_within_the_session(visit):
    lab = visit("/exercises")
    keep(lab, KEPT)
    lab.page.reload()
    lab.page.get_by_text("Progress: 1 answer").click()
    lab.page.get_by_role("link", name=re.compile("Practise what scores are divided by")).click()
    expect(lab.control("set").get_by_role("combobox")).to_have_value(re.compile("what scores are divided by"))
    lab.rested()
    assert not lab.warnings.count()


def test_a_quiz_by_keyboard(visit):
    lab = visit("/exercises", set="quiz", seed="2", length="3")
    for i, name in enumerate(quiz(2, 3)):
        lab.expect_parameter(**({"id": name} if i else {}))
        expect(lab.page.get_by_text(f"{i + 1} of 3")).to_be_visible()
        lab.button("I don't know").press("Enter")
        expect(lab.page.get_by_text("Committed:")).to_be_visible()
        lab.button("Reveal").press("Enter")
        expect(lab.page.get_by_text(f"{i + 1} of 3, answered")).to_be_visible()
        if i < 2:
            lab.button("Next exercise").press("Enter")
    expect(lab.page.get_by_role("heading", name="What this quiz showed")).to_be_visible()
    lab.button("Another quiz").press("Enter")
    lab.expect_parameter(numbers="3", id=quiz(3, 3)[0])


def test_twins_can_be_hidden(visit):
    for hide, seen in (("", True), ("twin", False)):
        lab = visit("/exercises", id="X01", **({"hide": hide} if hide else {}))
        answer(lab)
        expect(lab.page.get_by_text("Computed").first).to_be_visible()
        expect(lab.button("A twin")).to_be_visible(visible=seen)


def open_course(lab):
    lab.page.get_by_text("For a course or slides").click()
    lab.page.get_by_role("textbox", name="Link", exact=True).wait_for()
    return lab.rested()


def test_the_link_and_the_frame_for_a_course(visit, tmp_path):
    lab = open_course(visit("/exercises", list="X10:3,X30"))
    field = lab.page.get_by_role("textbox", name="Link", exact=True)
    wanted = f"{lab.root}/exercises?list=X10:3,X30&hide=set,id,seed,course"
    expect(field).to_have_value(wanted)
    lab.button("Copy: Link").click()
    lab.wait_until(lambda: lab.page.evaluate("navigator.clipboard.readText()") == wanted)
    frame = lab.page.get_by_role("textbox", name=re.compile("Frame")).input_value()
    page = window(lab).page
    page.goto(f"{lab.root}/_stcore/health")  # of the same origin, and nothing in it is still on its way
    page.set_content(f"<h1>A course</h1>{frame}")
    inside = page.frame_locator("iframe")
    expect(inside.get_by_text("1 of 2")).to_be_visible(timeout=15_000)
    expect(inside.get_by_role("heading", name=re.compile("first token"))).to_be_visible()
    for hidden in ("Predict, then check", "Numbers", "Copy link"):
        expect(inside.get_by_text(hidden, exact=True).locator("visible=true")).to_have_count(
            1 if hidden == "Predict, then check" else 0  # the title is there for screen readers alone
        )
    expect(inside.get_by_test_id("stHeader")).to_be_hidden()
    expect(inside.get_by_text("Progress:")).to_have_count(0)
    inside.get_by_role("button", name="Next exercise").click()
    expect(inside.get_by_text("2 of 2")).to_be_visible()


def test_the_sheets_are_downloaded_when_asked_for_and_the_answers_are_not_sent_before(visit):
    lab = visit(None, fresh=False)
    said = lab.heard()
    open_course(lab.go("/exercises", list="X01", numbers="5"))
    task = BY_ID["X01"].make(5)
    assert any(b"X01" in each for each in said)
    assert not any(max(task.explain.split("$"), key=len).strip().encode() in each for each in said)
    sheet = lab.download("Worksheet to print").read_text("utf-8")
    assert sheet == worksheet([(BY_ID["X01"], 5)], "Attention: predict, then check")
    answers = lab.download("Answer sheet").read_text("utf-8")
    assert answers == answer_sheet([(BY_ID["X01"], 5)], "Attention: predict, then check")


# Printable sizes at margins of 15 mm, in CSS pixels: A4 is narrower, Letter is shorter.
PAPERS = {"A4": (180, 267), "Letter": (185.9, 249.4)}


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("sheet", [worksheet, answer_sheet])
def test_on_paper_no_exercise_is_split_and_nothing_is_cut(visit, tmp_path, sheet, paper):
    width, height = (mm * 96 / 25.4 for mm in PAPERS[paper])
    file = tmp_path / "sheet.html"
    items = [(each, seed) for each in EXERCISES for seed in (0, 1)]
    file.write_text(sheet(items, "Attention"), "utf-8")
    lab = visit(None, context={"viewport": {"width": int(width), "height": 800}})
    lab.page.goto(file.as_uri())
    lab.page.emulate_media(media="print")
    found = lab.page.evaluate(
        """() => [...document.querySelectorAll("article")].map((each) => ({
            title: each.querySelector("h2").textContent, height: each.getBoundingClientRect().height,
            whole: getComputedStyle(each).breakInside === "avoid",
            cut: each.scrollWidth - each.clientWidth,
        }))"""
    )
    assert len(found) == len(items)
    assert [each for each in found if each["height"] > height] == []
    assert [each for each in found if each["cut"] > 0 or not each["whole"]] == []
    assert lab.page.evaluate("document.scrollingElement.scrollWidth") <= int(width)
    colours = lab.page.evaluate(
        "() => [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    )
    assert colours == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    assert len(lab.page.pdf(format=paper)) > 10_000


STATES = {
    "a list": {"list": "X10:3,X30,X24"},
    "a quiz": {"set": "quiz"},
    "nothing to ask": {"set": "again"},
    "a family": {"set": "which-keys"},
}


def opened(lab, name):
    lab.go("/exercises", **STATES[name])
    open_course(lab)
    lab.page.get_by_text("Progress:").first.click()
    lab.button("Forget all").wait_for()
    return lab.rested()


def test_every_state_fits_a_phone(visit):
    lab = visit(None, fresh=False, context={"viewport": {"width": 390, "height": 844}})
    for name in STATES:
        opened(lab, name)
        wide = lab.page.evaluate(
            """() => [...document.querySelectorAll("[data-testid=stMain], [data-testid=stMain] *")]
                .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
                .filter((each) => each.checkVisibility() && !each.closest(".lab-scroll, .katex, input"))
                .map((each) => each.outerHTML.slice(0, 120))"""
        )
        assert wide == [], name
        assert lab.page.evaluate("document.scrollingElement.scrollWidth") <= 390


def test_axe_finds_nothing_serious(visit):
    lab = visit("/exercises")
    keep(lab, KEPT)
    found = {}
    for name in STATES:
        opened(lab, name)
        for scheme in ("light", "dark"):
            lab.switch_theme(scheme)
            found[name, scheme] = list(faults(lab.page, scheme))
    lab.go("/exercises", list="X10", embed="true", hide="set,id,seed")
    found["framed"] = list(faults(lab.page, "light"))
    assert {name: each for name, each in found.items() if each} == {}


def test_axe_finds_nothing_serious_on_paper(visit, tmp_path):
    file = tmp_path / "sheet.html"
    items = [(each, 0) for each in EXERCISES]
    lab = visit(None)
    for sheet in (worksheet, answer_sheet):
        file.write_text(sheet(items, "Attention"), "utf-8")
        lab.page.goto(file.as_uri())
        assert list(faults(lab.page, "light")) == []


def test_tab_reaches_every_control(visit):
    assert missed_by_tab(opened(visit(None, fresh=False), "a list")) == []
