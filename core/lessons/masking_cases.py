"""Masks gone wrong, and masks at the edge: usual mistakes, padding, empty rows, a cache."""

from dataclasses import dataclass, replace

import numpy as np

from core.lessons.masking import PAD, WAYS, MaskingSettings, MaskingTrace, trace_masking, weights_by
from core.ops.attention import scaled_dot_product_attention, softmax
from core.ops.masks import causal_mask, padding_mask

LESSON_SCORES = (0.5, 0.8, 0.3, 0.9)  # lesson B's query at position 2 of 4
_FEW = 5  # tokens of a mistake's picture


def row_by_ways(scaled: np.ndarray, visible: np.ndarray) -> dict[str, np.ndarray]:
    """Return one row's weights by each way of applying a mask.

    Args:
        scaled: ``[Tk]``.
        visible: bool ``[Tk]``.

    Returns:
        way -> ``[Tk]``.
    """
    return {way: weights_by(way, scaled, visible) for way in WAYS}


def lesson_row_unmasked() -> np.ndarray:
    """Return the weights of lesson B's scores without a mask, ``[4]``."""
    return softmax(np.array(LESSON_SCORES))


def lesson_row() -> dict[str, np.ndarray]:
    """Return lesson B's masked row, ``[4]``, by each way."""
    return row_by_ways(np.array(LESSON_SCORES), np.arange(4) <= 2)


def unguarded_softmax(scores: np.ndarray) -> np.ndarray:
    """Return what the textbook line exp(s - max) / sum returns, NaN where nothing is visible.

    Args:
        scores: ``[..., Tk]``.

    Returns:
        ``[..., Tk]``: -inf minus -inf is NaN, and so is every weight of a row of -inf.
    """
    with np.errstate(invalid="ignore"):
        exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return exponentials / exponentials.sum(axis=-1, keepdims=True)


def demo_weights(causal: bool) -> np.ndarray:
    """Return the weights ``[4, 4]`` of lesson B's demo: Q and K of ``np.random.seed(42)``, d_k = 8.

    Args:
        causal: with its causal mask.
    """
    stream = np.random.RandomState(42)
    q, k, v = (stream.randn(1, 4, 8) for _ in "qkv")
    return scaled_dot_product_attention(q, k, v, is_causal=causal)[1][0]


@dataclass(frozen=True)
class Mistake:
    """A wrong mask on the numbers of the page: the weights that it gives."""

    weights: np.ndarray  # [m, m]; a row in which no key is left is 0
    visible: np.ndarray  # [m, m] bool, the cells that it lets through


@dataclass(frozen=True)
class Mistakes:
    """The first few tokens of the page's numbers, masked wrongly."""

    tokens: tuple[str, ...]
    right: Mistake
    after: Mistake  # weights zeroed after the softmax
    zeroed: Mistake  # scores multiplied by 0
    polarity: Mistake  # hides what should be seen
    diagonal: Mistake  # hides the token itself too
    columns: Mistake  # softmax down the columns
    added: Mistake  # ones and zeros added to the scores
    padded_tokens: tuple[str, ...]
    padded_rows: Mistake  # padding hidden as rows; its columns stay
    padding_share: np.ndarray  # [m] how much of each row's weight goes to padding then


def mistakes_of(trace: MaskingTrace) -> Mistakes:
    """Return the usual mistakes on the first tokens of a trace, padding left out.

    Args:
        trace: any.
    """
    real = np.flatnonzero(~trace.is_padding)[:_FEW]
    scaled = trace.scaled[np.ix_(real, real)]
    n = len(real)
    seen, everything = causal_mask(n), np.ones((n, n), dtype=bool)

    pads = 2
    padded = np.pad(scaled, ((0, pads), (0, pads)))  # the score of a zero vector is 0
    is_real = padding_mask(np.array([n]), n + pads)[0, 0]
    rows_only = np.broadcast_to(is_real[:, None], padded.shape)
    padded_rows = _masked(padded, rows_only)
    names = tuple(trace.tokens[i] for i in real)
    return Mistakes(
        tokens=names,
        right=_masked(scaled, seen),
        after=Mistake(weights_by("after", scaled, seen), seen),
        zeroed=Mistake(weights_by("zeroed", scaled, seen), everything),
        polarity=_masked(scaled, ~seen),
        diagonal=_masked(scaled, causal_mask(n, n, offset=-1)),
        columns=Mistake(softmax(np.where(seen, scaled, -np.inf), axis=0), seen),
        added=Mistake(softmax(scaled + seen), everything),
        padded_tokens=(*names, *(PAD,) * pads),
        padded_rows=padded_rows,
        padding_share=padded_rows.weights[:, ~is_real].sum(axis=-1),
    )


@dataclass(frozen=True)
class PaddingLeak:
    """What padding takes while nothing hides it."""

    toy: np.ndarray  # [4] weights of three real scores of 1 and one padding token
    tokens: tuple[str, ...]  # T real ones
    n_padding: int
    share: np.ndarray  # [T] of each real query's weight that goes to padding


def padding_leak(settings: MaskingSettings) -> PaddingLeak:
    """Return what some padding tokens take from the real ones without a mask.

    Args:
        settings: whose numbers, and how many padding tokens (at least one is put there).
    """
    padded = replace(settings, mask="padding", padding=max(1, settings.padding), cell=None)
    trace = trace_masking(padded)
    real = ~trace.is_padding
    return PaddingLeak(
        toy=softmax(np.array([1.0, 1.0, 1.0, 0.0])),
        tokens=tuple(token for token, is_real in zip(trace.tokens, real, strict=True) if is_real),
        n_padding=padded.n_padding,
        share=trace.unmasked_weights[np.ix_(real, ~real)].sum(axis=-1),
    )


@dataclass(frozen=True)
class EmptyRow:
    """Three hidden keys: what softmax makes of them, each ``[3]``."""

    unguarded: np.ndarray  # NaN
    finite: np.ndarray  # -1e9 everywhere
    ours: np.ndarray


def empty_row() -> EmptyRow:
    """Return the weights of a row in which no key is left, by three implementations."""
    nothing = np.full(3, -np.inf)
    return EmptyRow(unguarded_softmax(nothing), softmax(np.full(3, -1e9)), softmax(nothing))


@dataclass(frozen=True)
class CachedDecoding:
    """A few new queries against all keys, under the two readings of "causal"."""

    query_tokens: tuple[str, ...]  # m
    key_tokens: tuple[str, ...]  # n
    bottom_right: Mistake  # the last query stands at the last key
    top_left: Mistake  # the first query stands at the first key
    bottom_right_output: np.ndarray  # [m, d_v]
    top_left_output: np.ndarray  # [m, d_v]
    recomputed_output: np.ndarray  # [m, d_v] the last rows of the whole causal attention


def cached_decoding(settings: MaskingSettings) -> CachedDecoding:
    """Return what the newest tokens read when the others are in the cache.

    Args:
        settings: whose numbers; padding is left out.
    """
    trace = trace_masking(replace(settings, mask="none", cell=None))
    n = len(trace.tokens)
    m = min(settings.new, n)
    q, k, v = trace.q[n - m :], trace.k, trace.v
    found, outputs = [], []
    for offset in (n - m, 0):
        visible = causal_mask(m, n, offset=offset)
        output, weights = scaled_dot_product_attention(q, k, v, mask=visible)
        found.append(Mistake(weights, visible))
        outputs.append(output)
    whole, _ = scaled_dot_product_attention(trace.q, k, v, is_causal=True)
    return CachedDecoding(
        query_tokens=trace.tokens[n - m :],
        key_tokens=trace.tokens,
        bottom_right=found[0],
        top_left=found[1],
        bottom_right_output=outputs[0],
        top_left_output=outputs[1],
        recomputed_output=whole[n - m :],
    )


def _masked(scaled, visible) -> Mistake:
    return Mistake(weights_by("before", scaled, visible), visible)
