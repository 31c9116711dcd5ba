"""A cache gone wrong, on the numbers of the page: what each usual mistake gives for the new token."""

from dataclasses import dataclass

import numpy as np

from core.lessons.kv_cache import Decoding, largest_difference, turned
from core.lessons.kv_sharing import with_tiled_heads
from core.ops.attention import scaled_dot_product_attention
from core.ops.heads import repeat_kv
from core.ops.masks import causal_mask, sliding_window_mask
from core.ops.rope import apply_rope


@dataclass(frozen=True)
class CacheMistake:
    """What a wrong step gives the head looked at, and how far all heads are off."""

    weights: np.ndarray  # [t + 1] of the head looked at
    visible: np.ndarray  # [t + 1] bool, the keys that it lets through
    output: np.ndarray  # [d_k] of the head looked at
    difference: float  # the largest, over all heads


@dataclass(frozen=True)
class CacheMistakes:
    """The usual mistakes at one step."""

    step: int
    right: CacheMistake
    tiled: CacheMistake  # KV heads repeated as a list
    top_left: CacheMistake  # is_causal with one query, from the first key
    stale: CacheMistake  # the mask of the step before
    position_0: CacheMistake  # the new token's q and k are turned as if it were the first
    late_rotation: CacheMistake  # keys stored before rotation, all turned by the newest position
    stored: tuple[int, int]  # numbers in the cache now: KV heads, and repeated heads


def mistakes_of(trace: Decoding) -> CacheMistakes:
    """Return what goes wrong at the trace's step.

    Args:
        trace: any.
    """
    settings, t = trace.settings, trace.settings.step
    n, size = t + 1, settings.group_size
    seen = sliding_window_mask(1, settings.window, n)
    query = trace.q_rotated[:, t:n]
    keys, values = trace.k_rotated[:, :n], trace.v[:, :n]

    def step(query=query, keys=keys, mask=seen, values=values):
        output, weights = scaled_dot_product_attention(
            query, repeat_kv(keys, size), repeat_kv(values, size), mask=mask
        )
        return _mistake(trace, output[:, 0], weights[:, 0], mask[0])

    tiled_output, tiled_weights = with_tiled_heads(trace)
    first_key_turned = np.concatenate([keys[:, :-1], turned(settings, trace.k[:, t:n])], axis=1)
    late = trace.k[:, :n]
    if settings.rope:
        late = apply_rope(late, np.full(n, t), pairing=settings.pairing)
    stale = sliding_window_mask(1, settings.window, n, offset=t - 1)
    numbers = 2 * n * settings.d_k
    return CacheMistakes(
        step=t,
        right=step(),
        tiled=_mistake(trace, tiled_output[:, t], tiled_weights[:, t, :n], seen[0]),
        top_left=step(mask=causal_mask(1, n, offset=0)),
        stale=step(mask=stale),
        position_0=step(query=turned(settings, trace.q[:, t:n]), keys=first_key_turned),
        late_rotation=step(keys=late),
        stored=(settings.kv_heads * numbers, settings.heads * numbers),
    )


def _mistake(trace: Decoding, output: np.ndarray, weights: np.ndarray, visible: np.ndarray) -> CacheMistake:
    """Of all heads' output [H, d_k] and weights [H, n]."""
    h, t = trace.settings.head, trace.settings.step
    return CacheMistake(weights[h], visible, output[h], largest_difference(output, trace.whole[:, t]))
