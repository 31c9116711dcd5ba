"""Attention in tiles: keys and values stream past a block of queries, and no whole row is ever held."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from core.errors import require
from core.ops.attention import require_attention_shapes, visible_cells
from core.ops.masks import causal_mask


@dataclass(frozen=True)
class TileState:
    """What is held after one tile of w keys, for a block of Tq queries."""

    start: int  # the tile's first key
    stop: int  # the key after its last
    scores: np.ndarray  # [..., Tq, w] scaled; -inf where hidden
    exponentials: np.ndarray  # [..., Tq, w] exp(scores - maximum)
    rescale: np.ndarray  # [..., Tq] exp(old maximum - maximum), what older sums are multiplied by
    maximum: np.ndarray  # [..., Tq] the largest score so far; -inf where no key has been visible
    total: np.ndarray  # [..., Tq] the sum of exp(score - maximum) so far
    output: np.ndarray  # [..., Tq, d_v] the sum of exp(score - maximum) * value so far

    @property
    def normalised(self) -> np.ndarray:
        """Output / total ``[..., Tq, d_v]``: attention over the keys seen so far; 0 without any."""
        return self.output / np.where(self.total == 0, 1, self.total)[..., None]


def tile_states(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    *,
    tile: int,
    scale: float | None = None,
    is_causal: bool = False,
    mask: np.ndarray | None = None,
    offset: int | None = None,
) -> Iterator[TileState]:
    """Yield what is held after each tile of keys, for one block of queries.

    With a tile's scores s: m' = max(m, max s), r = exp(m - m'), l' = r l + sum exp(s - m') and
    o' = r o + exp(s - m') V. At the start m = -inf, l = 0, o = 0; after the last tile o / l is the output.

    Args:
        query: ``[..., Tq, d_k]``, one block.
        key: ``[..., Tk, d_k]``.
        value: ``[..., Tk, d_v]``. Leading axes of the three broadcast.
        tile: keys that are looked at together, at least 1; the last tile may be smaller.
        scale: what the dot products are multiplied by; 1/sqrt(d_k) if None.
        is_causal: also hide every key after the query.
        mask: bool, broadcasts to ``[..., Tq, Tk]``; True = may attend.
        offset: the position of the first query, for the causal mask; Tk - Tq if None.

    Returns:
        One state for each tile, in order. ``normalised`` of a state is plain attention over the keys
        before its ``stop``. Hidden keys and values change nothing, not even if they are NaN.

    Raises:
        ShapeError: the shapes do not fit together, or the tile is smaller than 1.
        MaskError: the mask is not bool.

    Source: Milakov and Gimelshein 2018, algorithm 3 (the running maximum and sum); Dao et al. 2022
    (FlashAttention), algorithm 1; o is divided once, at the end, as in Dao 2023, section 3.1.
    """
    query, key, value = (_as_floats(x) for x in (query, key, value))
    require_attention_shapes(query, key, value)
    require(tile >= 1, f"expected a tile of at least 1 key, got {tile}; choose 1 or more.")
    n_queries, n_keys = query.shape[-2], key.shape[-2]
    scale = 1 / query.shape[-1] ** 0.5 if scale is None else scale
    offset = n_keys - n_queries if offset is None else offset
    mask = visible_cells(mask, False, n_queries, n_keys)
    if mask is not None:  # a view: nothing is copied
        mask = np.broadcast_to(mask, (*mask.shape[:-2], n_queries, n_keys))

    maximum = np.full(n_queries, -np.inf, dtype=query.dtype)
    total, output = np.zeros_like(maximum), np.zeros((n_queries, value.shape[-1]), dtype=value.dtype)
    for start in range(0, n_keys, tile):
        stop = min(start + tile, n_keys)
        visible = np.ones((n_queries, stop - start), bool) if mask is None else mask[..., start:stop]
        if is_causal:  # of the mask too, only this tile's part is ever made
            visible = visible & causal_mask(n_queries, stop - start, offset=offset - start)
        with np.errstate(invalid="ignore"):  # a hidden key may hold inf or NaN
            scores = scale * (query @ key[..., start:stop, :].swapaxes(-1, -2))  # [..., Tq, w]
        scores = np.where(visible, scores, -np.inf).astype(query.dtype)
        larger = np.maximum(maximum, scores.max(axis=-1))
        shift = np.where(np.isneginf(larger), 0, larger)  # -inf - -inf would be NaN
        rescale = np.exp(maximum - shift)
        exponentials = np.exp(scores - shift[..., None])
        maximum = larger
        total = rescale * total + exponentials.sum(axis=-1)
        output = rescale[..., None] * output + _weighted_sum(exponentials, value[..., start:stop, :], visible)
        yield TileState(start, stop, scores, exponentials, rescale, maximum, total, output)


def tiled_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    *,
    tile: int,
    block: int | None = None,
    scale: float | None = None,
    is_causal: bool = False,
    mask: np.ndarray | None = None,
) -> np.ndarray:
    """Return softmax(scale * Q K^T) V without ever holding more than block x tile of the scores.

    Args:
        query: ``[..., Tq, d_k]``.
        key: ``[..., Tk, d_k]``.
        value: ``[..., Tk, d_v]``. Leading axes of the three broadcast.
        tile: keys that are looked at together, at least 1.
        block: queries that are looked at together, at least 1; all if None.
        scale: what the dot products are multiplied by; 1/sqrt(d_k) if None.
        is_causal: also hide every key after the query; the last query sees the last key.
        mask: bool, broadcasts to ``[..., Tq, Tk]``; True = may attend.

    Returns:
        ``[..., Tq, d_v]``: the output of ``scaled_dot_product_attention``, up to rounding; 0 where no
        key is visible.

    Raises:
        ShapeError: the shapes do not fit together, or the tile or the block is smaller than 1.
        MaskError: the mask is not bool.

    Source: Dao et al. 2022 (FlashAttention), algorithm 1.
    """
    n_queries, n_keys = np.shape(query)[-2], np.shape(key)[-2]
    block = n_queries if block is None else block
    require(block >= 1, f"expected a block of at least 1 query, got {block}; choose 1 or more.")
    mask = visible_cells(mask, False, n_queries, n_keys)
    by_row = mask is not None and mask.ndim >= 2 and mask.shape[-2] > 1
    outputs = []
    for first in range(0, n_queries, block):
        rows = slice(first, first + block)
        *_, last = tile_states(
            np.asarray(query)[..., rows, :],
            key,
            value,
            tile=tile,
            scale=scale,
            is_causal=is_causal,
            mask=mask[..., rows, :] if mask is not None and by_row else mask,
            offset=n_keys - n_queries + first,
        )
        outputs.append(last.normalised)
    return np.concatenate(outputs, axis=-2)


def _weighted_sum(exponentials, value, visible):
    if np.isfinite(value).all():
        return exponentials @ value
    # 0 * NaN is NaN: a hidden value is left out of the sum, not multiplied by 0.
    with np.errstate(invalid="ignore"):
        products = exponentials[..., None] * value[..., None, :, :]  # [..., Tq, w, d_v]
    return np.where(visible[..., None], products, 0).sum(axis=-2)


def _as_floats(array) -> np.ndarray:
    array = np.asarray(array)
    return array if np.issubdtype(array.dtype, np.floating) else array.astype(np.float64)
