"""Small pieces of HTML. Whatever a person typed goes through ``safe`` on its way in."""

from collections.abc import Iterable
from html import escape

import streamlit as st

from core.figures.theme import isolated


def safe(text: object) -> str:
    """Return text that shows literally."""
    return escape(isolated(str(text)))


def show(*pieces: str) -> None:
    """Put HTML on the page."""
    st.html("".join(pieces))


def number(x: float) -> str:
    """Return a number to four decimals, or in powers of ten where that would hide it."""
    if x != x or x in (float("inf"), float("-inf")):
        return "−∞" if x < 0 else "∞"
    if x and (abs(x) < 1e-4 or abs(x) >= 1e6):
        return f"{x:.3e}".replace("-", "−")
    return f"{x:.4f}".replace("-", "−")


def row(cells: Iterable[str], tag: str = "td") -> str:
    """Return a table row of cells that are HTML already."""
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"


def bar(share: float) -> str:
    """Return a bar of a share of 0..1, to be read beside its number."""
    return f'<span class="lab-bar"><i style="width:{100 * min(max(share, 0), 1):.1f}%"></i></span>'
