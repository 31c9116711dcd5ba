"""What a careful reader checks first: shapes, and that every row of weights sums to 1."""

from dataclasses import dataclass

import numpy as np

from core.ops.saturation import effective_keys, jacobian_norm
from core.trace import AttentionTrace

_TENSORS = ("q", "k", "v", "scores", "weights", "context", "output")


@dataclass(frozen=True)
class Facts:
    """Facts about a trace that need no second implementation."""

    shapes: dict[str, tuple[int, ...]]
    row_sums: tuple[float, float] | None  # smallest and largest over rows with a visible key
    hidden_queries: list[int]  # rows without any visible key
    n_hidden: int  # cells of a head that the mask hides
    score_sd: float  # standard deviation of the scores on the screen


def facts(trace: AttentionTrace) -> Facts:
    """Return the shapes and the range of the row sums."""
    rows = trace.mask.any(axis=-1)
    sums = trace.weights.sum(axis=-1)[:, rows]
    return Facts(
        shapes={name: getattr(trace, name).shape for name in _TENSORS},
        row_sums=(float(sums.min()), float(sums.max())) if sums.size else None,
        hidden_queries=trace.hidden_queries,
        n_hidden=int((~trace.mask).sum()),
        score_sd=float(trace.scores.std()),
    )


@dataclass(frozen=True)
class RowSharpness:
    """How sharp each row of one head is; each array is ``[Tq]``."""

    head: int
    query_tokens: tuple[str, ...]
    n_visible: np.ndarray  # keys that the mask leaves
    largest_weight: np.ndarray
    effective_keys: np.ndarray
    jacobian_norm: np.ndarray


def row_sharpness(trace: AttentionTrace, head: int) -> RowSharpness:
    """Return the largest weight, the effective number of keys and the Jacobian's size by row."""
    weights = trace.weights[head]
    return RowSharpness(
        head=head,
        query_tokens=trace.query_tokens,
        n_visible=trace.mask.sum(axis=-1),
        largest_weight=weights.max(axis=-1),
        effective_keys=effective_keys(weights),
        jacobian_norm=jacobian_norm(weights),
    )
