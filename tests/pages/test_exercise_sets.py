"""Sets, lists and quizzes on the page: by link, by control, from one exercise to the next."""

import json

import pytest

from core.exercises import EXERCISES
from core.exercises.draw import quiz
from core.exercises.misconceptions import FAMILIES, exercises_of
from core.exercises.place import BY_ID, SETS, PlaceSettings, entries

STATIC = [name for name in SETS if name not in ("again", "list", "interview")]


@pytest.fixture
def exercises(open_page):
    """Return a function that opens the exercises by a link."""
    return lambda **link: open_page("exercises.py", link)


def kept(*answers):
    """What a browser has kept: (id, seed, right, confidence, misconception) for each answer."""
    names = ("id", "seed", "right", "confidence", "misconception")
    return json.dumps({"answers": [dict(zip(names, each, strict=True)) for each in answers]})


def text(page):
    nodes = [*page.app.main, *page.app.sidebar]
    return "\n".join(
        str(getattr(node, "value", "")) + "\n" + str(getattr(node, "label", "")) for node in nodes
    )


def shows(page, name, seed=0):
    """Whether the page shows that exercise with those numbers."""
    return BY_ID[name].make(seed).setup in text(page)


def labels(page):
    """What the links on the page are called."""
    return [link.proto.label for link in page.app.get("page_link")]


@pytest.mark.parametrize("name", STATIC)
def test_every_set_opens_by_its_link_with_its_first_exercise(name, exercises):
    page = exercises(set=name)
    wanted = entries(PlaceSettings(set=name))
    assert page.warnings == []
    assert shows(page, *wanted[0])
    assert f"1 of {len(wanted)}" in text(page)
    assert page.link == {"set": name}  # opening a link does not rewrite it


def test_the_interview_set_holds_the_interview_questions(exercises):
    page = exercises(set="interview")
    names = [each.id for each in EXERCISES if each.id.startswith("I")]
    if names:
        assert shows(page, names[0])
    else:
        assert page.app.info[0].value == "There is nothing in this set yet."
    offered = "interview questions" in exercises().app.selectbox(key="set").options
    assert offered == bool(names)


def test_a_set_is_chosen_by_control_and_walked_through(exercises):
    page = exercises().set("set", "masks")
    names = [each.id for each in EXERCISES if each.topic == "masks"]
    for i, name in enumerate(names):
        assert shows(page, name)
        assert f"{i + 1} of {len(names)}" in text(page)
        if name != names[-1]:
            page.click("Next exercise ›")
    assert page.app.get_by_key("next").disabled
    page.click("‹ Exercise before")
    assert page.link["id"] == names[-2]
    assert page.link["set"] == "masks"


def test_an_exercise_beside_its_set_is_shown_and_next_leads_into_the_set(exercises):
    page = exercises(set="masks", id="X01")
    assert page.warnings == []
    assert shows(page, "X01")
    page.click("Next exercise ›")
    assert shows(page, "X10")


def test_a_list_is_shown_in_its_order_with_its_numbers(exercises):
    page = exercises(list="X30,X10:3,X01")
    assert page.warnings == []
    for name, seed, where in (("X30", 0, "1 of 3"), ("X10", 3, "2 of 3"), ("X01", 0, "3 of 3")):
        assert shows(page, name, seed)
        assert where in text(page)
        if where != "3 of 3":
            page.click("Next exercise ›")
    assert page.link["list"] == "X30,X10:3,X01"
    assert "a list in order" in page.app.selectbox(key="set").options
    assert "a list in order" not in exercises().app.selectbox(key="set").options


def test_an_unknown_exercise_in_a_list_is_told(exercises):
    page = exercises(list="X10,<b>X99</b>,X01")
    assert page.warnings == ["Not known and left out of the list: '<b>X99</b>'."]
    assert "1 of 2" in text(page)


def test_numbers_of_ones_own_go_along_to_the_next_exercise(exercises):
    page = exercises().set("numbers", 17)
    assert shows(page, "X01", 17)
    page.click("Next exercise ›")
    assert shows(page, "X02", 17)
    page.set("id", "X10")
    assert shows(page, "X10", 17)
    page.set("set", "heads")
    assert page.link["numbers"] == "17"
    assert page.warnings == []
    assert shows(exercises(**page.link), page.link["id"], 17)


def test_a_twin_is_left_behind_with_its_exercise(exercises):
    page = exercises(id="X01", seed="5", numbers="0")
    assert shows(page, "X01", 5)
    assert "1 of " in text(page)
    page.click("Next exercise ›")
    assert shows(page, "X02", 0)


@pytest.mark.parametrize(
    ("name", "gone"),
    [
        ("set", {"set"}),
        ("id", {"id"}),
        ("seed", {"numbers"}),
        ("numbers", {"numbers"}),
        ("nav", {"lab_nav", "before", "next"}),
        ("course", {"course"}),
        ("link", {"lab_links", "copy_link", "share", "add_state", "lecture_button"}),
        ("progress", {"progress_box", "progress_file"}),
    ],
)
def test_hide_takes_a_control_away_and_no_other(name, gone, exercises):
    page = exercises(list="X01,X10", hide=name)
    assert page.keys == exercises(list="X01,X10").keys - gone
    assert shows(page, "X01")


def test_the_length_of_a_quiz_can_be_hidden(exercises):
    assert "length" in exercises(set="quiz").keys
    assert "length" not in exercises(set="quiz", hide="length").keys


def test_in_a_frame_there_is_the_exercise_and_the_way_on(exercises):
    page = exercises(list="X01,X10", hide="set,id,seed")
    assert list(page.app.expander)
    page.app.context["is_embedded"] = True
    page.run()
    assert list(page.app.expander) == []
    assert page.keys.isdisjoint({"set", "id", "numbers", "copy_link", "course"})
    assert {"before", "next", "progress"} <= page.keys  # the answers are kept all the same
    assert "<h1 class='lab-unseen" in page.html
    page.click("Next exercise ›")
    assert shows(page, "X10")
    assert page.link["hide"] == "set,id,seed"


# --- the quiz -----------------------------------------------------------------------------------


def test_a_quiz_is_walked_through_and_ends_without_a_mark(exercises):
    page = exercises(set="quiz", seed="2", length="3")
    for i, name in enumerate(quiz(2, 3)):
        assert shows(page, name, 2)
        assert f"{i + 1} of 3" in text(page)
        assert "What this quiz showed" not in text(page)
        if i == 1:  # one is left open
            page.click("Next exercise ›")
            continue
        page.click("I don't know").click("Reveal")
        if i < 2:
            page.click("Next exercise ›")
    assert "What this quiz showed" in text(page)
    assert "Still open: 2." in text(page)
    first, _, last = (f"{name} {BY_ID[name].title}" for name in quiz(2, 3))
    assert f"You did not know:** {first}, {last}".replace(".", "\\.") in text(page)
    page.click("Another quiz")
    assert page.link["numbers"] == "3"
    assert shows(page, quiz(3, 3)[0], 3)
    assert "What this quiz showed" not in text(page)


def test_the_summary_of_a_quiz_counts_only_its_own_answers_by_misconception(exercises):
    names = quiz(2, 4)
    page = exercises(set="quiz", seed="2", length="4", id=names[-1])
    page.send(
        "progress",
        kept=kept(
            ("X57", 2, False, 2, "the scale forgotten"),  # unless it was drawn
            (names[0], 0, False, 2, "columns sum to 1"),  # the same exercise, other numbers
            (names[0], 2, True, 0, ""),
            (names[1], 2, False, 2, "a row need not sum to 1"),
            (names[2], 2, False, 0, ""),
            (names[3], 2, False, 1, "a sub-layer replaces its input"),
        ),
    )
    assert "X57" not in names
    inside = text(page).split("What this quiz showed")[1].split("Progress:")[0]
    for piece in (
        f"**As you predicted:** {names[0]}", f"**Wrong in a way of your own:** {names[2]}",
        "a row need not sum to 1: 1", "About what sums to 1", "a sub\\-layer replaces its input: 1",
        "Another quiz",
    ):  # fmt: skip
        assert piece in inside
    for piece in ("the scale forgotten", "columns sum to 1", "Still open", "did not know", " of 4", "%"):
        assert piece not in inside
    assert labels(page).count("Ask me again what was wrong, though sure") == 2  # here and in the progress


def test_the_summary_of_a_quiz_waits_until_the_last_result_has_been_looked_at(exercises):
    def last(seed):
        return BY_ID[quiz(seed, 3)[-1]]

    def chooses(seed):
        return [part.kind for part in last(seed).make(seed).parts] == ["choose"]

    seed = next(filter(chooses, range(1, 500)))
    name = last(seed).id
    page = exercises(set="quiz", seed=str(seed), length="3", id=name)
    page.answer(f"{name}_{seed}_0", choice=0).click("Certain").click("Reveal")
    assert "What do you see?" in text(page)
    assert "What this quiz showed" not in text(page)
    page.set(f"{name}_{seed}_notice", page.app.get_by_key(f"{name}_{seed}_notice").options[0])
    assert "What this quiz showed" in text(page)


def test_a_quiz_in_a_frame_leads_nowhere_else(exercises):
    names = quiz(2, 3)
    page = exercises(set="quiz", seed="2", length="3", id=names[-1], hide="set,id,seed")
    page.app.context["is_embedded"] = True
    page.send(
        "progress", kept=kept((names[0], 2, False, 2, "a row need not sum to 1"), (names[2], 2, True, 0, ""))
    )
    assert "a row need not sum to 1: 1" in text(page)
    assert labels(page) == []
    assert "Another quiz" not in {button.label for button in page.app.button}


def test_the_length_changes_the_quiz(exercises):
    page = exercises(set="quiz").set("length", 3)
    assert "1 of 3" in text(page)
    assert page.link["length"] == "3"


# --- again, and families --------------------------------------------------------------------------


def test_confident_errors_are_asked_again_with_other_numbers(exercises):
    page = exercises(set="again")
    assert "Nothing to ask again" in page.app.info[0].value
    assert page.app.button  # and the rest of the page is there
    page.send(
        "progress", kept=kept(("X02", 3, False, 2, ""), ("X05", 0, False, 1, ""), ("X06", 0, False, 0, ""))
    )
    assert shows(page, "X02", 4)
    assert "1 of 2" in text(page)
    assert page.link["id"] == "X02"
    page.click("I don't know").click("Reveal")  # not wrong with confidence: it is done
    assert BY_ID["X02"].make(4).explain in text(page)
    assert "1 in this set" in text(page)
    page.click("Next exercise ›")
    assert shows(page, "X05", 1)
    assert page.warnings == []


@pytest.mark.parametrize("family", ["sums", "hiding", "rotation"])
def test_progress_leads_to_the_set_of_a_family(family, exercises):
    name = FAMILIES[family].names[0]
    page = exercises()
    page.send("progress", kept=kept(("X01", 0, False, 0, name)))
    (link,) = [each for each in page.app.get("page_link") if each.proto.label.startswith("Practise")]
    assert FAMILIES[family].title in link.proto.label
    page.go(dict([link.proto.query_string.split("=")]))
    assert shows(page, exercises_of(family)[0])
    assert f"1 of {len(exercises_of(family))}" in text(page)


# --- for a course or slides -------------------------------------------------------------------------


def test_nothing_of_the_box_for_a_course_is_made_before_it_is_opened(exercises):
    page = exercises()
    assert "share_link" not in page.keys
    assert len(page.app.get("download_button")) == 1  # the progress


def test_a_list_is_built_in_order_and_its_link_opens_it(exercises):
    page = exercises().open("course")
    page.set("course_list", ["X10", "X30", "X01"]).set("course_numbers", 7)
    assert page.data("share_link")["query"] == {
        "list": "X10,X30,X01",
        "numbers": "7",
        "hide": "set,id,seed,course",
    }
    page.set("course_hide", [])
    link = page.data("share_link")["query"]
    assert link == {"list": "X10,X30,X01", "numbers": "7"}
    there = exercises(**link)
    assert there.warnings == []
    assert shows(there, "X10", 7)
    assert "1 of 3" in text(there)
    assert shows(page, "X01")  # building a list leaves the page as it is


def test_a_list_of_a_link_can_be_built_on_and_keeps_its_numbers(exercises):
    page = exercises(list="X10:3,X30").open("course")
    assert page.app.get_by_key("course_list").value == ["X10", "X30"]
    page.set("course_list", ["X30", "X10"])
    assert page.data("share_link")["query"]["list"] == "X30,X10:3"


def test_a_list_may_hold_one_exercise_with_two_seeds(exercises):
    page = exercises(list="X01:1,X30,X01:2").open("course")
    assert page.data("share_link")["query"]["list"] == "X01:1,X01:2,X30"


def test_without_a_list_the_link_is_that_of_the_set(exercises):
    page = exercises(set="quiz", seed="4", length="5").open("course")
    assert page.data("share_link")["query"]["hide"] == "set,id,seed,length,course"
    page.set("course_hide", ["set"])
    assert page.data("share_link")["query"] == {"set": "quiz", "length": "5", "numbers": "4", "hide": "set"}
    page = exercises(set="masks", id="X12").open("course").set("course_hide", [])
    assert page.data("share_link")["query"] == {"set": "masks"}


def test_the_sheets_are_made_only_when_they_are_asked_for(exercises):
    page = exercises(list="X10,X30").open("course")
    sheets = [each.proto for each in page.app.get("download_button") if "heet" in each.proto.label]
    assert [each.label for each in sheets] == ["Worksheet to print", "Answer sheet"]
    assert all(each.deferred_file_id and not each.url for each in sheets)
