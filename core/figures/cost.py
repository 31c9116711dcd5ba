"""Multiplications and bytes against the number of tokens, counted and measured, on log axes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.figures.theme import above_each_other, figure
from core.lessons.cost import SIZES, CostSettings
from core.lessons.cost_counts import Cost
from core.lessons.cost_measured import Measured

# name, colour, dash of each line: told apart without colour too
QUADRATIC = ("#d95f02", "solid")
WINDOWED = ("#7b5ea7", "dash")
LINEAR = ("#1f77b4", "solid")
TILED = ("#2a8f8f", "dash")
KV = ("#b8860b", "dot")
_NEUTRAL = "#7a8599"
_BYTES = {1e3: "1 kB", 1e6: "1 MB", 1e9: "1 GB", 1e12: "1 TB"}
_POWERS = {1e4: "10⁴", 1e7: "10⁷", 1e10: "10¹⁰", 1e13: "10¹³", 1e16: "10¹⁶"}
_SECONDS = {
    1e-5: "10 µs",
    1e-4: "0.1 ms",
    1e-3: "1 ms",
    1e-2: "10 ms",
    1e-1: "0.1 s",
    1.0: "1 s",
    10.0: "10 s",
}
_TITLE = {"showarrow": False, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom",
          "y": 1, "font": {"size": 15}}  # fmt: skip
# in the corner that rising lines leave free
_LEGEND = {"xanchor": "left", "yanchor": "top", "bgcolor": "rgba(0,0,0,0)", "itemclick": False,
           "itemdoubleclick": False}  # fmt: skip
_NARROW = above_each_other(600)


def growth_figure(settings: CostSettings) -> go.Figure:
    """Return multiplications (left) and bytes (right) of one layer against n; a marker stands at n.

    The axes never move, so that a slope of 2 and a slope of 1 look the same for every shape.
    """
    cost = settings.cost
    over = [cost.at(n=n) for n in SIZES]
    traces = [
        _line(over, lambda c: c.quadratic, QUADRATIC, "", "scores and sum"),
        _line(over, lambda c: c.windowed, WINDOWED, "", f"the same, window {cost.window:,}"),
        _line(over, lambda c: c.linear, LINEAR, "", "projections and MLP"),
        _line(over, lambda c: c.matrix_bytes, QUADRATIC, "2", "score matrices"),
        _line(over, lambda c: c.kv_bytes, KV, "2", "KV cache, all layers"),
        _line(over, lambda c: c.tiled_bytes, TILED, "2", "in tiles"),
    ]
    for axis, values in (
        ("", (cost.quadratic, cost.windowed, cost.linear)),
        ("2", (cost.matrix_bytes, cost.kv_bytes, cost.tiled_bytes)),
    ):
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": [cost.n] * 3,
                "y": list(values),
                "xaxis": f"x{axis}",
                "yaxis": f"y{axis}",
                "marker": {"size": 10, "color": _NEUTRAL},
                "showlegend": False,
                "hoverinfo": "skip",
            }
        )
    x = {
        "type": "log",
        "range": [np.log10(SIZES[0]) - 0.05, np.log10(SIZES[-1]) + 0.05],
        "tickvals": [16, 128, 1024, 8192, 65536],
        "ticktext": ["16", "128", "1,024", "8,192", "65,536"],
        "title": {"text": "n, tokens", "standoff": 8},
        "ticklabeloverflow": "allow",
        "zeroline": False,
    }
    y = {"type": "log", "ticklabeloverflow": "allow", "zeroline": False}
    shapes = [_upright(cost.n, axis, "dot") for axis in ("", "2")]
    annotations = [
        _TITLE | {"x": 0, "text": "<b>multiplications, one layer</b>"},
        _TITLE | {"x": 0.56, "text": "<b>bytes</b>"},
    ]
    if SIZES[0] <= cost.overtakes <= SIZES[-1]:
        shapes.append(_upright(cost.overtakes, "", "solid"))
        annotations.append(_beside_line(cost))
    layout = {
        "height": 400,
        "margin": {"l": 58, "r": 16, "t": 30, "b": 52},
        "uirevision": "growth",
        "xaxis": x | {"domain": [0, 0.46]},
        "yaxis": y | {"range": [3.4, 16.3], "tickvals": list(_POWERS), "ticktext": list(_POWERS.values())},
        "xaxis2": x | {"domain": [0.56, 1], "anchor": "y2"},
        "yaxis2": y
        | {"anchor": "x2", "range": [2.5, 13.5], "tickvals": list(_BYTES), "ticktext": list(_BYTES.values())},
        "shapes": shapes,
        "annotations": annotations,
        "showlegend": True,
        "legend": _LEGEND | {"x": 0.005, "y": 1},
        "legend2": _LEGEND | {"x": 0.565, "y": 1},
        "meta": {"narrow": _NARROW | {"legend2.x": 0.005, "legend2.y": 0.42}},
    }
    return figure(traces, layout)


def describe_growth(settings: CostSettings) -> str:
    """Return the text alternative of :func:`growth_figure`."""
    cost = settings.cost
    return (
        f"Log axes. At n = {cost.n:,} one layer of width {cost.d_model:,} takes {cost.quadratic:.3g} "
        f"multiplications for scores and weighted sum, which grow with the square of n, and "
        f"{cost.linear:.3g} for projections and MLP, which grow with n; they meet at n = {cost.overtakes:,}. "
        f"The score matrices of all heads take {cost.matrix_bytes:.3g} bytes, tiles {cost.tiled_bytes:.3g}."
    )


def measured_figure(measured: Measured) -> go.Figure:
    """Return measured time (left) and peak memory (right), with the lines fitted to the upper half."""
    traces: list[dict[str, Any]] = []
    sizes = np.array(measured.sizes, dtype=float)
    half = len(sizes) // 2
    for axis, quantity in (("", "seconds"), ("2", "peak_bytes")):
        for way, (colour, _), symbol in (("plain", QUADRATIC, "circle"), ("tiled", TILED, "square")):
            values = np.array(getattr(measured, quantity)[way], dtype=float)
            slope = measured.slopes(quantity, way)[1]
            upper = sizes[half:]
            middle = np.exp(np.log(values[half:]).mean()) / np.exp(np.log(upper).mean()) ** slope
            place = {"type": "scatter", "xaxis": f"x{axis}", "yaxis": f"y{axis}"}
            traces.append(
                place
                | {
                    "mode": "markers",
                    "x": sizes,
                    "y": values,
                    "marker": {"size": 10, "symbol": symbol, "color": colour},
                    "hovertemplate": f"{way}, n = %{{x}}: %{{y:.3g}}<extra></extra>",
                }
            )
            traces.append(
                place
                | {
                    "mode": "lines",
                    "x": upper,
                    "y": middle * upper**slope,
                    "line": {"color": colour, "width": 3},
                    "hoverinfo": "skip",
                }
            )
        counted = np.array(getattr(measured, quantity)["plain"][-1]) * (sizes / sizes[-1]) ** 2
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": sizes,
                "y": counted,
                "xaxis": f"x{axis}",
                "yaxis": f"y{axis}",
                "line": {"color": _NEUTRAL, "width": 2, "dash": "dot"},
                "hoverinfo": "skip",
            }
        )
    x = {
        "type": "log",
        "range": [np.log10(sizes[0]) - 0.08, np.log10(sizes[-1]) + 0.08],
        "tickvals": sizes,
        "ticktext": [f"{int(n):,}" for n in sizes],
        "title": {"text": "n, tokens", "standoff": 8},
        "ticklabeloverflow": "allow",
    }
    y = {"type": "log", "ticklabeloverflow": "allow"}
    layout = {
        "height": 360,
        "margin": {"l": 62, "r": 16, "t": 30, "b": 52},
        "uirevision": "measured",
        "xaxis": x | {"domain": [0, 0.45]},
        "yaxis": y | {"tickvals": list(_SECONDS), "ticktext": list(_SECONDS.values())},
        "xaxis2": x | {"domain": [0.56, 1], "anchor": "y2"},
        "yaxis2": y
        | {
            "anchor": "x2",
            "tickvals": [1e5, 1e6, 1e7, 1e8],
            "ticktext": ["0.1 MB", "1 MB", "10 MB", "100 MB"],
        },
        "annotations": [
            _TITLE | {"x": 0, "text": "<b>time</b>"},
            _TITLE | {"x": 0.56, "text": "<b>peak memory</b>"},
        ],
        "meta": {"narrow": _NARROW},
    }
    return figure(traces, layout)


def describe_measured(measured: Measured) -> str:
    """Return the text alternative of :func:`measured_figure`."""
    words = []
    for quantity, name in (("seconds", "time"), ("peak_bytes", "peak memory")):
        plain, tiled = (measured.slopes(quantity, way)[1] for way in ("plain", "tiled"))
        words.append(f"{name} grows with the power {plain:.2f} of n, in tiles {tiled:.2f}")
    return f"Measured from {measured.sizes[0]} to {measured.sizes[-1]:,} tokens: {'; '.join(words)}."


def _line(
    over: list[Cost], value: Callable[[Cost], int], look: tuple[str, str], axis: str, name: str
) -> dict[str, Any]:
    colour, dash = look
    return {
        "type": "scatter",
        "mode": "lines",
        "x": list(SIZES),
        "y": [value(each) for each in over],
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "line": {"color": colour, "dash": dash, "width": 3.5},
        "name": name,
        "legend": "legend" + axis,
        "hovertemplate": f"{name}, n = %{{x:,}}: %{{y:.3s}}<extra></extra>",
    }


def _upright(n: float, axis: str, dash: str) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": f"x{axis}",
        "yref": f"y{axis} domain",
        "x0": n,
        "x1": n,
        "y0": 0,
        "y1": 1 if dash == "dot" else 0.15,
        "line": {"color": _NEUTRAL, "width": 1.5 if dash == "dot" else 3, "dash": dash},
    }


def _beside_line(cost: Cost) -> dict[str, Any]:
    left = cost.overtakes > 32768  # on the side with room
    return {
        "showarrow": False,
        "x": np.log10(cost.overtakes),
        "xref": "x",
        "yref": "y domain",
        "y": 0.075,
        "xanchor": "right" if left else "left",
        "xshift": -6 if left else 6,
        "text": f"equal at<br>n = {cost.overtakes:,}",
        "align": "right" if left else "left",
        "font": {"size": 14},
    }


def cost_formula(settings: CostSettings) -> str:
    """Return the multiplications of one layer in LaTeX, with their numbers."""
    cost = settings.cost
    return (
        r"\begin{gathered}"
        r"\underbrace{2\,n^2 D}_{QK^\top,\ AV}+\underbrace{n\,(2D^2+2DH_{kv}d_k+8D^2)}"
        r"_{\text{projections, MLP}}\\"
        rf"={_power(cost.quadratic)}+{_power(cost.linear)}\\"
        rf"n={_grouped(cost.n)},\quad D=H d_k={cost.heads}\cdot{cost.d_k}={_grouped(cost.d_model)}"
        r"\end{gathered}"
    )


def _power(x: float) -> str:
    mantissa, exponent = f"{x:.2e}".split("e")
    return rf"{mantissa}\cdot10^{{{int(exponent)}}}"


def _grouped(n: int) -> str:
    return f"{n:,}".replace(",", "{,}")
