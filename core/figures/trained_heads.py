"""Trained heads: one at close range, its group, its switches, all heads by effect, the row of "it"."""

import numpy as np
import plotly.graph_objects as go

from core.figures.heatmap import Tiles, centred_range, hatching, heatmap_trace, row_frame, tiles_layout
from core.figures.theme import OUTLINE, SCALED_COLOUR, UNSCALED_COLOUR, above_each_other, figure, quoted
from core.lessons.trained_effects import Effects
from core.lessons.trained_heads import Head, HeadsTrace, TrainedHeadsSettings
from core.lessons.trained_pronoun import Pronoun
from core.lessons.trained_switches import Switched
from core.ops.heads import kv_head_of

SWITCH_NAMES = ("A · as trained", "B · switched", "B − A")
_HINT = "Choose a cell: its row is looked at"
_NEUTRAL = "#7a8599"
_TITLE = {"showarrow": False, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom",
          "y": 1, "font": {"size": 15}}  # fmt: skip


def head_name(head: Head) -> str:
    """Return what a head is called in words."""
    return f"layer {head[0]}, head {head[1]}"


def head_figure(trace: HeadsTrace) -> go.Figure:
    """Return the chosen head's weights on 0..1: rows are queries; the row looked at is framed."""
    n, settings = len(trace.tokens), trace.settings
    tiles = Tiles(1, n, n, n_columns=1)
    layout = _weights_layout(trace, tiles, [head_name(settings.head)], trace.visible)
    layout["meta"] |= {"heads": [settings.head[1]], "names": [head_name(settings.head)]}
    layout["height"] = 500
    layout["shapes"] = [row_frame(tiles, 0, trace.row)]
    drawn = np.where(trace.visible, trace.weights, np.nan)
    return figure([heatmap_trace(tiles.place(drawn[None]), "weights")], layout)


def describe_head(trace: HeadsTrace) -> str:
    """Return the text alternative of :func:`head_figure`."""
    n, row = len(trace.tokens), trace.weights[trace.row]
    i, j = np.unravel_index(trace.weights[1:].argmax(), trace.weights[1:].shape) if n > 1 else (-1, 0)
    best = int(row.argmax())
    return (
        f"Heatmap of the weights of {head_name(trace.settings.head)} of {trace.spec.title}, {n} queries "
        f"(rows) by {n} keys (columns). The largest below row 0 is {trace.weights[i + 1, j]:.4g}, query "
        f"{i + 1} {quoted(trace.tokens[i + 1])} to key {j} {quoted(trace.tokens[j])}. In the row looked at, "
        f"query {trace.row} {quoted(trace.tokens[trace.row])}, the largest is {row[best]:.4g}, key {best} "
        f"{quoted(trace.tokens[best])}."
    )


def group_figure(trace: HeadsTrace) -> go.Figure:
    """Return the weights of all query heads that read the chosen head's keys and values."""
    n, group = len(trace.tokens), trace.group
    layer = trace.settings.head[0]
    tiles = Tiles(len(group), n, n, n_columns=len(group))
    titles = [f"{layer}.{h} · KV {trace.kv_head}" for h in group]
    layout = _weights_layout(trace, tiles, titles, trace.visible)
    layout["meta"] |= {"heads": group, "names": [f"{head_name((layer, h))}" for h in group]}
    layout["height"] = 420
    layout["shapes"] = [row_frame(tiles, tile, trace.row) for tile in range(len(group))]
    drawn = np.where(trace.visible, trace.all_weights[layer, group], np.nan)
    return figure([heatmap_trace(tiles.place(drawn), "weights")], layout)


def describe_group(trace: HeadsTrace) -> str:
    """Return the text alternative of :func:`group_figure`."""
    layer, words = trace.settings.head[0], []
    for h in trace.group:
        row = trace.all_weights[layer, h, trace.row]
        best = int(row.argmax())
        words.append(f"head {h} gives {row[best]:.4g} to key {best} {quoted(trace.tokens[best])}")
    return (
        f"Heatmaps of the {len(trace.group)} heads of layer {layer} that read KV head {trace.kv_head}. From "
        f"query {trace.row} {quoted(trace.tokens[trace.row])}: {'; '.join(words)}."
    )


def switched_figure(trace: Switched) -> go.Figure:
    """Return A as trained, B as switched and B - A; weights on one scale, the difference on its own."""
    n = len(trace.tokens)
    tiles = Tiles(3, n, n, n_columns=3)
    blank = np.full((n, n), np.nan)
    a, b = np.where(trace.visible, trace.weights, np.nan), np.where(trace.visible_b, trace.weights_b, np.nan)
    both = heatmap_trace(tiles.place(np.stack([a, b, blank])), "weights")
    drawn = np.where(trace.visible | trace.visible_b, trace.difference, np.nan)
    grid = tiles.place(np.stack([blank, blank, drawn]))
    apart = heatmap_trace(grid, "difference") | centred_range(grid, 1.0)
    apart["colorbar"] = apart["colorbar"] | {"title": apart["colorbar"]["title"] | {"text": "B − A"}}
    layout = tiles_layout(trace, tiles, list(SWITCH_NAMES))
    layout["height"] = 420
    masks = (trace.visible, trace.visible_b, trace.visible | trace.visible_b)
    layout["images"] = [
        image for tile, mask in enumerate(masks) for image in hatching(tiles, mask, range(tile, tile + 1))
    ]
    layout["shapes"] = [row_frame(tiles, tile, trace.row) for tile in range(3)]
    layout["meta"] |= {
        "heads": [0] * 3,
        "names": list(SWITCH_NAMES),
        "stage": "weight",
        "legends": "above",  # on a phone
        "shows": [0, 0, 1],  # which trace draws each, where a lecture shows one alone
        "hint": _HINT,
    }
    return figure([both, apart], layout)


def describe_switched(trace: Switched) -> str:
    """Return the text alternative of :func:`switched_figure`."""
    size = np.abs(trace.difference)
    i, j = np.unravel_index(size.argmax(), size.shape)
    words = (
        f"The largest difference is {trace.difference[i, j]:+.4g}, query {i} {quoted(trace.tokens[i])}, "
        f"key {j} {quoted(trace.tokens[j])}."
    )
    if size[i, j] < 1e-12:
        words = "Nothing is switched: A and B are the same."
    return f"Heatmaps of the head as it was trained (A), as it is switched (B), and B − A. {words}"


def effects_figure(found: Effects, head: Head, unit: str) -> go.Figure:
    """Return all heads: across how bright they are, upwards what changes without them, on a log axis.

    Args:
        found: of a recording.
        head: the one that is looked at, marked.
        unit: what changes.
    """
    low = float(np.floor(np.log10(max(found.removed.min(), 1e-4)) * 4) / 4)
    high = float(np.ceil(np.log10(found.removed.max()) * 4) / 4)
    points = {
        "type": "scatter",
        "mode": "markers",
        "x": found.brightness.ravel(),
        "y": found.removed.ravel(),
        "customdata": _head_names(found.brightness.shape),
        "marker": {"size": 8, "color": SCALED_COLOUR, "opacity": 0.8},
        "hovertemplate": "%{customdata}<br>largest weight %{x:.2f}, change %{y:.3f}<extra></extra>",
    }
    marked = _marked(points, found.brightness[head], found.removed[head], head)
    axis = {"ticklabeloverflow": "allow", "zeroline": False}
    layout = {
        "height": 400,
        "margin": {"l": 66, "r": 14, "t": 20, "b": 52},
        "uirevision": unit,
        "xaxis": axis
        | {"range": [0, 1.03], "title": {"text": "largest weight of a row, on average", "standoff": 10}},
        "yaxis": axis
        | {
            "type": "log",
            "range": [low - 0.1, high + 0.1],
            "title": {"text": unit, "standoff": 8},
            "tickvals": [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2],
        },
        "meta": {"wide": {"height": 500}},
    }
    return figure([points, marked], layout)


def describe_effects(found: Effects, head: Head) -> str:
    """Return the text alternative of :func:`effects_figure`."""
    dim, strong = found.dim_example, found.strong_example
    return (
        f"Scatter of {found.removed.size} heads: brightness against the change without the head. Rank "
        f"correlation {found.rank_correlation:.2f}. {head_name(head).capitalize()}: brightness "
        f"{found.brightness[head]:.2f}, change {found.removed[head]:.3f}. Bright with little effect: "
        f"{head_name(dim)}, {found.brightness[dim]:.2f} and {found.removed[dim]:.3f}. Largest effect: "
        f"{head_name(strong)}, {found.brightness[strong]:.2f} and {found.removed[strong]:.3f}."
    )


def pronoun_figure(encoder: Pronoun, decoder: Pronoun, chosen: tuple[Head, Head]) -> go.Figure:
    """Return every head of both models: how far "it" prefers animal to street, with each end.

    Args:
        encoder: of the encoder.
        decoder: of the decoder.
        chosen: the head of each that is looked at, marked.
    """
    traces = []
    for suffix, each, head, colour in (
        ("", encoder, chosen[0], SCALED_COLOUR),
        ("2", decoder, chosen[1], UNSCALED_COLOUR),
    ):
        tired, wide = each.balance
        points = {
            "type": "scatter",
            "mode": "markers",
            "xaxis": f"x{suffix}",
            "yaxis": f"y{suffix}",
            "x": tired.ravel(),
            "y": wide.ravel(),
            "customdata": _head_names(tired.shape),
            "marker": {"size": 8, "color": colour, "opacity": 0.8},
            "hovertemplate": "%{customdata}<br>tired %{x:+.3f}, wide %{y:+.3f}<extra></extra>",
        }
        traces += [points, _marked(points, tired[head], wide[head], head)]
    axis = {"range": [-0.8, 0.8], "zeroline": True, "dtick": 0.4, "ticklabeloverflow": "allow"}
    x = axis | {"title": {"text": "“it”: animal − street, … too tired", "standoff": 10}}
    diagonal = {"type": "line", "x0": -0.8, "y0": -0.8, "x1": 0.8, "y1": 0.8,
                "line": {"color": _NEUTRAL, "width": 1.5, "dash": "dot"}}  # fmt: skip
    # Here the head would change its preference as a reader does.
    flip = {"type": "rect", "x0": 0, "x1": 0.8, "y0": -0.8, "y1": 0, "line": {"width": 0},
            "fillcolor": _NEUTRAL, "opacity": 0.22, "layer": "below"}  # fmt: skip
    layout = {
        "height": 400,
        "margin": {"l": 66, "r": 14, "t": 32, "b": 56},
        "uirevision": "pronoun",
        "xaxis": x | {"domain": [0, 0.46]},
        "yaxis": axis | {"title": {"text": "animal − street, … too wide", "standoff": 6}},
        "xaxis2": x | {"domain": [0.54, 1], "anchor": "y2"},
        "yaxis2": axis | {"anchor": "x2"},
        "shapes": [
            shape | {"xref": f"x{i}", "yref": f"y{i}"} for i in ("", "2") for shape in (flip, diagonal)
        ],
        "annotations": [
            _TITLE | {"x": 0, "text": f"<b>encoder: {encoder.rows[0][..., 0].size} heads</b>"},
            _TITLE | {"x": 0.54, "text": f"<b>decoder: {decoder.rows[0][..., 0].size} heads</b>"},
        ],
        "meta": {"narrow": above_each_other(760)},
    }
    return figure(traces, layout)


def describe_pronoun(encoder: Pronoun, decoder: Pronoun) -> str:
    """Return the text alternative of :func:`pronoun_figure`."""
    words = []
    for name, each in (("encoder", encoder), ("decoder", decoder)):
        largest = float(np.abs(each.balance[1] - each.balance[0]).max())
        words.append(
            f"In the {name} {len(each.flips)} of {each.balance[0].size} heads change sides, and the largest "
            f"move is {largest:.3f}."
        )
    return (
        "Two scatters, one point for each head: how much more weight “it” gives to “animal” than to "
        "“street”, across with “tired”, upwards with “wide”. " + " ".join(words)
    )


def trained_formula(settings: TrainedHeadsSettings) -> str:
    """Return the chosen head's formula as it was trained, in LaTeX, with its numbers."""
    layer, h = settings.head
    spec = settings.spec
    scores = rf"\frac{{q_i\cdot k_j}}{{\sqrt{{{spec.d_head}}}}}"
    seen = r"j\le i" if spec.is_causal else "j"
    turned = ""
    if spec.rope_base:
        base = f"{spec.rope_base:,.0f}".replace(",", "{,}")
        turned = rf"\\ q,\,k\ \text{{turned by RoPE, base }}{base}"
    return (
        rf"\begin{{gathered}}A^{{({layer}.{h})}}_{{ij}}=\operatorname{{softmax}}_{{{seen}}}"
        rf"\Big({scores}\Big){turned}\\ k,\,v:\ \text{{KV head }}\lfloor {h}/{spec.group_size}\rfloor="
        rf"{kv_head_of(h, spec.n_heads, spec.n_kv_heads)}\end{{gathered}}"
    )


def _weights_layout(trace: HeadsTrace, tiles: Tiles, titles: list[str], visible: np.ndarray) -> dict:
    layout = tiles_layout(trace, tiles, titles)
    layout["images"] = hatching(tiles, visible, range(tiles.n_tiles))
    layout["meta"] |= {"stage": "weight", "hint": _HINT}
    return layout


def _head_names(shape: tuple[int, ...]) -> list[str]:
    """The names of all heads ``[L, H]``, in order."""
    return [head_name((layer, h)) for layer, h in np.ndindex(*shape)]


def _marked(points: dict, x: float, y: float, head: Head) -> dict:
    """One head of a scatter, in a ring of its own."""
    return points | {
        "x": [x],
        "y": [y],
        "customdata": [head_name(head)],
        "marker": {"size": 16, "color": "rgba(0,0,0,0)", "line": {"color": OUTLINE, "width": 3}},
    }
