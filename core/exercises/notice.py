"""What there is to see once a prediction stands beside the result.

One observation in five contradicts what happened, and learning depends on seeing it right (Miller, Lasry,
Chu and Mazur, 2013). So before anything is explained, the two are compared, and the comparison is checked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.exercises.exercise import Answer, Part, Task
from core.exercises.verdict import same

SAME = "the same as I predicted"
OTHER = "another than I predicted"
LARGER, SMALLER = "larger than I predicted", "smaller than I predicted"
NO_NUMBER, A_NUMBER = "no number, where I predicted one", "a number, where I predicted none"
MISSED, EXTRA = "more than I picked", "fewer than I picked"
BOTH = "others: I missed some and picked some too many"


@dataclass(frozen=True)
class Notice:
    """A question about what is seen, answered by looking."""

    question: str
    options: tuple[str, ...]
    seen: frozenset[str]  # what is there to be seen; more than one where two are equally far


def notice(task: Task, given: Sequence[Answer]) -> Notice:
    """Return what to compare: the first part that was predicted wrong, or the first of all.

    Args:
        task: the exercise with its numbers.
        given: an answer to each part.
    """
    at = compared(task, given)
    part, answer = task.parts[at], given[at]
    question, options, seen = _compared(part, answer)
    label = f"{part.label}: " if part.label and len(task.parts) > 1 else ""
    return Notice(label + question, options, frozenset(seen))


def compared(task: Task, given: Sequence[Answer]) -> int:
    """Return which part is compared: the first that was predicted wrong, or the first of all.

    Args:
        task: the exercise with its numbers.
        given: an answer to each part.
    """
    pairs = enumerate(zip(task.parts, given, strict=True))
    return next((i for i, (part, answer) in pairs if not same(part, part.answer, answer)), 0)


def _compared(part: Part, answer: Answer) -> tuple[str, tuple[str, ...], set[str]]:
    right = same(part, part.answer, answer)
    if isinstance(part.answer, str) or isinstance(answer, str):
        if right or part.kind != "number":
            return "What comes out is …", (SAME, OTHER), {SAME if right else OTHER}
        seen = A_NUMBER if isinstance(answer, str) else NO_NUMBER
        return "What comes out is …", (SAME, A_NUMBER, NO_NUMBER), {seen}
    if part.kind == "order":
        places = tuple(f"place {i + 1}" for i in range(len(part.options)))
        return "Where do the two orders first differ?", (*places, "nowhere"), {_first_place(part, answer)}
    if isinstance(part.answer, frozenset) and isinstance(answer, frozenset):
        missed, extra = part.answer - answer, answer - part.answer
        seen = BOTH if missed and extra else MISSED if missed else EXTRA if extra else SAME
        return "The cells are …", (SAME, MISSED, EXTRA, BOTH), {seen}
    if isinstance(part.answer, tuple) and isinstance(answer, tuple):
        return "Which is furthest from what you predicted?", *_furthest(part, part.answer, answer)
    seen = SAME if right else LARGER if float(part.answer) > float(answer) else SMALLER  # type: ignore[arg-type]
    return "What comes out is …", (SMALLER, SAME, LARGER), {seen}


def _first_place(part: Part, answer: Answer) -> str:
    wanted = part.answer if isinstance(part.answer, tuple) else ()
    mine = answer if isinstance(answer, tuple) else ()
    different = (i for i, (a, b) in enumerate(zip(wanted, mine, strict=False)) if a != b)
    place = next(different, None)
    return "nowhere" if place is None or same(part, part.answer, answer) else f"place {place + 1}"


def _furthest(
    part: Part, right: Sequence[object], mine: Sequence[object]
) -> tuple[tuple[str, ...], set[str]]:
    names = part.names or part.options or tuple(f"number {i + 1}" for i in range(len(right)))
    options = (*names, "none: all are as predicted")
    gaps = [abs(float(a) - float(b)) for a, b in zip(right, mine, strict=True)]  # type: ignore[arg-type]
    if max(gaps) <= part.tolerance + 1e-9:
        return options, {options[-1]}
    # Gaps that a person cannot tell apart by looking count as equal.
    return options, {name for name, gap in zip(names, gaps, strict=True) if gap >= 0.9 * max(gaps)}
