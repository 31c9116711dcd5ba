"""Two settings on the same inputs: A, B, and B - A."""

import numpy as np
import plotly.graph_objects as go

from core.figures.heatmap import (
    STAGE_TITLES,
    Tiles,
    centred_range,
    hatching,
    heatmap_trace,
    hides,
    outline,
    stage_values,
    tiles_layout,
)
from core.figures.theme import figure
from core.trace import AttentionTrace

_NAMES = ("A", "B", "B − A")


def compare_figure(a: AttentionTrace, b: AttentionTrace) -> go.Figure:
    """Return one head of both and their difference, side by side.

    A and B share one colour scale. The difference is centred at zero; a cell that only one of the
    two may see counts as 0 on the other side for weights, and is left blank for scores.
    """
    stage, head = b.settings.stage, compared_head(a, b)
    first, second = stage_values(a, stage)[head], stage_values(b, stage)[head]
    difference = differences(a, b)
    tiles = Tiles(3, len(b.query_tokens), len(b.key_tokens), n_columns=3)
    blank = np.full(b.mask.shape, np.nan)

    both = tiles.place(np.stack([first, second, blank]))
    apart = tiles.place(np.stack([blank, blank, difference]))
    left = heatmap_trace(both, stage)
    right = heatmap_trace(apart, "difference")
    largest = float(np.nanmax(np.abs(difference))) if np.isfinite(difference).any() else 0.0
    right |= centred_range(apart, max(largest, 1e-9) if largest > 1e-9 else 1.0)
    right["colorbar"] = right["colorbar"] | {"title": right["colorbar"]["title"] | {"text": "B − A"}}

    layout = tiles_layout(b, tiles, [f"{name} · head {head}" for name in _NAMES])
    layout["height"] = 420
    if hides(stage):
        layout["images"] = hatching(tiles, a.mask, range(1)) + hatching(tiles, b.mask, range(1, 2))
        layout["images"] += hatching(tiles, a.mask | b.mask, range(2, 3))
    layout["meta"] |= {"heads": [head] * 3, "names": list(_NAMES), "stage": STAGE_TITLES[stage]}
    cell = b.settings.cell
    if cell and cell[0] == head:
        layout["shapes"] = [outline(tiles, tile, *cell[1:]) for tile in range(3)]
    return figure([left, right], layout)


def differences(a: AttentionTrace, b: AttentionTrace) -> np.ndarray:
    """Return B - A of the compared head, ``[Tq, Tk]``; NaN where there is nothing to compare."""
    stage, head = b.settings.stage, compared_head(a, b)
    if stage == "weights":
        difference = b.weights[head] - a.weights[head]
        return np.where(a.mask | b.mask, difference, np.nan)
    return stage_values(b, stage)[head] - stage_values(a, stage)[head]


def compared_head(a: AttentionTrace, b: AttentionTrace) -> int:
    """Return the head in view, or the last that both have."""
    return min(b.settings.head or 0, a.n_heads - 1, b.n_heads - 1)


def describe_compare(a: AttentionTrace, b: AttentionTrace) -> str:
    """Return the text alternative of :func:`compare_figure`."""
    difference = differences(a, b)
    stage, head = STAGE_TITLES[b.settings.stage], compared_head(a, b)
    start = f"Heatmaps of the {stage}s of head {head} under settings A and B, and their difference."
    if not np.isfinite(difference).any():
        return f"{start} No cell is visible in both."
    size = np.abs(difference)
    i, j = np.unravel_index(np.nanargmax(size), size.shape)
    if size[i, j] < 1e-9:
        return f"{start} They are equal to within {max(size[i, j], 1e-16):.0e}."
    changed = int((size > 1e-9).sum())
    return (
        f"{start} {changed} of {difference.size} cells differ; the most at query {i} "
        f"“{b.query_tokens[i]}” and key {j} “{b.key_tokens[j]}”, by {difference[i, j]:+.4g}."
    )
