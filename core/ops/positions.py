"""Sinusoidal positions: the fixed waves that the first transformer added to its embeddings."""

import numpy as np

from core.errors import require


def sinusoidal_encoding(n_positions: int, d_model: int) -> np.ndarray:
    """Return the waves PE[m, 2i] = sin(m / 10000^(2i/D)) and PE[m, 2i+1] = cos(the same).

    Args:
        n_positions: T, at least 1; positions 0..T-1.
        d_model: D, at least 1; an odd D ends with a sine.

    Returns:
        ``[T, D]``, each in -1..1.

    Raises:
        ShapeError: T or D is smaller than 1.

    Source: Vaswani et al. 2017, section 3.5.
    """
    require(
        n_positions >= 1 and d_model >= 1,
        f"expected at least 1 position and 1 column, got {n_positions} and {d_model}.",
    )
    column = np.arange(d_model)
    angles = np.arange(n_positions)[:, None] / 10000.0 ** ((column - column % 2) / d_model)
    return np.where(column % 2 == 0, np.sin(angles), np.cos(angles))
