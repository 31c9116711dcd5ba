"""The spread of dot products, and the gradients that softmax lets through, against d_k."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.figures.theme import SCALED_COLOUR, UNSCALED_COLOUR, above_each_other, figure
from core.lessons.gradients import GradientCurves
from core.lessons.scaling import Scaling

_WIDE, _NARROW = 60.0, 4.0  # half of the axes: for products, and for what should have unit variance
_NEUTRAL = "#7a8599"
_TITLE = {"showarrow": False, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom",
          "font": {"size": 15}}  # fmt: skip
DIVISOR_NAMES = {"none": "undivided", "sqrt_d_k": "÷ √d_k", "d_k": "÷ d_k", "sqrt_d_model": "÷ √d_model"}


def spread_figure(scaling: Scaling) -> go.Figure:
    """Return two histograms: the dot products as they are, and divided; each with its normal curve.

    The axes stay while d_k moves, so that the spread is seen to grow.
    """
    settings = scaling.settings
    sd = settings.d_k**0.5
    name = DIVISOR_NAMES[settings.scale]
    traces = [
        _histogram(scaling.products, _WIDE, UNSCALED_COLOUR, ""),
        _normal(sd, _WIDE, ""),
        _histogram(scaling.scaled, _NARROW, SCALED_COLOUR, "2"),
        _normal(1.0, _NARROW, "2"),
    ]
    tallest = max(0.45, 1.1 * float(np.max(traces[2]["y"])))
    axis = {"ticklabeloverflow": "allow", "zeroline": False}
    layout = {
        "height": 300,
        "margin": {"l": 64, "r": 12, "t": 32, "b": 52},
        "bargap": 0,
        "uirevision": "spread",
        "xaxis": axis
        | {"domain": [0, 0.46], "range": [-_WIDE, _WIDE], "title": {"text": "q·k", "standoff": 10}},
        "yaxis": axis | {"range": [0, 0.3], "nticks": 5, "title": {"text": "density", "standoff": 8}},
        "xaxis2": axis
        | {"domain": [0.55, 1], "anchor": "y2", "range": [-_NARROW, _NARROW]}
        | {"title": {"text": f"q·k {name}", "standoff": 10}},
        "yaxis2": axis | {"anchor": "x2", "range": [0, tallest], "nticks": 5},
        "annotations": [
            _TITLE | {"x": 0, "y": 1, "text": f"<b>q·k: SD {scaling.products.std():.2f}</b>"},
            _TITLE | {"x": 0.55, "y": 1, "text": f"<b>{name}: SD {scaling.scaled.std():.3f}</b>"},
        ],
        "meta": {"narrow": above_each_other(520)},
    }
    return figure(traces, layout)


def describe_spread(scaling: Scaling) -> str:
    """Return the text alternative of :func:`spread_figure`."""
    settings = scaling.settings
    return (
        f"Histograms of {len(scaling.products):,} dot products at d_k = {settings.d_k}: standard deviation "
        f"{scaling.products.std():.2f}, square root of d_k {settings.d_k**0.5:.2f}; "
        f"{DIVISOR_NAMES[settings.scale]}: {scaling.scaled.std():.3f}."
    )


def gradients_figure(curves: GradientCurves, d_k: int) -> go.Figure:
    """Return the mean and the median size of two gradients against d_k, on log axes."""
    traces: list[dict[str, Any]] = []
    for suffix, which in (("", "scores"), ("2", "query")):
        for scale, colour in (("sqrt_d_k", SCALED_COLOUR), ("none", UNSCALED_COLOUR)):
            for average, dash, symbol in (("mean", "solid", "circle"), ("median", "dot", "square")):
                traces.append(
                    {
                        "type": "scatter",
                        "mode": "lines+markers",
                        "xaxis": f"x{suffix}",
                        "yaxis": f"y{suffix}",
                        "x": list(curves.widths),
                        "y": curves.sizes[which, scale, average],
                        "line": {"color": colour, "dash": dash, "width": 3},
                        "marker": {"symbol": symbol, "size": 8},
                        "hovertemplate": f"{average}, d_k %{{x}}: %{{y:.3g}}<extra></extra>",
                    }
                )
    x = {
        "type": "log",
        "range": [0.2, 2.8],
        "tickvals": list(curves.widths),
        "title": {"text": "d_k", "standoff": 10},
        "ticklabeloverflow": "allow",
    }
    y = {"type": "log", "range": [-3.6, 0.6], "tickvals": [0.001, 0.01, 0.1, 1], "ticklabeloverflow": "allow"}
    marker = {"type": "line", "y0": 0, "y1": 1, "x0": d_k, "x1": d_k,
              "line": {"color": _NEUTRAL, "width": 1.5, "dash": "dot"}}  # fmt: skip
    layout = {
        "height": 320,
        "margin": {"l": 58, "r": 12, "t": 32, "b": 52},
        "uirevision": "gradients",
        "xaxis": x | {"domain": [0, 0.46]},
        "yaxis": y | {"title": {"text": "size of the gradient", "standoff": 10}},
        "xaxis2": x | {"domain": [0.55, 1], "anchor": "y2"},
        "yaxis2": y | {"anchor": "x2"},
        "shapes": [marker | {"xref": f"x{n}", "yref": f"y{n} domain"} for n in ("", "2")],
        "annotations": [
            _TITLE | {"x": 0, "y": 1, "text": "<b>at the scores, through softmax</b>"},
            _TITLE | {"x": 0.55, "y": 1, "text": "<b>at the query</b>"},
        ],
        "meta": {"narrow": above_each_other(560)},
    }
    return figure(traces, layout)


def describe_gradients(curves: GradientCurves) -> str:
    """Return the text alternative of :func:`gradients_figure`."""

    def last(scale: str) -> str:
        mean, median = (curves.sizes["query", scale, average][-1] for average in ("mean", "median"))
        return f"mean {mean:.3g} and median {median:.3g}"

    return (
        f"Sizes of gradients against d_k, on log axes. At the query and d_k = {curves.widths[-1]}: with the "
        f"scale {last('sqrt_d_k')}; without it {last('none')}."
    )


def _histogram(values: np.ndarray, half: float, colour: str, axis: str) -> dict[str, Any]:
    """Densities, so that the normal curve fits; what lies beyond the axis counts in the whole."""
    edges = np.linspace(-half, half, 81)
    counts, _ = np.histogram(values, edges)
    width = edges[1] - edges[0]
    return {
        "type": "bar",
        "x": edges[:-1] + width / 2,
        "y": counts / (len(values) * width),
        "width": width,
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "marker": {"color": colour, "line": {"width": 0}},
        "hoverinfo": "skip",
    }


def _normal(sd: float, half: float, axis: str) -> dict[str, Any]:
    x = np.linspace(-half, half, 241)
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": np.exp(-((x / sd) ** 2) / 2) / (sd * (2 * np.pi) ** 0.5),
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "line": {"color": _NEUTRAL, "width": 3},
        "hoverinfo": "skip",
    }
