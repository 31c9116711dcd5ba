"""Decoding through PyTorch, and what it takes on this machine, in NumPy, with a cache and without."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from core.lessons.kv_cache import KVCacheSettings, largest_difference, trace_kv_cache
from core.lessons.kv_cost import DecodingCost
from core.ops.attention import scaled_dot_product_attention
from core.ops.heads import merge_heads, repeat_kv, split_heads
from core.ops.kv_cache import KVCache

_LENGTHS = (16, 32, 64, 128)
_RUNS = 3
_HEADS, _KV_HEADS, _D_K = 8, 2, 32  # of the layer whose decoding is timed


def about_decoding(settings: KVCacheSettings) -> KVCacheSettings:
    """Return the settings with nothing left that :func:`decoding` does not depend on.

    Args:
        settings: any.
    """
    return KVCacheSettings(
        model="custom",
        heads=settings.heads,
        kv_heads=settings.kv_heads,
        head=0,
        text=settings.text,
        seed=settings.seed,
        d_k=settings.d_k,
        rope=settings.rope,
        pairing=settings.pairing,
        window=settings.window,
        step=0,
    )


def decoding(settings: KVCacheSettings) -> dict[str, Any]:
    """Return how far PyTorch's decoding, token by token from the same cache, is from ours.

    Args:
        settings: any; all its tokens are decoded.

    Returns:
        Largest differences of outputs over all heads and steps: "grouped" with ``enable_gqa``,
        "repeated" with ``repeat_interleave``, "tiled" with ``repeat``, which mixes heads up; "top_left"
        is how far ``is_causal=True`` with one query is from the right output of the last token, "first_value"
        how far from the first value.
    """
    import torch
    from torch.nn.functional import scaled_dot_product_attention as attend

    trace = trace_kv_cache(settings)
    q, k, v = (torch.from_numpy(np.array(x))[None] for x in (trace.q_rotated, trace.k_rotated, trace.v))
    size, n = settings.group_size, len(trace.tokens)
    outputs: dict[str, list[np.ndarray]] = {"grouped": [], "repeated": [], "tiled": []}
    with torch.inference_mode():
        for t in range(n):
            query, keys, values = q[:, :, t : t + 1], k[:, :, : t + 1], v[:, :, : t + 1]
            seen = torch.from_numpy(trace.mask[t : t + 1, : t + 1].copy())
            rows = {
                "grouped": attend(query, keys, values, attn_mask=seen, enable_gqa=True),
                "repeated": attend(
                    query,
                    keys.repeat_interleave(size, 1),
                    values.repeat_interleave(size, 1),
                    attn_mask=seen,
                ),
                "tiled": attend(
                    query, keys.repeat(1, size, 1, 1), values.repeat(1, size, 1, 1), attn_mask=seen
                ),
            }
            for name, row in rows.items():
                outputs[name].append(row[0, :, 0].numpy())
        wrong = attend(q[:, :, -1:], k, v, is_causal=True, enable_gqa=True)[0, :, 0].numpy()
    found = {
        name: largest_difference(np.stack(rows, axis=1), trace.decoded) for name, rows in outputs.items()
    }
    first = repeat_kv(trace.v, size)[:, 0]
    return {
        "version": torch.__version__,
        **found,
        "top_left": largest_difference(wrong, trace.whole[:, -1]),
        "first_value": largest_difference(wrong, first),
        "n_tokens": n,
    }


def timing() -> dict[str, Any]:
    """Return the seconds that decoding takes here in NumPy, with a cache and without, for some lengths.

    One layer with projections, 8 query heads and 2 KV heads of width 32. Takes about half a second on a
    machine that does nothing else.

    Returns:
        "heads", "kv_heads", "d_k", and "rows": for each length "n_tokens", "with" and "without" (seconds),
        "counted" (multiplications without by those with) and "difference" of the outputs.
    """
    layer, cost = _Layer(), DecodingCost(_HEADS, _KV_HEADS, _D_K)
    layer.with_cache(_LENGTHS[0])  # the first products of a process are slow
    layer.without_cache(_LENGTHS[0])
    rows = []
    for n in _LENGTHS:
        cached, seconds_with = _timed(layer.with_cache, n)
        whole, seconds_without = _timed(layer.without_cache, n)
        rows.append(
            {
                "n_tokens": n,
                "with": seconds_with,
                "without": seconds_without,
                "counted": cost.total_without_cache(n) / cost.total_with_cache(n),
                "difference": largest_difference(cached, whole),
            }
        )
    return {"heads": _HEADS, "kv_heads": _KV_HEADS, "d_k": _D_K, "rows": rows}


def _timed(decode: Callable[[int], np.ndarray], n_tokens: int) -> tuple[np.ndarray, float]:
    """What it returns, and the seconds of the quickest of a few runs: others share the machine."""
    seconds = []
    for _ in range(_RUNS):
        started = time.perf_counter()
        output = decode(n_tokens)
        seconds.append(time.perf_counter() - started)
    return output, min(seconds)


class _Layer:
    """A layer of attention with drawn weights, decoding drawn tokens."""

    def __init__(self) -> None:
        width = _HEADS * _D_K
        draw = np.random.default_rng(0).standard_normal
        self.x = draw((max(_LENGTHS), width))
        self.w_q, self.w_o = (draw((width, width)) / width**0.5 for _ in "qo")
        self.w_k, self.w_v = (draw((width, _KV_HEADS * _D_K)) / width**0.5 for _ in "kv")

    def with_cache(self, n_tokens: int) -> np.ndarray:
        """Each token's output [n, D]: its own q, k and v are computed, the others read."""
        cache = KVCache(np.empty((_KV_HEADS, 0, _D_K)), np.empty((_KV_HEADS, 0, _D_K)))
        rows = []
        for t in range(n_tokens):
            q, k, v = self._project(self.x[t : t + 1])
            cache = cache.append(k, v)
            rows.append(self._attend(q, cache.keys, cache.values)[-1])
        return np.array(rows)

    def without_cache(self, n_tokens: int) -> np.ndarray:
        """The same by a whole pass over the text so far at each step."""
        rows = [self._attend(*self._project(self.x[: t + 1]))[-1] for t in range(n_tokens)]
        return np.array(rows)

    def _project(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return (
            split_heads(x @ self.w_q, _HEADS),
            split_heads(x @ self.w_k, _KV_HEADS),
            split_heads(x @ self.w_v, _KV_HEADS),
        )

    def _attend(self, q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
        size = _HEADS // _KV_HEADS
        context, _ = scaled_dot_product_attention(q, repeat_kv(k, size), repeat_kv(v, size), is_causal=True)
        return merge_heads(context) @ self.w_o
