"""What one layer costs, counted: multiplications and bytes, as functions of the number of tokens."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from core.ops.kv_cache import cache_bytes

TILE = 128  # keys in a tile where no other number is said
RUNNING_BYTES = 2 * 4  # a maximum and a sum for each query and head, kept in float32
MLP_WIDTH = 4  # the MLP's inner width in units of D


@dataclass(frozen=True)
class Cost:
    """One layer on n tokens, counted. Multiplications are those of matrix products."""

    n: int
    d_k: int
    heads: int
    kv_heads: int
    layers: int = 1
    window: int = 2**17  # keys that a query sees in windowed attention
    bytes_per_value: int = 2

    @property
    def d_model(self) -> int:
        """D = H d_k."""
        return self.heads * self.d_k

    @property
    def entries(self) -> int:
        """Entries of one head's score matrix, n^2: d_k is not among them."""
        return self.n**2

    @property
    def scores(self) -> int:
        """Multiplications of Q K^T in all heads: H n^2 d_k."""
        return self.heads * self.entries * self.d_k

    @property
    def weighted_sum(self) -> int:
        """Multiplications of weights times V, as many."""
        return self.scores

    @property
    def quadratic(self) -> int:
        """Scores and weighted sum: 2 n^2 D."""
        return self.scores + self.weighted_sum

    @property
    def windowed(self) -> int:
        """The same where a query meets at most w keys: 2 n min(n, w) D."""
        return 2 * self.n * min(self.n, self.window) * self.d_model

    @property
    def projections(self) -> int:
        """X times W_Q, W_K, W_V, and the merged heads times W_O: 4 n D^2, less with fewer KV heads."""
        return self.n * self.d_model * 2 * (self.heads + self.kv_heads) * self.d_k

    @property
    def mlp(self) -> int:
        """Two matrices D x 4D: 8 n D^2."""
        return 2 * MLP_WIDTH * self.n * self.d_model**2

    @property
    def linear(self) -> int:
        """Projections and MLP: they double when n does."""
        return self.projections + self.mlp

    @property
    def overtakes(self) -> int:
        """The n at which scores and weighted sum cost as much as all that is linear: 6 D with Hkv = H."""
        return self.linear // (2 * self.n * self.d_model)

    @property
    def matrix_bytes(self) -> int:
        """The score matrices of all heads, held whole: H n^2 values."""
        return self.heads * self.entries * self.bytes_per_value

    @property
    def tiled_bytes(self) -> int:
        """All queries at once against one tile of keys, n x 128 scores a head, and the running numbers."""
        return self.heads * self.n * (min(TILE, self.n) * self.bytes_per_value + RUNNING_BYTES)

    @property
    def kv_bytes(self) -> int:
        """Keys and values of n tokens in all layers: 2 L n Hkv d_k values."""
        return cache_bytes(
            self.n,
            n_layers=self.layers,
            n_kv_heads=self.kv_heads,
            d_head=self.d_k,
            bytes_per_value=self.bytes_per_value,
        )

    def at(self, **values: int) -> Self:
        """Return the same layer with some numbers replaced."""
        return replace(self, **values)


def log_log_slope(x: np.ndarray, y: np.ndarray) -> float:
    """Return the power p of the least-squares line log y = p log x + c.

    Args:
        x: ``[m]``, positive, at least two different ones.
        y: ``[m]``, positive.

    Returns:
        2 where y grows with the square of x.
    """
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])
