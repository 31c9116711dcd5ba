"""One step of decoding in words and numbers: what is computed, what is read, what it costs."""

import numpy as np

from core.lessons.kv_cache import Decoding
from core.lessons.kv_cost import DecodingCost
from pages.ui.html import number, safe
from pages.ui.matrix import matrix

_LONGEST = 14  # characters of a token in its box


def tape(trace: Decoding) -> str:
    """Return the tokens in a row: in the cache and read, in the cache and out of the window, new, to come."""
    t = trace.settings.step
    boxes = []
    for j, token in enumerate(trace.tokens):
        if j > t:
            look, state = "lab-kv-later", "to come"
        elif j == t:
            look, state = "lab-kv-new", "q, k, v computed"
        elif trace.mask[t, j]:
            look, state = "lab-kv-read", "k, v read"
        else:
            look, state = "lab-kv-out", "out of the window"
        shown = token if len(token) <= _LONGEST else token[: _LONGEST - 1] + "…"
        boxes.append(f"<li class='{look}'><b>{j} {safe(shown)}</b><small>{state}</small></li>")
    return f"<ol class='lab-kv-tape' aria-label='Step {t}: what happens to each token'>{''.join(boxes)}</ol>"


def step_panel(trace: Decoding, cost: DecodingCost) -> str:
    """Return what the step computes, reads and writes, and its cost with a cache and without."""
    settings = trace.settings
    t, n = settings.step, settings.step + 1
    heads, kv_heads, d_k = settings.heads, settings.kv_heads, settings.d_k
    read = trace.keys_read - 1
    with_cache, without = cost.step_with_cache(n), cost.step_without_cache(n)
    all_with, all_without = cost.total_with_cache(n), cost.total_without_cache(n)
    lines = {
        "computed: q of the new token": f"[{heads}, 1, {d_k}]",
        "computed, and written to the cache: its k and v": f"2 × [{kv_heads}, 1, {d_k}]",
        "read from the cache: older k and v": f"2 × [{kv_heads}, {read}, {d_k}]" if read else "none",
        "dot products of each head": f"{read} + 1 = {read + 1}",
        "cache after the step": f"2 × [{kv_heads}, {n}, {d_k}]",
        "multiplications: with a cache": f"{with_cache:,}",
        "… without: the whole text again": f"{without:,}",
        "… so without takes": f"{without / with_cache:.2f} times as many",
        f"all {n} steps: with, as many as one whole pass": f"{all_with:,}",
        f"all {n} steps: without": f"{all_without:,}",
    }
    items = "".join(f"<li><span>{name}</span><b>{value}</b></li>" for name, value in lines.items())
    gap = trace.difference
    return (
        f"<section class='lab-panel' role='region' aria-label='Decoding step'><h3>Step {t}: query {t} “"
        f"{safe(trace.tokens[t])}”</h3><ol class='lab-steps'>{items}</ol>"
        "<p>Outputs with and without a cache, all heads and steps so far: largest difference "
        f"<b class='lab-good'>{number(gap) if gap else '0'}</b></p></section>"
    )


LEGEND = (
    "<p class='lab-dim'>Dotted frame: weights on keys read from the cache. Solid frame: on the key computed "
    "now. <i class='lab-hatch'></i> hidden. Rows to come are empty.</p>"
)


def no_queries(trace: Decoding) -> str:
    """Return the cells in which an old query would meet the new key: all hidden."""
    t, head, n = trace.settings.step, trace.settings.head, trace.settings.step + 1
    names = [f"{i} {safe(token)}" for i, token in enumerate(trace.tokens[:n])]
    columns = [f"{j}" for j in range(t)] + [f"<span class='lab-kv-newkey'>{t} new</span>"]
    picture = matrix(
        f"weights of head {head}",
        trace.decoded_weights[head, :n, :n],
        kind="weight",
        rows=names,
        columns=columns,
        visible=trace.mask[:n, :n],
        parts=[0] * t + [5],
    )
    if t:
        seen = int(trace.mask[:t, t].sum())
        words = (
            f"An old query (rows 0 to {t - 1}) would meet the new key {t} in {t} cell{'s' if t > 1 else ''} "
            f"only: <b class='lab-good'>{seen} of {t} visible</b>. "
            "So its row, its weights and its output are done."
        )
    else:
        words = "There is no old query yet: go to a later step."
    unmoved = float(np.abs(trace.decoded[:, :n] - trace.whole[:, :n]).max())
    return (
        "<div class='lab-beside-table lab-kv-top'>" + picture + "<div class='lab-part'>"
        f"<p>{words}</p><p>A query is used once, in the step of its own token; keys and values are read in "
        "every later step. That is why k and v are kept and q is not.</p>"
        f"<p>Old outputs after {len(trace.tokens)} tokens against those at their own step: "
        f"<b class='lab-good'>{number(unmoved) if unmoved else '0'}</b> apart. So the input of the next "
        "layer does not change either, and each layer keeps a cache of its own.</p>"
        "</div></div>"
    )
