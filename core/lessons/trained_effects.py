"""Why a heatmap is no explanation: how bright a head is, what it writes, and what its loss changes."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.lessons.trained_heads import Head, HeadsTrace, scores_of
from core.models.gallery import recorded
from core.models.recording import Recording
from core.models.sentences import SENTENCES
from core.readonly import ReadOnly

BRIGHT = 0.9


@dataclass(frozen=True)
class Written(ReadOnly):
    """One row of one head: what each key is given, and what it then adds. Read-only arrays."""

    query: int
    visible: np.ndarray  # [T] bool
    weights: np.ndarray  # [T]
    lengths: np.ndarray  # [T] of each value after its head's part of W_O: what a weight of 1 would add
    parts: np.ndarray  # [T] weight times length

    @property
    def shares(self) -> np.ndarray:
        """``[T]``: each part's share of their sum."""
        return self.parts / self.parts.sum()


@dataclass(frozen=True)
class Effects(ReadOnly):
    """All heads: how bright, and what is missing without them. Read-only arrays."""

    brightness: np.ndarray  # [L, H] the largest weight of a row, over the rows that could differ, on average
    removed: np.ndarray  # [L, H] how far the result moves without the head
    rank_correlation: float  # Spearman's, of the two
    dim_example: Head  # among the bright heads, the one whose loss moves the result least
    strong_example: Head  # the head whose loss moves it most


def written(trace: HeadsTrace) -> Written:
    """Return what the chosen head reads and writes at the query that is looked at."""
    layer, head = trace.settings.head
    weights = trace.weights[trace.row]
    lengths = trace.recording.written[layer, head].astype(np.float64)
    return Written(trace.row, trace.visible[trace.row].copy(), weights.copy(), lengths, weights * lengths)


@lru_cache(maxsize=12)
def effects(recording: Recording) -> Effects | None:
    """Return how bright each head is against what its loss changes; None if that was not measured."""
    if not recording.removed.size:
        return None
    bright = brightness(recording)
    removed = recording.removed.astype(np.float64)
    limit = min(BRIGHT, float(np.quantile(bright, 0.95)))  # an encoder has few above 0.9
    hidden = np.where(bright >= limit, removed, np.inf)
    return Effects(
        brightness=bright,
        removed=removed,
        rank_correlation=rank_correlation(bright.ravel(), removed.ravel()),
        dim_example=_place(hidden.argmin(), bright.shape),
        strong_example=_place(removed.argmax(), bright.shape),
    )


def brightness(recording: Recording) -> np.ndarray:
    """Return the mean over rows of the largest weight, ``[L, H]``; rows with one key in view left out."""
    rows = recording.visible.sum(axis=-1) > 1
    if not rows.any():
        return np.ones(recording.weights.shape[:2])
    return recording.whole_weights[:, :, rows].max(axis=-1).mean(axis=-1)


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Return Spearman's rank correlation of two lists without ties, -1..1.

    Args:
        a: ``[n]``.
        b: ``[n]``.
    """
    ranks = np.stack([np.argsort(np.argsort(x)) for x in (a, b)]).astype(np.float64)
    a_rank, b_rank = ranks - ranks.mean(axis=-1, keepdims=True)
    return float(a_rank @ b_rank / np.sqrt((a_rank @ a_rank) * (b_rank @ b_rank)))


def scores_elsewhere(model: str, head: Head) -> dict[str, dict[str, float | None]]:
    """Return one head's scores on each recorded sentence: by sentence, then by score.

    Args:
        model: a key of MODELS.
        head: (layer, head).
    """
    found: dict[str, dict[str, float | None]] = {}
    for sentence in SENTENCES:
        values = scores_of(recorded(model, sentence))
        found[sentence] = {key: None if each is None else float(each[head]) for key, each in values.items()}
    return found


def _place(index: np.intp, shape: tuple[int, ...]) -> Head:
    layer, head = np.unravel_index(index, shape)
    return int(layer), int(head)
