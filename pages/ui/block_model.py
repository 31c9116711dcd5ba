"""The small model around the block: its flow, its next-token distribution, its parameters, its gradients."""

import math
from typing import Any

from core.figures.block import WITH_COLOUR, WITHOUT_COLOUR
from core.lessons.block import BlockTrace
from core.lessons.block_counts import REAL, ModelSize
from core.lessons.block_depth import Depth
from pages.ui.html import bar, number, safe, table

SIZE_NAMES = {"page": "the model of this page", **{name: size.name for name, size in REAL.items()}}
_MOST_WORDS = 10  # of the distribution that are written out
_BARE_COLOUR = "#7a8599"
_DECADES = (-6, 1)  # of the gradients' axis


def model(trace: BlockTrace, depth: Depth) -> str:
    """Return the whole model as a flow of shapes, and what it says may follow the token looked at."""
    settings = trace.settings
    t, d, v = len(trace.tokens), settings.d_model, len(trace.vocabulary)
    gpt2, pre = settings.style == "gpt2", settings.norm_place == "pre"
    flow = [
        ("token ids", f"[{t}]"),
        (f"embedding [{v}, {d}]{' + positions' if gpt2 else ''}", f"[{t}, {d}]"),
        (f"{settings.layers} block{'s' if settings.layers > 1 else ''}", f"[{t}, {d}]"),
        *([("final norm", f"[{t}, {d}]")] if pre else []),
        (f"{'embeddingᵀ' if gpt2 else 'unembedding'} [{d}, {v}]: logits", f"[{t}, {v}]"),
        ("softmax: next token", f"[{t}, {v}]"),
    ]
    items = "".join(f"<li>{name} <b>{shape}</b></li>" for name, shape in flow)
    logits, shares = depth.here.logits[settings.token], depth.here.probabilities[settings.token]
    order = sorted(range(v), key=lambda i: -shares[i])[:_MOST_WORDS]
    rows = [
        [safe(trace.vocabulary[i]), f"{logits[i]:.3f}".replace("-", "−"), f"{shares[i]:.4f}", bar(shares[i])]
        for i in order
    ]
    rest = f" The {len(order)} likeliest of V = {v}." if v > len(order) else f" V = {v}."
    so_far = " ".join(trace.tokens[: settings.token + 1][-6:])
    return (
        "<section class='lab-panel' aria-label='The whole model'>"
        f"<ol class='lab-shapes' aria-label='Shapes of the model'>{items}</ol>"
        f"<p>After “{safe(so_far)}” (token {settings.token}):</p>"
        f"<div class='lab-wide-bars'>{table('Next token', ['next token', 'logit', 'probability', ''], rows)}"
        f"</div><p class='lab-dim'>Random weights: this predicts nothing.{rest}"
        + (
            " Tied: a word's own vector, still in the stream, speaks for that word again."
            if gpt2 and settings.residual
            else ""
        )
        + "</p></section>"
    )


def counts(size: ModelSize) -> str:
    """Return the parameters of a model, part by part, with their total."""
    total = size.total
    rows = [
        [
            part.name,
            part.formula,
            f"{part.one:,}" + (f" × {part.times}" if part.times > 1 else ""),
            f"{part.total:,}",
            f"{100 * part.total / total:.1f}% {bar(part.total / total)}",
        ]
        for part in size.parts
    ]
    rows.append(["<mark>total</mark>", "", "", f"<mark>{total:,}</mark>", ""])
    shape = [
        ("V", size.vocabulary), ("L", size.layers), ("D", size.d_model), ("H", size.heads),
        ("H_kv", size.kv_heads), ("d_ff", size.d_ff),
    ]  # fmt: skip
    if size.context:
        shape.append(("T_max", size.context))
    words = " · ".join(f"{name} = {value:,}" for name, value in shape)
    groups = " · ".join(f"{name} <b>{100 * n / total:.1f}%</b>" for name, n in size.groups.items())
    header = ["part", "one has", "parameters", "in all", "share"]
    return (
        "<section class='lab-panel' aria-label='Parameters'>"
        f"<p class='lab-large'>{safe(size.name)}: <b>{total:,}</b> parameters</p>"
        f"<p>{words}</p><div class='lab-short-bars'>{table('Parameters part by part', header, rows)}</div>"
        f"<p>{groups}</p></section>"
    )


def gradient_table(answer: dict[str, Any], place: str) -> str:
    """Return the gradient at every depth, as numbers and as points on an axis of powers of ten."""
    columns = (
        ("with residuals", WITH_COLOUR, "", answer["sizes"][place]["with"]),
        ("without", WITHOUT_COLOUR, "lab-square", answer["sizes"][place]["without"]),
        ("without residuals and norms", _BARE_COLOUR, "lab-diamond", answer["sizes"][place]["bare"]),
    )
    last = len(columns[0][3]) - 1
    low, high = _DECADES
    rows = []
    for depth in range(last + 1):
        name = f"into block {depth}" if depth < last else "after the last block"
        cells = [_short(values[depth]) for _, _, _, values in columns]
        points = "".join(
            f"<i class='lab-point {shape}' style='left:{_place(values[depth]):.1f}%;background:{colour}'></i>"
            for _, colour, shape, values in columns
        )
        rows.append([name, *cells, f"<span class='lab-track'>{points}</span>"])
    header = [
        f"at x, {place}-norm",
        *(
            f"<i class='lab-point lab-mark {shape}' style='background:{colour}'></i>{name}"
            for name, colour, shape, _ in columns
        ),
        f"<span class='lab-track lab-scale'><span>≤ 10<sup>{low}</sup></span>"
        f"<span>10<sup>{high}</sup></span></span>".replace("-", "−").replace("lab−", "lab-"),
    ]
    return (
        table("Size of the gradient at every depth", header, rows)
        + f"<p class='lab-dim'>PyTorch {safe(answer['version'])}, the same weights; largest difference of "
        f"its logits from ours: <b>{_short(answer['difference'])}</b>.</p>"
    )


def _place(size: float) -> float:
    """Where a size stands on the axis, in percent; what lies beyond it stands at its end."""
    low, high = _DECADES
    power = math.log10(size) if size > 0 else low
    return 100 * min(max((power - low) / (high - low), 0), 1)


def _short(size: float) -> str:
    return "0" if size == 0 else number(size)
