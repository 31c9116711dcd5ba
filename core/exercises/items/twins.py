"""What the makers of twins share: a draw, a shuffle, sources, numbers told apart, vectors as text."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from core.examples import WORKED_EXAMPLES
from core.numbers import Numbers

T = TypeVar("T")


def pick(seed: int, lesson: T, twins: Sequence[T]) -> T:
    """Return the lesson's own case for seed 0, and for every other seed one of the twins.

    From seed to seed the twins come in a shuffled order that begins anew when all have been: whoever asks
    for the next twin gets other numbers.

    Args:
        seed: at least 0.
        lesson: what seed 0 gets; it may be among the twins, and is left out there.
        twins: well-posed ones, at least two others.
    """
    if seed == 0:
        return lesson
    others = [each for each in twins if each != lesson]
    order = np.random.default_rng(len(others)).permutation(len(others))
    return others[int(order[(seed - 1) % len(others)])]


def shuffled(seed: int, options: Sequence[str]) -> tuple[str, ...]:
    """Return the options in an order that depends on the seed alone.

    Args:
        seed: at least 0.
        options: any.
    """
    order = np.random.default_rng([seed, len(options)]).permutation(len(options))
    return tuple(options[int(i)] for i in order)


def out_of_order(seed: int, cards: Sequence[str]) -> tuple[str, ...]:
    """Return the cards as dealt: never in the order in which they are given.

    Args:
        seed: at least 0.
        cards: two or more, all different.
    """
    dealt = shuffled(seed, cards)
    return dealt if dealt != tuple(cards) else (*dealt[1:], dealt[0])


def apart(values: Iterable[float | Sequence[float]], tolerance: float) -> bool:
    """Return whether any two answers differ by more than two tolerances, in some number of theirs.

    Args:
        values: numbers, or rows of equal length.
        tolerance: of the exercise.
    """
    rows = [np.atleast_1d(np.asarray(value, dtype=float)) for value in values]
    return all(np.abs(a - b).max() > 2.2 * tolerance + 1e-6 for a, b in combinations(rows, 2))


def vector(numbers: Iterable[float]) -> str:
    """Return numbers as "(1, 0.5)", in as few digits as they have.

    Args:
        numbers: any.
    """
    return f"({', '.join(f'{x:g}' for x in numbers)})"


def source_of(numbers: Numbers) -> dict[str, Any]:
    """Return the settings that show numbers: a built-in source where it has them, else one's own.

    Args:
        numbers: Q, K and V.
    """
    for name, example in WORKED_EXAMPLES.items():
        if example.numbers == numbers:
            return {"source": name}
    return {"source": "custom", "numbers": numbers}


def source_asked_by(numbers: Numbers) -> dict[str, Any]:
    """Return the settings of a soft lookup by the only query of some numbers.

    Where a built-in source has the keys and the values, its query is replaced.

    Args:
        numbers: Q with one row, K and V.
    """
    for name, example in WORKED_EXAMPLES.items():
        if (example.numbers.k, example.numbers.v) == (numbers.k, numbers.v):
            own = {} if example.numbers.q[0] == numbers.q[0] else {"q": numbers.q[0]}
            return {"source": name, **own}
    return source_of(numbers)


def digits(numbers: Iterable[float]) -> str:
    """Return numbers as "(0.4011, 0.1978)", with four digits.

    Args:
        numbers: any.
    """
    return f"({', '.join(f'{x:.4f}' for x in numbers)})"


def four_digits(row: Iterable[float]) -> str:
    """Return numbers with four digits and commas between; 0 as "0".

    Args:
        row: any.
    """
    return ", ".join(f"{x:.4f}" if x else "0" for x in row)


def listed(items: Iterable[object]) -> str:
    """Return words or numbers with commas between.

    Args:
        items: numbers are written without trailing zeros.
    """
    return ", ".join(f"{x:g}" if isinstance(x, float) else str(x) for x in items)


def floats(row: np.ndarray) -> tuple[float, ...]:
    """Return an array as plain numbers.

    Args:
        row: ``[n]``.
    """
    return tuple(float(x) for x in row)
