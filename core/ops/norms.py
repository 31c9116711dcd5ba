"""Norms: each token's vector is brought to one size, from its own entries alone."""

import numpy as np

from core.errors import require


def layer_norm(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, eps: float = 1e-5) -> np.ndarray:
    """Return (x - mean) / sqrt(variance + eps) * weight + bias, over the entries of each token.

    Args:
        x: ``[..., D]``; every vector along the last axis is treated by itself.
        weight: ``[D]``, also called gain.
        bias: ``[D]``.
        eps: inside the root, so that equal entries give 0 and not 0/0; above 0.

    Returns:
        ``[..., D]``: before weight and bias each vector has mean 0 and, but for eps, variance 1
        (divided by D, not by D - 1).

    Raises:
        ShapeError: weight or bias is not as wide as a token.

    Source: Ba, Kiros and Hinton 2016, equation 3.
    """
    x = np.asarray(x)
    _require_width(x, weight=weight, bias=bias)
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + eps) * weight + bias


def rms_norm(x: np.ndarray, weight: np.ndarray, eps: float = 1e-6) -> np.ndarray:
    """Return x / sqrt(mean of x^2 + eps) * weight, over the entries of each token.

    Args:
        x: ``[..., D]``; every vector along the last axis is treated by itself.
        weight: ``[D]``, also called gain.
        eps: inside the root; above 0.

    Returns:
        ``[..., D]``: before the weight each vector has, but for eps, the length sqrt(D). Its mean stays.

    Raises:
        ShapeError: the weight is not as wide as a token.

    Source: Zhang and Sennrich 2019, equation 4.
    """
    x = np.asarray(x)
    _require_width(x, weight=weight)
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) * weight


def _require_width(x, **parts) -> None:
    require(x.ndim >= 1, "expected tokens [..., D], got a single number.")
    for name, part in parts.items():
        require(
            np.shape(part) == (x.shape[-1],),
            f"expected {name} [D = {x.shape[-1]}], one entry for each of a token's, "
            f"got {list(np.shape(part))}; a norm runs over the entries, not over the tokens.",
        )
