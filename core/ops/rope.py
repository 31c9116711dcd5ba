"""RoPE: a position turns each pair of a vector's entries, as a hand on a dial."""

import numpy as np

from core.errors import require

PAIRINGS = ("interleaved", "half")


def rope_angles(positions: np.ndarray, d_head: int, base: float = 10000.0) -> np.ndarray:
    """Return how far each pair is turned: angle[m, i] = m * base^(-2i / d_head), in radians.

    Args:
        positions: ``[..., T]``, any real numbers.
        d_head: d, even.
        base: the first pair turns by 1 radian a position, the last by nearly 1/base.

    Returns:
        ``[..., T, d/2]``.

    Raises:
        ShapeError: d is odd.

    Source: Su et al. 2024 (RoFormer), section 3.2.2, equation 15.
    """
    require(
        d_head >= 2 and d_head % 2 == 0,
        f"RoPE turns pairs, so the width must be even, got d_head = {d_head}; "
        f"choose {max(2, d_head - 1)} or {d_head + 1}.",
    )
    speeds = base ** (-np.arange(0, d_head, 2) / d_head)  # [d/2]
    return np.asarray(positions, dtype=np.float64)[..., None] * speeds


def apply_rope(
    x: np.ndarray, positions: np.ndarray, *, base: float = 10000.0, pairing: str = "interleaved"
) -> np.ndarray:
    """Return x with each pair (a, b) turned counter-clockwise by its position's angle.

    (a, b) -> (a cos t - b sin t, a sin t + b cos t). Lengths stay, and the dot product of a
    turned query and a turned key depends on their positions only through the difference.

    Args:
        x: ``[..., T, d]``, d even.
        positions: ``[T]`` or ``[..., T]``.
        base: see :func:`rope_angles`.
        pairing: "interleaved" pairs entries 2i and 2i + 1 (the paper), "half" pairs i and
            i + d/2 (many libraries). Queries and keys must use the same one.

    Returns:
        ``[..., T, d]``, the same lengths.

    Raises:
        ShapeError: d is odd, the positions do not fit, or there is no such pairing.

    Source: Su et al. 2024 (RoFormer), section 3.4.2, equation 34.
    """
    x, positions = np.asarray(x), np.asarray(positions)
    require(x.ndim >= 2, f"expected tokens [..., T, d], got {list(x.shape)}.")
    n_tokens, d_head = x.shape[-2:]
    require(
        positions.ndim >= 1 and positions.shape[-1] == n_tokens,
        f"expected one position for each of the {n_tokens} tokens, got {list(positions.shape)}.",
    )
    angles = rope_angles(positions, d_head, base)
    first, second = pair_columns(d_head, pairing)
    a, b = x[..., first], x[..., second]
    cos, sin = np.cos(angles), np.sin(angles)
    turned = np.empty(np.broadcast_shapes(x.shape, (*angles.shape[:-1], d_head)), np.result_type(x, 1.0))
    turned[..., first] = a * cos - b * sin
    turned[..., second] = a * sin + b * cos
    return turned


def pair_columns(d_head: int, pairing: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns of each pair's first and second entry.

    Args:
        d_head: d, even.
        pairing: "interleaved" or "half".

    Returns:
        Two index arrays ``[d/2]``.

    Raises:
        ShapeError: there is no such pairing.
    """
    require(
        pairing in PAIRINGS,
        f'expected a pairing of "interleaved" or "half", got {pairing!r}; choose one of the two.',
    )
    i = np.arange(d_head // 2)
    return (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + d_head // 2)
