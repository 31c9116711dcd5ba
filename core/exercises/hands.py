"""A show of hands: what a room can choose from, how it voted, and what follows from that.

A lone number is called out; for everything else the answer and the likely wrong ones get letters. Where a
room has voted twice, with talk between, both counts are kept. The limits are those of peer instruction: talk
helps where between a third and two thirds are right.
"""

import numpy as np

from core.errors import NumbersError, require
from core.exercises.exercise import Answer, Part, Task
from core.exercises.verdict import is_right, read_number, same

MOST_HANDS = 5000
MOST_CALLED = 8  # different numbers that a room calls out
LONGEST = 400  # characters of a count
FEW, MANY = 0.35, 0.70  # shares that are right: below, teach it again; above, explain and go on

Answers = tuple[Answer, ...]  # one for each part of a task
Called = tuple[tuple[float, int], ...]  # a number, and how many say it


def ballot(task: Task, seed: int) -> tuple[Answers, ...]:
    """Return what a room can vote for, in the order of its letters.

    Args:
        task: the exercise with its numbers.
        seed: of those numbers; the letters are dealt by it, so that the right one has no place of its own.

    Returns:
        Answers to all parts; none where numbers are called out.
    """
    part = task.parts[0]
    if len(task.parts) == 1 and part.kind == "number" and not part.words:
        return ()
    if len(task.parts) == 1 and part.kind == "choose":
        return tuple((option,) for option in (*part.options, *part.words))
    right = tuple(part.answer for part in task.parts)
    found = [right]
    for wrong in task.wrong:
        whole = tuple(a if b is None else b for a, b in zip(right, wrong.answers, strict=True))
        if not any(all(map(same, task.parts, whole, each)) for each in found):
            found.append(whole)
    order = np.random.default_rng([seed, len(task.question)]).permutation(len(found))
    return tuple(found[i] for i in order)


def read_counts(text: str, n: int) -> tuple[int, ...]:
    """Return how many voted for each of n options.

    Args:
        text: "12,30,8", in the order of the letters; empty: nobody was counted.
        n: number of options.

    Returns:
        n counts, or none at all.

    Raises:
        NumbersError: a sentence.
    """
    _check_length(text)
    if not text.strip():
        return ()
    counts = [_hands(each) for each in text.split(",")]
    require(len(counts) == n, f"expected {n} counts with commas between, got {len(counts)}.", NumbersError)
    return tuple(counts)


def read_called(text: str, part: Part) -> Called:
    """Return the numbers that a room has called out.

    Args:
        text: "0.3x4 0.5 1/3": numbers as an answer is typed, with spaces between; after x, how many say so.
        part: what is asked.

    Returns:
        In rising order, each number once.

    Raises:
        NumbersError: a sentence.
    """
    _check_length(text)
    found: dict[float, int] = {}
    plain = text.replace("×", "x").replace(";", " ").replace(" %", "%")
    for each in plain.split():
        number, times, count = each.partition("x")
        value = read_number(part, 0, number)
        found[value] = found.get(value, 0) + (_hands(count) if times else 1)
    require(
        len(found) <= MOST_CALLED,
        f"{len(found)} different numbers are too many to show; keep {MOST_CALLED}.",
        NumbersError,
    )
    return tuple(sorted((value, min(count, MOST_HANDS)) for value, count in found.items() if count))


def in_one_form(text: str, task: Task, seed: int) -> str:
    """Return a count as a link holds it.

    Args:
        text: of ``read_counts`` or ``read_called``, whichever fits the task.
        task: the exercise with its numbers.
        seed: of those numbers.

    Raises:
        NumbersError: a sentence.
    """
    options = ballot(task, seed)
    if options:
        counts = read_counts(text, len(options))
        return ",".join(map(str, counts)) if any(counts) else ""
    return " ".join(f"{value:.12g}x{count}" for value, count in read_called(text, task.parts[0]))


def right_share(task: Task, seed: int, text: str) -> float | None:
    """Return which share of a room is right, from 0 to 1; None if nobody was counted.

    Args:
        task: the exercise with its numbers.
        seed: of those numbers.
        text: as a link holds it.
    """
    votes = _votes(task, seed, text)
    total = sum(count for _, count in votes)
    right = sum(count for answers, count in votes if all(map(is_right, task.parts, answers)))
    return right / total if total else None


def commonest(task: Task, seed: int, *texts: str) -> Answers | None:
    """Return the answer that most of a room has given, of several the first; None if nobody was counted.

    Args:
        task: the exercise with its numbers.
        seed: of those numbers.
        *texts: counts as a link holds them; the last that is not empty holds.
    """
    for text in reversed(texts):
        if votes := _votes(task, seed, text):
            return max(votes, key=lambda vote: vote[1])[0]
    return None


def advice(share: float) -> str:
    """Return what peer instruction does next.

    Args:
        share: of a room that is right, from 0 to 1.
    """
    if share < FEW:
        return "Few are right: a hint, or the idea once more, helps more than talk."
    if share <= MANY:
        return "Let them talk with a neighbour who chose another, then count again."
    return "Most are right: reveal, explain briefly and go on."


def _votes(task: Task, seed: int, text: str) -> list[tuple[Answers, int]]:
    options = ballot(task, seed)
    if not options:
        return [((value,), count) for value, count in read_called(text, task.parts[0])]
    counts = read_counts(text, len(options))
    return [(answers, n) for answers, n in zip(options, counts, strict=bool(counts)) if n]


def _check_length(text: str) -> None:
    require(len(text) <= LONGEST, f"these are more than {LONGEST} characters; type fewer.", NumbersError)


def _hands(text: str) -> int:
    plain = text.strip()
    digits = plain.lstrip("0") or "0"
    if not (plain.isascii() and plain.isdecimal()) or len(digits) > 4 or int(digits) > MOST_HANDS:
        raise NumbersError(f"{plain[:20]!r} is no count of hands; write a whole number up to {MOST_HANDS:,}.")
    return int(digits)
