"""Answers are kept in the browser and shared by its windows; nothing broken takes any of them away."""

import json

import pytest

from core.exercises.record import LONGEST, read_with_era

WRONG = ("X02", 0, False, 2, "the scale forgotten")
RIGHT = ("X57", 0, True, 1, "")


@pytest.fixture
def exercises(open_page):
    """Return a function that opens the exercises by a link."""
    return lambda **link: open_page("exercises.py", link)


def kept(*answers, **more):
    names = ("id", "seed", "right", "confidence", "misconception")
    return json.dumps({"answers": [dict(zip(names, each, strict=True)) for each in answers], **more})


def saved(page):
    """What the browser is told to keep: the answers as tuples, and the era."""
    records, era = read_with_era(page.data("progress")["saved"])
    return [(each.id, each.seed, each.right, each.confidence, each.misconception) for each in records], era


def answer(page):
    return page.click("I don't know").click("Reveal")


def text(page):
    return "\n".join(str(getattr(node, "value", "")) for node in page.app.main)


def label(page):
    return page.app.expander[0].label


def load(page, content):
    page.app.file_uploader(key="progress_file").set_value(("p.json", content, "application/json"))
    return page.run()


UNKNOWN = ("X01", 0, False, -1, "")


def test_a_new_session_keeps_nothing_before_the_browser_has_spoken(exercises):
    page = exercises()
    assert page.data("progress")["fresh"] is True
    page.send("progress", kept=kept(WRONG))
    assert page.data("progress")["fresh"] is False
    assert saved(page) == ([WRONG], 0)


def test_an_answer_given_before_the_browser_has_spoken_comes_after_what_it_kept(exercises):
    page = answer(exercises())
    page.send("progress", kept=kept(WRONG, RIGHT))
    assert saved(page)[0] == [WRONG, RIGHT, UNKNOWN]


def test_what_another_window_has_written_is_added(exercises):
    page = exercises()
    page.send("progress", kept=kept(WRONG))
    answer(page)  # the second here
    page.send("progress", kept=kept(WRONG, RIGHT))  # the second there
    assert sorted(saved(page)[0]) == sorted([WRONG, RIGHT, UNKNOWN])
    page.send("progress", kept=page.data("progress")["saved"])  # and what all have is added once
    assert len(saved(page)[0]) == 3
    assert label(page) == "Progress: 3 answers, 1 right"


def test_every_report_is_answered_even_if_nothing_came_of_it(exercises):
    page = exercises()
    page.send("progress", kept=kept(WRONG))
    before = page.data("progress")
    page.send("progress", kept=kept(WRONG, era=0))
    after = page.data("progress")
    assert after["saved"] == before["saved"]
    assert after["heard"] != before["heard"]


def test_forgetting_asks_first(exercises):
    page = exercises()
    page.send("progress", kept=kept(WRONG))
    page.click("Forget all").click("No, keep them")
    assert saved(page) == ([WRONG], 0)
    assert "Yes, forget them" not in {button.label for button in page.app.button}


def test_forgetting_outlives_the_windows_that_still_know(exercises):
    page = exercises()
    page.send("progress", kept=kept(WRONG, RIGHT))
    page.click("Forget all").click("Yes, forget them")
    assert saved(page) == ([], 1)
    page.send("progress", kept=kept(WRONG, RIGHT))  # a window that has not heard of it
    assert saved(page) == ([], 1)
    other = exercises()
    other.send("progress", kept=kept(WRONG, RIGHT))
    other.send("progress", kept=kept(era=1))
    assert saved(other) == ([], 1)
    answer(other)
    assert saved(other) == ([UNKNOWN], 1)


@pytest.mark.parametrize(
    "broken", ["", "{", "[]", '{"answers": "<b>"}', kept(("X" * 300, 0, True, 0, "")), "x" * (LONGEST + 1)],
    ids=["empty", "cut", "list", "text", "long id", "huge"],
)  # fmt: skip
def test_what_the_browser_kept_may_be_broken(broken, exercises):
    page = answer(exercises())
    page.send("progress", kept=broken)
    assert len(page.warnings) == 1
    assert "cannot be read" in page.warnings[0]
    assert saved(page) == ([UNKNOWN], 0)  # nothing of this session is lost
    assert page.data("progress")["unread"] is True  # and the browser puts the other aside
    assert page.click("Next exercise ›").warnings == page.warnings
    answer(page)
    assert len(saved(page)[0]) == 2


def test_progress_is_shown_by_family_and_says_what_was_put_right(exercises):
    page = exercises()
    page.send("progress", kept=kept(WRONG, ("X09", 0, False, 0, "columns sum to 1")))
    assert "**About what scores are divided by, and when**\n\n- the scale forgotten: 1" in text(page)
    assert "put right" not in text(page)
    page.send("progress", kept=kept(WRONG, ("X09", 0, False, 0, "columns sum to 1"), RIGHT))
    assert "- the scale forgotten: 1, put right since" in text(page)
    assert "- columns sum to 1: 1" in text(page)
    assert text(page).count("put right") == 1
    assert "**Wrong, though sure:** X02" in text(page)
    captions = [each.value for each in page.app.caption]
    assert any("soft lookup 2 of" in each and "softmax 1 of" in each for each in captions)


def test_a_name_of_another_version_is_shown_literally(exercises):
    page = exercises()
    page.send("progress", kept=kept(("X01", 0, False, 0, "**b** <i>$x$</i> [a](http://b.c)")))
    assert "**Other**" in text(page)
    assert "\\*\\*b\\*\\* \\<i\\>\\$x\\$\\</i\\>" in text(page)


def test_a_file_is_added_to_what_is_here_once(exercises):
    page = answer(exercises())
    load(page, kept(WRONG, RIGHT).encode())
    assert len(saved(page)[0]) == 3
    load(page, kept(WRONG, RIGHT).encode())
    assert len(saved(page)[0]) == 3
    load(page, b"\xef\xbb\xbf" + page.data("progress")["saved"].encode())  # as some editors save it
    assert len(saved(page)[0]) == 3
    assert page.warnings == []


def test_a_file_of_another_era_is_added_since_it_was_asked_for(exercises):
    page = exercises()
    page.send("progress", kept=kept(era=3))
    load(page, kept(WRONG, era=1).encode())
    assert saved(page) == ([WRONG], 3)


def test_forgetting_is_not_undone_by_a_file_that_is_still_chosen(exercises):
    page = load(exercises(), kept(WRONG).encode())
    page.click("Forget all").click("Yes, forget them")
    assert saved(page)[0] == []
    assert page.run().app.expander[0].label == "Progress: 0 answers, 0 right"


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"{}", b"[" * 100_000, b"x" * 900_000])
def test_a_file_that_is_none_of_ours_gets_a_sentence_and_loses_nothing(content, exercises):
    page = load(answer(exercises()), content)
    assert page.warnings == ["This is no progress file of Attention Lab; choose one that was saved here."]
    assert saved(page)[0] == [UNKNOWN]
    assert load(page, kept(WRONG).encode()).warnings == []


def test_a_thousand_answers_and_more(exercises):
    page = exercises()
    page.send("progress", kept=kept(*[("X01", i, True, 1, "") for i in range(1500)]))
    assert label(page) == "Progress: 1000 answers, 1000 right"
    answer(page)
    answers, _ = saved(page)
    assert len(answers) == 1000
    assert answers[-1] == UNKNOWN
    assert len(page.data("progress")["saved"]) < LONGEST / 3
