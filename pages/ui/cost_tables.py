"""What doubling does, what a window and shared heads save, and the usual mistakes: counted."""

import numpy as np

from core.errors import divisors
from core.figures.cost import KV, LINEAR, QUADRATIC, TILED, WINDOWED
from core.lessons.cost import CostSettings, CostTrace
from core.lessons.cost_counts import TILE
from core.lessons.cost_measured import SIZES as MEASURED_SIZES
from core.lessons.cost_measured import Measured
from core.lessons.cost_window import reach
from core.lessons.cost_wrong import Wrong, averaged_tiles, own_maximum, unscaled_output
from pages.ui.cost_walk import size
from pages.ui.html import bar, mistakes, number, table, vector

_DIGITS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_UNITS = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
_SMALL = 1e-9  # what is smaller is rounding


def doubling(settings: CostSettings) -> str:
    """Return every part of the cost at n and at 2n, with the colours of the lines."""
    one = settings.cost
    two = one.at(n=2 * one.n)
    rows = [
        _twice("scores and weighted sum", "2n²D", one.quadratic, two.quadratic, count, QUADRATIC),
        _twice(f"the same, window {one.window:,}", "2n·min(n, w)·D", one.windowed, two.windowed, count, WINDOWED),
        _twice("projections and MLP", "n(2D² + 2DH<sub>kv</sub>d<sub>k</sub> + 8D²)", one.linear, two.linear, count, LINEAR),
        _twice("score matrices, all heads", "Hn²", one.matrix_bytes, two.matrix_bytes, in_bytes, QUADRATIC),
        _twice(f"in tiles of {TILE} keys, with m and ℓ", f"Hn({TILE} + m, ℓ)", one.tiled_bytes, two.tiled_bytes, in_bytes, TILED),
        _twice(f"KV cache, {one.layers} layers", "2LnH<sub>kv</sub>d<sub>k</sub>", one.kv_bytes, two.kv_bytes, in_bytes, KV),
    ]  # fmt: skip
    share = one.quadratic / (one.quadratic + one.linear)
    header = ["", "grows with", f"n = {one.n:,}", f"2n = {two.n:,}", "doubling"]
    return (
        f"<section class='lab-panel'>{table('What doubling does', header, rows)}"
        f"<p>Of this layer’s multiplications, scores and weighted sum are <b>{share:.1%}</b> {bar(share)}. They "
        f"overtake the rest at n = <b>{one.overtakes:,}</b>"
        f"{' = 6D' if one.kv_heads == one.heads else f' = (5 + {one.kv_heads}/{one.heads})·D'}. "
        f"D = {one.heads} × {one.d_k} = {one.d_model:,}; MLP: two matrices D × 4D. "
        "All pairs are counted: skipping the future halves the first row and leaves its slope.</p></section>"
    )


def measured_words(measured: Measured) -> str:
    """Return the fitted slopes, and why they are not 2 throughout."""
    rows = []
    for quantity, name in (("seconds", "time"), ("peak_bytes", "peak memory")):
        for way, way_name in (("plain", "whole matrix"), ("tiled", "in tiles")):
            lower, upper = measured.slopes(quantity, way)
            values = getattr(measured, quantity)[way]
            shown = _time(values[-1]) if quantity == "seconds" else in_bytes(values[-1])
            rows.append([f"{name}, {way_name}", f"{lower:.2f}", f"<b>{upper:.2f}</b>", shown])
    half = len(measured.sizes) // 2
    header = [
        "slope",
        f"n ≤ {measured.sizes[half - 1]:,}",
        f"n ≥ {measured.sizes[half]:,}",
        f"at n = {measured.sizes[-1]:,}",
    ]
    low, high = measured.slopes("seconds", "plain")
    small = (
        f"For small n the slope is {low:.2f}, below 2: calling NumPy takes longer than the numbers themselves."
        if low < 1.9
        else f"For small n the slope is {low:.2f}."
    )
    large = (
        "Above 2 for large n: the matrix no longer fits into the processor’s cache, or the machine was busy."
        if high > 2.15
        else "For large n it has not reached 2 yet."
        if high < 1.85
        else "For large n it is 2, as counted."
    )
    return (
        f"<section class='lab-panel'>{table('Fitted slopes', header, rows)}<p>{small} {large} In tiles, time keeps "
        "its slope; <b>memory loses it</b>.</p></section>"
    )


def measured_legend() -> str:
    """Return what the lines of the measured picture are."""
    return (
        f"<p class='lab-legend'>{_swatch(QUADRATIC[0], 'solid')}whole matrix (round)"
        f"{_swatch(TILED[0], 'solid')}in tiles (square){_swatch('#7a8599', 'dotted')}slope 2, to compare</p>"
        "<p class='lab-dim'>One head of 64, float32, the shortest of a few runs; lines are fitted to the upper "
        f"half, n ≥ {MEASURED_SIZES[len(MEASURED_SIZES) // 2]}. NumPy on this server, not a GPU kernel: the slope "
        "is the lesson, not the seconds.</p>"
    )


def window_words(settings: CostSettings) -> str:
    """Return reach and saving of the small window in the picture and of the large one."""
    cost, near, depth = settings.cost, settings.near, settings.depth
    saving = cost.quadratic / cost.windowed
    rows = [
        [
            "in the picture",
            f"{near:,}",
            f"{depth}",
            f"1 + {depth}·{near - 1} = <b>{reach(near, depth):,}</b>",
        ],
        [
            "at the size above",
            f"{cost.window:,}",
            f"{cost.layers}",
            f"1 + {cost.layers}·{cost.window - 1:,} = <b>{reach(cost.window, cost.layers):,}</b>",
        ],
    ]
    there = "all of it" if reach(cost.window, cost.layers) >= cost.n else "not all of it"
    return (
        "<section class='lab-panel'>"
        + table("Reach", ["", "w", "L", "tokens reached, itself included"], rows)
        + f"<p>At n = {cost.n:,} a window of {cost.window:,} takes <b>{saving:.3g} times</b> fewer "
        f"multiplications for scores and sum, and {cost.layers} layers reach {there}. Reached means: a path "
        "exists. What passes several layers is mixed at each one.</p>"
        "<p class='lab-dim'>w counts the token itself. Mistral’s paper counts the positions before it, so its "
        "reach is written L·W.</p></section>"
    )


def sharing(settings: CostSettings) -> str:
    """Return what fewer key/value heads save, and what they do not."""
    cost = settings.cost
    full = cost.at(kv_heads=cost.heads)
    rows = []
    for kv_heads in reversed(divisors(cost.heads)):
        each = cost.at(kv_heads=kv_heads)
        name = {cost.heads: " multi-head", 1: " MQA"}.get(kv_heads, "")
        mark = "▸ " if kv_heads == cost.kv_heads else ""
        share = each.kv_bytes / full.kv_bytes
        rows.append(
            [
                f"{mark}{kv_heads}{name}",
                f"{in_bytes(each.kv_bytes)} {bar(share)}",
                f"÷ {cost.heads // kv_heads}",
                count(each.projections),
                count(each.quadratic),
                in_bytes(each.matrix_bytes),
            ]
        )
    header = [
        "KV heads",
        f"KV cache, {cost.layers} layers",
        "saves",
        "projections",
        "scores and sum",
        "score matrices",
    ]
    return (
        f"<section class='lab-panel'>{table('Shared key and value heads', header, rows, tall=len(rows) > 8)}"
        "<p>Every query head still meets every key: multiplications of scores and the n × n matrices "
        "<b>stay</b>. What shrinks is what is stored and read again for each new token.</p></section>"
    )


def cost_mistakes(trace: CostTrace) -> str:
    """Return the usual mistakes on the numbers of the walk."""
    cost, n = trace.settings.cost, len(trace.q)
    wide = cost.at(d_k=2 * cost.d_k)
    plain, tiled = trace.plain_multiplications, trace.tiled_multiplications
    row, unscaled, own, averaged = _worst(trace)
    items = [
        (
            "“The matrix grows with d<sub>k</sub>”",
            f"<p>Q Kᵀ is [n, d_k] · [d_k, n] = [n, n], whatever d_k is: {cost.n:,}² = "
            f"<b class='lab-good'>{cost.entries:,}</b> entries at d_k = {cost.d_k}, and <b class='lab-good'>"
            f"{wide.entries:,}</b> at d_k = {wide.d_k}. The <i>work</i> for each entry grows: "
            f"{count(cost.quadratic)} to {count(wide.quadratic)} multiplications.</p>",
        ),
        (
            "“FlashAttention is an approximation”",
            f"<p>Largest difference over all {n} queries of the walk: <b class='lab-good'>"
            f"{size(trace.difference)}</b>. It is the same sum in another order, exact up to rounding.</p>",
        ),
        (
            "“FlashAttention is linear in time”",
            f"<p>Added up over the walk’s tiles, this block takes <b class='lab-bad'>{tiled:,}</b> "
            f"multiplications; by whole rows <b>{plain:,}</b>. Memory is linear. It is faster because it reads "
            "and writes slow memory less.</p>",
        ),
        ("The maximum grows, and o is not rescaled", _wrong(trace, unscaled, row, "o is summed with old maxima, ℓ with the new one.")),
        ("Each tile with its own maximum, just added", _wrong(trace, own, row, "Terms of different size are added as if they had one unit.")),
        ("A softmax for each tile, then the mean", _wrong(trace, averaged, row, "Every tile counts the same, however large its scores.")),
    ]  # fmt: skip
    return f"<div class='lab-thirds'>{mistakes(items)}</div>"


def _worst(trace: CostTrace) -> tuple[int, Wrong, Wrong, Wrong]:
    """The query in which the missing rescaling shows most, and the three wrong versions."""
    wrong = unscaled_output(trace), own_maximum(trace), averaged_tiles(trace)
    row = int(np.abs(wrong[0].output - trace.block_output).max(axis=-1).argmax())
    return row, *wrong


def _wrong(trace: CostTrace, wrong: Wrong, row: int, why: str) -> str:
    if wrong.difference < _SMALL:
        return (
            f"<p>{why}</p><p>It cannot be seen here: the first tile holds each maximum, or there is one tile only. "
            "Choose a smaller tile, another block or another seed.</p>"
        )
    name = f"q{trace.settings.rows.start + row}"
    return (
        f"<p>{why}</p><p>{name}: <span class='lab-bad'>{vector(wrong.output[row])}</span><br>right "
        f"<span class='lab-good'>{vector(trace.block_output[row])}</span></p>"
        f"<p>Off by up to <b class='lab-bad'>{number(wrong.difference)}</b> in this block.</p>"
    )


def torch_verdict(answer: dict) -> str:
    """Return what PyTorch’s kernels give on the numbers of the walk.

    Args:
        answer: of ``core.reference.cost.flash_verdict``.
    """
    names = {
        "flash": "F.scaled_dot_product_attention, FLASH_ATTENTION kernel",
        "math": "F.scaled_dot_product_attention, MATH kernel",
    }
    rows = []
    for key, name in names.items():
        if key in answer:
            rows.append(
                [name, *(f"<b class='lab-good'>{size(answer[key][ours])}</b>" for ours in ("tiled", "plain"))]
            )
        else:
            rows.append([name, "not in this build", "—"])
    return f"<p>PyTorch {answer['version']}, float64, the same q, k and v:</p>" + table(
        "PyTorch on the same numbers", ["largest difference from", "ours, in tiles", "ours, whole"], rows
    )


def count(x: float) -> str:
    """Return a number of multiplications in powers of ten; small ones in full."""
    if x < 1e6:
        return f"{x:,.0f}"
    mantissa, exponent = f"{x:.2e}".split("e")
    return f"{mantissa}·10{str(int(exponent)).translate(_DIGITS)}"


def in_bytes(x: float) -> str:
    """Return bytes in decimal units."""
    for unit, name in _UNITS:
        if x >= unit:
            return f"{x / unit:.3g} {name}" if x < 1000 * unit else f"{x / unit:,.0f} {name}"
    return f"{x:.0f} B"


def _time(seconds: float) -> str:
    return f"{1000 * seconds:.3g} ms"


def _twice(name, law, one, two, shown, look) -> list[str]:
    dash = {"solid": "solid", "dash": "dashed", "dot": "dotted"}[look[1]]
    ratio = two / one
    strong = "lab-bad" if ratio > 2.01 else "lab-good"
    return [
        f"{_swatch(look[0], dash)}{name}",
        law,
        shown(one),
        shown(two),
        f"<b class='{strong}'>× {ratio:.4g}</b>",
    ]


def _swatch(colour: str, dash: str) -> str:
    return f"<i class='lab-line' style='border-color:{colour};border-top-style:{dash};margin-left:6px'></i>"
