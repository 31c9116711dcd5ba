"""An exercise before a room: what each panel is sent, the count of hands, and the way to the next one."""

import json
import re

import pytest

from core.exercises import EXERCISES
from core.exercises.place import BY_ID
from pages.ui import share
from pages.ui.lecture_panels import PANELS

TITLES = [panel.title for panel in PANELS["exercises"]]
HANDS, AGAIN, RESULT, SEE, WHY = (
    TITLES.index(title) + 1
    for title in (
        "Show of hands", "Talk it over, then hands again", "What comes out", "What do you see?", "Why",
    )
)  # fmt: skip
LAST = len(TITLES) + 1  # the picture of its own page
BEFORE, AFTER = range(1, RESULT), range(RESULT, LAST + 1)


@pytest.fixture
def stage(open_page):
    """Return a function that opens a panel of an exercise."""
    return lambda id, panel=1, **link: open_page("exercises.py", {"id": id, "lecture": str(panel), **link})


def text(page):
    """All that the browser was sent, in full and unescaped."""
    nodes = [str(getattr(node, "value", "")) for node in page.app.main]
    data = [json.loads(node.proto.json or "{}") for node in page.app.get("bidi_component")]
    return "\n".join(nodes) + page.html + json.dumps(data, ensure_ascii=False)


def told(page, **report):
    """Let the browser report what was typed."""
    page.reports += 1
    name = page.data("hands")["name"]
    return page.send("hands", told={"serial": page.reports, "name": name, **report})


def shown(page, panel, of=""):
    """Let a clicker lead to a panel."""
    page.reports += 1
    of = of or page.data("lecture")["of"]
    return page.send("lecture", shown={"panel": panel, "serial": page.reports, "of": of})


def test_nothing_of_the_answer_is_sent_before_the_reveal(open_page):
    """Of every exercise; the panels before the reveal get the same from the script."""
    page = open_page("exercises.py", {"id": "X01", "lecture": "1"})
    for exercise in EXERCISES:
        task = exercise.make(0)
        sent = text(page.go({"id": exercise.id, "lecture": str(HANDS)}))
        assert task.setup in sent, exercise.id
        assert task.question in sent, exercise.id
        assert task.explain not in sent, exercise.id
        assert "Computed" not in sent, exercise.id
        assert not any(row["right"] for row in page.data("hands")["rows"]), exercise.id
        for wrong in task.wrong:
            assert wrong.feedback not in sent, exercise.id
        for part in task.parts:  # a lone number has no letters, so it stands nowhere
            if len(task.parts) == 1 and part.kind == "number" and not part.words:
                assert page.data("hands")["rows"] == [], exercise.id


@pytest.mark.parametrize("panel", BEFORE)
def test_no_panel_before_the_reveal_reveals(stage, panel):
    page = stage("X15", panel)
    assert not page.data("hands")["revealed"]
    assert BY_ID["X15"].make(0).explain not in text(page)


def test_a_late_panel_of_the_last_exercise_reveals_nothing_of_the_next(stage):
    """Two hasty presses: the way on is told at once, the panel before it a moment later."""
    page = stage("X15", WHY)
    of = page.data("lecture")["of"]
    told(page, on=True)
    assert page.link["id"] == "X16"
    shown(page, LAST, of=of)
    assert page.link["lecture"] == "1"
    assert "Computed" not in text(page)


def test_late_counts_are_of_the_exercise_that_they_were_typed_at(stage):
    page = stage("X15", LAST)
    name = page.data("hands")["name"]
    told(page, hands="abc", again="")
    told(page, on=True)
    assert page.data("hands")["said"] == ""
    page.reports += 1
    page.send("hands", told={"serial": page.reports, "name": name, "hands": "1,2,3", "again": ""})
    page.reports += 1
    page.send("hands", told={"serial": page.reports, "name": name, "on": True})
    assert (page.link["id"], page.link["hands"]) == ("X16", "")
    assert page.data("hands")["said"] == ""


def test_how_a_room_voted_is_neither_shared_nor_added_to_a_lecture(open_page, monkeypatch):
    monkeypatch.setattr(share, "_root", lambda: "http://lab.example/exercises")
    link = {"id": "X15", "hands": "1,2,3,4"}
    added = open_page("exercises.py", link).data("add_state")["query"]
    assert (added["id"], "hands" in added) == ("X15", False)
    address = open_page("exercises.py", {**link, "lecture": "3"}).data("lecture")["code"]["address"]
    assert "id=X15" in address
    assert "hands" not in address


@pytest.mark.parametrize("panel", AFTER)
def test_from_the_reveal_on_there_is_all(stage, panel):
    page = stage("X15", panel)
    assert "Computed: training loss very low, written text poor." in text(page)
    assert BY_ID["X15"].make(0).explain in text(page)
    right = [row["label"] for row in page.data("hands")["rows"] if row["right"]]
    assert right == ["training loss very low, written text poor"]


def test_to_go_back_takes_the_answer_away(stage):
    page = shown(stage("X10", HANDS), RESULT)
    assert "(1, 0, 0, 0, 0, 0)" in text(page)
    assert "Computed" in text(page)
    shown(page, AGAIN)
    assert "Computed" not in text(page)
    assert page.link["lecture"] == str(AGAIN)


def test_hands_are_counted_twice_and_kept_in_the_link(stage):
    page = told(stage("X15", HANDS), hands="12,30,8,2", again="")
    told(page, hands="12,30,8,2", again="3,5,40,1")
    assert [row["counts"] for row in page.data("hands")["rows"]] == [[12, 3], [30, 5], [8, 40], [2, 1]]
    assert (page.link["hands"], page.link["again"]) == ("12,30,8,2", "3,5,40,1")
    assert page.link["lecture"] == str(HANDS)


def test_numbers_called_out_stand_in_order_and_the_right_one_comes_at_the_reveal(stage):
    page = told(stage("X01", HANDS), hands="0.5x12 0,2", again="")
    assert [(row["label"], row["counts"]) for row in page.data("hands")["rows"]] == [
        ("0.2", [1, 0]), ("0.5", [12, 0]),
    ]  # fmt: skip
    shown(page, RESULT)
    assert [(row["label"], row["right"]) for row in page.data("hands")["rows"]] == [
        ("0.2", False), ("0.3302", True), ("0.5", False),
    ]  # fmt: skip


@pytest.mark.parametrize("typed", ["abc", "1,2,x,4", "-1", "99999,0,0,0", "1,2"])
def test_what_is_no_count_gets_a_sentence_and_loses_nothing(stage, typed):
    page = told(stage("X15", HANDS), hands="1,2,3,4", again="")
    told(page, hands=typed, again="")
    assert page.data("hands")["said"]
    assert page.link["hands"] == "1,2,3,4"
    told(page, hands="4,3,2,1", again="")
    assert page.data("hands")["said"] == ""
    assert page.link["hands"] == "4,3,2,1"


@pytest.mark.parametrize("report", [[], "x", {"serial": 1, "hands": 7}, {"on": False}, None])
def test_a_strange_report_changes_nothing(stage, report):
    page = told(stage("X15", HANDS), hands="1,2,3,4", again="")
    page.send("hands", told=report)
    assert page.link["hands"] == "1,2,3,4"


def test_what_most_say_is_compared_and_answered(stage):
    """X15's B is one of the bank's wrong answers: the room gets the line that is keyed to it."""
    task = BY_ID["X15"].make(0)
    options = list(task.parts[0].options)
    wrong = next(each for each in task.wrong if each.answers[0] in options)
    counts = ["0"] * len(options)
    counts[options.index(wrong.answers[0])] = "9"
    sent = text(stage("X15", WHY, hands=",".join(counts)))
    assert wrong.feedback in sent
    assert f"Most hands: **{wrong.answers[0]}**" in sent


def test_a_second_count_is_what_most_say(stage):
    sent = text(stage("X01", SEE, hands="0.5x30", again="0.2x20 0.5x3"))
    assert "Most hands: **0\\.2**" in sent


def test_a_room_that_was_not_counted_is_asked_all_the_same(stage):
    assert "Compare it with what you wrote down" in text(stage("X01", SEE))


def test_a_clicker_leads_to_the_next_exercise_from_its_start(stage):
    page = told(stage("X15", LAST, hands="1,2,3,4"), on=True)
    assert (page.link["id"], page.link["lecture"]) == ("X16", "1")
    assert (page.link["hands"], page.link["again"]) == ("", "")
    assert "Computed" not in text(page)


def test_after_the_last_exercise_of_a_list_nothing_comes(stage):
    page = told(stage("X10", LAST, list="X01,X10"), on=True)
    assert (page.link["id"], page.link["lecture"]) == ("X10", str(LAST))


def test_a_lecture_adds_nothing_to_anybodys_progress(stage):
    page = shown(stage("X01", HANDS), RESULT)
    assert json.loads(page.data("progress")["saved"])["answers"] == []


def test_the_presenter_counts_sees_the_share_and_what_to_do(open_page):
    from core.lecture.forms import written
    from core.lecture.order import Item, RunningOrder

    kept = written(RunningOrder("Mine", (Item("exercises", (("id", "X15"),)),)), 1)
    page = open_page("lecture.py", {"presenter": "true"}).send("order_keeper", kept=kept)
    assert "%" not in "".join(each.value for each in page.app.markdown if "Right:" in each.value)
    told(page, hands="1,1,2,0", again="")
    (said,) = [each.value for each in page.app.markdown if "Right:" in each.value]
    assert said.startswith("**Right: 50%.** Let them talk")
    told(page, hands="1,1,2,0", again="0,0,9,1")
    (said,) = [each.value for each in page.app.markdown if "Right:" in each.value]
    assert said.startswith("**Right: 50%, then 90%.** Most are right")


def test_every_exercise_can_be_shown_to_a_room(open_page):
    page = open_page("exercises.py", {"id": EXERCISES[0].id, "lecture": str(LAST)})
    for exercise in EXERCISES:
        page.go({"id": exercise.id, "lecture": str(LAST)})
        assert re.search(r"Computed: .+", text(page)), exercise.id
        assert not page.app.warning


def test_the_last_panel_is_the_picture_of_its_page_where_there_is_one(open_page):
    """In words or drawn: its parts are those that the page itself projects, found in what is sent here."""
    page = open_page("exercises.py", {"id": "X17", "lecture": str(LAST)})
    (last,) = [each for each in page.data("lecture")["panels"] if each["title"] == "On its page"]
    assert all(part.startswith(".st-key-plot_shown_X17 .lab-below") for part in last["parts"])
    page.go({"id": "X10", "lecture": str(LAST)})
    assert page.data("lecture")["panels"][-1]["parts"] == [".st-key-plot_shown_X10 .lab-canvas"]
    page.go({"id": "X28", "lecture": str(LAST)})  # its page cannot take these numbers
    assert page.data("lecture")["panels"][-1]["title"] == "Why"
