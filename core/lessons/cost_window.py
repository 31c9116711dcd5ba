"""Sliding windows through layers: how far back a token can reach, and after how many layers."""

import numpy as np


def reach(window: int, n_layers: int) -> int:
    """Return how many positions the output at one token can depend on, that token included: 1 + L (w - 1).

    Args:
        window: w, keys that a query sees in one layer, itself included; at least 1.
        n_layers: L, at least 0.

    Returns:
        At least 1. The farthest lies reach - 1 = L (w - 1) positions back.

    Source: Jiang et al. 2023 (Mistral 7B), section 2, whose W counts the positions before the token: w - 1.
    """
    return 1 + n_layers * (window - 1)


def layers_needed(mask: np.ndarray, n_layers: int) -> np.ndarray:
    """Return after how many layers key j has reached query i, by multiplying the mask with itself.

    Args:
        mask: bool ``[T, T]``, the same in each layer; True = may attend.
        n_layers: L, at least 1.

    Returns:
        int ``[T, T]``, 1..L; 0 where j has not reached i after L layers.
    """
    needed = np.zeros(mask.shape, dtype=int)
    reached = np.eye(len(mask), dtype=bool)
    for layer in range(1, n_layers + 1):
        reached = (mask.astype(int) @ reached.astype(int)) > 0
        needed[reached & (needed == 0)] = layer
    return needed
