"""Which query head reads which KV head: interleaved as it should be, and tiled as it should not."""

from dataclasses import dataclass

import numpy as np

from core.lessons.kv_cache import Decoding, largest_difference
from core.ops.attention import scaled_dot_product_attention
from core.ops.heads import kv_head_of, repeat_kv


@dataclass(frozen=True)
class Sharing:
    """Who reads whom, by both orders of repeating; what the wrong one does to the outputs."""

    n_heads: int
    n_kv_heads: int
    reads: tuple[int, ...]  # [H] the KV head of each query head: floor(h / (H / Hkv))
    tiled: tuple[int, ...]  # [H] h mod Hkv: the list of KV heads repeated as a whole
    tiled_difference: float  # largest difference of the last token's outputs, all heads
    head_difference: np.ndarray  # [H] the same, head by head

    @property
    def mixed_up(self) -> tuple[int, ...]:
        """The query heads that tiling gives somebody else's keys and values."""
        return tuple(h for h in range(self.n_heads) if self.reads[h] != self.tiled[h])

    @property
    def name(self) -> str:
        """MHA, GQA or MQA."""
        if self.n_kv_heads == self.n_heads:
            return "MHA"
        return "MQA" if self.n_kv_heads == 1 else "GQA"


def trace_sharing(trace: Decoding) -> Sharing:
    """Return who reads whom, and the outputs of the decoded token by both orders.

    Args:
        trace: whose q, k and v.

    Source: Ainslie et al. 2023 (GQA), section 2.2.
    """
    n_heads, n_kv_heads = trace.settings.heads, trace.settings.kv_heads
    output, _ = with_tiled_heads(trace)
    t = trace.settings.step
    apart = np.abs(output[:, t] - trace.whole[:, t]).max(axis=-1)
    apart.setflags(write=False)
    return Sharing(
        n_heads,
        n_kv_heads,
        reads=kv_heads_of(n_heads, n_kv_heads),
        tiled=tiled_heads(n_heads, n_kv_heads),
        tiled_difference=largest_difference(output[:, t], trace.whole[:, t]),
        head_difference=apart,
    )


def kv_heads_of(n_heads: int, n_kv_heads: int) -> tuple[int, ...]:
    """Return the KV head of every query head.

    Args:
        n_heads: H.
        n_kv_heads: Hkv, a divisor.
    """
    return tuple(kv_head_of(h, n_heads, n_kv_heads) for h in range(n_heads))


def tiled_heads(n_heads: int, n_kv_heads: int) -> tuple[int, ...]:
    """Return the KV head of every query head where the KV heads are tiled: 0, 1, ..., 0, 1, ...

    Args:
        n_heads: H.
        n_kv_heads: Hkv, a divisor.
    """
    return tuple(np.tile(np.arange(n_kv_heads), n_heads // n_kv_heads).tolist())


def with_tiled_heads(trace: Decoding) -> tuple[np.ndarray, np.ndarray]:
    """Return output ``[H, T, d_k]`` and weights with the KV heads tiled instead of each repeated in place.

    Args:
        trace: whose q, k and v.
    """
    size = trace.settings.group_size
    keys, values = (np.concatenate([x] * size) for x in (trace.k_rotated, trace.v))
    assert keys.shape == repeat_kv(trace.k_rotated, size).shape  # nothing complains: the shapes are right
    return scaled_dot_product_attention(trace.q_rotated, keys, values, mask=trace.mask)
