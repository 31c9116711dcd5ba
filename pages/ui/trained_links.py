"""The tokens twice, queries and keys, joined by lines as thick as the weights of one query."""

import json

import numpy as np

from core.figures.theme import quoted
from core.lessons.trained_heads import HeadsTrace
from pages.ui.html import safe

_ROOMY = 28  # tokens; more, and the lines stand closer
_NAMED = 3  # keys, for screen readers


def links(trace: HeadsTrace) -> str:
    """Return both lists; hover or focus shows another query's lines, a press looks at it."""
    n, row = len(trace.tokens), trace.row
    weights = [
        [round(float(w), 3) if seen else None for w, seen in zip(line, visible, strict=True)]
        for line, visible in zip(trace.weights, trace.visible, strict=True)
    ]
    keys = "".join(_key(trace, j) for j in range(n))
    queries = "".join(_query(trace, i) for i in range(n))
    lines = "".join(
        f"<line x1='0' y1='{row + 0.5}' x2='100' y2='{j + 0.5}' style='--w:{trace.weights[row, j]:.3f}'/>"
        for j in range(n)
    )
    height = 1.5 if n <= _ROOMY else 1.1
    return (
        "<section class='lab-panel' role='region' aria-label='Tokens linked by weight'>"
        "<p class='lab-dim'>Point at a query, or go there with Tab and the arrow keys.</p>"
        f"<div class='lab-links' style='--row:{height}rem' data-row='{row}' "
        f"data-weights='{json.dumps(weights)}'>"
        f"<b>query</b><b></b><b>key</b><ol class='lab-links-from' data-roving>{queries}</ol>"
        f"<svg viewBox='0 0 100 {n}' preserveAspectRatio='none' aria-hidden='true'>{lines}</svg>"
        f"<ol class='lab-links-to'>{keys}</ol></div></section>"
    )


def _query(trace: HeadsTrace, i: int) -> str:
    chosen = i == trace.row
    best = [j for j in np.argsort(-trace.weights[i], kind="stable")[:_NAMED] if trace.visible[i, j]]
    named = ", ".join(f"{quoted(trace.tokens[j])} {trace.weights[i, j]:.2f}" for j in best)
    words = safe(f"query {i} {quoted(trace.tokens[i])} attends to {named}")
    return (
        f"<li><button type='button' data-query='{i}' data-name='cell' data-put='0,{i},0' "
        f"aria-pressed='{str(chosen).lower()}' tabindex='{0 if chosen else -1}' aria-label='{words}'>"
        f"<small>{i}</small> {safe(trace.tokens[i])}</button></li>"
    )


def _key(trace: HeadsTrace, j: int) -> str:
    w, hidden = trace.weights[trace.row, j], not trace.visible[trace.row, j]
    shown = "" if hidden else f"{w:.2f}"
    looks = " class='lab-hatched'" if hidden else ""
    return (
        f"<li{looks} style='--w:{w:.3f}'><span><small>{j}</small> {safe(trace.tokens[j])}</span>"
        f"<b>{shown}</b></li>"
    )
