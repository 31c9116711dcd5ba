"""Small helpers of twins: shuffled options, and whether numbers can be told apart."""

from collections.abc import Sequence

import numpy as np


def shuffled(draw: np.random.Generator, *options: str) -> tuple[str, ...]:
    """Return the options in a drawn order.

    Args:
        draw: where the order comes from.
        options: any.
    """
    return tuple(options[i] for i in draw.permutation(len(options)))


def dealt(draw: np.random.Generator, answer: tuple[str, ...]) -> tuple[str, ...]:
    """Return the cards in a drawn order that is not the answer.

    Args:
        draw: where the order comes from.
        answer: at least two cards in their right order.
    """
    cards = answer
    while cards == answer:
        cards = shuffled(draw, *answer)
    return cards


def apart(values: Sequence[float], tolerance: float) -> bool:
    """Return whether no two of the numbers are within two tolerances and a bit.

    Args:
        values: the right answer and the wrong ones.
        tolerance: absolute.
    """
    ordered = np.sort(np.asarray(values, dtype=float))
    return bool((np.diff(ordered) > 2.2 * tolerance + 1e-6).all())
