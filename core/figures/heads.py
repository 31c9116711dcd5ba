"""The weights of every head, side by side."""

import numpy as np
import plotly.graph_objects as go

from core.figures.heatmap import best_tiles, hatching, heatmap_trace, tiles_layout
from core.figures.theme import figure, how_many, quoted
from core.lessons.heads import HeadsTrace

_MANY = 9  # heads; more, and there is room for their numbers only
_ASPECT = 2.4  # the picture has the page's width to itself
_DIGITS_UP_TO = 30  # columns in all


def head_weights_figure(trace: HeadsTrace) -> go.Figure:
    """Return the weights of all heads: rows are queries, columns are keys, always coloured on 0..1."""
    n_heads, n_tokens, _ = trace.weights.shape
    tiles = best_tiles(n_heads, n_tokens, n_tokens, _ASPECT)
    titles = [f"head {h}" if n_heads <= _MANY else f"{h}" for h in range(n_heads)]
    layout = tiles_layout(trace, tiles, titles)
    layout["images"] = hatching(tiles, trace.mask, range(n_heads))
    layout["meta"] |= {"heads": list(range(n_heads)), "stage": "weight"}
    layout["height"] = 460
    drawn = np.where(trace.mask, trace.weights, np.nan)
    heatmap = heatmap_trace(tiles.place(drawn), "weights")
    if tiles.shape[1] <= _DIGITS_UP_TO:
        heatmap |= {"texttemplate": "%{z:.2f}", "textfont": {"size": 14}}
    return figure([heatmap], layout)


def describe_head_weights(trace: HeadsTrace) -> str:
    """Return the text alternative of :func:`head_weights_figure`."""
    n_heads, n_tokens, _ = trace.weights.shape
    words = [
        f"Heatmap of the weights of {how_many(n_heads, 'head', 'heads')}, "
        f"{how_many(n_tokens, 'query', 'queries')} (rows) by {how_many(n_tokens, 'key', 'keys')}."
    ]
    for h in range(min(n_heads, 4)):
        i, j = np.unravel_index(trace.weights[h].argmax(), trace.mask.shape)
        words.append(
            f"Head {h}: the largest is {trace.weights[h, i, j]:.4g}, query {i} {quoted(trace.tokens[i])} "
            f"to key {j} {quoted(trace.tokens[j])}."
        )
    return " ".join(words)
