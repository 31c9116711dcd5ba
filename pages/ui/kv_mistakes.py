"""The usual mistakes with shared heads and a cache, on the numbers of the page."""

import numpy as np

from core.lessons.kv_cache import Decoding
from core.lessons.kv_cache_wrong import CacheMistake, CacheMistakes
from core.lessons.kv_memory import Memory
from core.lessons.kv_sharing import Sharing
from pages.ui.html import mistakes as mistake_cards
from pages.ui.html import number, safe
from pages.ui.kv_memory import size
from pages.ui.matrix import matrix

_LEAST = 1e-9  # a difference that is not rounding
_MOST_KEYS = 8  # drawn in a card: the newest


def mistakes(trace: Decoding, found: CacheMistakes, sharing: Sharing, memory: Memory) -> str:
    """Return a card for each mistake: the new token's weights, right and wrong, and how far it is off."""
    settings = trace.settings
    t, h = found.step, settings.head
    kept, repeated = found.stored
    full = memory.by_kv_heads[settings.heads]

    def compared(wrong: CacheMistake, words: str, unseen: str) -> str:
        if wrong.difference < _LEAST:
            return f"<p class='lab-dim'>Cannot be seen here: {unseen}.</p>"
        off = f"Outputs off by up to {_bad(wrong.difference)}."
        return f"{_rows(trace, found.right, wrong)}<p>{words} {off}</p>"

    at_first = "at step 0 there is one key; go to a later step"
    without_rope = "RoPE is off" if not settings.rope else at_first
    same_cache = "Here every query head has a KV head of its own: nothing is repeated."
    narrow = at_first if t == 0 else "nothing older is in the window"
    cards = mistake_cards(
        [
            (
                "Caching the repeated heads",
                f"<p>Outputs are right, so nobody notices: but this cache holds "
                f"{_plain_bad(f'{repeated:,}')} numbers instead of <b class='lab-good'>{kept:,}</b>, "
                f"and the model’s takes {_plain_bad(size(full))} instead of "
                f"<b class='lab-good'>{size(memory.cache)}</b>. Store H<sub>kv</sub> heads, "
                "repeat when reading.</p>"
                if repeated > kept
                else f"<p class='lab-dim'>{same_cache}</p>",
            ),
            (
                "Tiling: repeat where repeat_interleave is meant",
                compared(
                    found.tiled,
                    f"Head {h} reads KV head {sharing.tiled[h]}, not {sharing.reads[h]}.",
                    "with one KV head, or as many as query heads, both orders agree",
                ),
            ),
            (
                "is_causal with one query, counted from the first key",
                compared(
                    found.top_left,
                    f"The query sees key 0 alone: the output is v₀, {_vector(found.top_left.output)}.",
                    at_first,
                ),
            ),
            (
                "A stale mask: the offset of the step before",
                compared(
                    found.stale,
                    f"The new token, position {t}, is masked as position {t - 1}: it does not see itself.",
                    "the masks agree",
                )
                if t
                else "<p>The only key is hidden: no key is left, the output is 0 here, "
                f"{_plain_bad('NaN')} elsewhere.</p>",
            ),
            (
                "Position 0 for every new token",
                compared(
                    found.position_0,
                    f"One token came in, so arange(1) gave position 0 instead of {t}. Start at the "
                    "cache’s length.",
                    without_rope,
                ),
            ),
            (
                "Keys stored before rotation, all turned by the newest position",
                compared(
                    found.late_rotation,
                    f"Every key is turned as if it stood at {t}: distances are lost. Rotate, then store.",
                    "RoPE is off" if not settings.rope else narrow,
                ),
            ),
        ]
    )
    return f"<div class='lab-thirds'>{cards}</div>"


def _rows(trace: Decoding, right: CacheMistake, wrong: CacheMistake) -> str:
    """The newest keys' weights, right and wrong."""
    n = len(right.weights)
    first = max(0, n - _MOST_KEYS)
    if not wrong.visible[first:].any():
        first = 0  # what it reads is old
    columns = [f"{j}&nbsp;{safe(trace.tokens[j][:6])}" for j in range(first, n)]
    return matrix(
        f"head {trace.settings.head}, query {n - 1}" + (f", newest {_MOST_KEYS} keys" if first else ""),
        np.stack([right.weights[first:], wrong.weights[first:]]),
        kind="weight",
        rows=["right", "wrong"],
        columns=columns,
        visible=np.stack([right.visible[first:], wrong.visible[first:]]),
    )


def _vector(values: np.ndarray) -> str:
    shown = ", ".join(f"{x:.2f}".replace("-", "−") for x in values[:4])
    return f"({shown}{', …' if len(values) > 4 else ''})"


def _bad(x: float) -> str:
    return f"<b class='lab-bad'>{number(x)}</b>"


def _plain_bad(text: str) -> str:
    return f"<b class='lab-bad'>{text}</b>"
