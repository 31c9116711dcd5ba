"""The course of a training: curves of several runs, and the heads at one moment."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.figures.heatmap import best_tiles, hatching, heatmap_trace, tiles_layout
from core.figures.theme import OUTLINE, PART_COLOURS, figure, quoted
from core.ops.masks import causal_mask
from core.training.course import Course
from core.training.experiments import Experiment
from core.training.measures import MEASURES, chance
from core.training.runs import RUNS, Build

DASHES = ("solid", "dash", "dashdot", "longdash")  # told apart without colour too
_NEUTRAL = "#7a8599"
_ASPECT = 1.5  # of the room for the heads
_TITLE = {"showarrow": False, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom",
          "x": 0, "font": {"size": 14}}  # fmt: skip


def look(experiment: Experiment, run: str) -> tuple[str, str]:
    """Return the colour and the dash of a run's lines."""
    i = experiment.runs.index(run)
    return PART_COLOURS[i], DASHES[i]


def curves_figure(
    experiment: Experiment, recorded: Sequence[Course], mine: Course | None, step: int | None
) -> go.Figure:
    """Return the losses (above) and what tells (below) against the steps.

    A line is the mean of the recorded seeds, its band goes from the least to the largest of them. A
    training of one's own is a thick line over them.

    Args:
        experiment: which measures are drawn.
        recorded: the runs that are compared, in its order.
        mine: one training of one of these runs, as far as it has come.
        step: the moment that is looked at, marked; None: none.
    """
    traces: list[dict[str, Any]] = []
    for i, course in enumerate(recorded):
        colour, dash = PART_COLOURS[i], DASHES[i]
        for axis, names in (("", experiment.left), ("2", (experiment.right,))):
            for name in names:
                plain = name == names[0]
                traces += _line(course, name, axis, colour, dash if plain else "dot", shown=plain)
    if mine is not None and len(mine.steps):
        for axis, names in (("", experiment.left[:1]), ("2", (experiment.right,))):
            traces.append(_own(mine, names[0], axis))
    run = RUNS[experiment.runs[0]]
    measures = {measure.name: measure for measure in MEASURES[run.task]}
    right, last = measures[experiment.right], max(RUNS[name].steps for name in experiment.runs)
    top = 1.05 * max(float(course.of(name).max()) for course in recorded for name in experiment.left)
    x = {
        "range": [-0.01 * last, 1.01 * last],
        "title": {"text": "steps", "standoff": 6},
        "zeroline": False,
        "ticklabeloverflow": "allow",
    }
    y = {"zeroline": False, "ticklabeloverflow": "allow"}
    share = right.unit == "share"
    dotted = "; dotted: on held-out text" if len(experiment.left) > 1 else ""
    shapes = [_level(chance(run), "")] + ([] if share else [_level(chance(run), "2")])
    if step is not None:
        shapes += [_upright(step, axis) for axis in ("", "2")]
    layout = {
        "height": 430,
        "margin": {"l": 40, "r": 12, "t": 24, "b": 40},
        "uirevision": experiment.name,
        "xaxis": x | {"title": None, "showticklabels": False},
        "yaxis": y | {"range": [0, top], "domain": [0.57, 1]},
        "xaxis2": x | {"anchor": "y2"},
        "yaxis2": y | {"anchor": "x2", "domain": [0, 0.46], "range": [-0.02, 1.04] if share else [0, top]},
        "shapes": shapes,
        "annotations": [
            _TITLE | {"y": 1.005, "text": f"<b>training loss</b>, nats{dotted}"},
            _TITLE | {"y": 0.465, "text": f"<b>{right.title}</b>"},
        ],
        "meta": {"lecture": {"xaxis2.title.standoff": 12, "margin.b": 48}},
    }
    return figure(traces, layout)


def describe_curves(experiment: Experiment, recorded: Sequence[Course], mine: Course | None) -> str:
    """Return the text alternative of :func:`curves_figure`."""
    words = []
    for course in recorded:
        ends = []
        for name in (*experiment.left, experiment.right):
            low, high = course.of(name)[:, -1].min(), course.of(name)[:, -1].max()
            ends.append(f"{name.replace('_', ' ')} {low:.3g} to {high:.3g}")
        words.append(
            f"{course.run.title}, after {course.run.steps:,} steps of three seeds: {', '.join(ends)}."
        )
    if mine is not None and len(mine.steps):
        words.append(f"The training in view, {mine.run.title}, is at step {int(mine.steps[-1])}.")
    return "Curves against the steps. " + " ".join(words)


def trained_heads_figure(course: Course, index: int, head: int | None = None) -> go.Figure:
    """Return all heads of a model at one moment, coloured on 0..1: rows are queries, columns are keys.

    Args:
        course: whose first seed is drawn.
        index: of the moment, from 0.
        head: the only one to be drawn, counted through all layers; None: all.
    """
    build, n_tokens = course.run.build, len(course.tokens)
    heads = list(range(build.n_layers * build.n_heads)) if head is None else [head]
    names = [head_names(build)[h] for h in heads]
    tiles = replace(best_tiles(len(heads), n_tokens, n_tokens, _ASPECT), cells_a_gap=4)  # on a projector, too
    layout = tiles_layout(_Names(course.tokens), tiles, names)
    visible = causal_mask(n_tokens) if build.is_causal else np.ones((n_tokens, n_tokens), dtype=bool)
    layout["images"] = hatching(tiles, visible, range(len(heads)))
    layout["height"] = 430
    short = [name.replace("layer ", "L").replace(" · head ", " H") for name in names]
    titles = {f"annotations.{i}.text": f"<b>{name}</b>" for i, name in enumerate(short)}
    layout["meta"] |= {
        "heads": heads,
        "names": names,
        "stage": "weight",
        "narrow": titles,
        "lecture": titles,
    }
    if head is not None:
        layout["meta"]["looked_at"] = [0, n_tokens - 1]
    weights = np.where(visible, course.weights(index)[heads], np.nan)
    return figure([heatmap_trace(tiles.place(weights), "weights")], layout)


def describe_trained_heads(course: Course, index: int) -> str:
    """Return the text alternative of :func:`trained_heads_figure`."""
    weights = course.weights(index)
    words = [f"Heatmaps of {len(weights)} heads after {int(course.drawn_at[index])} steps."]
    for name, matrix in list(zip(head_names(course.run.build), weights, strict=True))[:8]:
        i, j = np.unravel_index(matrix[1:].argmax(), matrix[1:].shape)
        words.append(
            f"{name}: the largest after row 0 is {matrix[i + 1, j]:.2f}, query {i + 1} "
            f"{quoted(course.tokens[i + 1])} to key {j} {quoted(course.tokens[j])}."
        )
    return " ".join(words)


def head_names(build: Build) -> list[str]:
    """Return the names of all heads, layer by layer.

    Args:
        build: the model's shape.
    """
    layers = range(1, build.n_layers + 1)
    if build.n_heads == 1:
        return [f"layer {i}" for i in layers]
    return [f"layer {i} · head {h}" for i in layers for h in range(build.n_heads)]


class _Names:
    """The same names for rows and columns."""

    def __init__(self, tokens: tuple[str, ...]) -> None:
        self.query_tokens = self.key_tokens = tokens


def _line(
    course: Course, name: str, axis: str, colour: str, dash: str, *, shown: bool
) -> list[dict[str, Any]]:
    values = course.of(name)
    place = {"type": "scatter", "xaxis": f"x{axis}", "yaxis": f"y{axis}", "x": course.steps}
    mean, low, high = values.mean(axis=0), values.min(axis=0), values.max(axis=0)
    band = place | {
        "mode": "lines",
        "x": np.concatenate([course.steps, course.steps[::-1]]),
        "y": np.concatenate([high, low[::-1]]),
        "fill": "toself",
        "fillcolor": _faint(colour),
        "line": {"width": 0},
        "hoverinfo": "skip",
    }
    line = place | {
        "mode": "lines",
        "y": mean,
        "line": {"color": colour, "dash": dash, "width": 3 if shown else 2.5},
        "hovertemplate": f"{course.run.title}, step %{{x}}: %{{y:.3f}}<extra></extra>",
    }
    return [band, line] if shown else [line]


def _own(mine: Course, name: str, axis: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": mine.steps,
        "y": mine.of(name)[0],
        "xaxis": f"x{axis}",
        "yaxis": f"y{axis}",
        "line": {"color": OUTLINE, "width": 5},
        "hovertemplate": "this training, step %{x}: %{y:.3f}<extra></extra>",
    }


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.22)"


def _level(value: float, axis: str) -> dict[str, Any]:
    """A thin line at the loss of chance."""
    line = {"color": _NEUTRAL, "width": 1.5, "dash": "dot"}
    place = {"xref": f"x{axis} domain", "yref": f"y{axis}"}
    return {
        "type": "line",
        "x0": 0,
        "x1": 1,
        "y0": value,
        "y1": value,
        "line": line,
        "layer": "below",
        **place,
    }


def _upright(step: int, axis: str) -> dict[str, Any]:
    line = {"color": _NEUTRAL, "width": 2}
    place = {"xref": f"x{axis}", "yref": f"y{axis} domain"}
    return {"type": "line", "x0": step, "x1": step, "y0": 0, "y1": 1, "line": line, **place}
