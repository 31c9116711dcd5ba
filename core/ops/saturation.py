"""How sharp a row of weights is: its largest weight, how many keys it really uses, its slope."""

import numpy as np


def effective_keys(weights: np.ndarray) -> np.ndarray:
    """Return exp(entropy) of each row: how many equally used keys would be as spread out.

    exp(-sum_j w_j ln w_j), with 0 ln 0 = 0.

    Args:
        weights: ``[..., Tk]``, rows that sum to 1 (or are all 0).

    Returns:
        ``[...]``: 1 for a one-hot row, n for n equal weights, 0 for a row with no visible key.

    Source: Shannon 1948; exp(entropy) is also known as perplexity.
    """
    safe = np.where(weights > 0, weights, 1.0)
    entropy = -(safe * np.log(safe)).sum(axis=-1)
    return np.where(weights.sum(axis=-1) > 0, np.exp(entropy), 0.0)


def softmax_jacobian(weights: np.ndarray) -> np.ndarray:
    """Return how weight i answers to score j: J_ij = w_i (1[i = j] - w_j).

    Args:
        weights: ``[..., Tk]``, the softmax's result.

    Returns:
        ``[..., Tk, Tk]``; each row and column sums to 0.
    """
    diagonal = weights[..., :, None] * np.eye(weights.shape[-1])
    return diagonal - weights[..., :, None] * weights[..., None, :]


def jacobian_norm(weights: np.ndarray) -> np.ndarray:
    """Return the Frobenius norm of the softmax's Jacobian, without building it.

    ||J||^2 = sum_i (w_i (1 - w_i))^2 + 2 sum_{i<j} (w_i w_j)^2, a form without differences of nearly
    equal numbers. It goes to 0 as a row becomes one-hot: then no score can learn from it any more.

    Args:
        weights: ``[..., Tk]``, rows that sum to 1 (or are all 0).

    Returns:
        ``[...]``, 0 for a one-hot row to 1/2 for two keys of weight 1/2 each.
    """
    diagonal = ((weights * (1 - weights)) ** 2).sum(axis=-1)
    squares = np.sort(weights**2, axis=-1)
    # Each square times the sum of all smaller ones: every pair once.
    pairs = squares[..., 1:] * np.cumsum(squares, axis=-1)[..., :-1]
    return np.sqrt(diagonal + 2 * pairs.sum(axis=-1))
