"""Predictions inside the lessons: what is locked, what opens it, what stays as it was."""

import json

import pytest

from core.exercises.in_lessons import LESSONS, TOP
from core.exercises.place import BY_ID

WITH_TOP = [
    page for page, places in LESSONS.items() if TOP in places
]  # the training lab has a test of its own
FILES = {page: f"{page.replace('-', '_')}.py" for page in LESSONS}


@pytest.fixture
def lesson(open_page):
    """Return a function that opens a lesson cold, as a student does."""
    return lambda page, **link: open_page(FILES[page], link, asking=True)


def plots(page):
    return {key for key in page.keys if key.startswith("plot_")}


def buttons(page):
    return [each.label for each in page.app.button]


def question(page, name, seed=0):
    task = BY_ID[name].make(seed)
    return task.question in "".join(each.value for each in page.app.markdown)


@pytest.mark.parametrize("page", WITH_TOP)
def test_a_lesson_opened_cold_asks_first_and_shows_nothing(page, lesson):
    opened = lesson(page)
    assert question(opened, LESSONS[page][TOP].exercises[0])
    assert not plots(opened)
    assert not opened.app.latex
    assert "sliders" not in opened.keys
    assert not [key for key in opened.keys if key in ("printed", "source_code")]


@pytest.mark.parametrize("page", WITH_TOP)
def test_not_knowing_and_the_reveal_open_the_way_to_the_next_place(page, lesson):
    opened = lesson(page)
    for place, each in LESSONS[page].items():
        assert question(opened, each.exercises[0]), place
        before = plots(opened)
        opened.app.button(key=f"{each.exercises[0]}_0_unknown").click()
        opened.run()
        assert plots(opened) == before  # a commit alone opens nothing
        opened.app.button(key=f"{each.exercises[0]}_0_reveal").click()
        opened.run()
        assert plots(opened) > before or place in ("dtypes", "meaning"), (
            place
        )  # two are PyTorch's words alone
    assert "source_code" in opened.keys
    assert opened.warnings == []


@pytest.mark.parametrize("page", WITH_TOP)
def test_whoever_wants_to_look_can(page, lesson):
    opened = lesson(page)
    opened.app.button(key=f"look_{TOP}").click()
    opened.run()
    assert "source_code" in opened.keys
    assert opened.app.latex
    assert not question(opened, LESSONS[page][TOP].exercises[0])
    assert opened.link == {}


def test_a_link_with_settings_shows_what_was_sent(lesson):
    page = lesson("masking", mask="window")
    assert "plot_masking" in plots(page)
    assert page.query["mask"] == "window"
    assert "Predict first: 11 questions" in buttons(page)


def test_a_link_can_switch_the_predictions_off(lesson):
    page = lesson("masking", hide="predict")
    assert "plot_masking" in plots(page)
    assert not [label for label in buttons(page) if "Predict" in label]


def test_parameters_of_the_page_alone_do_not_open_it(lesson):
    page = lesson("masking", embed="true", hide="seed")
    assert not plots(page)


def test_the_reveal_brings_the_page_to_the_state_that_shows_it(lesson):
    page = lesson("kv-cache").click("I don't know")
    assert page.link == {}
    page.click("Reveal")
    assert page.link == {**BY_ID["X39"].make(0).link, "predict": "true"}
    assert (page.query["heads"], page.query["kv_heads"], page.query["head"]) == ("32", "8", "13")


def test_the_next_prediction_locks_again_and_done_opens(lesson):
    page = lesson("masking").click("I don't know").click("Reveal")
    assert "plot_masking" in plots(page)
    page.app.button(key=f"next_{TOP}").click()
    page.run()
    assert question(page, "X11", seed=1)  # the lesson's own numbers may be read off the picture by now
    assert not plots(page)
    page.click("I don't know").click("Reveal")
    page.app.button(key=f"done_{TOP}").click()
    page.run()
    assert not question(page, "X11", seed=1)
    assert "plot_masking" in plots(page)
    page.app.button(key=f"open_{TOP}").click()  # goes on with the first that was not asked yet
    page.run()
    assert question(page, LESSONS["masking"][TOP].exercises[2], seed=1)


def test_a_twin_locks_again_with_other_numbers(lesson):
    page = lesson("masking").click("I don't know").click("Reveal")
    page.app.button(key="X10_0_twin").click()
    page.run()
    assert question(page, "X10", seed=1)
    assert not plots(page)


def test_what_was_answered_before_is_not_asked_again(lesson):
    page = lesson("masking")
    kept = {"answers": [{"id": "X10", "seed": 0, "right": True, "confidence": 1, "misconception": ""}]}
    page.send("progress", kept=json.dumps(kept))
    assert "plot_masking" in plots(page)
    assert not question(page, "X10")
    assert question(page, "X31")  # the next place waits


def test_leaving_and_coming_back_finds_the_commit(lesson):
    page = lesson("masking").click("I don't know")
    page.visit("scaling.py")
    page.visit("masking.py")
    assert "Committed: **I don't know**" in "".join(each.value for each in page.app.markdown)
    assert not plots(page)
    page.click("Reveal")
    assert "plot_masking" in plots(page)


def test_an_answer_is_noted_in_the_progress(lesson):
    page = lesson("masking").click("I don't know").click("Reveal")
    (answer,) = json.loads(page.data("progress")["saved"])["answers"]
    assert (answer["id"], answer["right"], answer["confidence"]) == ("X10", False, -1)


def test_a_reload_goes_on_asking(lesson):
    page = lesson("kv-cache").click("I don't know").click("Reveal")
    kept = page.data("progress")["saved"]
    again = lesson("kv-cache", **page.link)  # a new session, as after a reload, in the same browser
    again.send("progress", kept=kept)
    assert question(again, "X42")
    assert "plot_tape" not in plots(again)
    assert "plot_sharing" in plots(again)


def test_after_looking_a_reload_shows_all(lesson):
    page = lesson("kv-cache")
    page.app.button(key=f"look_{TOP}").click()
    page.run()
    page.set("text", "four words of mine")
    assert "predict" not in page.link
    assert "source_code" in lesson("kv-cache", **page.link).keys


def test_a_reveal_moves_the_settings_of_its_own_picture_only(lesson):
    page = lesson("kv-cache").click("I don't know").click("Reveal")
    page.app.button(key=f"done_{TOP}").click()
    page.run()
    page.click("I don't know").click("Reveal")
    page.set("text", "my own words here")
    page.app.button(key="done_decoding").click()
    page.run()
    for name in ("X43", "X40"):
        page.app.button(key=f"{name}_0_unknown").click()
        page.run()
        head = page.query["head"]
        page.app.button(key=f"{name}_0_reveal").click()
        page.run()
        assert page.query["head"] == head == "13"
    assert page.query["text"] == BY_ID["X43"].make(0).link["text"]  # which X40 does not ask about


def test_what_to_notice_waits_until_the_predictions_are_done(lesson):
    page = lesson("masking").click("I don't know").click("Reveal")
    notice = "The last row does not change"
    assert notice not in "".join(each.value for each in page.app.markdown)
    page.app.button(key=f"done_{TOP}").click()
    page.run()
    assert notice in "".join(each.value for each in page.app.markdown)


def test_symbols_and_formula_wait_too(lesson):
    page = lesson("cost")
    assert "quadratic" not in page.html
    page.click("I don't know").click("Reveal")
    assert "quadratic" in page.html
