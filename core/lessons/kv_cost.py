"""What decoding costs with a cache and without: multiplications, counted by formula."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class DecodingCost:
    """Multiplications of one layer's attention, for D = H d_k: projections, scores, weighted values.

    Without a cache the whole text so far passes again at each step. Hidden cells are not counted, nor are
    the scale and the softmax.
    """

    heads: int
    kv_heads: int
    d_k: int
    window: int | None = None  # keys that a query sees

    @property
    def token_projections(self) -> int:
        """Of one token: its queries, keys, values and the output projection."""
        width = self.heads * self.d_k
        return width * self.d_k * (self.heads + 2 * self.kv_heads) + width * width

    def dot_products(self, n_tokens: int) -> int:
        """Return the scores that each head computes for token number n: one for each key it sees."""
        return n_tokens if self.window is None else min(n_tokens, self.window)

    def step_with_cache(self, n_tokens: int) -> int:
        """Return the multiplications of the step that brings the text to n tokens, n at least 1."""
        return self.token_projections + 2 * self.heads * self.d_k * self.dot_products(n_tokens)

    def step_without_cache(self, n_tokens: int) -> int:
        """Return the multiplications of a whole pass over n tokens."""
        pairs = self.pairs(n_tokens)
        return n_tokens * self.token_projections + 2 * self.heads * self.d_k * pairs

    def pairs(self, n_tokens: int) -> int:
        """Return how many (query, key) cells are visible among n tokens."""
        w = n_tokens if self.window is None else min(n_tokens, self.window)
        return w * (w + 1) // 2 + (n_tokens - w) * w

    def total_with_cache(self, n_tokens: int) -> int:
        """Return the multiplications of all steps up to n tokens, with a cache."""
        return n_tokens * self.token_projections + 2 * self.heads * self.d_k * self.pairs(n_tokens)

    def total_without_cache(self, n_tokens: int) -> int:
        """Return the multiplications of all steps up to n tokens, without a cache."""
        return sum(self.step_without_cache(n) for n in range(1, n_tokens + 1))


@dataclass(frozen=True)
class CostCurves:
    """Multiplications against the number of tokens; each array ``[len(n_tokens)]``."""

    n_tokens: np.ndarray
    step_with: np.ndarray
    step_without: np.ndarray
    total_with: np.ndarray
    total_without: np.ndarray


def cost_curves(cost: DecodingCost, longest: int = 1024) -> CostCurves:
    """Return the cost of each step and of all steps, for 1, 2, 4, ... tokens.

    Args:
        cost: of which sizes.
        longest: tokens at the right end, a power of two.
    """
    counts = [2**i for i in range(longest.bit_length())]
    steps = np.array([cost.step_without_cache(n) for n in range(1, longest + 1)], dtype=np.float64)
    return CostCurves(
        np.array(counts),
        np.array([cost.step_with_cache(n) for n in counts], dtype=np.float64),
        np.array([cost.step_without_cache(n) for n in counts], dtype=np.float64),
        np.array([cost.total_with_cache(n) for n in counts], dtype=np.float64),
        steps.cumsum()[np.array(counts) - 1],
    )
