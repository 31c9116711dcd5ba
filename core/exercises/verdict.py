"""Reading what a person answers, and telling which of the known answers it is."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import NumbersError, choices
from core.exercises.exercise import Answer, Part, Task, Wrong
from core.exercises.typed import read_typed


@dataclass(frozen=True)
class Verdict:
    """What an answer is."""

    right: bool
    wrong: Wrong | None  # the known wrong answer that it is, if it is one
    by_part: tuple[bool, ...]  # whether each part is right


def verdict(task: Task, given: Sequence[Answer]) -> Verdict:
    """Return whether an answer is right, and if not, which of the likely wrong ones it is.

    Args:
        task: the exercise with its numbers.
        given: an answer to each part, in the form that ``Part`` says.
    """
    by_part = tuple(is_right(part, answer) for part, answer in zip(task.parts, given, strict=True))
    if all(by_part):
        return Verdict(True, None, by_part)
    return Verdict(False, next((each for each in task.wrong if _is(each, task, given)), None), by_part)


def is_right(part: Part, given: Answer) -> bool:
    """Return whether an answer to a part is its right one, or another that is just as right.

    Args:
        part: what is asked.
        given: an answer.
    """
    return any(same(part, right, given) for right in (part.answer, *part.also))


def same(part: Part, known: Answer, given: Answer) -> bool:
    """Return whether two answers to a part are the same, numbers as far as its tolerance goes.

    Args:
        part: what is asked.
        known: one answer.
        given: another.
    """
    if part.kind == "number":
        return _near(known, given, part.tolerance)
    if part.kind in ("numbers", "row") and isinstance(known, tuple) and isinstance(given, tuple):
        return len(known) == len(given) and all(map(_near, known, given, [part.tolerance] * len(known)))
    return known == given


def read_numbers(part: Part, texts: Sequence[str]) -> Answer:
    """Return the answer that a person has typed to a part of kind "number" or "numbers".

    Args:
        part: what is asked.
        texts: a text for each number, as ``core.exercises.typed`` reads them.

    Returns:
        A float, or a tuple of floats.

    Raises:
        NumbersError: a sentence that says which cannot be read and what to write.
    """
    wanted = len(part.answer) if isinstance(part.answer, tuple) else max(1, len(part.names))
    if len(texts) != wanted:
        raise NumbersError(f"Expected {choices([wanted])} numbers, got {len(texts)}.")
    read = [read_number(part, i, text) for i, text in enumerate(texts)]
    return read[0] if part.kind == "number" else tuple(read)


def read_number(part: Part, i: int, text: str) -> float:
    """Return one of the numbers that a person has typed to a part of kind "number" or "numbers".

    Args:
        part: what is asked.
        i: which of its numbers.
        text: as ``core.exercises.typed`` reads it.

    Raises:
        NumbersError: a sentence that names the number and says what to write.
    """
    nameless = f"number {i + 1}: " if isinstance(part.answer, tuple) else ""
    where = f"{part.names[i]}: " if part.names else nameless
    if not text.strip():
        raise NumbersError(f"{where}nothing is typed; write a number, as 0.5 or 1/3.")
    try:
        return read_typed(text, _in_thousands(part))
    except NumbersError as error:
        raise NumbersError(f"{where}{error}.") from None


def _in_thousands(part: Part) -> bool:
    """Whether whole numbers of a thousand and more are asked for.

    For a smaller answer "4.000" means 4.
    """
    answers = part.answer if isinstance(part.answer, tuple) else (part.answer,)
    numbers = [x for x in answers if isinstance(x, int | float)]
    whole = len(numbers) == len(answers) and all(x == int(x) for x in numbers)
    return whole and part.tolerance < 1 and max(map(abs, numbers), default=0) >= 1000


def _near(known: object, given: object, tolerance: float) -> bool:
    numbers = isinstance(known, float | int) and isinstance(given, float | int)
    return abs(known - given) <= tolerance + 1e-9 if numbers else known == given  # type: ignore[operator]


def _is(wrong: Wrong, task: Task, given: Sequence[Answer]) -> bool:
    triples = zip(task.parts, wrong.answers, given, strict=True)
    return all(known is None or same(part, known, answer) for part, known, answer in triples)
