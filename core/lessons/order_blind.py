"""Does attention see the order? The same words typed and reordered; and the waves of 2017."""

from dataclasses import dataclass

import numpy as np

from core.inputs import word_vector
from core.lessons.heads import HeadsSettings, largest_difference, weight_matrices
from core.lessons.positions import PositionsSettings
from core.ops.attention import scaled_dot_product_attention
from core.ops.masks import causal_mask
from core.ops.positions import sinusoidal_encoding
from core.ops.rope import apply_rope
from core.readonly import ReadOnly

WIDTH = 8  # D of these embeddings, and d_k of their one head
WAVE_POSITIONS, WAVE_WIDTH = 64, 32


@dataclass(frozen=True)
class OrderTrace(ReadOnly):
    """One attention over words as typed, and over the same words reordered. Read-only arrays."""

    settings: PositionsSettings
    words: tuple[str, ...]  # as typed
    embeddings: np.ndarray  # [T, D] of the words as typed, before anything is added
    waves: np.ndarray  # [T, D] sinusoidal positions
    mask: np.ndarray  # [T, T] bool, True = may attend
    weights: np.ndarray  # [T, T] as typed
    output: np.ndarray  # [T, D]
    shuffled_weights: np.ndarray  # [T, T] reordered: row r is word order[r]
    shuffled_output: np.ndarray  # [T, D]

    @property
    def order(self) -> np.ndarray:
        """Which word stands at each place of the second, ``[T]``."""
        return np.array(self.settings.order)

    @property
    def differences(self) -> np.ndarray:
        """How far each typed word's output is from its output in the other order, ``[T]``."""
        apart = np.empty(len(self.words))
        apart[self.order] = np.abs(self.shuffled_output - self.output[self.order]).max(axis=-1)
        return apart

    @property
    def output_difference(self) -> float:
        """The largest of all, word by word."""
        return float(self.differences.max())

    @property
    def weight_difference(self) -> float:
        """The same for weights: both axes are reordered."""
        return largest_difference(self.shuffled_weights, self.weights[np.ix_(self.order, self.order)])


def trace_order(settings: PositionsSettings) -> OrderTrace:
    """Return attention over a text and over the same words in another order.

    Args:
        settings: the text, the order, the mask, and what tells attention where a word stands.

    Returns:
        A trace; without a mask and without positions ``shuffled_output == output[order]``:
        attention is permutation-equivariant.

    Source: Vaswani et al. 2017, section 3.5.
    """
    n_tokens = len(settings.words)
    x = np.array([word_vector(settings.seed, word, "x", 0)[:WIDTH] for word in settings.words])
    mask = causal_mask(n_tokens) if settings.causal else np.ones((n_tokens, n_tokens), dtype=bool)
    weights, output = attend(x, settings, mask)
    shuffled_weights, shuffled_output = attend(x[list(settings.order)], settings, mask)
    return OrderTrace(
        settings, settings.words, x, sinusoidal_encoding(n_tokens, WIDTH), mask,
        weights, output, shuffled_weights, shuffled_output,
    )  # fmt: skip


def attend(
    x: np.ndarray, settings: PositionsSettings, mask: np.ndarray, *, first: int = 0, turn_values: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Return one head's weights and output, the positions as the settings say.

    Args:
        x: ``[T, D]`` embeddings in the order in which they stand.
        settings: seed, base, pairing, and where the order comes from.
        mask: bool ``[T, T]``.
        first: the position of the first token.
        turn_values: rotate v as well, which is a mistake.

    Returns:
        Weights ``[T, T]`` and output ``[T, D]``.
    """
    at = np.arange(first, first + len(x))
    if settings.order_from == "waves":
        x = x + sinusoidal_encoding(first + len(x), x.shape[1])[first:]
    w_q, w_k, w_v, _ = weight_matrices(HeadsSettings(d_model=WIDTH, seed=settings.seed))
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    if settings.order_from == "rope":
        q, k = (apply_rope(y, at, base=settings.rope_base, pairing=settings.pairing) for y in (q, k))
        v = apply_rope(v, at, base=settings.rope_base, pairing=settings.pairing) if turn_values else v
    output, weights = scaled_dot_product_attention(q, k, v, mask=mask)
    return weights, output


@dataclass(frozen=True)
class Waves:
    """The waves, and what two rows have to do with each other."""

    values: np.ndarray  # [64, 32]
    same_distance: tuple[float, float]  # the row of 3 times that of 1, the row of 7 times that of 5


def trace_waves() -> Waves:
    """Return the sinusoidal positions, and the product of two rows at one distance, twice.

    Returns:
        Waves; the products are equal, for each pair of columns is a turned pair.

    Source: Vaswani et al. 2017, section 3.5.
    """
    values = sinusoidal_encoding(WAVE_POSITIONS, WAVE_WIDTH)
    values.setflags(write=False)
    return Waves(values, (float(values[3] @ values[1]), float(values[7] @ values[5])))
