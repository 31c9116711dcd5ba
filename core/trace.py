"""Settings -> Trace: every array of one attention computation, under fixed names."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from core.inputs import inputs_of
from core.ops.attention import scaled_dot_product_attention
from core.ops.heads import group_size, merge_heads, repeat_kv
from core.ops.masks import causal_mask, sliding_window_mask
from core.ops.rope import apply_rope
from core.readonly import ReadOnly
from core.settings import AttentionSettings


@dataclass(frozen=True)
class AttentionTrace(ReadOnly):
    """One computation, stage by stage. All arrays are read-only float64 (the mask bool).

    ``weights = softmax(masked)``, ``masked`` is ``scaled`` with -inf where the mask is False,
    ``scaled = scale * scores``, ``scores = q_rotated . k_rotated``.
    """

    settings: AttentionSettings
    query_tokens: tuple[str, ...]  # Tq names; equal to key_tokens in self-attention
    key_tokens: tuple[str, ...]  # Tk names
    query_positions: np.ndarray  # [Tq] what RoPE turns the queries by
    key_positions: np.ndarray  # [Tk]
    scale: float  # what the scores are multiplied by
    q: np.ndarray  # [H, Tq, d_k] before rotation
    k: np.ndarray  # [H, Tk, d_k] key/value heads already repeated for their groups
    v: np.ndarray  # [H, Tk, d_v]
    q_rotated: np.ndarray  # [H, Tq, d_k] equal to q without RoPE
    k_rotated: np.ndarray  # [H, Tk, d_k]
    mask: np.ndarray  # [Tq, Tk] bool, True = may attend
    scores: np.ndarray  # [H, Tq, Tk]
    scaled: np.ndarray  # [H, Tq, Tk]
    masked: np.ndarray  # [H, Tq, Tk] -inf where hidden
    weights: np.ndarray  # [H, Tq, Tk] rows sum to 1, or are 0 where no key is visible
    context: np.ndarray  # [H, Tq, d_v] each head's output
    output: np.ndarray  # [Tq, D] the heads side by side, D = H d_v; there is no W_O here

    @property
    def d_k(self) -> int:
        """The width of a query and a key."""
        return self.q.shape[-1]

    @property
    def n_heads(self) -> int:
        """H."""
        return self.weights.shape[0]

    @property
    def hidden_queries(self) -> list[int]:
        """The queries that may see no key at all."""
        return np.flatnonzero(~self.mask.any(axis=-1)).tolist()


def trace_attention(settings: AttentionSettings) -> AttentionTrace:
    """Return every stage of the attention that the settings describe.

    Args:
        settings: valid by construction.

    Returns:
        A trace whose arrays cannot be written to.
    """
    inputs = inputs_of(settings)
    size = group_size(settings.n_heads, settings.n_kv_heads)
    q, k, v = inputs.q, repeat_kv(inputs.k, size), repeat_kv(inputs.v, size)
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    key_positions = np.arange(n_keys) + settings.rope_offset
    query_positions = np.arange(n_queries) + n_keys - n_queries  # the last query, the last key
    query_positions = query_positions + settings.rope_offset + settings.query_shift

    q_rotated, k_rotated = q, k
    if settings.rope:
        rotate = partial(apply_rope, base=settings.rope_base, pairing=settings.pairing)
        q_rotated, k_rotated = rotate(q, query_positions), rotate(k, key_positions)

    scale = scale_factor(settings.scale, q.shape[-1])
    mask = _mask(settings, n_queries, n_keys)
    scores = q_rotated @ k_rotated.swapaxes(-1, -2)  # [H, Tq, Tk]
    scaled = scale * scores
    masked = np.where(mask, scaled, -np.inf)
    context, weights = scaled_dot_product_attention(q_rotated, k_rotated, v, mask=mask, scale=scale)
    return AttentionTrace(
        settings=settings,
        query_tokens=inputs.query_tokens,
        key_tokens=inputs.key_tokens,
        query_positions=query_positions,
        key_positions=key_positions,
        scale=scale,
        q=q,
        k=k,
        v=v,
        q_rotated=q_rotated,
        k_rotated=k_rotated,
        mask=mask,
        scores=scores,
        scaled=scaled,
        masked=masked,
        weights=weights,
        context=context,
        output=merge_heads(context),
    )


def scale_factor(scale: str, d_k: int) -> float:
    """Return what the scores are multiplied by: 1/sqrt(d_k), 1 or 1/d_k.

    Args:
        scale: "sqrt_d_k", "none" or "d_k".
        d_k: at least 1.
    """
    return {"sqrt_d_k": d_k**-0.5, "none": 1.0, "d_k": 1 / d_k}[scale]


def _mask(settings: AttentionSettings, n_queries: int, n_keys: int) -> np.ndarray:
    if settings.window is not None:  # a sliding window is causal by definition
        return sliding_window_mask(n_queries, settings.window, n_keys)
    if settings.causal:
        return causal_mask(n_queries, n_keys)
    return np.ones((n_queries, n_keys), dtype=bool)
