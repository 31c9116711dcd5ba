"""Scale, mask and RoPE switched on a trained head's own queries and keys."""

from dataclasses import dataclass

import numpy as np

from core.lessons.self_attention import SelfAttention
from core.lessons.trained_heads import HeadsTrace
from core.models.scores import SCORES
from core.ops.attention import scaled_dot_product_attention
from core.ops.masks import causal_mask
from core.ops.rope import apply_rope
from core.readonly import ReadOnly
from core.trace import scale_factor


@dataclass(frozen=True)
class Switched(SelfAttention, ReadOnly):
    """A as the model was trained and B as it is switched, from the same q, k and v. Read-only arrays."""

    tokens: tuple[str, ...]
    row: int  # the query that is looked at
    visible: np.ndarray  # [T, T] bool, A's
    visible_b: np.ndarray  # [T, T] bool, B's
    weights: np.ndarray  # [T, T] A
    weights_b: np.ndarray  # [T, T] B
    scaled: np.ndarray  # [T, T] A's scores before the softmax, without the mask
    context: np.ndarray  # [T, d] A
    context_b: np.ndarray  # [T, d] B
    scores: dict[str, tuple[float | None, float | None]]  # of A and of B, by key of SCORES
    from_model: float  # largest difference of A from the weights that the model itself computed

    @property
    def difference(self) -> np.ndarray:
        """B - A ``[T, T]``; a hidden weight counts as 0."""
        return self.weights_b - self.weights


def switch(trace: HeadsTrace) -> Switched | None:
    """Return the chosen head by its own q, k and v, as trained and as switched; None if they are not kept.

    Args:
        trace: whose head and switches.
    """
    settings, recording, spec = trace.settings, trace.recording, trace.spec
    place = recording.place_of(*settings.head)
    if place is None:
        return None
    q, k, v = (array[place].astype(np.float64) for array in (recording.q, recording.k, recording.v))
    positions = np.arange(len(trace.tokens))
    turned_q, turned_k = q, k
    if spec.rope_base is not None:
        turned_q, turned_k = (apply_rope(x, positions, base=spec.rope_base) for x in (q, k))

    trained = scale_factor("sqrt_d_k", spec.d_head)
    context, weights = scaled_dot_product_attention(turned_q, turned_k, v, mask=trace.visible, scale=trained)
    visible_b = trace.visible
    if settings.mask == "changed":
        visible_b = np.ones_like(trace.visible) if spec.is_causal else causal_mask(len(trace.tokens))
    q_b, k_b = (turned_q, turned_k) if settings.rope == "trained" else (q, k)
    scale = scale_factor(settings.scale, spec.d_head)
    context_b, weights_b = scaled_dot_product_attention(q_b, k_b, v, mask=visible_b, scale=scale)
    words = trace.tokens
    scores = {
        key: (_float(score.of(weights, trace.visible, words)), _float(score.of(weights_b, visible_b, words)))
        for key, score in SCORES.items()
    }
    return Switched(
        tokens=trace.tokens,
        row=trace.row,
        visible=trace.visible,
        visible_b=visible_b,
        weights=weights,
        weights_b=weights_b,
        scaled=trained * (turned_q @ turned_k.T),
        context=context,
        context_b=context_b,
        scores=scores,
        from_model=float(np.abs(weights - trace.weights).max()),
    )


def _float(score: np.ndarray | None) -> float | None:
    return None if score is None else float(score)
