"""A matrix as a table of coloured cells: sharp at any size, read by screen readers, copied as text."""

import math
from collections.abc import Sequence

import numpy as np
from plotly.colors import sample_colorscale, unlabel_rgb

from core.figures.theme import DIVERGING, PART_COLOURS, SEQUENTIAL
from pages.ui.html import number

_STEPS = 128


def _looks(scale) -> list[str]:
    """The style of a cell at each step of a colour scale, with text that can be read on it."""
    colours = (unlabel_rgb(c) for c in sample_colorscale(scale, np.linspace(0, 1, _STEPS).tolist()))
    return [
        f"background:rgb({r:.0f},{g:.0f},{b:.0f});color:{'#fff' if _is_dark(r, g, b) else '#000'}"
        for r, g, b in colours
    ]


def _is_dark(r, g, b) -> bool:
    return 0.2126 * (r / 255) ** 2.2 + 0.7152 * (g / 255) ** 2.2 + 0.0722 * (b / 255) ** 2.2 < 0.18


_LUT = {"weight": _looks(SEQUENTIAL), "signed": _looks(DIVERGING)}


def matrix(
    title: str,
    values: np.ndarray,
    *,
    kind: str = "signed",
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    visible: np.ndarray | None = None,
    parts: Sequence[int] | None = None,
    limit: float | None = None,
    digits: int = 2,
    of: tuple[int, int] | None = None,
) -> str:
    """Return a matrix with its shape in the title.

    Args:
        title: HTML; its shape is written after it.
        values: ``[m, n]``.
        kind: "weight" is coloured on 0..1, "signed" on a scale centred at zero.
        rows: HTML of each row's name; its number if None.
        columns: the same for columns.
        visible: bool ``[m, n]``; the others are hatched, without a number.
        parts: ``[n]``, the part (such as the head) that each column belongs to: a colour on top.
        limit: the largest size on a signed scale; that of the values if None.
        digits: after the point.
        of: the whole matrix's shape, where only its first rows and columns are given.
    """
    m, n = values.shape
    whole = of or (m, n)
    parts_seen = zip(("rows", "columns"), (m, n), whole, strict=True)
    first = ", ".join(f"first {seen} {name}" for name, seen, there in parts_seen if seen < there)
    shape = f"[{whole[0]}, {whole[1]}]" + (first and f" {first}")
    visible = np.ones((m, n), bool) if visible is None else visible
    drawn = np.abs(values[visible & np.isfinite(values)])
    limit = limit or (float(drawn.max()) if drawn.size else 1.0) or 1.0
    names = [str(i) for i in range(m)] if rows is None else rows
    heads = [str(j) for j in range(n)] if columns is None else columns
    top = "".join(f"<th scope='col'{_part(parts, j)}>{heads[j]}</th>" for j in range(n))
    seen, numbers = visible.tolist(), values.tolist()  # Python's own numbers are read much faster
    body = "".join(
        f"<tr><th scope='row'>{names[i]}</th>"
        + "".join(_cell(numbers[i][j], seen[i][j], kind, limit, digits) for j in range(n))
        + "</tr>"
        for i in range(m)
    )
    return (
        f"<figure class='lab-matrix'><figcaption>{title} <small>{shape}</small></figcaption>"
        f"<div class='lab-scroll' tabindex='0' role='region' aria-label='{whole[0]} by {whole[1]} matrix'>"
        f"<table><thead><tr><td></td>{top}</tr></thead><tbody>{body}</tbody></table></div></figure>"
    )


def row_of(*figures: str, between: str = "") -> str:
    """Return matrices side by side, with a sign between them."""
    sign = f"<span class='lab-sign'>{between}</span>"
    return f"<div class='lab-matrices'>{sign.join(figures)}</div>"


def _part(parts, j) -> str:
    if parts is None:
        return ""
    return f" style='border-top:5px solid {PART_COLOURS[parts[j] % len(PART_COLOURS)]}'"


def _cell(value, visible, kind, limit, digits) -> str:
    if not visible:
        return "<td class='lab-hatched'><span class='lab-unseen'>hidden</span></td>"
    if not math.isfinite(value):
        return f"<td>{'NaN' if math.isnan(value) else number(value)}</td>"
    share = value if kind == "weight" else 0.5 + value / (2 * limit)
    look = _LUT[kind][min(_STEPS - 1, max(0, round(share * (_STEPS - 1))))]
    text = f"{value:z.{digits}f}".replace("-", "−")  # z: no minus before a zero
    return f"<td style='{look}'>{text}</td>"
