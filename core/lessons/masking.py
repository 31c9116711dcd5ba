"""Masks: the same numbers without a mask (A) and with one (B), and what the difference is."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from core.inputs import inputs_of
from core.lessons.self_attention import SelfAttention
from core.ops.attention import softmax
from core.ops.masks import causal_mask, padding_mask, sliding_window_mask
from core.query import Linked, Parameter, Reading, choice, integer, number_in, repaired
from core.readonly import ReadOnly
from core.settings import MAX_D_K, MAX_SEED, MAX_WINDOW, AttentionSettings, read_text
from core.tokens import tokenize

SOURCES = ("random", "three-tokens", "cat-sat-mat")
MASKS = ("causal", "window", "padding", "causal-padding", "none")
WAYS = ("before", "after", "renormalised", "zeroed")
STAGES = ("masked", "weights")
SIDES = ("right", "left")
MAX_PADDING, MAX_NEW = 8, 4
PAD = "‹pad›"
_USUAL_ROW = 2  # the query that is looked at while nobody has chosen one


@dataclass(frozen=True)
class MaskingSettings(Linked):
    """One mask on one head. Illegal values raise ``SettingError``."""

    source: str = "random"
    text: str = "the cat sat on the mat"  # of random vectors
    d_k: int = 8  # of random vectors, 2..512
    seed: int = 0
    mask: str = "causal"
    how: str = "before"  # in which way the mask is applied; "before" (the softmax) is right
    stage: str = "weights"
    window: int = 2  # keys that a query sees, itself included, 1..64
    padding: int = 2  # padding tokens, 0..8; they stand there while the mask is about them
    side: str = "right"  # where they stand
    new: int = 1  # queries that come to a cache at once, 1..4
    cell: tuple[int, int, int] | None = None  # (tile, query, key); its query is looked at

    @property
    def tokens(self) -> tuple[str, ...]:
        """The names of the tokens, without padding."""
        return self.inputs.tokens if self.source == "random" else inputs_of(self.inputs).key_tokens

    @property
    def inputs(self) -> AttentionSettings:
        """What the queries, keys and values depend on: never the mask."""
        return _inputs(self.text, self.source, self.d_k, self.seed)

    @property
    def n_padding(self) -> int:
        """Padding tokens in force."""
        return self.padding if self.mask in ("padding", "causal-padding") else 0

    @property
    def row(self) -> int:
        """The query that is looked at."""
        if self.cell:
            return self.cell[1]
        return max(0, min(_USUAL_ROW, len(self.tokens) + self.n_padding - 2))  # the last sees everything


@dataclass(frozen=True)
class MaskingTrace(SelfAttention, ReadOnly):
    """A without and B with the mask. All arrays are read-only."""

    settings: MaskingSettings
    tokens: tuple[str, ...]  # T names, padding included
    is_padding: np.ndarray  # [T] bool
    q: np.ndarray  # [T, d_k] a padding token's q, k and v are zero
    k: np.ndarray  # [T, d_k]
    v: np.ndarray  # [T, d_v]
    visible: np.ndarray  # [T, T] bool, True = may attend
    scaled: np.ndarray  # [T, T] A's scores before the softmax
    masked: np.ndarray  # [T, T] B's scores before the softmax, as the chosen way leaves them
    unmasked_weights: np.ndarray  # [T, T] A
    weights: np.ndarray  # [T, T] B
    drawn: np.ndarray  # [T, T] bool, the cells of B that hold a number at the stage in view
    row_sums: np.ndarray  # [T] of B's weights
    unmasked_context: np.ndarray  # [T, d_v] A
    context: np.ndarray  # [T, d_v] B

    @property
    def hidden_queries(self) -> list[int]:
        """The queries that may see no key at all."""
        return np.flatnonzero(~self.visible.any(axis=-1)).tolist()

    @property
    def values(self) -> tuple[np.ndarray, np.ndarray]:
        """A and B at the stage in view; NaN where B holds no number."""
        weights = self.settings.stage == "weights"
        a, b = (self.unmasked_weights, self.weights) if weights else (self.scaled, self.masked)
        return a, np.where(self.drawn, b, np.nan)

    @property
    def difference(self) -> np.ndarray:
        """B - A ``[T, T]``; a hidden weight counts as 0, a hidden score cannot be compared: NaN."""
        if self.settings.stage == "weights":
            return self.weights - self.unmasked_weights
        return self.values[1] - self.values[0]


def trace_masking(settings: MaskingSettings) -> MaskingTrace:
    """Return the weights without a mask and with it, from the same q, k and v.

    Args:
        settings: valid by construction.

    Returns:
        A trace whose arrays cannot be written to.
    """
    inputs = inputs_of(settings.inputs)
    n, left = settings.n_padding, settings.side == "left"
    rows = ((n, 0) if left else (0, n), (0, 0))
    q, k, v = (np.pad(x[0], rows) for x in (inputs.q, inputs.k, inputs.v))
    pads = (PAD,) * n
    tokens = pads + inputs.key_tokens if left else inputs.key_tokens + pads
    n_all = len(tokens)

    visible = mask_of(settings, n_all)
    scaled = q @ k.T / q.shape[-1] ** 0.5
    masked = masked_scores(settings.how, scaled, visible)
    unmasked_weights, weights = softmax(scaled), weights_by(settings.how, scaled, visible)
    untouched = settings.how == "zeroed" or (settings.stage == "masked" and settings.how != "before")
    return MaskingTrace(
        settings=settings,
        tokens=tokens,
        is_padding=np.arange(n_all) < n if left else np.arange(n_all) >= n_all - n,
        q=q,
        k=k,
        v=v,
        visible=visible,
        scaled=scaled,
        masked=masked,
        unmasked_weights=unmasked_weights,
        weights=weights,
        drawn=np.ones_like(visible) if untouched else visible.copy(),
        row_sums=weights.sum(axis=-1),
        unmasked_context=unmasked_weights @ v,
        context=weights @ v,
    )


def mask_of(settings: MaskingSettings, n_tokens: int) -> np.ndarray:
    """Return the chosen mask.

    Args:
        settings: which mask.
        n_tokens: T, padding included.

    Returns:
        bool ``[T, T]``, True = may attend.
    """
    if settings.mask == "window":
        return sliding_window_mask(n_tokens, settings.window)
    visible = np.ones((n_tokens, n_tokens), dtype=bool)
    if settings.mask in ("causal", "causal-padding"):
        visible &= causal_mask(n_tokens)
    if settings.n_padding:
        columns = padding_mask(np.array([n_tokens - settings.n_padding]), n_tokens)[0]  # [1, T]
        visible &= columns[:, ::-1] if settings.side == "left" else columns
    return visible


def masked_scores(way: str, scaled: np.ndarray, visible: np.ndarray) -> np.ndarray:
    """Return what goes into the softmax when the mask is applied in some way.

    Args:
        way: "before" (right: -inf), "zeroed" (score times 0), or one that waits until after it.
        scaled: ``[..., Tk]``.
        visible: bool, the same shape.

    Returns:
        ``[..., Tk]``.
    """
    if way == "before":
        return np.where(visible, scaled, -np.inf)
    return np.where(visible, scaled, 0.0) if way == "zeroed" else scaled.copy()


def weights_by(way: str, scaled: np.ndarray, visible: np.ndarray) -> np.ndarray:
    """Return the weights when the mask is applied in some way; rows without a key give zeros.

    Args:
        way: "before" the softmax (right), "after" it (rows lose weight), after it and
            "renormalised" (right again), or "zeroed" (a score of 0, which takes e^0).
        scaled: ``[..., Tk]``.
        visible: bool, the same shape.

    Returns:
        ``[..., Tk]``.
    """
    weights = softmax(masked_scores(way, scaled, visible))
    if way in ("before", "zeroed"):
        return weights
    kept = np.where(visible, weights, 0.0)
    if way == "after":
        return kept
    total = kept.sum(axis=-1, keepdims=True)
    return kept / np.where(total == 0, 1, total)


@lru_cache(maxsize=64)  # one picture asks several times
def _inputs(text: str, source: str, d_k: int, seed: int) -> AttentionSettings:
    return AttentionSettings(text=text, source=source, d_k=d_k, heads=1, seed=seed)


# --- reading what has rules of its own ------------------------------------------------------------


def _read_text(text: str, so_far: Any) -> Reading:
    if not tokenize(text).tokens:
        return so_far.default("text"), "The text holds no word, so the first sentence is shown; type one."
    return read_text(text, so_far)


def _read_cell(text: str, so_far: Any) -> Reading:
    if text == "none":
        return None, ""
    n_tokens = len(so_far.tokens) + so_far.n_padding
    parts = [number_in(part) for part in text.split(",")]
    numbers = [x for x in parts if x is not None]
    limits = (3, n_tokens, n_tokens)
    if len(parts) == len(numbers) == 3 and all(
        0 <= x < n and x == int(x) for x, n in zip(numbers, limits, strict=True)
    ):
        return tuple(int(x) for x in numbers), ""
    return None, repaired("cell", text, "none", f"picture,query,key within 3 x {n_tokens} x {n_tokens}")


MaskingSettings.PARAMETERS = {
    "source": choice("source", SOURCES),
    "text": Parameter(_read_text),
    "d_k": integer("d_k", 2, MAX_D_K),
    "seed": integer("seed", 0, MAX_SEED),
    "mask": choice("mask", MASKS),
    "how": choice("how", WAYS),
    "stage": choice("stage", STAGES),
    "window": integer("window", 1, MAX_WINDOW),
    "padding": integer("padding", 0, MAX_PADDING),
    "side": choice("side", SIDES),
    "new": integer("new", 1, MAX_NEW),
    "cell": Parameter(_read_cell, lambda c: "none" if c is None else ",".join(map(str, c))),
}
MaskingSettings.SILENT = frozenset({"cell"})
