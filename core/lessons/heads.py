"""Multi-head attention as slicing: every array on the way from X to the output.

X and the four weight matrices are drawn once for a seed. The number of heads changes how their columns
are read, and never the numbers in them.
"""

from dataclasses import dataclass

import numpy as np

from core.errors import divisors
from core.inputs import word_vector
from core.lessons.self_attention import SelfAttention
from core.ops.attention import scaled_dot_product_attention
from core.ops.heads import merge_heads, split_heads
from core.ops.masks import causal_mask
from core.ops.multi_head import multi_head_attention, multi_head_attention_loop
from core.query import Linked, Parameter, boolean, integer, one_of
from core.readonly import ReadOnly
from core.settings import MAX_SEED, read_text
from core.tokens import tokenize

D_MODELS = (4, 8, 16, 32)
MAX_WIDE = 16384
STEPS = ("X", "Project", "Split", "Attend", "Merge", "× W_O")


@dataclass(frozen=True)
class HeadsSettings(Linked):
    """What the page about heads shows. Illegal values raise ``SettingError``."""

    text: str = "the cat sat on the mat"
    d_model: int = 8  # D: 4, 8, 16 or 32
    heads: int = 2  # H, a divisor of D; H = D leaves d_k = 1
    causal: bool = False
    seed: int = 0  # 0..2^31-1
    step: int = 0  # which of STEPS is shown
    head: int = 0  # the head that is looked at
    wide: int = 512  # the width of the layer whose parameters are counted, 1..16384
    wide_heads: int = 8  # its heads, a divisor

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words of the text; never empty."""
        return tokenize(self.text).tokens

    @property
    def d_k(self) -> int:
        """Columns that each head owns: D / H."""
        return self.d_model // self.heads


HeadsSettings.PARAMETERS = {
    "text": Parameter(read_text),
    "d_model": one_of("d_model", lambda _: D_MODELS, "the widths here"),
    "heads": one_of("heads", lambda so_far: divisors(so_far.d_model), "heads must divide d_model"),
    "causal": boolean("causal"),
    "seed": integer("seed", 0, MAX_SEED),
    "step": integer("step", 0, len(STEPS) - 1),
    "head": one_of("head", lambda so_far: range(so_far.heads), "the heads there are"),
    "wide": integer("wide", 1, MAX_WIDE),
    "wide_heads": one_of("wide_heads", lambda so_far: divisors(so_far.wide), "heads must divide the width"),
}
# A head that is gone, or a number of heads that no longer divides, is no fault of the person.
HeadsSettings.SILENT = frozenset({"head", "wide_heads"})


@dataclass(frozen=True)
class HeadsTrace(SelfAttention, ReadOnly):
    """One multi-head attention, step by step. All arrays are read-only float64 (the mask bool)."""

    settings: HeadsSettings
    tokens: tuple[str, ...]
    x: np.ndarray  # [T, D]
    w_q: np.ndarray  # [D, D] head h owns columns h d_k to (h + 1) d_k
    w_k: np.ndarray  # [D, D]
    w_v: np.ndarray  # [D, D]
    w_o: np.ndarray  # [D, D] head h meets *rows* h d_k to (h + 1) d_k
    q: np.ndarray  # [T, D] all heads side by side
    k: np.ndarray  # [T, D]
    v: np.ndarray  # [T, D]
    q_heads: np.ndarray  # [H, T, d_k]
    k_heads: np.ndarray  # [H, T, d_k]
    v_heads: np.ndarray  # [H, T, d_k]
    mask: np.ndarray  # [T, T] bool, True = may attend
    weights: np.ndarray  # [H, T, T] rows sum to 1
    context: np.ndarray  # [H, T, d_k] each head's output
    merged: np.ndarray  # [T, D]
    output: np.ndarray  # [T, D] merged W_O
    batched: np.ndarray  # [T, D] by multi_head_attention
    loop: np.ndarray  # [T, D] by multi_head_attention_loop

    @property
    def projections(self) -> dict[str, np.ndarray]:
        """The four matrices as arguments of ``multi_head_attention``."""
        return {"w_q": self.w_q, "w_k": self.w_k, "w_v": self.w_v, "w_o": self.w_o}

    @property
    def loop_difference(self) -> float:
        """The largest difference between the loop over heads and all heads at once."""
        return largest_difference(self.loop, self.batched)


def trace_heads(settings: HeadsSettings) -> HeadsTrace:
    """Return every array of the multi-head attention that the settings describe.

    Args:
        settings: valid by construction.

    Returns:
        A trace whose arrays cannot be written to; ``output`` equals ``batched`` and ``loop`` up to
        rounding.

    Source: Vaswani et al. 2017, section 3.2.2.
    """
    tokens, n_heads = settings.tokens, settings.heads
    x = token_vectors(settings)
    w_q, w_k, w_v, w_o = weight_matrices(settings)
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    q_heads, k_heads, v_heads = (split_heads(each, n_heads) for each in (q, k, v))
    mask = causal_mask(len(tokens)) if settings.causal else np.ones((len(tokens),) * 2, dtype=bool)
    context, weights = scaled_dot_product_attention(q_heads, k_heads, v_heads, mask=mask)
    merged = merge_heads(context)
    both = [
        attend(x, w_q, w_k, w_v, w_o, n_heads=n_heads, is_causal=settings.causal)[0]
        for attend in (multi_head_attention, multi_head_attention_loop)
    ]
    return HeadsTrace(
        settings, tokens, x, w_q, w_k, w_v, w_o, q, k, v, q_heads, k_heads, v_heads,
        mask, weights, context, merged, merged @ w_o, *both,
    )  # fmt: skip


def token_vectors(settings: HeadsSettings) -> np.ndarray:
    """Return a standard normal row for each token; a word has one row wherever it stands.

    Args:
        settings: the seed, the text and D count; a larger D adds columns.

    Returns:
        ``[T, D]``.
    """
    vectors = [word_vector(settings.seed, token, "x", 0)[: settings.d_model] for token in settings.tokens]
    return np.array(vectors)


def weight_matrices(settings: HeadsSettings) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return W_Q, W_K, W_V and W_O, drawn with variance 1/D so that projections keep unit variance.

    Args:
        settings: the seed and D count.

    Returns:
        Four arrays ``[D, D]``, used as ``x @ w``.
    """
    width = settings.d_model
    q, k, v, o = (
        np.array([word_vector(settings.seed, "", name, row)[:width] for row in range(width)]) / width**0.5
        for name in ("w_q", "w_k", "w_v", "w_o")
    )
    return q, k, v, o


def largest_difference(a: np.ndarray, b: np.ndarray) -> float:
    """Return the largest difference between entries in the same place.

    Args:
        a: ``[...]``.
        b: the same shape.

    Returns:
        At least 0.
    """
    return float(np.abs(a - b).max())
