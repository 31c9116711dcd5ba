"""The panel "one cell explained": a weight's whole arithmetic with the numbers on the screen."""

import numpy as np

from core.cell import CellArithmetic, cell_in_view, explain_cell
from core.settings import AttentionSettings
from core.trace import AttentionTrace
from pages.ui.html import bar, number, safe, table

_SHOWN = 32  # entries of a long vector that are written out before "…"
_DIVISORS = {"sqrt_d_k": "√d_k = {root:.4f}", "none": "1 (no scale)", "d_k": "d_k = {d_k}"}


def cell_panel(trace: AttentionTrace, name: str = "") -> str:
    """Return the arithmetic of the chosen cell, from q and k to its share of the output.

    The name tells which of two compared traces it is about.
    """
    cell = explain_cell(trace, *cell_in_view(trace))
    chosen = (
        "" if trace.settings.cell else "<p class='lab-dim lab-choose'>Click a cell to choose another.</p>"
    )
    return "".join(
        (
            "<section class='lab-panel' aria-label='One cell explained'>",
            f"<h3>query {cell.query} {_quoted(cell.query_token)} → key {cell.key} {_quoted(cell.key_token)}"
            f" <small>{name and f'{name}, '}head {cell.head}</small></h3>",
            chosen,
            _products(cell, trace.settings),
            "<ol class='lab-steps'>",
            *(f"<li><span>{name}</span><b>{value}</b></li>" for name, value in _steps(cell, trace)),
            "</ol>",
            _share(cell),
            "</section>",
        )
    )


def _steps(cell: CellArithmetic, trace: AttentionTrace):
    divisor = _DIVISORS[trace.settings.scale].format(root=trace.d_k**0.5, d_k=trace.d_k)
    yield "sum of the products: score", number(cell.score)
    yield f"÷ {divisor}: scaled score", number(cell.scaled)
    if not cell.visible:
        yield "the mask hides this key: score", "−∞"
        yield "exp(−∞)", "0"
    else:
        yield "the mask lets this key through", "✓"
        yield (
            f"exp({number(cell.scaled)} − {number(cell.shift)}), the row's largest taken off",
            number(cell.exponential),
        )
    if cell.row_sum:
        yield "sum of the row's exponentials", number(cell.row_sum)
        yield f"{number(cell.exponential)} ÷ {number(cell.row_sum)}: <mark>weight</mark>", number(cell.weight)
    else:
        yield "no key of this row is visible, so every weight is", "0"


def _products(cell: CellArithmetic, settings: AttentionSettings) -> str:
    turned = " after RoPE" if settings.rope else ""
    return _vectors(
        "Products of q and k", {f"q{turned}": cell.q, f"k{turned}": cell.k, "q × k": cell.products}
    )


def _share(cell: CellArithmetic) -> str:
    vectors = {"v": cell.v, "weight × v": cell.share, "output": cell.context}
    return f"<p>What it adds to the output: {bar(cell.weight)} {100 * cell.weight:.1f}%</p>" + _vectors(
        "Share of the output", vectors
    )


def _vectors(title: str, vectors: dict[str, np.ndarray]) -> str:
    """Return vectors of one width as the rows of a table, the middle of long ones left out."""
    columns = _columns(len(next(iter(vectors.values()))))
    header = ["", *("…" if i is None else str(i) for i in columns)]
    rows = (
        [name, *("…" if i is None else number(vector[i]) for i in columns)]
        for name, vector in vectors.items()
    )
    return table(title, header, rows)


def _columns(width: int) -> list[int | None]:
    if width <= _SHOWN + 1:
        return list(range(width))
    return [*range(_SHOWN), None, width - 1]


def _quoted(token: str) -> str:
    return f"“{safe(token)}”"
