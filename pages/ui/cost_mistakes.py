"""What goes wrong with cost and with tiles, on the numbers of the page."""

import numpy as np

from core.lessons.cost import CostTrace
from core.lessons.cost_wrong import Wrong, averaged_tiles, own_maximum, unscaled_output
from pages.ui.cost_tables import count
from pages.ui.cost_walk import size
from pages.ui.html import mistakes, number, vector

_SMALL = 1e-9  # what is smaller is rounding


def cost_mistakes(trace: CostTrace) -> str:
    """Return the usual mistakes on the numbers of the walk."""
    cost, n = trace.settings.cost, len(trace.q)
    wide = cost.at(d_k=2 * cost.d_k)
    plain, tiled = trace.plain_multiplications, trace.tiled_multiplications
    unscaled, own, averaged = unscaled_output(trace), own_maximum(trace), averaged_tiles(trace)
    items = [
        (
            "“The matrix grows with d<sub>k</sub>”",
            "<p>QKᵀ is [n, d<sub>k</sub>] × [d<sub>k</sub>, n] = <b>[n, n]</b>: "
            f"<b class='lab-good'>{cost.entries:,}</b> entries a head at d<sub>k</sub> = {cost.d_k}, and "
            f"<b class='lab-good'>{wide.entries:,}</b> at {wide.d_k}. The <i>work</i> for each entry grows: "
            f"{count(cost.quadratic)} multiplications become {count(wide.quadratic)}.</p>",
        ),
        (
            "“FlashAttention is an approximation”",
            f"<p>Largest difference over all {n} queries of the walk: <b class='lab-good'>"
            f"{size(trace.difference)}</b>. The same sum in another order, exact up to rounding.</p>",
        ),
        (
            "“FlashAttention is linear in time”",
            f"<p>Added up tile by tile, this block takes <b class='lab-bad'>{tiled:,}</b> multiplications; "
            f"by whole rows <b>{plain:,}</b>. Only <i>memory</i> is linear. It is faster because less goes "
            "to slow memory and back.</p>",
        ),
        (
            "m grows, and o is not rescaled",
            _shown(trace, unscaled, "o still holds terms of the old maximum; ℓ is rescaled."),
        ),
        (
            "Each tile with its own maximum, just added",
            _shown(trace, own, "Terms of different units: e<sup>s − m</sup> of each tile has another m."),
        ),
        (
            "A softmax for each tile, then the mean",
            _shown(trace, averaged, "Every tile counts the same, however large its scores."),
        ),
    ]
    return f"<div class='lab-thirds'>{mistakes(items)}</div>"


def _shown(trace: CostTrace, wrong: Wrong, why: str) -> str:
    if wrong.difference < _SMALL:
        return (
            f"<p>{why}</p><p>It cannot be seen here: each query’s largest score stands in the first tile, or "
            "there is one tile only. Take another tile, block or seed.</p>"
        )
    row = int(np.abs(wrong.output - trace.block_output).max(axis=-1).argmax())
    return (
        f"<p>{why}</p><p>q{trace.settings.rows.start + row}: "
        f"<span class='lab-bad'>{vector(wrong.output[row])}</span><br>"
        f"right <span class='lab-good'>{vector(trace.block_output[row])}</span></p>"
        f"<p>Off by up to <b class='lab-bad'>{number(wrong.difference)}</b> in this block.</p>"
    )
