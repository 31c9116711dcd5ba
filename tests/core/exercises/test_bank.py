"""Every exercise against the bank: computed answers, likely wrong ones, twins."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from core.exercises import EXERCISES
from core.exercises.verdict import same, verdict

BANK = {each["id"]: each for each in json.loads(Path(__file__).with_name("exercise_bank.json").read_text())}
PAGES = Path(__file__).parents[3] / "pages"
SEEDS = range(25)
IDS = [each.id for each in EXERCISES]
OF_THE_BANK = [each for each in EXERCISES if each.id in BANK]


MISCONCEPTIONS = {
    wrong.misconception for exercise in EXERCISES for seed in SEEDS for wrong in exercise.make(seed).wrong
}


def numbers(value):
    """A bank's answer as floats, or None where it is not made of numbers alone."""
    values = value if isinstance(value, list) else [value]
    if all(isinstance(x, int | float) and not isinstance(x, bool) for x in values):
        return [float(x) for x in values]
    return None


def flat(answers):
    """All numbers of an answer to all parts."""
    found = []
    for answer in answers:
        found += list(answer) if isinstance(answer, tuple) else [answer]
    return [x for x in found if isinstance(x, float | int)]


def test_ids_are_unique():
    assert len(set(IDS)) == len(IDS)


@pytest.mark.parametrize("exercise", OF_THE_BANK, ids=lambda exercise: exercise.id)
def test_the_numbers_of_the_lessons_give_the_banks_answer(exercise):
    item, task = BANK[exercise.id], exercise.make(0)
    wanted = numbers(item["answer"])
    if wanted is None:
        return  # compared in the tests of its topic
    assert flat(part.answer for part in task.parts) == pytest.approx(
        wanted, abs=(item["tolerance"] or 0) / 4 + 6e-5
    )


@pytest.mark.parametrize("exercise", OF_THE_BANK, ids=lambda exercise: exercise.id)
def test_every_likely_wrong_answer_of_the_bank_has_its_own_feedback(exercise):
    item, task = BANK[exercise.id], exercise.make(0)
    assert len(task.wrong) >= len(item["wrong"])
    for wrong in item["wrong"]:
        wanted = numbers(wrong["answer"])
        if wanted is None or numbers(item["answer"]) is None:
            continue  # in words: compared in the tests of its topic
        close = [
            each for each in task.wrong if flat(each.answers) == pytest.approx(wanted, rel=2e-3, abs=6e-4)
        ]
        assert len(close) == 1, wrong


@pytest.mark.parametrize("exercise", EXERCISES, ids=IDS)
def test_an_exercise_can_be_told_right_from_wrong_whatever_the_seed(exercise):
    for seed in SEEDS:
        task = exercise.make(seed)
        right = tuple(part.answer for part in task.parts)
        assert verdict(task, right).right
        seen = []
        for wrong in task.wrong:
            given = tuple(r if w is None else w for r, w in zip(right, wrong.answers, strict=True))
            found = verdict(task, given)
            assert not found.right, (seed, wrong)
            assert found.wrong is wrong, (seed, wrong, found.wrong)  # no other is as near
            for part, r, w in zip(task.parts, right, wrong.answers, strict=True):
                if part.kind == "number" and isinstance(w, float | int) and w != r:
                    assert abs(w - r) > 2 * part.tolerance, (seed, wrong)
            seen.append(wrong.feedback)
        assert len(set(seen)) == len(seen)


@pytest.mark.parametrize("exercise", EXERCISES, ids=IDS)
def test_twins_have_other_numbers_and_the_same_seed_the_same(exercise):
    assert exercise.make(7) == exercise.make(7)
    shown = [exercise.make(seed).setup + exercise.make(seed).question for seed in SEEDS]
    assert all(a != b for a, b in pairwise(shown))  # the button for a twin goes from seed to seed
    assert shown[0] not in shown[1:]
    assert len(set(shown[:4])) == 4


@pytest.mark.parametrize("exercise", EXERCISES, ids=IDS)
def test_an_exercise_is_complete(exercise):
    task = exercise.make(0)
    assert exercise.covers
    assert (PAGES / f"{exercise.page.replace('-', '_')}.py").exists()
    assert task.question.rstrip().endswith(("?", "."))
    for text in (task.setup, task.explain, *(each.feedback for each in task.wrong)):
        assert text.strip().endswith((".", "?", "!", "$", ")"))
        assert text.count("$") % 2 == 0
    for part in task.parts:
        if part.kind == "choose":
            assert part.answer in part.options
        if part.kind == "order":
            assert sorted(part.answer) == sorted(part.options)
            assert part.options not in (part.answer, *part.also)  # as dealt it is not solved already
            assert all(sorted(other) == sorted(part.options) for other in part.also)
        if part.kind == "cells":
            assert all(0 <= i < len(part.rows) and 0 <= j < len(part.options) for i, j in part.answer)
        if part.kind == "row":
            assert len(part.options) == len(part.answer)
            assert sum(part.answer) == pytest.approx(1)
    for wrong in task.wrong:
        assert len(wrong.answers) == len(task.parts)


@pytest.mark.parametrize("exercise", EXERCISES, ids=IDS)
def test_the_answer_stands_nowhere_before_the_commit(exercise):
    """Neither the set-up nor the question may hold what the explanation tells."""
    for seed in SEEDS:
        task = exercise.make(seed)
        shown = f"{task.setup} {task.question}"
        for part in task.parts:
            if part.kind == "number" and not float(part.answer).is_integer():
                assert f"{part.answer:.4f}" not in shown
                assert f"{part.answer:.3f}" not in shown


@pytest.mark.parametrize("exercise", EXERCISES, ids=IDS)
def test_whatever_has_an_index_is_counted_from_0(exercise):
    """As the pictures do: where there is a key 1, there is a key 0."""
    for seed in range(4):
        task = exercise.make(seed)
        shown = " ".join((task.setup, task.question, *(" ".join(part.options) for part in task.parts)))
        for letter in "qkvh":
            found = {int(index) for index in re.findall(rf"\b{letter}_?(\d)\b", shown)}
            assert not found or 0 in found, (seed, letter, found)


@pytest.mark.parametrize("exercise", EXERCISES, ids=IDS)
def test_a_title_rules_out_no_answer(exercise):
    """It stands beside the question: "Two grids, one of them wrong" would rule out "neither"."""
    parts = exercise.make(0).parts
    offered = {option for part in parts for option in (*part.options, *part.words)}
    if offered & {"neither", "both", "equal", "error", "nothing changes", "nothing is wrong"}:
        assert not re.search(r"\b(wrong|right|still|cannot|one of|change)", exercise.title)


def test_two_answers_are_the_same_only_within_the_tolerance():
    (part,) = EXERCISES[0].make(0).parts
    assert same(part, part.answer, part.answer + part.tolerance)
    assert not same(part, part.answer, part.answer + 1.01 * part.tolerance)


def test_every_item_of_the_bank_is_here():
    assert {each for each in IDS if each.startswith("X")} == BANK.keys()


def test_a_misconception_is_called_the_same_wherever_it_is_met():
    """Names that differ by a letter would split somebody's progress."""
    plain = [re.sub(r"[^a-z0-9]", "", name.lower()) for name in MISCONCEPTIONS]
    assert len(set(plain)) == len(plain)


@pytest.mark.parametrize("name", sorted(MISCONCEPTIONS))
def test_a_misconception_can_be_read_in_a_list(name):
    """Short, in plain words, no sentence with a capital and a full stop, no formula."""
    assert 2 <= len(name.split()) <= 11
    assert name[0].islower() or name.split()[0] in ("K", "Q", "V", "RoPE", "FlashAttention", "W_O")
    assert not set(name) & set("$\\.;:!?*")
