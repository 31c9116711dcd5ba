"""What the makers of twins share: a draw among hand-picked numbers, a shuffle, vectors as text."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TypeVar

import numpy as np

T = TypeVar("T")


def twin(seed: int, first: T, others: Sequence[T]) -> T:
    """Return the lesson's own numbers for seed 0, and for every other seed one of the others.

    Args:
        seed: at least 0.
        first: of the lesson.
        others: well-posed ones.
    """
    return first if seed == 0 else others[int(np.random.default_rng(seed).integers(len(others)))]


def shuffled(seed: int, options: Sequence[str]) -> tuple[str, ...]:
    """Return the options in an order that depends on the seed alone.

    Args:
        seed: at least 0.
        options: any.
    """
    order = np.random.default_rng([seed, len(options)]).permutation(len(options))
    return tuple(options[i] for i in order)


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
    return all(np.abs(a - b).max() > 2 * tolerance + 1e-9 for a, b in combinations(rows, 2))


def vector(numbers: Iterable[float]) -> str:
    """Return numbers as "(1, 0.5)".

    Args:
        numbers: any.
    """
    return f"({', '.join(f'{x:g}' for x in numbers)})"


def digits(numbers: Iterable[float]) -> str:
    """Return numbers as "(0.4011, 0.1978)", with four digits.

    Args:
        numbers: any.
    """
    return f"({', '.join(f'{x:.4f}' for x in numbers)})"
