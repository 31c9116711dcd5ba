"""The residual stream along depth, and the activations of the two MLPs."""

from functools import cache
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.figures.theme import DIVERGING, OUTLINE, PART_COLOURS, figure
from core.lessons.block import MAX_ENTRY, BlockLessonSettings
from core.lessons.block_depth import Depth, Stream
from core.lessons.block_wrong import Entry
from core.ops.mlp import gelu, silu

ATTENTION_COLOUR, MLP_COLOUR = PART_COLOURS[0], PART_COLOURS[1]
SILU_COLOUR, GELU_COLOUR = PART_COLOURS[0], PART_COLOURS[1]
STREAM_COLOUR = "#7a8599"
WITH_COLOUR, WITHOUT_COLOUR = PART_COLOURS[2], PART_COLOURS[3]
_TITLE = {"showarrow": False, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom",
          "font": {"size": 15}}  # fmt: skip
_DOMAINS = ((0, 0.29), (0.355, 0.645), (0.72, 1))
_LIMIT = MAX_ENTRY


def block_formula(settings: BlockLessonSettings) -> str:
    """Return the block in LaTeX, as the settings build it.

    Args:
        settings: style, place of the norms and residuals count.
    """
    llama = settings.style == "llama"
    norm = r"\mathrm{RMSNorm}" if llama else r"\mathrm{LayerNorm}"
    x, y = ("x + ", "y + ") if settings.residual else ("", "")
    if settings.norm_place == "pre":
        first = rf"y = {x}\mathrm{{Attention}}({norm}(x))"
        second = rf"\mathrm{{out}} = {y}\mathrm{{MLP}}({norm}(y))"
    else:
        first = rf"y = {norm}({x}\mathrm{{Attention}}(x))"
        second = rf"\mathrm{{out}} = {norm}({y}\mathrm{{MLP}}(y))"
    mlp = r"(\mathrm{SiLU}(uW_1)\odot uW_3)\,W_2" if llama else r"\mathrm{GELU}(uW_1+b_1)\,W_2+b_2"
    return rf"\begin{{gathered}}{first}\\{second}\\\mathrm{{MLP}}(u) = {mlp}\end{{gathered}}"


def depth_figure(depth: Depth, token: int) -> go.Figure:
    """Return one token's stream through pre-norm and post-norm blocks, and how alike tokens become.

    Lines are lengths of the vector x after each sub-layer, bars those of what the sub-layer adds.
    """
    settings = depth.settings
    traces: list[dict[str, Any]] = []
    for suffix, place in (("", "pre"), ("2", "post")):
        traces += _stream(depth.places[place], token, suffix)
    for each, colour, dash in ((depth.residual, WITH_COLOUR, "solid"), (depth.bare, WITHOUT_COLOUR, "dot")):
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": list(range(len(each.alike))),
                "y": each.alike,
                "xaxis": "x3",
                "yaxis": "y3",
                "line": {"color": colour, "width": 3, "dash": dash},
                "marker": {"size": 7},
                "hovertemplate": "after %{x} blocks: %{y:.3f}<extra></extra>",
            }
        )
    # It does not jump with the token, the seed or the switches.
    root = settings.d_model**0.5
    drawn = max(
        float(lengths[:, token].max())
        for each in depth.places.values()
        for lengths in (each.size, each.added)
    )
    top = max(root * (1.2 + settings.layers**0.5), 1.05 * drawn)
    axis = {"ticklabeloverflow": "allow", "zeroline": False}
    x = axis | {"range": [-0.4, settings.layers + 0.4], "nticks": 7, "tick0": 0, "tickformat": "d"}
    x |= {"title": {"text": "blocks passed", "standoff": 10}}
    names = {
        "pre": "pre-norm: length of x",
        "post": "post-norm: length of x",
    }
    titles = [f"<b>{'▸ ' * (settings.norm_place == place)}{name}</b>" for place, name in names.items()]
    titles.append("<b>how alike tokens are</b>")
    y = axis | {"range": [0, top], "nticks": 6}
    layout: dict[str, Any] = {
        "height": 330,
        "margin": {"l": 44, "r": 12, "t": 32, "b": 52},
        "bargap": 0.1,
        "uirevision": "depth",
        "yaxis": y,
        "yaxis2": y | {"anchor": "x2"},
        "yaxis3": axis | {"anchor": "x3", "range": [-0.3, 1.05], "nticks": 6},
        "annotations": [
            _TITLE | {"x": domain[0], "y": 1, "text": title}
            for domain, title in zip(_DOMAINS, titles, strict=True)
        ],
        "meta": {"narrow": _narrow()},
    }
    for suffix, domain in zip(("", "2", "3"), _DOMAINS, strict=True):
        layout[f"xaxis{suffix}"] = x | {"domain": domain, "anchor": f"y{suffix}"}
    return figure(traces, layout)


def describe_depth(depth: Depth, token: int) -> str:
    """Return the text alternative of :func:`depth_figure`."""
    words = [
        f"{place}-norm: the vector of token {token} is {each.size[0, token]:.2f} long at the start and "
        f"{each.size[-1, token]:.2f} after {depth.settings.layers} blocks"
        for place, each in depth.places.items()
    ]
    if len(depth.bare.alike):
        words.append(
            "mean cosine of two tokens after the last block: "
            f"{depth.residual.alike[-1]:.2f} with residuals, {depth.bare.alike[-1]:.2f} without"
        )
    return "Three plots along depth. " + ". ".join(words) + "."


def activations_figure(entry: Entry) -> go.Figure:
    """Return SiLU, GELU and ReLU as curves (left), and SiLU(a) b over both branches (right)."""
    x, grid, products = _curves()
    curves = (
        ("SiLU", silu(x), SILU_COLOUR, "solid"),
        ("GELU", gelu(x), GELU_COLOUR, "dash"),
        ("ReLU", np.maximum(x, 0), STREAM_COLOUR, "dot"),
    )
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": x,
            "y": y,
            "line": {"color": colour, "width": 3, "dash": dash},
            "hovertemplate": f"{name} of %{{x:.2f}}: %{{y:.4f}}<extra></extra>",
        }
        for name, y, colour, dash in curves
    ]
    marker = {"type": "scatter", "mode": "markers", "hoverinfo": "skip"}
    look = {"size": 15, "color": OUTLINE, "line": {"color": "#ffffff", "width": 2}}
    traces.append(marker | {"x": [entry.a], "y": [entry.bent], "marker": look})
    traces.append(
        {
            "type": "contour",
            "x": grid,
            "y": grid,
            "z": products,
            "xaxis": "x2",
            "yaxis": "y2",
            "coloraxis": "coloraxis",
            "contours": {"coloring": "heatmap", "start": -14, "end": 14, "size": 2, "showlabels": True,
                         "labelfont": {"size": 12, "color": "#000000"}},
            "line": {"width": 0.7, "color": "#555555"},
            "hovertemplate": "a %{x:.2f}, b %{y:.2f}: %{z:.3f}<extra></extra>",
        }
    )  # fmt: skip
    traces.append(marker | {"x": [entry.a], "y": [entry.b], "xaxis": "x2", "yaxis": "y2", "marker": look})
    axis = {"ticklabeloverflow": "allow", "nticks": 9}
    edge = [-_LIMIT, _LIMIT]
    layout = {
        "height": 330,
        "margin": {"l": 44, "r": 12, "t": 32, "b": 52},
        "uirevision": "activations",
        "coloraxis": {
            "colorscale": DIVERGING,
            "cmin": -16,
            "cmax": 16,
            "colorbar": {"thickness": 14, "outlinewidth": 0, "tickvals": [-16, -8, 0, 8, 16]},
        },
        "xaxis": axis | {"domain": [0, 0.44], "range": edge, "title": {"text": "x", "standoff": 10}},
        "yaxis": axis | {"range": [-0.6, _LIMIT + 0.2]},
        "xaxis2": axis
        | {"domain": [0.56, 1], "anchor": "y2", "range": edge, "zeroline": False}
        | {"title": {"text": "a, entry of x W1", "standoff": 10}},
        "yaxis2": axis
        | {"anchor": "x2", "range": edge, "zeroline": False}
        | {"title": {"text": "b, entry of x W3", "standoff": 6}},
        "annotations": [
            _TITLE | {"x": 0, "y": 1, "text": "<b>SiLU, GELU, ReLU</b>"},
            _TITLE | {"x": 0.56, "y": 1, "text": "<b>SwiGLU's entry: SiLU(a) · b</b>"},
        ],
        "meta": {
            "narrow": {
                "height": 640,
                "xaxis.domain": [0, 1],
                "xaxis2.domain": [0, 1],
                "yaxis.domain": [0.6, 1],
                "yaxis2.domain": [0, 0.42],
                "coloraxis.colorbar.len": 0.42,
                "coloraxis.colorbar.y": 0.21,
                "annotations.1.x": 0,
                "annotations.1.y": 0.43,
            }
        },
    }
    return figure(traces, layout)


def describe_activations(entry: Entry) -> str:
    """Return the text alternative of :func:`activations_figure`."""
    return (
        "Curves of SiLU, GELU and ReLU: all near 0 far left and near x far right; SiLU and GELU dip below "
        f"0 in between. Beside them SiLU(a) times b: at a = {entry.a:g} and b = {entry.b:g} it is "
        f"{entry.bent:.4f} times {entry.b:g} = {entry.product:.4f}."
    )


@cache
def _curves() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    grid = np.linspace(-_LIMIT, _LIMIT, 33)
    return np.linspace(-_LIMIT, _LIMIT, 121), grid, np.round(silu(grid)[None, :] * grid[:, None], 4)


def _stream(stream: Stream, token: int, suffix: str) -> list[dict[str, Any]]:
    size, added = stream.size[:, token], stream.added[:, token]
    places = np.arange(len(size)) / 2  # attention ends half a block, the MLP a whole one
    axes = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
    bars = [
        {
            "type": "bar",
            "x": places[first::2],
            "y": added[first - 1 :: 2],
            "width": 0.34,
            "marker": {"color": colour, "line": {"width": 0}},
            "hovertemplate": f"{name} adds %{{y:.3f}}<extra></extra>",
            **axes,
        }
        for first, name, colour in ((1, "attention", ATTENTION_COLOUR), (2, "MLP", MLP_COLOUR))
    ]
    line = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": places,
        "y": size,
        "line": {"color": STREAM_COLOUR, "width": 3},
        "marker": {"size": 6},
        "hovertemplate": "after %{x} blocks: %{y:.3f}<extra></extra>",
        **axes,
    }
    return [*bars, line]


def _narrow() -> dict[str, Any]:
    """One below the other on a phone."""
    heights = ((0.76, 1.0), (0.38, 0.62), (0.0, 0.24))
    return {
        "height": 920,
        **{f"xaxis{n}.domain": [0, 1] for n in ("", "2", "3")},
        **{f"yaxis{n}.domain": list(h) for n, h in zip(("", "2", "3"), heights, strict=True)},
        **{f"annotations.{i}.x": 0 for i in range(3)},
        **{f"annotations.{i}.y": h[1] for i, h in enumerate(heights)},
    }
