"""The walk: tiles of keys and values stream past one block of queries; what is held, and what is not."""

from collections.abc import Iterable, Sequence

import numpy as np
from plotly.colors import sample_colorscale

from core.figures.theme import DIVERGING
from core.lessons.cost import CostSettings, CostTrace
from core.ops.tiled import TileState
from pages.ui.html import number, table
from pages.ui.matrix import matrix, row_of

_CELL, _GAP, _EDGE = 20, 14, 26  # of the map, in its own units
_STEPS = 64
_COLOURS = sample_colorscale(DIVERGING, np.linspace(0, 1, _STEPS).tolist())


def step_names(settings: CostSettings) -> list[str]:
    """Return the names of the walk's steps: the start, a tile each, the division."""
    few = settings.n_tiles <= 6
    tiles = []
    for start in range(0, settings.keys, settings.tile):
        last = min(start + settings.tile, settings.keys) - 1
        span = f"{start}" if last == start else f"{start}–{last}"
        tiles.append(f"keys {span}" if few else span)
    return ["Start", *tiles, "÷ ℓ"]


def walk(trace: CostTrace) -> str:
    """Return the step in view: where it stands in the whole matrix, and every number that is held."""
    title = step_names(trace.settings)[trace.settings.step]
    draw = _end if trace.finished else _tile if trace.state else _start
    return (
        f"<section class='lab-panel lab-walk' aria-label='Step {title}'>{_held(trace)}"
        f"<div class='lab-walk-parts'>{_map(trace)}<div class='lab-tight'>{draw(trace)}</div></div></section>"
    )


# --- the numbers ---------------------------------------------------------------------------------


def _start(trace: CostTrace) -> str:
    n = len(trace.block_output)
    return (
        _words(
            f"{_queries(trace)} wait; keys and values come by, {trace.settings.tile} at a time. "
            "For each query three things are kept: <b>m</b>, the largest score so far; <b>ℓ</b>, the sum of "
            "exp(score − m); <b>o</b>, the sum of exp(score − m)·v."
        )
        + _running(
            trace,
            ["m", "ℓ", "o"],
            [["−∞", "0", f"({', '.join('0' * trace.v.shape[-1])})"] for _ in range(n)],
        )
        + row_of(_block("Q, the block", trace.q[trace.settings.rows], trace, limit=_limit(trace.q)))
    )


def _tile(trace: CostTrace) -> str:
    state, before = trace.state, trace.before
    assert state is not None
    keys = [f"{j}" for j in range(state.start, state.stop)]
    visible = trace.visible[trace.settings.rows, state.start : state.stop]
    scores = np.where(visible, state.scores, 0.0)
    m_old = before.maximum if before else np.full(len(state.maximum), -np.inf)
    l_old = before.total if before else np.zeros(len(state.total))
    gain = state.exponentials.sum(axis=-1)
    rows = [
        [
            number(m_old[i]),
            _changed(number(state.maximum[i]), state.maximum[i] != m_old[i]),
            _changed(number(state.rescale[i]), before is not None and state.rescale[i] < 1),
            f"{number(state.rescale[i])} · {number(l_old[i])} + {number(gain[i])}",
            f"<b>{number(state.total[i])}</b>",
        ]
        for i in range(len(gain))
    ]
    o_limit = max(_limit(each.output) for each in trace.states)
    old = before.output if before else np.zeros_like(state.output)
    v = trace.v[state.start : state.stop]
    return (
        _words(_what_happens(trace, state, before))
        + row_of(
            _block(
                "scores s, this tile", scores, trace, columns=keys, visible=visible, limit=_score_limit(trace)
            ),
            _block(
                "e<sup>s − m</sup>", state.exponentials, trace, columns=keys, visible=visible, kind="weight"
            ),
        )
        + _running(trace, ["m before", "m", "r = e<sup>m before − m</sup>", "r · ℓ before + Σe", "ℓ"], rows)
        + row_of(
            _block("r · o before", state.rescale[:, None] * old, trace, limit=o_limit),
            "<span class='lab-sign'>+</span>",
            _block("e<sup>s − m</sup> V, this tile", state.exponentials @ v, trace, limit=o_limit),
            "<span class='lab-sign'>=</span>",
            _block("o", state.output, trace, limit=o_limit),
        )
    )


def _end(trace: CostTrace) -> str:
    state = trace.states[-1]
    limit = max(_limit(trace.output), _limit(state.normalised))
    block = float(np.abs(state.normalised - trace.block_output).max())
    return (
        _words("All keys have come by. One division, and the scores have never stood anywhere together.")
        + row_of(
            _block("o", state.output, trace, limit=max(_limit(each.output) for each in trace.states)),
            "<span class='lab-sign'>÷ ℓ =</span>",
            _block("output, in tiles", state.normalised, trace, limit=limit),
            "<span class='lab-sign'>=</span>",
            _block("softmax(QKᵀ/√d) V, whole", trace.block_output, trace, limit=limit),
        )
        + f"<p class='lab-large'>Largest difference, this block: <b class='lab-good'>{size(block)}</b>; "
        f"all {len(trace.q)} queries: <b class='lab-good'>{size(trace.difference)}</b>. That is rounding in "
        "float64, no approximation.</p>"
    )


def _what_happens(trace: CostTrace, state: TileState, before: TileState | None) -> str:
    first = trace.settings.rows.start
    tile = f"Keys {state.start}–{state.stop - 1}" if state.stop - state.start > 1 else f"Key {state.start}"
    if not np.isfinite(state.scores).any():
        return f"{tile}: all in the future of these queries. Nothing changes; a real kernel skips the tile."
    if before is None:
        return f"{tile} come first: m is their largest score, and r = e<sup>−∞</sup> = 0 wipes an empty sum."
    grown = [str(first + i) for i in np.flatnonzero(state.rescale < 1)]
    if not grown:
        return f"{tile}: no larger score, so m stays, r = 1, and the new terms are just added."
    names = f"quer{'y' if len(grown) == 1 else 'ies'} {', '.join(grown)}"
    return f"{tile}: m grows for <b>{names}</b>, so what was summed there shrinks by r &lt; 1 first."


def _running(trace: CostTrace, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    names = _names(trace)
    return table(
        "The running numbers",
        ["query", *header],
        [[name, *row] for name, row in zip(names, rows, strict=True)],
    )


def _block(title: str, values: np.ndarray, trace: CostTrace, **options) -> str:
    return matrix(title, values, rows=_names(trace), **options)


def _names(trace: CostTrace) -> list[str]:
    rows = trace.settings.rows
    return [f"q{i}" for i in range(rows.start, rows.stop)]


def _queries(trace: CostTrace) -> str:
    rows = trace.settings.rows
    one = rows.stop - rows.start == 1
    return f"Query {rows.start}" if one else f"Queries {rows.start}–{rows.stop - 1}"


def _changed(text: str, is_changed: bool) -> str:
    return f"<mark class='lab-changed'>{text}</mark>" if is_changed else text


def _words(text: str) -> str:
    return f"<p class='lab-step-words'>{text}</p>"


def size(x: float) -> str:
    """Return a difference that may be rounding; an exact 0 is one."""
    return "0" if x == 0 else f"{x:.1e}".replace("-", "−") if x < 1e-4 else number(x)


# --- the map -------------------------------------------------------------------------------------


def _held(trace: CostTrace) -> str:
    n, state = len(trace.q), None if trace.finished else trace.state
    now = "0" if state is None else f"{state.scores.shape[0]} × {state.scores.shape[1]} = {state.scores.size}"
    return (
        "<ul class='lab-held' aria-label='Scores held'>"
        f"<li>scores held now <b>{now}</b></li><li>most ever, this block <b>{trace.most_held}</b></li>"
        f"<li>the whole matrix <b>{n} × {n} = {n * n}</b></li></ul>"
    )


def _map(trace: CostTrace) -> str:
    """Q on the left, keys above, values below, the output on the right; in the middle what is held."""
    n, d = trace.q.shape
    state, rows = (None if trace.finished else trace.state), trace.settings.rows
    held = range(state.start, state.stop) if state else range(0)
    passed = trace.states[-1].stop if trace.finished else state.start if state else 0
    left, top = _EDGE, _EDGE
    grid_x, grid_y = left + d * _CELL + _GAP, top + d * _CELL + _GAP
    right, below = grid_x + n * _CELL + _GAP, grid_y + n * _CELL + _GAP
    q_limit, k_limit, v_limit, s_limit = (_limit(x) for x in (trace.q, trace.k, trace.v, trace.scaled))
    parts = []
    for i in range(n):
        faint = i not in range(rows.start, rows.stop)
        parts += [
            _square(left + m * _CELL, grid_y + i * _CELL, trace.q[i, m] / q_limit, faint) for m in range(d)
        ]
    for j in range(n):
        faint = j not in held
        for m in range(d):
            parts.append(_square(grid_x + j * _CELL, top + m * _CELL, trace.k[j, m] / k_limit, faint))
            parts.append(_square(grid_x + j * _CELL, below + m * _CELL, trace.v[j, m] / v_limit, faint))
    for i in range(n):
        in_block = rows.start <= i < rows.stop
        for j in range(n):
            x, y = grid_x + j * _CELL, grid_y + i * _CELL
            if not (in_block and j in held):
                look = "lab-gone" if in_block and j < passed else "lab-never"
                parts.append(f"<rect x='{x}' y='{y}' width='{_CELL}' height='{_CELL}' class='{look}'/>")
            elif trace.visible[i, j]:
                parts.append(_square(x, y, trace.scaled[i, j] / s_limit, False))
            else:
                parts.append(
                    f"<rect x='{x}' y='{y}' width='{_CELL}' height='{_CELL}' fill='url(#lab-future)'/>"
                )
    if trace.state:
        so_far = trace.state.normalised
        for i, row in enumerate(so_far):
            y = grid_y + (rows.start + i) * _CELL
            parts += [_square(right + m * _CELL, y, x / v_limit, False) for m, x in enumerate(row)]
    frames = [(left, grid_y + rows.start * _CELL, d, rows.stop - rows.start)]
    frames.append((right, grid_y + rows.start * _CELL, d, rows.stop - rows.start))
    if len(held):
        x = grid_x + held.start * _CELL
        frames += [(x, top, len(held), d), (x, below, len(held), d)]
        frames.append((x, grid_y + rows.start * _CELL, len(held), rows.stop - rows.start))
    parts += [
        f"<rect x='{x}' y='{y}' width='{w * _CELL}' height='{h * _CELL}' class='lab-frame'/>"
        for x, y, w, h in frames
    ]
    width, height = right + d * _CELL + 4, below + d * _CELL + 4
    texts = [
        (left + d * _CELL / 2, grid_y - 6, "middle", "Q"),
        (right + d * _CELL / 2, grid_y - 6, "middle", "o ÷ ℓ"),
        (grid_x - 6, top + d * _CELL / 2 + 5, "end", "Kᵀ"),
        (grid_x - 6, below + d * _CELL / 2 + 5, "end", "Vᵀ"),
        (grid_x + n * _CELL / 2, top - 9, "middle", "keys →"),
    ]
    parts += [f"<text x='{x}' y='{y}' text-anchor='{a}'>{t}</text>" for x, y, a, t in texts]
    y = grid_y + n * _CELL / 2
    turned = f"text-anchor='middle' transform='rotate(-90 {left - 9} {y})'"
    parts.append(f"<text x='{left - 9}' y='{y}' {turned}>queries</text>")
    what = f"keys {held.start} to {held.stop - 1}" if len(held) else "no key"
    words = f"The {n} by {n} score matrix: only {_queries(trace).lower()} by {what} are held."
    return (
        f"<figure class='lab-map'><svg viewBox='0 0 {width} {height}' style='--lab-high:{height}' "
        f"role='img' aria-label='{words}'>"
        "<pattern id='lab-future' width='5' height='5' patternUnits='userSpaceOnUse' "
        "patternTransform='rotate(45)'><path d='M0 0V5' stroke='#8893a5' stroke-width='2.5'/></pattern>"
        f"{''.join(parts)}</svg><figcaption>Framed: held now. <span class='lab-key lab-key-gone'></span>"
        "used, then dropped <span class='lab-key'></span>not computed</figcaption></figure>"
    )


def _square(x: float, y: float, share: float, faint: bool) -> str:
    colour = _COLOURS[min(_STEPS - 1, max(0, round((0.5 + share / 2) * (_STEPS - 1))))]
    look = " class='lab-faint'" if faint else ""
    return (
        f"<rect x='{x + 0.5}' y='{y + 0.5}' width='{_CELL - 1}' height='{_CELL - 1}' fill='{colour}'{look}/>"
    )


def _score_limit(trace: CostTrace) -> float:
    return _limit(trace.scaled)


def _limit(values: np.ndarray) -> float:
    return float(np.abs(values).max()) or 1.0
