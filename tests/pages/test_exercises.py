"""Predict, commit, reveal: the page of the exercises."""

import json

import pytest

from core.exercises import EXERCISES
from core.exercises.notice import notice
from core.exercises.place import BY_ID
from pages.ui import attempts


@pytest.fixture
def exercise(open_page):
    """Return a function that opens an exercise by its id."""
    return lambda name="X01", **link: open_page("exercises.py", {"id": name, **link})


def text(page):
    """All that a browser was sent as text."""
    nodes = [*page.app.main, *page.app.sidebar]
    return (
        "\n".join(str(getattr(node, "value", "")) + str(getattr(node, "label", "")) for node in nodes)
        + page.html
    )


SURE = ("A guess", "Fairly sure", "Certain")


def answered(page, sure=0, **texts):
    """Type the first number of a part, X01_0_0_0, or set a control; and commit."""
    for key, value in texts.items():
        if key.endswith("_0_0_0"):
            page.answer(key.removesuffix("_0"), texts=[value])
        else:
            page.set(key, value)
    return page.click(SURE[sure])


def noticed(page, sees=None):
    """Say what is to be seen: what is there, or something else."""
    (pills,) = [each for each in page.app.get("button_group") if each.key.endswith("_notice")]
    item, seed, _ = pills.key.split("_")
    attempt = page.app.session_state[attempts.ATTEMPTS][item, int(seed)]
    seen = notice(BY_ID[item].make(int(seed)), attempt.given).seen
    return page.set(pills.key, sees or min(seen))


def test_a_right_answer(exercise):
    page = answered(exercise(), sure=1, X01_0_0_0="0,33")
    assert "Committed: **0.33**, fairly sure" in text(page)
    page.click("Reveal")
    assert not page.app.success  # look first
    assert BY_ID["X01"].make(0).explain not in text(page)
    noticed(page)
    assert page.app.success[0].value == "As you predicted."
    assert BY_ID["X01"].make(0).explain in text(page)
    assert "1 answer, 1 right" in page.app.expander[0].label


def test_a_likely_wrong_answer_gets_its_own_feedback(exercise):
    page = noticed(answered(exercise(), sure=2, X01_0_0_0="1/2", X01_0_why="it looks even").click("Reveal"))
    assert "more than half" in page.app.warning[0].value
    assert "it looks even" in text(page)
    assert "attention is a plain average" in text(page)


def test_an_unlikely_wrong_answer_gets_a_sentence_too(exercise):
    page = noticed(answered(exercise(), X01_0_0_0="0.8").click("Reveal"))
    assert "read why" in page.app.warning[0].value


def test_who_sees_what_is_not_there_is_asked_to_look_again(exercise):
    page = noticed(answered(exercise(), X01_0_0_0="0.5").click("Reveal"), sees="larger than I predicted")
    assert page.app.info[0].value == "Look again. What is there: “smaller than I predicted”."
    assert BY_ID["X01"].make(0).explain in text(page)


def test_nothing_is_lost_by_a_text_that_is_no_number(exercise):
    page = answered(exercise(), X01_0_0_0="abc")
    assert any("'abc' is not a number" in warning for warning in page.warnings)
    assert page.data("X01_0_0")["value"]["texts"] == ["abc"]
    assert page.app.button(key="X01_0_reveal").disabled
    page = answered(page, X01_0_0_0="0.33")
    assert not page.app.button(key="X01_0_reveal").disabled


def test_a_commit_can_be_changed_until_the_reveal(exercise):
    page = answered(exercise(), X01_0_0_0="0.5")
    page.answer("X01_0_0", texts=["0.33"])
    assert "Committed: **0.5**" in text(page)  # until committed again
    assert "commit again if you mean it" in text(page)
    noticed(answered(page).click("Reveal"))
    assert page.app.success
    assert not [each for each in page.app.button if each.label in SURE]


def test_a_text_that_is_no_number_takes_no_earlier_commit_back(exercise):
    page = answered(answered(exercise(), X01_0_0_0="0.5"), X01_0_0_0="abc")
    assert any("'abc' is not a number" in warning for warning in page.warnings)
    assert "Committed: **0.5**" in text(page)


def test_a_reveal_asks_once_which_answer_is_meant(exercise):
    page = answered(exercise(), X01_0_0_0="0.5")
    page.answer("X01_0_0", texts=["0.33"]).click("Reveal")
    assert any("You committed 0.5, and above stands 0.33." in warning for warning in page.warnings)
    assert "What do you see?" not in "".join(each.label for each in page.app.get("button_group"))
    page.click("Reveal")
    noticed(page, sees="smaller than I predicted")
    assert "more than half" in page.app.warning[0].value  # the committed one counts


def test_what_is_to_be_seen_is_told_after_the_question(exercise):
    page = answered(exercise(), X01_0_0_0="0.5").click("Reveal")
    assert "lab-panel lab-unsaid" in page.html
    assert "lab-panel lab-unsaid" not in noticed(page).html


def test_a_row_that_does_not_sum_to_1_is_told_so(exercise):
    page = exercise("X10").answer("X10_0_0", texts=["0.5", "0", "0", "0", "0", "0"]).click("Certain")
    noticed(page.click("Reveal"))
    assert "sums to 0.50" in page.app.warning[0].value


def test_not_to_know_counts_as_a_commit(exercise):
    page = exercise().click("I don't know").click("Reveal")
    assert "You did not know" in page.app.info[0].value
    assert "1 answer, 0 right" in page.app.expander[0].label


def test_going_away_and_back_does_not_take_a_commit_back(exercise):
    page = answered(exercise(), sure=2, X01_0_0_0="0.5")
    page.click("Next exercise ›")
    assert page.link["id"] == "X02"
    page.click("‹ Exercise before")
    assert "Committed: **0.5**, certain" in text(page)
    page.click("Reveal").click("Next exercise ›").click("‹ Exercise before")
    assert "What do you see?" in "".join(each.label for each in page.app.get("button_group"))


def test_a_twin_has_other_numbers_and_starts_anew(exercise):
    page = noticed(answered(exercise(), X01_0_0_0="0.33").click("Reveal"))
    page.click("A twin: the same idea, other numbers")
    assert page.link["seed"] == "1"
    assert BY_ID["X01"].make(1).setup in text(page)
    assert "Computed" not in text(page)


def test_confident_errors_can_be_asked_again(exercise):
    page = exercise()
    page.set("set", "again")
    assert "Nothing to ask again" in page.app.info[0].value
    page.set("set", "all")
    answered(page, sure=2, X01_0_0_0="0.5").click("Reveal")
    page.set("set", "again")
    assert page.app.selectbox(key="id").options == ["X01  The share of the other value"]


@pytest.mark.parametrize("item", EXERCISES, ids=lambda item: item.id)
def test_before_the_commit_nothing_of_the_answer_is_on_the_page(item, exercise):
    for seed in (0, 3):
        task, page = item.make(seed), exercise(item.id, seed=str(seed))
        shown = text(page)
        assert task.setup in shown
        assert task.explain not in shown
        assert not any(wrong.feedback in shown for wrong in task.wrong)
        assert not any(link.proto.query_string for link in page.app.get("page_link"))
        for part in task.parts:
            if part.kind == "number" and not float(part.answer).is_integer():
                assert f"{part.answer:.4f}" not in shown
        assert page.warnings == []


@pytest.mark.parametrize("item", EXERCISES, ids=lambda item: item.id)
def test_every_exercise_can_be_revealed(item, exercise):
    page = exercise(item.id).click("I don't know").click("Reveal")
    assert item.make(0).explain in text(page)
    assert page.warnings == []


def test_progress_comes_back_from_the_browser(exercise):
    page = exercise()
    assert page.data("progress")["fresh"] is True
    kept = {
        "answers": [{"id": "X02", "seed": 0, "right": False, "confidence": 2, "misconception": "no scaling"}]
    }
    page.send("progress", kept=json.dumps(kept))
    assert "no scaling: 1" in text(page)
    assert page.data("progress")["fresh"] is False
    assert json.loads(page.data("progress")["saved"])["answers"] == kept["answers"]


def test_what_the_browser_kept_may_be_broken(exercise):
    page = exercise()
    page.send("progress", kept='{"answers": "<b>"}')
    assert "0 answers" in page.app.expander[0].label


def test_a_bad_link_gets_sentences(exercise):
    page = exercise("<b>", seed="x", set="none")
    assert len(page.warnings) == 3
    assert "What share is left" in text(page)
