"""Small helpers that draw twins and write vectors."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")


def pick(seed: int, lesson: T, twins: Sequence[T]) -> T:
    """Return the case of the lesson for seed 0, else one of the twins.

    Args:
        seed: of the exercise.
        lesson: what seed 0 gets.
        twins: at least one other case.
    """
    return lesson if seed == 0 else twins[int(np.random.default_rng(seed).integers(len(twins)))]


def shuffled(seed: int, options: Sequence[str]) -> tuple[str, ...]:
    """Return the options in an order that the seed alone fixes.

    Args:
        seed: of the exercise.
        options: in any order.
    """
    order = np.random.default_rng(1000 + seed).permutation(len(options))
    return tuple(options[int(i)] for i in order)


def vector(entries: Iterable[float]) -> str:
    """Return a vector as LaTeX, ``$(1, 0.5)$``.

    Args:
        entries: its numbers.
    """
    return f"$({', '.join(f'{x:g}' for x in entries)})$"


def listed(items: Iterable[object]) -> str:
    """Return words or numbers with commas between.

    Args:
        items: numbers are written without trailing zeros.
    """
    return ", ".join(f"{x:g}" if isinstance(x, float) else str(x) for x in items)


def apart(numbers: Sequence[float], gap: float) -> bool:
    """Return whether all numbers lie further than a gap from each other.

    Args:
        numbers: the right answer and the wrong ones.
        gap: more than twice a tolerance.
    """
    in_order = np.sort(np.asarray(numbers, dtype=float))
    return bool((np.diff(in_order) > gap).all())


def floats(row: np.ndarray) -> tuple[float, ...]:
    """Return an array as plain numbers.

    Args:
        row: ``[n]``.
    """
    return tuple(float(x) for x in row)


def four_digits(row: np.ndarray) -> str:
    """Return numbers with four digits each and commas between; 0 as "0".

    Args:
        row: ``[n]``.
    """
    return ", ".join(f"{x:.4f}" if x else "0" for x in row)
