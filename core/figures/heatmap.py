"""The heads as heatmaps, tiled in a single trace: many subplots cost many times as much."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import plotly.graph_objects as go

from core.cell import cell_in_view
from core.figures.theme import (
    DIVERGING,
    MAX_LABEL,
    OUTLINE,
    SEQUENTIAL,
    figure,
    how_many,
    quoted,
    token_label,
)
from core.inputs import PATTERN_NAMES
from core.ops.heads import kv_head_of
from core.trace import AttentionTrace

STAGE_TITLES = {
    "scores": "score q·k",
    "scaled": "scaled score",
    "masked": "masked score",
    "weights": "weight",
}
DIGITS_UP_TO = 14  # columns in all; more, and the digits would be too small to read
_ASPECT = 1.05  # of the room for the tiles, beside one cell's arithmetic


class Named(Protocol):
    """Whatever has names for the rows and the columns of its weights."""

    @property
    def query_tokens(self) -> tuple[str, ...]: ...  # noqa: D102

    @property
    def key_tokens(self) -> tuple[str, ...]: ...  # noqa: D102


@dataclass(frozen=True)
class Tiles:
    """Where each of several equally large matrices lies on one grid of cells."""

    n_tiles: int
    n_queries: int
    n_keys: int
    n_columns: int  # tiles side by side
    cells_a_gap: int = 6  # a tile of twice as many has a gap of two cells

    @property
    def gap(self) -> int:
        """Cells between two tiles: more where the cells are small, for the title needs its room."""
        return math.ceil(max(self.n_queries, self.n_keys) / self.cells_a_gap)

    @property
    def n_rows(self) -> int:
        """Tiles one above the other."""
        return math.ceil(self.n_tiles / self.n_columns)

    def corner(self, tile: int) -> tuple[int, int]:
        """Return the row and column of a tile's first cell."""
        row, column = divmod(tile, self.n_columns)
        return row * (self.n_queries + self.gap), column * (self.n_keys + self.gap)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the whole grid, gaps included."""
        bottom, right = self.corner((self.n_rows - 1) * self.n_columns)[0], self.corner(self.n_columns - 1)[1]
        return bottom + self.n_queries, right + self.n_keys

    def place(self, matrices: np.ndarray) -> np.ndarray:
        """Return ``[n_tiles, Tq, Tk]`` laid out on the grid; NaN (drawn as nothing) between."""
        grid = np.full(self.shape, np.nan, dtype=np.float32)
        for tile, matrix in enumerate(matrices):
            row, column = self.corner(tile)
            grid[row : row + self.n_queries, column : column + self.n_keys] = matrix
        return grid


def best_tiles(n_tiles: int, n_queries: int, n_keys: int, aspect: float = _ASPECT) -> Tiles:
    """Return the arrangement with the largest cells in a room of the usual or another aspect."""

    def cell_size(tiles: Tiles) -> float:
        height, width = tiles.shape
        return min(aspect / width, 1 / height)

    options = (Tiles(n_tiles, n_queries, n_keys, columns) for columns in range(1, n_tiles + 1))
    return max(options, key=cell_size)


def heads_figure(trace: AttentionTrace) -> go.Figure:
    """Return the chosen stage of the chosen heads: rows are queries, columns are keys.

    Weights are always coloured on 0..1, scores on a scale centred at zero whose range comes from
    the cells that are drawn. Hidden cells are blank over a hatching, never a number.
    """
    stage, heads = trace.settings.stage, shown_heads(trace)
    matrices = stage_values(trace, stage)[heads]
    tiles = best_tiles(len(heads), len(trace.query_tokens), len(trace.key_tokens))
    heatmap = heatmap_trace(tiles.place(matrices), stage)
    layout = tiles_layout(trace, tiles, [head_title(trace, h) for h in heads])
    layout["images"] = hatching(tiles, trace.mask, range(len(heads))) if hides(stage) else []
    layout["meta"]["heads"] = heads
    layout["meta"]["stage"] = STAGE_TITLES[stage]
    head, query, _ = cell_in_view(trace)
    if head in heads:
        layout["meta"]["looked_at"] = [heads.index(head), query]
    cell = trace.settings.cell
    if cell and cell[0] in heads:
        layout["shapes"] = [outline(tiles, heads.index(cell[0]), *cell[1:])]
    return figure([heatmap], layout)


def describe_heads(trace: AttentionTrace) -> str:
    """Return the text alternative of :func:`heads_figure`."""
    settings, heads = trace.settings, shown_heads(trace)
    n_queries, n_keys = trace.mask.shape
    words = [
        f"Heatmap of the {STAGE_TITLES[settings.stage]}s of "
        f"{how_many(len(heads), 'head', 'heads')}, {how_many(n_queries, 'query', 'queries')} (rows) by "
        f"{how_many(n_keys, 'key', 'keys')} (columns)."
    ]
    hidden = int((~trace.mask).sum())
    if hidden:
        words.append(f"{hidden} of {n_queries * n_keys} cells are hidden by the mask.")
    for h in heads[:4]:
        values = np.where(trace.mask, stage_values(trace, settings.stage)[h], -np.inf)
        i, j = np.unravel_index(values.argmax(), values.shape)
        if np.isfinite(values[i, j]):
            words.append(
                f"Head {h}: the largest is {values[i, j]:.4g}, query {i} {quoted(trace.query_tokens[i])} "
                f"to key {j} {quoted(trace.key_tokens[j])}."
            )
    return " ".join(words)


def shown_heads(trace: AttentionTrace) -> list[int]:
    """Return the heads that are drawn: the chosen one, or all."""
    head = trace.settings.head
    return list(range(trace.n_heads)) if head is None else [head]


def head_title(trace: AttentionTrace, head: int) -> str:
    """Return a head's name: its number, and what it shares or was built to do."""
    settings = trace.settings
    if settings.source == "patterns":
        return f"{head} · {PATTERN_NAMES[head]}"
    if settings.n_kv_heads < settings.n_heads:
        kv_head = kv_head_of(head, settings.n_heads, settings.n_kv_heads)
        # Many heads make small tiles, with room for a short title only.
        return f"head {head} · KV {kv_head}" if settings.n_heads <= 9 else f"{head} · KV {kv_head}"
    return f"head {head}"


def hides(stage: str) -> bool:
    """Whether the mask has been applied at this stage."""
    return stage in ("masked", "weights")


def stage_values(trace: AttentionTrace, stage: str) -> np.ndarray:
    """Return ``[H, Tq, Tk]``, NaN where the mask has taken a cell away."""
    values = getattr(trace, stage)
    return np.where(trace.mask, values, np.nan) if hides(stage) else values


def heatmap_trace(grid: np.ndarray, stage: str, limit: float | None = None) -> dict:
    """Return one heatmap of a grid, coloured for its stage; its hover comes from the live plot."""
    trace = {
        "type": "heatmap",
        "z": grid,
        "xgap": 1 if max(grid.shape) <= 40 else 0,
        "ygap": 1 if max(grid.shape) <= 40 else 0,
        "hoverinfo": "none",
        "hoverongaps": False,
        "colorbar": {
            "title": {"text": STAGE_TITLES.get(stage, stage), "side": "top", "font": {"size": 13}},
            "thickness": 14,
            "x": 1.0,
            "xpad": 10,
            "outlinewidth": 0,
        },
    }
    if grid.shape[1] <= DIGITS_UP_TO:
        trace |= {"texttemplate": "%{z:.2f}", "textfont": {"size": 14}}
    if stage == "weights":
        return trace | {"colorscale": SEQUENTIAL, "zmin": 0, "zmax": 1}
    return trace | {"colorscale": DIVERGING, **centred_range(grid, limit)}


def centred_range(grid: np.ndarray, limit: float | None = None) -> dict[str, float]:
    """Return zmin and zmax around zero; from the grid's own cells if there is no limit."""
    if limit is None:
        drawn = grid[np.isfinite(grid)]
        limit = float(np.abs(drawn).max()) if drawn.size else 0.0
    limit = limit or 1.0
    return {"zmin": -limit, "zmax": limit}


def tiles_layout(trace: Named, tiles: Tiles, titles: list[str]) -> dict:
    """Return axes with the tokens' names, and a title over each tile."""
    height, width = tiles.shape
    corners = [tiles.corner(tile) for tile in range(tiles.n_tiles)]
    rows = sorted({row for row, _ in corners})
    columns = sorted({column for _, column in corners})
    axis = {
        "showgrid": False,
        "zeroline": False,
        "tickmode": "array",
        "ticks": "",
        # Without it Plotly measures every label at every update: half of its time.
        "ticklabeloverflow": "allow",
    }
    return {
        "xaxis": axis
        | {
            "title": {"text": "key (column)", "standoff": 6},
            "range": [-0.5, width - 0.5],
            "tickangle": -60,
            **_ticks(trace.key_tokens, columns),
        },
        "yaxis": axis
        | {
            "title": {"text": "query (row)", "standoff": 6},
            "range": [height - 0.5, -0.5],  # row 0 at the top
            **_ticks(trace.query_tokens, rows),
        },
        "annotations": [
            {
                "text": f"<b>{title}</b>",
                "x": column - 0.5,
                "y": row - 0.5,
                "xanchor": "left",
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"size": 13},
            }
            for title, (row, column) in zip(titles, corners, strict=True)
        ],
        # Room for the longest label; those of the keys stand at 60 degrees.
        "margin": {
            "l": 34 + _label_width(trace.query_tokens),
            "r": 80,
            "t": 24,
            "b": 46 + round(0.87 * _label_width(trace.key_tokens)),
        },
        "height": 500,
        # Zoom is kept while the picture's shape is the same.
        "uirevision": f"{tiles}",
        "meta": {
            "cells": "attention",
            "stride": [tiles.n_queries + tiles.gap, tiles.n_keys + tiles.gap],
            "columns": tiles.n_columns,
            "query_tokens": list(trace.query_tokens),
            "key_tokens": list(trace.key_tokens),
        },
    }


def hatching(tiles: Tiles, mask: np.ndarray, which: range) -> list[dict]:
    """Return a hatched image under the hidden cells of each tile; it shows where cells are blank."""
    if mask.all():
        return []
    height, width = mask.shape
    step = max(tiles.shape) / 60  # stripes are about as far apart whatever the number of cells
    hidden = "".join(
        f"M{start} {i}H{end}V{i + 1}H{start}Z" for i, row in enumerate(~mask) for start, end in _runs(row)
    )
    svg = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' "
        f"width='{width * 24}' height='{height * 24}' preserveAspectRatio='none'>"
        f"<pattern id='h' width='{step}' height='{step}' patternUnits='userSpaceOnUse' "
        "patternTransform='rotate(45)'>"
        f"<path d='M0 0V{step}' stroke='#8893a5' stroke-width='{step * 0.45}'/></pattern>"
        f"<path d='{hidden}' fill='url(#h)'/></svg>"
    )
    source = "data:image/svg+xml," + svg.replace("#", "%23").replace("<", "%3C").replace(">", "%3E")
    images = []
    for tile in which:
        row, column = tiles.corner(tile)
        place = {"x": column - 0.5, "y": row - 0.5, "sizex": width, "sizey": height}
        images.append(
            {"source": source, "xref": "x", "yref": "y", **place, "sizing": "stretch", "layer": "below"}
        )
    return images


def _runs(row: np.ndarray) -> list[tuple[int, int]]:
    """Return the start and end of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], row, [False]]).astype(int)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def outline(tiles: Tiles, tile: int, query: int, key: int) -> dict:
    """Return a frame around one cell."""
    row, column = tiles.corner(tile)
    x, y = column + key, row + query
    return {
        "type": "rect",
        "x0": x - 0.5,
        "x1": x + 0.5,
        "y0": y - 0.5,
        "y1": y + 0.5,
        "line": {"color": OUTLINE, "width": 3},
    }


def row_frame(tiles: Tiles, tile: int, row: int) -> dict:
    """Return the rectangle around one row of a tile: the query that is looked at."""
    top, left = tiles.corner(tile)
    return {
        "type": "rect",
        "x0": left - 0.5,
        "x1": left + tiles.n_keys - 0.5,
        "y0": top + row - 0.5,
        "y1": top + row + 0.5,
        "line": {"color": OUTLINE, "width": 2},
    }


def _label_width(tokens: tuple[str, ...]) -> int:
    """Return about how wide the widest label is, in pixels at the usual size."""
    return 7 * max(len(f"{i} {token[:MAX_LABEL]}") for i, token in enumerate(tokens))


def _ticks(tokens: tuple[str, ...], corners: list[int]) -> dict:
    labels = [token_label(i, token) for i, token in enumerate(tokens)]
    return {
        "tickvals": [corner + i for corner in corners for i in range(len(tokens))],
        "ticktext": labels * len(corners),
    }
