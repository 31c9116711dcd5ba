"""Positions drawn: the waves, each pair as a hand on a dial, the score by distance, the wavelengths."""

import math
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.figures.theme import DIVERGING, OUTLINE, PART_COLOURS, above_each_other, figure
from core.lessons.long_contexts import BASES, CONTEXTS, HEAD_WIDTH, Turns
from core.lessons.order_blind import Waves
from core.lessons.positions import RopeTrace, lengths

QUERY_COLOUR, KEY_COLOUR = PART_COLOURS[0], PART_COLOURS[1]
_Q_DOT, _K_DOT = (f"<span style='color:{colour}'>●</span>" for colour in (QUERY_COLOUR, KEY_COLOUR))
_NEUTRAL = "#7a8599"
_DIALS = 8  # as many pairs are drawn, from the fastest to the slowest
_PITCH = (2.5, 3.3)  # from dial to dial; a radius is 1
_ROOM = 2.1  # width of the dials' part by its height, on a laptop
_TITLE = {"showarrow": False, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom",
          "font": {"size": 15}}  # fmt: skip


def dials_figure(trace: RopeTrace) -> go.Figure:
    """Return each pair's query and key as hands on a dial (left), and the score by distance (right).

    All dials lie in one plane, which costs a fraction of a subplot each. A dial is as large as
    its longer hand: positions turn hands and never stretch them. Dotted: at position 0.
    """
    pairs = shown_pairs(trace)
    n_columns = _columns(len(pairs))
    centres = np.array(
        [(_PITCH[0] * (i % n_columns), -_PITCH[1] * (i // n_columns)) for i in range(len(pairs))]
    )
    width, height = _PITCH[0] * n_columns, _PITCH[1] * math.ceil(len(pairs) / n_columns)
    traces = [
        _outline(centres),
        *_hands(trace, pairs, centres),
        *_curve(trace),
    ]
    names = [_words(trace, pair, centre) for pair, centre in zip(pairs, centres.tolist(), strict=True)]
    axis: dict[str, Any] = {"visible": False}
    reach, limit = int(trace.distances[-1]), 1.06 * trace.bound or 1.0
    score, distance = signed(trace.score), trace.settings.distance
    both = f"score {score} at distance m − n = {signed(distance, 0)}"
    layout = {
        "height": 370,
        "margin": {"l": 8, "r": 12, "t": 30, "b": 50},
        "uirevision": f"{len(pairs)} {reach}",
        "hovermode": "closest",
        "xaxis": axis | {"domain": [0, 0.54], "range": [-1.25, width - 1.25]},
        "yaxis": axis | {"scaleanchor": "x", "range": [1.75 - height, 1.75]},
        "xaxis2": {
            "domain": [0.6, 1],
            "anchor": "y2",
            "range": [-reach, reach],
            "zeroline": True,
            "nticks": 9,
            "title": {"text": "distance m − n (right: the key lies behind)", "standoff": 8},
            "ticklabeloverflow": "allow",
        },
        "yaxis2": {
            "anchor": "x2",
            "range": [-limit, limit],
            "zeroline": True,
            "nticks": 6,
            "title": {"text": "score q·k, rotated", "standoff": 8},
            "ticklabeloverflow": "allow",
        },
        "annotations": [
            _TITLE | {"x": 0, "y": 1, "text": _legend(trace)},
            _TITLE | {"x": 0.6, "y": 1, "text": f"<b>{both}</b>"},
            *names,
        ],
        "meta": {
            "wide": {"height": 520, "font.size": 17, "margin.b": 64, "xaxis2.title.standoff": 14},
            "narrow": above_each_other(640)
            | {"margin.l": 50, "yaxis.domain": [0.52, 1], "annotations.1.font.size": 13},
            "lecture": {
                "xaxis2.title.text": "distance m − n",
                "xaxis2.nticks": 5,
                "yaxis2.title.text": "",
                # A subscript is 70 % of its word: for the back row, hardly smaller.
                **{
                    f"annotations.{i}.text": words["text"].replace(
                        f"<sub>{pair}</sub>", f'<sub><span style="font-size:1.34em">{pair}</span></sub>'
                    )
                    for i, (pair, words) in enumerate(zip(pairs, names, strict=True), 2)
                },
            },
        },
    }
    return figure(traces, layout)


def describe_dials(trace: RopeTrace) -> str:
    """Return the text alternative of :func:`dials_figure`."""
    m, n = trace.settings.positions
    angles = ", ".join(
        f"pair {i}: q {trace.q_angles[i]:.4g}, k {trace.k_angles[i]:.4g}" for i in shown_pairs(trace)
    )
    return (
        f"A dial for each pair of entries with a hand for the query at position {m:,} and one for the key at "
        f"position {n:,}, turned in radians by {angles}. Beside it the score against the distance m − n: "
        f"{signed(trace.score)} at {signed(trace.settings.distance, 0)}, {signed(trace.unrotated)} at 0."
    )


def waves_figure(waves: Waves) -> go.Figure:
    """Return the sinusoidal positions as a heatmap: a row for each position, a column for each entry."""
    n_positions, width = waves.values.shape
    trace = {
        "type": "heatmap",
        "z": waves.values.astype(np.float32),
        "colorscale": DIVERGING,
        "zmin": -1,
        "zmax": 1,
        "hovertemplate": "position %{y}, entry %{x}: %{z:.4f}<extra></extra>",
        "colorbar": {"title": {"text": "wave", "side": "top"}, "thickness": 14, "tickvals": [-1, 0, 1]},
    }
    axis = {"showgrid": False, "zeroline": False, "ticklabeloverflow": "allow"}
    layout = {
        "height": 340,
        "margin": {"l": 58, "r": 20, "t": 10, "b": 48},
        "uirevision": "waves",
        "xaxis": axis
        | {
            "range": [-0.5, width - 0.5],
            "dtick": 4,
            "title": {"text": "entry (even: sin, odd: cos)", "standoff": 6},
        },
        "yaxis": axis
        | {"range": [n_positions - 0.5, -0.5], "dtick": 8, "title": {"text": "position", "standoff": 8}},
    }
    return figure([trace], layout)


def describe_waves(waves: Waves) -> str:
    """Return the text alternative of :func:`waves_figure`."""
    n_positions, width = waves.values.shape
    return (
        f"Heatmap of {n_positions} positions (rows) by {width} entries (columns), −1 to 1: the first columns "
        "swing every few positions, the last ones hardly change."
    )


def wavelengths_figure(chosen: Turns, usual: list[Turns]) -> go.Figure:
    """Return how many tokens a turn of each pair takes, for the chosen base and the usual ones."""
    pairs = list(range(HEAD_WIDTH // 2))
    line: dict[str, Any] = {"type": "scatter", "mode": "lines", "x": pairs}
    dashes = ("dot", "dash", "dashdot")
    traces = [
        line
        | {"y": turns.wavelengths, "line": {"color": _NEUTRAL, "width": 2, "dash": dash}}
        | {"hovertemplate": f"base {turns.base:,.0f}, pair %{{x}}: %{{y:,.0f}} tokens<extra></extra>"}
        for turns, dash in zip(usual, dashes, strict=True)
    ]
    traces.append(
        line
        | {"y": chosen.wavelengths, "line": {"color": OUTLINE, "width": 4}}
        | {"hovertemplate": f"base {chosen.base:,.6g}, pair %{{x}}: %{{y:,.0f}} tokens<extra></extra>"}
    )
    note = {"showarrow": False, "font": {"size": 13}}
    names = [
        note
        | {
            "x": 1,
            "xref": "paper",
            "xshift": 4,
            "y": math.log10(turns.slowest),
            "xanchor": "left",
            "text": short(turns.base),
        }
        for turns in usual
    ]
    names[1]["yshift"], names[2]["yshift"] = -8, 8  # 500k and 1M end close to each other
    contexts = [
        note
        | {"x": 0, "y": math.log10(context), "xanchor": "left", "yanchor": "bottom", "xshift": 4}
        | {"text": f"context of {context:,}"}
        for context in CONTEXTS
    ]
    layout = {
        "height": 340,
        "margin": {"l": 74, "r": 52, "t": 10, "b": 50},
        "uirevision": "wavelengths",
        "xaxis": {
            "range": [0, 63],
            "dtick": 8,
            "zeroline": False,
            "title": {"text": f"pair of a head of {HEAD_WIDTH} (0 turns fastest)", "standoff": 8},
            "ticklabeloverflow": "allow",
        },
        "yaxis": {
            "type": "log",
            "range": [0.6, 7.8],
            "tickvals": [10.0**i for i in range(1, 8)],
            "ticktext": ["10", "100", "1k", "10k", "100k", "1M", "10M"],
            "title": {"text": "tokens for a full turn", "standoff": 10},
            "ticklabeloverflow": "allow",
        },
        "shapes": [
            {"type": "line", "x0": 0, "x1": 63, "y0": context, "y1": context, "layer": "below",
             "line": {"color": _NEUTRAL, "width": 1}}
            for context in CONTEXTS
        ],
        "annotations": names + contexts,
    }  # fmt: skip
    return figure(traces, layout)


def describe_wavelengths(chosen: Turns) -> str:
    """Return the text alternative of :func:`wavelengths_figure`."""
    unfinished = ", ".join(f"{chosen.unfinished(context)} of 64 in {context:,}" for context in CONTEXTS)
    usual = ", ".join(f"{base:,.0f}" for base in BASES)
    return (
        f"Tokens for a full turn against the pair, on a log axis, for bases {usual} and {chosen.base:,.6g}. "
        f"At {chosen.base:,.6g} the slowest pair takes {chosen.slowest:,.0f} tokens. Pairs that do not come "
        f"round: {unfinished}."
    )


def shown_pairs(trace: RopeTrace) -> list[int]:
    """Return the pairs that get a dial: all, or eight from the fastest to the slowest."""
    n_pairs = len(trace.speeds)
    return [int(i) for i in np.unique(np.linspace(0, n_pairs - 1, min(n_pairs, _DIALS)).round())]


def short(base: float) -> str:
    """Return a base as it is spoken of: 10k, 500k, 1M."""
    return f"{base / 1e6:g}M" if base >= 1e6 else f"{base / 1e3:g}k"


def rope_formula(trace: RopeTrace, *, with_score: bool = True) -> str:
    """Return LaTeX: the score of a rotated pair, its speeds and distance, and what it comes to.

    Args:
        trace: the numbers that hold.
        with_score: whether the score itself is told; not while it is to be predicted.
    """
    settings = trace.settings
    theta = "0.5" if settings.example == "lesson" else rf"{settings.rope_base:.6g}^{{-2i/{settings.d_k}}}"
    m, n = settings.positions
    score = rf"\\ q'_{{{m}}}\cdot k'_{{{n}}}={signed(trace.score).replace('−', '-')}" if with_score else ""
    return (
        r"\begin{gathered}q'_m\cdot k'_n=\sum_i |q_i|\,|k_i|\cos\big((m-n)\,\theta_i+\varphi_i\big)\\"
        rf"\theta_i={theta}\qquad m-n={settings.distance}{score}\end{{gathered}}"
    )


def signed(x: float, digits: int = 4) -> str:
    """Return a number with a true minus sign, and none before zero."""
    return f"{x:z.{digits}f}".replace("-", "−")


def _columns(n: int) -> int:
    """The number of columns that makes the largest dials."""

    def size(columns: int) -> float:
        return min(_ROOM / (_PITCH[0] * columns), 1 / (_PITCH[1] * math.ceil(n / columns)))

    return max(range(1, n + 1), key=size)


def _outline(centres: np.ndarray) -> dict[str, Any]:
    turn = np.linspace(0, 2 * np.pi, 49)
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return _line(circle + centres[:, None], {"color": _NEUTRAL, "width": 1})


def _hands(trace: RopeTrace, pairs: list[int], centres: np.ndarray) -> list[dict[str, Any]]:
    """For the query and the key: where position 0 leaves it, the angle, and the hand."""
    both = np.stack([lengths(x, trace.pairs)[pairs] for x in (trace.q, trace.k)])
    longest = np.maximum(both.max(axis=0), 1e-9)[:, None]  # each dial is as large as its longer hand
    drawn = []
    sides = (
        (trace.k, trace.k_rotated, trace.k_angles, KEY_COLOUR, 0.42, 6),
        (trace.q, trace.q_rotated, trace.q_angles, QUERY_COLOUR, 0.3, 3),
    )
    for x, turned, angles, colour, radius, width in sides:
        still, hands = (
            np.stack([y[trace.pairs[0]], y[trace.pairs[1]]], axis=1)[pairs] / longest for y in (x, turned)
        )
        start = np.arctan2(still[:, 1], still[:, 0])[:, None]
        turn = start + np.linspace(0, 1, 25) * (angles[pairs] % (2 * np.pi))[:, None]
        arc = radius * np.stack([np.cos(turn), np.sin(turn)], axis=-1)
        drawn += [
            _line(np.stack([np.zeros_like(still), still], axis=1) + centres[:, None],
                  {"color": colour, "width": 1.5, "dash": "dot"}),
            _line(arc + centres[:, None], {"color": colour, "width": 1.5}),
            _line(_arrows(hands) + centres[:, None], {"color": colour, "width": width}),
        ]  # fmt: skip
    return drawn


def _arrows(hands: np.ndarray) -> np.ndarray:
    """Each hand with a head, as one line ``[n, 6, 2]``: markers do not point within one trace."""
    size = np.linalg.norm(hands, axis=-1, keepdims=True)
    along = hands / np.where(size == 0, 1, size)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    back = hands - np.minimum(0.2, size) * along
    left, right = back + 0.09 * across, back - 0.09 * across
    return np.stack([np.zeros_like(hands), hands, left, hands, right, hands], axis=1)


def _line(points: np.ndarray, line: dict[str, Any]) -> dict[str, Any]:
    """Several lines ``[n, points, 2]`` as one trace, with gaps between."""
    gap = np.full((len(points), 1, 2), np.nan)
    x, y = np.concatenate([points, gap], axis=1).reshape(-1, 2).T.astype(np.float32)
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "line": line, "hoverinfo": "skip"}


def _curve(trace: RopeTrace) -> list[dict[str, Any]]:
    distance = trace.settings.distance
    dots = len(trace.distances) <= 200  # positions are whole numbers; the line only guides the eye
    line: dict[str, Any] = {"type": "scatter", "xaxis": "x2", "yaxis": "y2"}
    return [
        line
        | {"mode": "lines+markers" if dots else "lines", "x": trace.distances.astype(np.int16)}
        | {"y": trace.curve.astype(np.float32), "line": {"color": _NEUTRAL, "width": 1.5}}
        | {"marker": {"size": 4, "color": _NEUTRAL}}
        | {"hovertemplate": "distance %{x}: %{y:.4f}<extra></extra>"},
        line
        | {"mode": "markers", "x": [distance], "y": [trace.score], "hoverinfo": "skip"}
        | {"marker": {"size": 15, "color": OUTLINE}},
    ]


def _legend(trace: RopeTrace) -> str:
    m, n = trace.settings.positions
    return f"{_Q_DOT} <b>q at {m:,}</b>  {_K_DOT} <b>k at {n:,}</b>  (dotted: at 0)"


def _words(trace: RopeTrace, pair: int, centre: list[float]) -> dict[str, Any]:
    return {
        "x": centre[0],
        "y": centre[1] - 1.08,
        "xref": "x",
        "yref": "y",
        "yanchor": "top",
        "showarrow": False,
        "text": f"<b>θ<sub>{pair}</sub> = {trace.speeds[pair]:.2g}</b><br>"
        f"{_Q_DOT}{_angle(trace.q_angles[pair])} {_K_DOT}{_angle(trace.k_angles[pair])}",
    }


def _angle(x: float) -> str:
    return f"{x:.2f}" if x < 1000 else f"{x:.3g}"
