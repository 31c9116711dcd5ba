"""Without a mask, with it, and the difference: three pictures of the same numbers."""

from typing import Any, cast

import numpy as np
import plotly.graph_objects as go

from core.figures.heatmap import (
    STAGE_TITLES,
    Tiles,
    centred_range,
    hatching,
    heatmap_trace,
    row_frame,
    tiles_layout,
)
from core.figures.theme import figure, how_many, quoted
from core.lessons.masking import MaskingTrace

NAMES = ("A · no mask", "B · masked", "B − A")
_DIGITS_UP_TO = 26  # columns in all; where cells are small the browser leaves digits out
_SUMS_UP_TO = 16  # rows; more, and the sums stand in the words below alone
_CAUSAL = r"j \le i"


class _Close(Tiles):
    """Three matrices with less between them, for larger cells."""

    @property
    def gap(self) -> int:
        """Cells between two tiles."""
        return max(1, super().gap - 1)


def masking_figure(trace: MaskingTrace) -> go.Figure:
    """Return A, B and B - A side by side; the row that is looked at is framed in all three.

    A and B share one colour scale; the difference has its own, centred at zero. Hidden cells are
    hatched. Where a way of masking leaves hidden cells a number, it is shown, for it counts.
    """
    stage = trace.settings.stage
    a, b = trace.values
    difference = trace.difference
    n = len(trace.tokens)
    tiles = _Close(3, n, n, n_columns=3)
    blank = np.full((n, n), np.nan)

    both = heatmap_trace(tiles.place(np.stack([a, b, blank])), stage)
    grid = tiles.place(np.stack([blank, blank, difference]))
    apart = heatmap_trace(grid, "difference")
    largest = float(np.nanmax(np.abs(difference))) if np.isfinite(difference).any() else 0.0
    apart |= centred_range(grid, largest if largest > 1e-9 else 1.0)
    apart["colorbar"] = apart["colorbar"] | {"title": apart["colorbar"]["title"] | {"text": "B − A"}}
    if tiles.shape[1] <= _DIGITS_UP_TO:
        both |= {"texttemplate": "%{z:.2f}", "textfont": {"size": 14}}
        apart |= {"texttemplate": "%{z:+.2f}", "textfont": {"size": 14}}

    layout = tiles_layout(cast(Any, trace), tiles, list(NAMES))  # of the trace it reads the tokens' names
    layout["height"] = 420
    layout["images"] = hatching(tiles, trace.drawn, range(1, 2))
    if trace.settings.how == "zeroed":  # hidden in name only: hatched over the number that counts
        over = hatching(tiles, trace.visible, range(1, 2))
        layout["images"] += [image | {"layer": "above", "opacity": 0.55} for image in over]
    if stage == "masked":
        layout["images"] += hatching(tiles, trace.drawn, range(2, 3))
    layout["shapes"] = [row_frame(tiles, tile, trace.settings.row) for tile in range(3)]
    if stage == "weights" and n <= _SUMS_UP_TO:
        layout["annotations"] += _sums(tiles, trace)
    layout["meta"] |= {
        "heads": [0] * 3,
        "names": list(NAMES),
        "stage": STAGE_TITLES[stage],
        "legends": "above",  # on a phone
        "shows": [0, 0, 1],  # which trace draws each, where a lecture shows one alone
        "hint": "Choose a cell: the table below works out its row by each way",
    }
    return figure([both, apart], layout)


def describe_masking(trace: MaskingTrace) -> str:
    """Return the text alternative of :func:`masking_figure`."""
    n, hidden = len(trace.tokens), int((~trace.visible).sum())
    words = [
        f"Heatmaps of the {STAGE_TITLES[trace.settings.stage]}s of {how_many(n, 'query', 'queries')} (rows) "
        f"by {how_many(n, 'key', 'keys')} (columns): without a mask, with one that hides {hidden} of {n * n} "
        "cells, and their difference."
    ]
    low, high = trace.row_sums.min(), trace.row_sums.max()
    sums = f"{low:.4g}" if high - low < 1e-9 else f"{low:.4g} to {high:.4g}"
    words.append(f"The rows with the mask sum to {sums}.")
    size = np.where(np.isfinite(trace.difference), np.abs(trace.difference), 0.0)
    i, j = np.unravel_index(size.argmax(), size.shape)
    if size[i, j] > 1e-9:
        words.append(
            f"The largest difference is {trace.difference[i, j]:+.4g}, query {i} {quoted(trace.tokens[i])}, "
            f"key {j} {quoted(trace.tokens[j])}."
        )
    if trace.hidden_queries:
        words.append(f"No key is left for the queries {', '.join(map(str, trace.hidden_queries))}.")
    return " ".join(words)


def masking_formula(trace: MaskingTrace) -> str:
    """Return the formula that was computed for B, in LaTeX, with its numbers."""
    settings = trace.settings
    n, pads, d_k = len(trace.tokens), settings.n_padding, trace.q.shape[-1]
    scores = rf"\frac{{QK^\top}}{{\sqrt{{{d_k}}}}}"
    real = rf"j \ge {pads}" if settings.side == "left" else f"j < {n - pads}"
    seen = {
        "causal": _CAUSAL,
        "window": rf"i - {settings.window} < j \le i",
        "padding": real,
        "causal-padding": rf"{_CAUSAL},\ {real}",
        "none": r"\text{always}",
    }[settings.mask]
    if settings.how == "before":
        weights, yes, no = rf"\operatorname{{softmax}}\!\left({scores} + M\right)", "0", r"-\infty"
    elif settings.how == "zeroed":
        weights, yes, no = rf"\operatorname{{softmax}}\!\left({scores} \odot M\right)", "1", "0"
    else:
        weights, yes, no = rf"\operatorname{{softmax}}\!\left({scores}\right) \odot M", "1", "0"
        if settings.how == "renormalised":
            weights = rf"\operatorname{{rows\ to\ 1}}\!\left({weights}\right)"
    cases = rf"{yes} & {seen} \\ {no} & \text{{else}}" if settings.mask != "none" else rf"{yes} & {seen}"
    return rf"A = {weights}, \qquad M_{{ij}} = \begin{{cases}} {cases} \end{{cases}}"


def _sums(tiles: Tiles, trace: MaskingTrace) -> list[dict]:
    """What each row of B sums to, at its right; the browser leaves them out where cells are small."""
    top, left = tiles.corner(1)
    texts = ["1" if abs(total - 1) < 1e-9 else f"<b>{total:.2f}</b>" for total in trace.row_sums]
    return [
        {
            "name": "sum",
            "text": text,
            "x": left + tiles.n_keys - 0.42,
            "y": top + i - (1 if i else 0.5),
            "xanchor": "left",
            "yanchor": "middle" if i else "bottom",
            "showarrow": False,
            "font": {"size": 13},
        }
        for i, text in enumerate(["<b>Σ</b>", *texts])
    ]
