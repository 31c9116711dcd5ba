"""Decoding: the weights so far with what is read and what is new; and what it costs against n."""

import numpy as np
import plotly.graph_objects as go

from core.figures.heatmap import Tiles, hatching, heatmap_trace, tiles_layout
from core.figures.theme import OUTLINE, SCALED_COLOUR, UNSCALED_COLOUR, above_each_other, figure, quoted
from core.lessons.kv_cache import Decoding, KVCacheSettings
from core.lessons.kv_cost import CostCurves, DecodingCost

_DECADES = 3  # the least that the axes of the cost show
_TITLE = {"showarrow": False, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom",
          "y": 1, "font": {"size": 15}}  # fmt: skip


def decoding_figure(trace: Decoding) -> go.Figure:
    """Return the weights of the head looked at, row by row as its tokens were decoded.

    Rows to come are empty. In the new row the keys read from the cache are framed by dashes, the new
    token's own key by a line.
    """
    t, head = trace.settings.step, trace.settings.head
    n = len(trace.tokens)
    tiles = Tiles(1, n, n, n_columns=1)
    so_far = np.arange(n)[:, None] <= t
    layout = tiles_layout(trace, tiles, [f"head {head} · KV head {trace.settings.kv_head}"])
    # Rows to come are no masked rows: they have no hatching.
    layout["images"] = hatching(tiles, trace.mask | ~so_far, range(1))
    layout["meta"] |= {"heads": [head], "stage": "weight"}
    layout["height"] = 430
    oldest = t + 1 - trace.keys_read
    layout["shapes"] = [_frame(oldest, t, t, "dot")] if oldest < t else []
    layout["shapes"].append(_frame(t, t + 1, t, "solid"))
    drawn = np.where(trace.mask & so_far, trace.decoded_weights[head], np.nan)
    return figure([heatmap_trace(tiles.place(drawn[None]), "weights")], layout)


def describe_decoding(trace: Decoding) -> str:
    """Return the text alternative of :func:`decoding_figure`."""
    t, head = trace.settings.step, trace.settings.head
    j = int(trace.decoded_weights[head, t].argmax())
    return (
        f"Heatmap of the weights of head {head}, {t + 1} of {len(trace.tokens)} rows decoded. The new row, "
        f"query {t} {quoted(trace.tokens[t])}, reads {trace.keys_read} keys; the largest weight is "
        f"{trace.decoded_weights[head, t, j]:.4g}, key {j} {quoted(trace.tokens[j])}."
    )


def cost_figure(curves: CostCurves, cost: DecodingCost, n_tokens: int) -> go.Figure:
    """Return the multiplications of one step and of all steps, with a cache and without.

    Args:
        curves: of this cost.
        cost: whose sizes decide the axes, so that they stay while the step moves.
        n_tokens: where the text is now; marked.
    """
    pairs = (
        ("", curves.step_with, curves.step_without),
        ("2", curves.total_with, curves.total_without),
    )
    traces = []
    for suffix, with_cache, without in pairs:
        for name, values, colour, dash in (
            ("with a cache", with_cache, SCALED_COLOUR, "solid"),
            ("without", without, UNSCALED_COLOUR, "dash"),
        ):
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines+markers",
                    "xaxis": f"x{suffix}",
                    "yaxis": f"y{suffix}",
                    "x": curves.n_tokens,
                    "y": values,
                    "line": {"color": colour, "dash": dash, "width": 3},
                    "marker": {"size": 7},
                    "hovertemplate": f"{name}, n = %{{x}}: %{{y:.4s}}<extra></extra>",
                }
            )
    low = float(np.floor(np.log10(curves.step_with[0])))
    x = {
        "type": "log",
        "range": [-0.15, float(np.log10(curves.n_tokens[-1])) + 0.15],
        "tickvals": [1, 4, 16, 64, 256, 1024],
        "title": {"text": "n, tokens so far", "standoff": 10},
        "ticklabeloverflow": "allow",
        "zeroline": False,
    }
    y = {
        "type": "log",
        "dtick": 1,
        "exponentformat": "power",
        "ticklabeloverflow": "allow",
        "zeroline": False,
    }
    marker = {"type": "line", "y0": 0, "y1": 1, "x0": n_tokens, "x1": n_tokens,
              "line": {"color": "#7a8599", "width": 1.5, "dash": "dot"}}  # fmt: skip
    layout = {
        "height": 320,
        "margin": {"l": 70, "r": 12, "t": 32, "b": 52},
        "uirevision": f"cost {cost}",
        "xaxis": x | {"domain": [0, 0.45]},
        "yaxis": y
        | {"range": _decades(low, curves.step_without), "title": {"text": "multiplications", "standoff": 8}},
        "xaxis2": x | {"domain": [0.55, 1], "anchor": "y2"},
        "yaxis2": y | {"range": _decades(low, curves.total_without), "anchor": "x2"},
        "shapes": [marker | {"xref": f"x{i}", "yref": f"y{i} domain"} for i in ("", "2")],
        "annotations": [
            _TITLE | {"x": 0, "text": "<b>this step</b>"},
            _TITLE | {"x": 0.55, "text": "<b>all steps up to here</b>"},
        ],
        "meta": {
            "narrow": above_each_other(560),
            # A power's exponent is the smallest type of the picture.
            "lecture": {"yaxis.tickfont.size": 15, "yaxis2.tickfont.size": 15},
        },
    }
    return figure(traces, layout)


def describe_cost(curves: CostCurves) -> str:
    """Return the text alternative of :func:`cost_figure`."""
    n = int(curves.n_tokens[-1])
    return (
        "Two curves against the number of tokens, on log axes: multiplications of one step and of all steps. "
        f"At n = {n:,} one step takes {curves.step_with[-1]:.3g} with a cache and "
        f"{curves.step_without[-1]:.3g} without; all steps {curves.total_with[-1]:.3g} and "
        f"{curves.total_without[-1]:.3g}."
    )


def decoding_formula(settings: KVCacheSettings) -> str:
    """Return who reads whom, the new token's output and the bytes, in LaTeX, with the numbers in force."""
    h, size, t = settings.head, settings.group_size, settings.step
    keys = rf"\le {t}" if t < settings.window else rf"{t - settings.window + 1}..{t}"
    score = rf"\tfrac{{q_{{{t}}}\,K_{{{keys}}}^\top}}{{\sqrt{{{settings.d_k}}}}}"
    return (
        r"\begin{gathered}"
        r"g=\Big\lfloor\tfrac{h}{H/H_{kv}}\Big\rfloor="
        rf"\Big\lfloor\tfrac{{{h}}}{{{size}}}\Big\rfloor={settings.kv_head}\\"
        rf"o_{{{t}}}=\mathrm{{softmax}}\Big({score}\Big)V_{{{keys}}}\\"
        r"\mathrm{bytes}=2\cdot\mathrm{layers}\cdot H_{kv}\cdot d\cdot\mathrm{width}\cdot n"
        r"\end{gathered}"
    )


def _decades(low: float, highest: np.ndarray) -> list[float]:
    return [low, max(low + _DECADES, float(np.ceil(np.log10(highest[-1]))))]


def _frame(first: int, after: int, row: int, dash: str) -> dict:
    return {
        "type": "rect",
        "x0": first - 0.5,
        "x1": after - 0.5,
        "y0": row - 0.5,
        "y1": row + 0.5,
        "line": {"color": OUTLINE, "width": 3, "dash": dash},
    }
