"""What doubling does, what was measured, and what a window and shared heads save."""

from core.errors import divisors
from core.figures.cost import KV, LINEAR, QUADRATIC, TILED, WINDOWED
from core.lessons.cost import CostSettings
from core.lessons.cost_counts import TILE
from core.lessons.cost_measured import SIZES as MEASURED_SIZES
from core.lessons.cost_measured import Measured
from core.lessons.cost_window import reach
from pages.ui.cost_walk import size
from pages.ui.html import bar, table

_DIGITS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_UNITS = ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def doubling(settings: CostSettings) -> str:
    """Return every part of the cost at n and at 2n, with the colours of the lines."""
    one = settings.cost
    two = one.at(n=2 * one.n)
    kv = "H<sub>kv</sub>d<sub>k</sub>"
    parts = [
        ("scores and weighted sum", "2n²D", "quadratic", QUADRATIC),
        (f"the same, window {one.window:,}", "2n·min(n, w)·D", "windowed", WINDOWED),
        ("projections and MLP", f"n(2D² + 2D{kv} + 8D²)", "linear", LINEAR),
        ("score matrices, all heads", "Hn²", "matrix_bytes", QUADRATIC),
        (f"in tiles of {TILE} keys, with m and ℓ", f"Hn·{TILE} + 2Hn", "tiled_bytes", TILED),
        (f"KV cache, {one.layers} layers", f"2Ln{kv}", "kv_bytes", KV),
    ]
    rows = []
    for name, law, part, look in parts:
        at_one, at_two = getattr(one, part), getattr(two, part)
        shown, ratio = in_bytes if part.endswith("bytes") else count, at_two / at_one
        strong = f"<b class='{'lab-bad' if ratio > 2.01 else 'lab-good'}'>× {ratio:.4g}</b>"
        rows.append([f"{_swatch(*look)}{name}", law, shown(at_one), shown(at_two), strong])
    share = one.quadratic / (one.quadratic + one.linear)
    equal = "6D" if one.kv_heads == one.heads else f"(5 + {one.kv_heads}/{one.heads})·D"
    header = ["", "how many", f"n = {one.n:,}", f"2n = {two.n:,}", "doubling"]
    return (
        f"<section class='lab-panel lab-beside-table'><div>{table('What doubling does', header, rows)}</div>"
        f"<div class='lab-beside-words'><p>Scores and weighted sum are <b>{share:.1%}</b> {bar(share)} of "
        f"this layer’s multiplications. They overtake the rest at <b>n = {equal} = {one.overtakes:,}</b>.</p>"
        f"<p class='lab-dim'>D = {one.heads} × {one.d_k} = {one.d_model:,}; MLP: two matrices D × 4D. All "
        "pairs are counted: skipping the future halves the first row, and leaves its slope.</p></div>"
        "</section>"
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
    tiled_time, tiled_memory = (measured.slopes(each, "tiled")[1] for each in ("seconds", "peak_bytes"))
    small = (
        f"For small n the slope is {low:.2f}, below 2: calling NumPy takes longer than the arithmetic."
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
        f"<section class='lab-panel'>{table('Fitted slopes', header, rows)}<p>{small} {large} "
        f"In tiles, time still has slope {tiled_time:.2f}; <b>memory has {tiled_memory:.2f}</b>.</p>"
        "</section>"
    )


def measured_legend() -> str:
    """Return what the lines of the measured picture are."""
    return (
        f"<p class='lab-legend'>{_swatch(QUADRATIC[0], 'solid')}whole matrix (round)"
        f"{_swatch(TILED[0], 'solid')}in tiles (square){_swatch('#7a8599', 'dot')}slope 2, to compare</p>"
        "<p class='lab-dim'>One head of 64, float32, one thread, the shortest of a few runs; lines are "
        f"fitted to n ≥ {MEASURED_SIZES[len(MEASURED_SIZES) // 2]}. NumPy here, not a GPU kernel: the slope "
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
    fewer = f"<b>{saving:.4g} times</b> fewer multiplications"
    takes = fewer if saving > 1 else "<b>as many</b> multiplications as no window"
    there = "all of them" if reach(cost.window, cost.layers) >= cost.n else "a part of them"
    return (
        "<section class='lab-panel'>"
        + table("Reach", ["", "w", "L", "tokens reached, itself included"], rows)
        + f"<p>At n = {cost.n:,} a window of {cost.window:,} takes {takes} "
        f"for scores and sum; {cost.layers} layers reach {there}. Reached means that a path "
        "exists: what passes several layers is mixed at each one.</p>"
        "<p class='lab-dim'>w counts the token itself. Mistral’s paper counts the positions before it, W, so "
        "its reach is written L·W.</p></section>"
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


def _swatch(colour: str, dash: str) -> str:
    style = {"solid": "solid", "dash": "dashed", "dot": "dotted"}[dash]
    return f"<i class='lab-line' style='border-color:{colour};border-top-style:{style};margin-left:6px'></i>"
