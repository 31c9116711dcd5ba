"""A sliding window in one layer, and after how many layers each key has reached each query."""

from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from plotly.colors import sample_colorscale

from core.figures.heatmap import Tiles, hatching, tiles_layout
from core.figures.theme import figure
from core.lessons.cost_window import layers_needed, reach
from core.ops.masks import sliding_window_mask

N_TOKENS = 24
# Viridis without its darkest part, which would not stand out on a dark page.
_LAYERS = [[x, sample_colorscale("Viridis", 0.28 + 0.72 * x)[0]] for x in np.linspace(0, 1, 9).tolist()]
_NAMES = tuple("" for _ in range(N_TOKENS))


@dataclass(frozen=True)
class _Positions:
    """Tokens without words: their positions are names enough."""

    query_tokens: tuple[str, ...] = _NAMES
    key_tokens: tuple[str, ...] = _NAMES


def window_figure(window: int, n_layers: int) -> go.Figure:
    """Return the mask of one layer, and beside it the layer in which each key first reaches each query.

    Args:
        window: w, the token itself included.
        n_layers: L.
    """
    mask = sliding_window_mask(N_TOKENS, window)
    needed = np.stack([layers_needed(mask, layers) for layers in (1, n_layers)])
    tiles = Tiles(2, N_TOKENS, N_TOKENS, n_columns=2)
    heatmap = {
        "type": "heatmap",
        "z": tiles.place(np.where(needed > 0, needed, np.nan)),
        "xgap": 1,
        "ygap": 1,
        "hoverinfo": "none",
        "hoverongaps": False,
        "colorscale": _LAYERS,
        "zmin": 1,
        "zmax": max(2, n_layers),
        "colorbar": {
            "title": {"text": "in layer", "side": "top", "font": {"size": 13}},
            "thickness": 14,
            "x": 1.0,
            "xpad": 10,
            "outlinewidth": 0,
            "tickvals": list(range(1, max(2, n_layers) + 1)),
        },
    }
    names = ["1 layer: the mask", f"after {n_layers} layer{'s' if n_layers > 1 else ''}"]
    layout = tiles_layout(_Positions(), tiles, names)
    layout["xaxis"]["tickangle"] = 0
    layout["xaxis"]["title"] |= {"text": "key position (column)", "standoff": 8}
    layout["yaxis"]["title"] |= {"text": "query position (row)", "standoff": 8}
    for axis in ("xaxis", "yaxis"):  # positions need no name each
        ticks = zip(layout[axis]["tickvals"], layout[axis]["ticktext"], strict=True)
        kept = [(at, text) for at, text in ticks if int(text) % 4 == 0]
        layout[axis] |= {"tickvals": [at for at, _ in kept], "ticktext": [text for _, text in kept]}
    layout["margin"] |= {"l": 58, "b": 48}
    layout["height"] = 420
    bands = _band_names(tiles, window, n_layers)
    layout["annotations"] += bands
    layout["images"] = [
        image for tile in range(2) for image in hatching(tiles, needed[tile] > 0, range(tile, tile + 1))
    ]
    layout["meta"] |= {
        "heads": [0, 1],
        "names": names,
        "stage": "first reached in layer",
        "legends": "above",  # on a phone
        "blank": "not reached",
        "whole": True,
        # On a projector they would be larger than their cells.
        "lecture": {f"annotations.{len(names) + i}.text": "" for i in range(len(bands))},
    }
    return figure([heatmap], layout)


def describe_window(window: int, n_layers: int) -> str:
    """Return the text alternative of :func:`window_figure`.

    Args:
        window: w.
        n_layers: L.
    """
    farthest = reach(window, n_layers) - 1
    return (
        f"{N_TOKENS} tokens. In one layer a query sees {window} keys, itself included. After {n_layers} "
        f"layers it depends on keys up to {farthest} positions back."
    )


def _band_names(tiles: Tiles, window: int, n_layers: int) -> list[dict]:
    """The layer's number in the last row of each band: told apart without colour too."""
    row, column = tiles.corner(1)
    names = []
    for layer in range(1, n_layers + 1):
        nearest = 0 if layer == 1 else reach(window, layer - 1)  # positions back
        farthest = min(reach(window, layer), N_TOKENS) - 1
        if nearest > farthest:
            break
        names.append(
            {
                "text": f"<b>{layer}</b>",
                "x": column + N_TOKENS - 1 - (nearest + farthest) / 2,
                "y": row + N_TOKENS - 1,
                "showarrow": False,
                "font": {
                    "size": 13,
                    "color": "#fff" if (layer - 1) / max(1, n_layers - 1) < 0.25 else "#000",
                },
            }
        )
    return names
