"""One lookup in the plane: the query among the keys, and the output as the blend of the values."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.figures.theme import OUTLINE, PART_COLOURS, above_each_other, figure, quoted, token_label
from core.lessons.road import SENTENCE, SUBJECT, recurrent_steps
from core.lessons.soft_lookup import SoftLookup

REACH = 2.5  # how far the query can be dragged from the origin
_QUERY = "#7a8599"
NORMALISED, SUMMED = 3, 4  # the steps from which on the weights and the output are drawn


def lookup_figure(lookup: SoftLookup) -> go.Figure:
    """Return the query among the keys (left) and the values with their blend (right).

    Vectors wider than 2 are drawn by their first two entries. An arrow of a value is as thick as its
    weight once the weights are known; the shares, tip to tail, lead to the output.
    """
    step, names = lookup.settings.step, lookup.key_tokens
    left = [lookup.q, *lookup.k]
    traces = [_arrow(k, colour(j), "x", "y", width=8) for j, k in enumerate(lookup.k)]
    traces.append(_arrow(lookup.q, _QUERY, "x", "y", width=3))
    weighed = step >= NORMALISED
    for j, v in enumerate(lookup.v):
        width = 1.5 + 9 * min(max(float(lookup.weights[j]), 0), 1) if weighed else 3
        traces.append(_arrow(v, colour(j), "x2", "y2", width=width))
    if step >= SUMMED:
        traces += _blend(lookup)
    labels = [_label(k, _name(names[j]), colour(j), "", turn=90) for j, k in enumerate(lookup.k)]
    labels.append(_label(lookup.q, "query", None, "", turn=-90, away=30))
    labels += [_label(v, f"v({_name(names[j])})", colour(j), "2", away=22) for j, v in enumerate(lookup.v)]
    if step >= SUMMED:
        labels.append(_label(lookup.output, "output", OUTLINE, "2", turn=-90, away=24))
    layout = _layout(lookup, left, [*lookup.v, lookup.output])
    layout["annotations"] += labels
    if lookup.k.shape[1] == 2:
        at = [float(x) for x in lookup.q]
        label = "The query: drag it, or use the arrow keys"
        layout["meta"]["handle"] = {"setting": "q", "at": at, "limit": REACH, "label": label}
    return figure(traces, layout)


def describe_lookup(lookup: SoftLookup) -> str:
    """Return the text alternative of :func:`lookup_figure`; it says no more than the steps so far."""
    step = lookup.settings.step
    words = [
        f"Two planes of arrows. Left: the query {_point(lookup.q)} among {len(lookup.k)} keys: "
        + ", ".join(f"{quoted(n)} {_point(k)}" for n, k in zip(lookup.key_tokens, lookup.k, strict=True))
        + ". Right: the values "
        + ", ".join(_point(v) for v in lookup.v)
    ]
    if step >= NORMALISED:
        words.append("with the weights " + ", ".join(f"{w:.4f}" for w in lookup.weights))
    if step >= SUMMED:
        words.append(f"and their blend, the output {_point(lookup.output)}")
    return " ".join(words) + "."


def path_figure(reader: int) -> go.Figure:
    """Return how far "animal" is from a later word: along a recurrent network, and by attention."""
    n, colours = len(SENTENCE), {"path": "#d95f02", "jump": "#1f77b4"}
    hops = recurrent_steps(SUBJECT, reader)
    chain = list(range(n))
    line: dict[str, Any] = {"type": "scatter", "mode": "lines+markers", "hoverinfo": "skip"}
    traces = [
        line | {"x": chain, "y": [1] * n, "line": {"color": "#aab2c0", "width": 2}, "marker": {"size": 15}}
    ]
    traces[0]["marker"]["color"] = "#aab2c0"
    path = list(range(SUBJECT, reader + 1))
    arrow = {"symbol": "arrow", "angleref": "previous", "size": 14}
    traces.append(
        line
        | {"x": path, "y": [1] * len(path), "line": {"color": colours["path"], "width": 5}}
        | {"marker": {**arrow, "color": colours["path"]}}
    )
    angle = np.linspace(np.pi, 0, 40)
    middle, half = (SUBJECT + reader) / 2, (reader - SUBJECT) / 2
    traces.append(
        line
        | {"x": [float(x) for x in middle + half * np.cos(angle)], "y": (0.5 * np.sin(angle)).tolist()}
        | {"mode": "lines", "line": {"color": colours["jump"], "width": 5}}
    )
    ends = {"x": [SUBJECT, reader], "y": [0, 0], "mode": "markers"}
    traces.append(line | ends | {"marker": {"size": 15, "color": colours["jump"]}})
    note = {"showarrow": False, "xanchor": "left", "x": -0.4, "font": {"size": 15}}
    steps = "1 step" if hops == 1 else f"{hops} steps"
    layout = {
        "height": 260,
        "margin": {"l": 10, "r": 10, "t": 8, "b": 34},
        "uirevision": "path",
        "xaxis": {
            "tickvals": chain,
            "ticktext": [_bold(token_label(i, t), i in (SUBJECT, reader)) for i, t in enumerate(SENTENCE)],
            "range": [-0.5, n - 0.5],
            "showgrid": False,
            "zeroline": False,
            "tickangle": 0,
            "ticklabeloverflow": "allow",
        },
        "yaxis": {"range": [-0.2, 1.55], "visible": False},
        "meta": {
            "narrow": {"xaxis.tickangle": -60, "margin.b": 84, "height": 300},
            "lecture": {"xaxis.tickangle": -45, "margin.b": 66},
        },
        "annotations": [
            note | {"y": 1.35, "text": f"<b>Recurrent network: {steps} through one state</b>"},
            note | {"y": 0.68, "text": "<b>Attention: 1 step</b>"},
        ],
    }
    return figure(traces, layout)


def describe_path(reader: int) -> str:
    """Return the text alternative of :func:`path_figure`."""
    hops = recurrent_steps(SUBJECT, reader)
    return (
        f"From {quoted(SENTENCE[SUBJECT])} to {quoted(SENTENCE[reader])}: {hops} "
        f"{'step' if hops == 1 else 'steps'} along a recurrent network, 1 step by attention."
    )


def colour(part: int) -> str:
    """Return the colour of a key and its value; they are numbered too."""
    return PART_COLOURS[part % len(PART_COLOURS)]


def _plane(vector: np.ndarray) -> tuple[float, float]:
    """A vector's first two entries; a single number lies on the x axis."""
    return float(vector[0]), float(vector[1]) if len(vector) > 1 else 0.0


def _arrow(vector, colour_, x, y, *, width, start=(0.0, 0.0)) -> dict[str, Any]:
    end = _plane(vector)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [start[0], end[0]],
        "y": [start[1], end[1]],
        "xaxis": x,
        "yaxis": y,
        "hoverinfo": "x+y",
        "line": {"color": colour_, "width": width},
        "marker": {
            "color": colour_,
            "size": [0, 10 + width],
            "symbol": "arrow",
            "angleref": "previous",
            "opacity": 1,
            "line": {"width": 0},
        },
    }


def _blend(lookup: SoftLookup) -> list[dict[str, Any]]:
    """The shares laid tip to tail, and the output."""
    tips = [(0.0, 0.0), *(_plane(tip) for tip in np.cumsum(lookup.shares, axis=0))]
    traces = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [tips[j][0], tips[j + 1][0]],
            "y": [tips[j][1], tips[j + 1][1]],
            "xaxis": "x2",
            "yaxis": "y2",
            "hoverinfo": "skip",
            "line": {"color": colour(j), "width": 3, "dash": "dot"},
        }
        for j in range(len(lookup.v))
    ]
    return [*traces, _arrow(lookup.output, OUTLINE, "x2", "y2", width=7)]


def _label(vector, text, colour_, axis, *, turn=0.0, away=16.0) -> dict[str, Any]:
    """A name beyond the tip of an arrow, or turned to one side of it, so many pixels away."""
    x, y = _plane(vector)
    direction = np.arctan2(y, x) + np.deg2rad(turn)
    return {
        "x": x,
        "y": y,
        "xref": f"x{axis}",
        "yref": f"y{axis}",
        "text": f"<b>{text}</b>",
        "showarrow": False,
        "font": {"size": 15} | ({"color": colour_} if colour_ else {}),
        "xshift": float(1.3 * away * np.cos(direction)),  # words are wider than high
        "yshift": float(away * np.sin(direction)),
    }


def _layout(lookup: SoftLookup, left: list[np.ndarray], right: list[np.ndarray]) -> dict[str, Any]:
    title = {"showarrow": False, "xref": "paper", "yref": "paper", "y": 1.0, "yanchor": "bottom",
             "xanchor": "left", "font": {"size": 15}}  # fmt: skip
    d_k, d_v, summed = lookup.k.shape[1], lookup.v.shape[1], lookup.settings.step >= SUMMED
    return {
        "height": 360,
        "margin": {"l": 48, "r": 12, "t": 30, "b": 50},
        "uirevision": lookup.settings.source,
        "xaxis": {"domain": [0, 0.46], **_axis([_plane(v)[0] for v in left], REACH, d_k, 0)},
        "yaxis": {"scaleanchor": "x"} | _axis([_plane(v)[1] for v in left], REACH, d_k, 1),
        "xaxis2": {"domain": [0.55, 1], "anchor": "y2", **_axis([_plane(v)[0] for v in right], 0, d_v, 0)},
        "yaxis2": {"anchor": "x2", "scaleanchor": "x2", **_axis([_plane(v)[1] for v in right], 0, d_v, 1)},
        "annotations": [
            title | {"x": 0, "text": "<b>Query and keys</b>"},
            title | {"x": 0.55, "text": f"<b>Values{' and output' if summed else ''}</b>"},
        ],
        "meta": {"narrow": above_each_other(680)},
    }


def _axis(values: list[float], reach: float, width: int, entry: int) -> dict[str, Any]:
    low, high = min(0.0, *values, -reach), max(0.0, *values, reach)
    pad = 0.2 * ((high - low) or 1.0)
    name = f"entry {entry}" + (f" of {width}" if width > 2 else "")
    return {
        "range": [low - pad, high + pad],
        "title": {"text": name if width > entry else "", "standoff": 10},
        "zeroline": True,
        "nticks": 6,
        "ticklabeloverflow": "allow",
    }


def _name(token: str) -> str:
    return token_label(0, token).removeprefix("0 ")


def _point(vector: np.ndarray) -> str:
    return "(" + ", ".join(f"{x:.4g}" for x in vector) + ")"


def _bold(text: str, bold: bool) -> str:
    return f"<b>{text}</b>" if bold else text
