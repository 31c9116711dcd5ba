"""The saturation curves: what d_k does to softmax, with the scale and without, at once."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.curves import SaturationCurves
from core.figures.theme import SCALED_COLOUR, UNSCALED_COLOUR, figure

_PANELS = (
    ("largest_weight", "largest weight"),
    ("effective_keys", "effective keys"),
    ("jacobian_norm", "size of the Jacobian"),
    ("score_sd", "spread (SD) of q·k"),
)
_LINES = (("sqrt_d_k", "÷ √d_k", SCALED_COLOUR, "solid"), ("none", "unscaled", UNSCALED_COLOUR, "dash"))


def saturation_figure(curves: SaturationCurves, d_k: int) -> go.Figure:
    """Return four panels against d_k (log axis), each with a marker at the present d_k."""
    traces: list[dict[str, Any]] = []
    for number, (name, _) in enumerate(_PANELS):
        suffix = number + 1 if number else ""
        axes = {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
        for label, colour, dash, values in _lines(curves, name):
            line = {"type": "scatter", **axes, "name": label, "hovertemplate": "%{x}: %{y:.3g}"}
            stroke = {"color": colour, "dash": dash, "width": 3}
            traces.append({**line, "mode": "lines", "x": curves.widths, "y": values, "line": stroke})
            if on_the_curves(curves, d_k):
                here = {"x": [d_k], "y": [at_width(curves, values, d_k)]}
                dot = {"color": colour, "size": 12, "line": {"color": "white", "width": 1.5}}
                traces.append({**line, **here, "mode": "markers", "marker": dot})
    return figure(traces, _layout(curves, d_k))


def describe_saturation(curves: SaturationCurves, d_k: int) -> str:
    """Return the text alternative of :func:`saturation_figure`."""
    start = (
        f"Four curves against d_k from 2 to 512, averages over {curves.n_rows:,} drawn rows of "
        f"{curves.n_keys} keys."
    )
    if not on_the_curves(curves, d_k):
        return f"{start} The present d_k = {d_k} lies outside."

    def pair(name: str) -> str:
        values = getattr(curves, name)
        scaled, unscaled = (at_width(curves, values[scale], d_k) for scale in ("sqrt_d_k", "none"))
        return f"{scaled:.3g} with the scale 1/sqrt(d_k), {unscaled:.3g} without"

    return (
        f"{start} At d_k = {d_k}: largest weight {pair('largest_weight')}; "
        f"effective keys {pair('effective_keys')}; size of the Jacobian {pair('jacobian_norm')}; "
        f"standard deviation of q·k {at_width(curves, curves.score_sd, d_k):.3g}, "
        f"square root of d_k {d_k**0.5:.3g}."
    )


def on_the_curves(curves: SaturationCurves, d_k: int) -> bool:
    """Whether the curves have a value at this d_k: a person's own numbers may be narrower."""
    return curves.widths[0] <= d_k <= curves.widths[-1]


def at_width(curves: SaturationCurves, values: np.ndarray, d_k: int) -> float:
    """Return a curve's value at any d_k, between the drawn points on the log axis."""
    return float(np.interp(np.log(d_k), np.log(curves.widths), values))


def _lines(curves, name):
    if name == "score_sd":
        yield "measured", UNSCALED_COLOUR, "dash", curves.score_sd
        yield "√d_k", "#7a8599", "dot", np.sqrt(curves.widths)
        return
    for scale, label, colour, dash in _LINES:
        yield label, colour, dash, getattr(curves, name)[scale]


def _layout(curves, d_k):
    layout: dict[str, Any] = {
        "height": 430,
        "margin": {"l": 46, "r": 12, "t": 26, "b": 48},
        "uirevision": "saturation",
        # On a projector the upper axes are named by the lower ones.
        "meta": {"lecture": {"xaxis.showticklabels": False, "xaxis2.showticklabels": False}},
        "shapes": [],
        "annotations": [],
    }
    tops = {
        "largest_weight": [0, 1.03],
        "effective_keys": [0, curves.n_keys * 1.04],
        "jacobian_norm": [0, 0.52],
    }
    for number, (name, title) in enumerate(_PANELS):
        suffix = number + 1 if number else ""
        left, low = (0.0, 0.56)[number % 2], (0.57, 0.0)[number // 2]
        layout[f"xaxis{suffix}"] = {
            "type": "log",
            "domain": [left, left + 0.44],
            "anchor": f"y{suffix}",
            "range": [0.25, 2.76],
            "tickvals": [2, 8, 32, 128, 512],
            "ticklabeloverflow": "allow",
            "title": {"text": "d_k", "standoff": 2} if number >= 2 else {},
        }
        layout[f"yaxis{suffix}"] = {
            "domain": [low, low + 0.4],
            "anchor": f"x{suffix}",
            "nticks": 5,
            "ticklabeloverflow": "allow",  # else Plotly measures every label at every update
            **({"range": tops[name]} if name in tops else {"range": [0, 24]}),
        }
        layout["annotations"].append(
            {
                "text": f"<b>{title}</b>",
                "xref": "paper",
                "yref": "paper",
                "x": left,
                "y": low + 0.4,
                "xanchor": "left",
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"size": 13},
            }
        )
        layout["shapes"].append(
            {
                "type": "line",
                "xref": f"x{suffix}",
                "yref": f"y{suffix} domain",
                "x0": d_k,
                "x1": d_k,
                "y0": 0,
                "y1": 1,
                "line": {"color": "#8893a5", "width": 1.5, "dash": "dot"},
            }
        )
    return layout
