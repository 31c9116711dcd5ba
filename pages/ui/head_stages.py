"""Multi-head attention step by step: the arrays themselves, a colour for the columns of each head."""

from collections.abc import Sequence

import numpy as np

from core.figures.theme import PART_COLOURS
from core.lessons.heads import STEPS, HeadsTrace
from pages.ui.html import safe
from pages.ui.matrix import matrix

_MOST_TOKENS = 8  # rows of X, Q, ... that are written out; all are computed
_MOST_ROWS = 16  # of a weight matrix
_LONGEST = 10  # characters of a token beside its row
_MOST_HEADS = 8  # drawn one by one
N_COLOURS = len(PART_COLOURS)  # they repeat, so heads are numbered too


def stage(trace: HeadsTrace) -> str:
    """Return the step that is looked at: shapes of all steps, who owns which column, the arrays."""
    draw = (_x, _project, _split, _attend, _merge, _output)[trace.settings.step]
    return (
        f"<section class='lab-panel' aria-label='Step {STEPS[trace.settings.step]}'>"
        f"{_shapes(trace)}{_slices(trace)}<div class='lab-tight'>{draw(trace)}</div></section>"
    )


def part(
    title: str, values: np.ndarray, trace: HeadsTrace, *, heads: Sequence[int] | None = None, **options
) -> str:
    """Return a matrix with a row for each token, cut where there are many; heads own its columns."""
    options = {"rows": row_names(trace), "limit": float(np.abs(values).max()), **options}
    return matrix(title, values[:_MOST_TOKENS], parts=heads, of=values.shape, **options)


def weights_part(title: str, weights: np.ndarray, trace: HeadsTrace) -> str:
    """Return the weights of one head, cut where there are many tokens; hidden cells are hatched."""
    n = _MOST_TOKENS
    visible = trace.mask[:n, :n]
    return matrix(
        title, weights[:n, :n], kind="weight", rows=row_names(trace), visible=visible, of=weights.shape
    )


def row_names(trace: HeadsTrace) -> list[str]:
    """Return the tokens as names of rows, each with its position."""
    return [f"{i} {safe(_short(token))}" for i, token in enumerate(trace.tokens[:_MOST_TOKENS])]


def head_chip(head: int) -> str:
    """Return a head's name in its colour."""
    return f"<span class='lab-owner' style='border-color:{colour(head)}'>head {head}</span>"


def colour(head: int) -> str:
    """Return the colour of a head."""
    return PART_COLOURS[head % N_COLOURS]


def owners(trace: HeadsTrace) -> list[int]:
    """Return the head that owns each of the D columns."""
    return np.repeat(np.arange(trace.settings.heads), trace.settings.d_k).tolist()


def side_by_side(*pieces: str) -> str:
    """Return matrices and signs between them; a sign is a piece of a few characters."""
    signed = (p if p.startswith("<") else f"<span class='lab-sign'>{p}</span>" for p in pieces)
    return f"<div class='lab-matrices'>{''.join(signed)}</div>"


# --- the six steps -------------------------------------------------------------------------------


def _x(trace: HeadsTrace) -> str:
    return _words(
        "A row for each token. Heads own no column here: each will read <b>all</b> of X."
    ) + side_by_side(part("X", trace.x, trace))


def _project(trace: HeadsTrace) -> str:
    mine = owners(trace)
    return (
        _words("One product makes the queries of all heads. A head is a block of columns of W_Q, so of Q.")
        + side_by_side(
            part("X", trace.x, trace),
            "×",
            matrix("W_Q", trace.w_q[:_MOST_ROWS], parts=mine, of=trace.w_q.shape),
            "=",
            part("Q", trace.q, trace, heads=mine),
        )
        + _words("Keys and values in the same way: K = X W_K, V = X W_V.")
        + side_by_side(part("K", trace.k, trace, heads=mine), part("V", trace.v, trace, heads=mine))
    )


def _split(trace: HeadsTrace) -> str:
    settings, n_tokens = trace.settings, len(trace.tokens)
    lines = [
        _words(
            f"Not a number changes. [T, D] = [{n_tokens}, {settings.d_model}] is read as "
            f"[T, H, d_k] = [{n_tokens}, {settings.heads}, {settings.d_k}], then two axes swap: "
            f"[H, T, d_k] = <b>[{settings.heads}, {n_tokens}, {settings.d_k}]</b>."
        )
    ]
    for name, whole, heads in (
        ("Q", trace.q, trace.q_heads),
        ("K", trace.k, trace.k_heads),
        ("V", trace.v, trace.v_heads),
    ):
        cut = _each(trace, heads, whole)
        lines.append(side_by_side(part(name, whole, trace, heads=owners(trace)), "→", *cut))
    return "".join(lines)


def _attend(trace: HeadsTrace) -> str:
    h, d_k = trace.settings.head, trace.settings.d_k
    mine, columns = [h] * d_k, _columns(trace, h)
    keys = trace.k_heads[h].T
    positions = [str(i) for i in range(len(row_names(trace)))]  # names once are enough, and room is scarce
    return _words(
        f"Inside {head_chip(h)} it is plain attention of width {d_k}: softmax(Q Kᵀ / √{d_k}) V. "
        "The other heads do the same on their own columns."
    ) + side_by_side(
        part("Q", trace.q_heads[h], trace, heads=mine, columns=columns),
        "·",
        matrix("Kᵀ", keys[:_MOST_ROWS, :_MOST_TOKENS], of=keys.shape, rows=columns),
        f"÷ √{d_k}<br>softmax",
        weights_part("weights", trace.weights[h], trace),
        "×",
        part("V", trace.v_heads[h], trace, heads=mine, columns=columns, rows=positions),
        "=",
        part("context", trace.context[h], trace, heads=mine, columns=columns, rows=positions),
    )


def _merge(trace: HeadsTrace) -> str:
    return _words(
        "The two axes swap back <b>before</b> the reshape: each token's pieces stand side by side again."
    ) + side_by_side(
        *_each(trace, trace.context, trace.merged),
        "→",
        part("merged", trace.merged, trace, heads=owners(trace)),
    )


def _output(trace: HeadsTrace) -> str:
    d_k = trace.settings.d_k
    rows = [
        f"<span class='lab-owner' style='border-color:{colour(row // d_k)}'>{row}</span>"
        for row in range(trace.settings.d_model)
    ]
    return _words(
        "A head meets its own <b>rows</b> of W_O. So the output is a sum over heads, each through its own "
        "rows: no column of it belongs to one head any more."
    ) + side_by_side(
        part("merged", trace.merged, trace, heads=owners(trace)),
        "×",
        matrix("W_O", trace.w_o[:_MOST_ROWS], rows=rows, of=trace.w_o.shape),
        "=",
        part("output", trace.output, trace),
    )


# --- around them ---------------------------------------------------------------------------------


def _shapes(trace: HeadsTrace) -> str:
    """The shape at every step, the one that is looked at marked."""
    t, d, h, d_k = len(trace.tokens), trace.settings.d_model, trace.settings.heads, trace.settings.d_k
    shapes = (
        ("X", f"[{t}, {d}]"),
        ("Q, K, V", f"[{t}, {d}]"),
        ("heads", f"[{h}, {t}, {d_k}]"),
        ("weights", f"[{h}, {t}, {t}]"),
        ("merged", f"[{t}, {d}]"),
        ("output", f"[{t}, {d}]"),
    )
    items = (
        f"<li{' class=lab-here' if i == trace.settings.step else ''}>{name} <b>{shape}</b></li>"
        for i, (name, shape) in enumerate(shapes)
    )
    return f"<ol class='lab-shapes' aria-label='Shapes'>{''.join(items)}</ol>"


def _slices(trace: HeadsTrace) -> str:
    """A bar of the D columns, cut into heads."""
    settings = trace.settings
    cells = []
    for h in range(settings.heads):
        first, last = h * settings.d_k, (h + 1) * settings.d_k - 1
        columns = f"column{'s' if last > first else ''} {first}{f'–{last}' if last > first else ''}"
        name = f"head {h} <small>{columns}</small>" if settings.heads <= _MOST_HEADS else str(h)
        here = " class='lab-here'" if h == settings.head else ""
        cells.append(f"<span{here} style='border-color:{colour(h)}' title='{columns}'>{name}</span>")
    whole = f"D = {settings.d_model} = {settings.heads} × {settings.d_k}"
    return (
        f"<div class='lab-slices' role='img' aria-label='{whole} columns for the heads'>"
        f"<b>{whole}</b><div>{''.join(cells)}</div></div>"
    )


def _each(trace: HeadsTrace, heads: np.ndarray, whole: np.ndarray) -> list[str]:
    """Each head's array [T, d_k], its columns numbered and coloured as in the whole [T, D].

    Of many heads, the first ones and the one that is looked at.
    """
    n_heads, d_k = trace.settings.heads, trace.settings.d_k
    shown = list(range(min(n_heads, _MOST_HEADS)))
    if trace.settings.head not in shown:
        shown[-1] = trace.settings.head
    limit = float(np.abs(whole).max())  # a number has one colour, before and after the cut
    pieces = [
        part(head_chip(h), heads[h], trace, heads=[h] * d_k, columns=_columns(trace, h), limit=limit)
        for h in shown
    ]
    if n_heads > len(shown):
        pieces.append(f"<span class='lab-dim'>… {n_heads} heads in all</span>")
    return pieces


def _columns(trace: HeadsTrace, head: int) -> list[str]:
    """The numbers that a head's columns have in [T, D]."""
    d_k = trace.settings.d_k
    return [str(column) for column in range(head * d_k, (head + 1) * d_k)]


def _words(text: str) -> str:
    return f"<p class='lab-step-words'>{text}</p>"


def _short(token: str) -> str:
    return token if len(token) <= _LONGEST else token[: _LONGEST - 1] + "…"
