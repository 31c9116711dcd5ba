"""Small pieces of HTML. Whatever a person typed goes through ``safe`` on its way in."""

from collections.abc import Iterable, Sequence
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
    x = float(x)  # a narrow type cannot hold what it is compared with
    if x != x:
        return "not a number"
    if x in (float("inf"), float("-inf")):
        return "−∞" if x < 0 else "∞"
    if x and (abs(x) < 1e-4 or abs(x) >= 1e6):
        return f"{x:.3e}".replace("-", "−")
    return f"{x:.4f}".replace("-", "−")


def table(title: str, header: Iterable[str], rows: Iterable[Iterable[str]], *, tall: bool = False) -> str:
    """Return a table in a box that scrolls by itself, by keyboard too.

    Args:
        title: what screen readers call it.
        header: cells that are HTML already, as all others.
        rows: the first cell of each names its row.
        tall: scroll downwards as well, where there may be many rows.
    """
    head = "".join(f"<th scope='col'>{cell}</th>" for cell in header)
    body = "".join(f"<tr>{_row(cells)}</tr>" for cells in rows)
    box = "lab-scroll lab-tall" if tall else "lab-scroll"
    return (
        f"<div class='{box}' tabindex='0' role='region' aria-label='{title}'>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def bar(share: float) -> str:
    """Return a bar of a share of 0..1, to be read beside its number."""
    return f'<span class="lab-bar"><i style="width:{100 * min(max(share, 0), 1):.1f}%"></i></span>'


def _row(cells: Iterable[str]) -> str:
    first, *others = cells
    return f"<th scope='row'>{first}</th>" + "".join(f"<td>{cell}</td>" for cell in others)


def card(title: str, *body: str) -> str:
    """Return one idea in a box."""
    return f"<article class='lab-card'><h3>{title}</h3>{''.join(body)}</article>"


def cards(*items: str) -> str:
    """Return boxes side by side where there is room."""
    return f"<div class='lab-cards lab-panel'>{''.join(items)}</div>"


def mistakes(items: Sequence[tuple[str, str]]) -> str:
    """Return the usual mistakes as cards, each (what is done wrong, HTML that shows it failing)."""
    title = "<h2 class='lab-section'>Usual mistakes, on these numbers</h2>"
    return title + cards(*(card(*item) for item in items))


def vector(values: Iterable[float]) -> str:
    """Return numbers in round brackets."""
    return f"({', '.join(map(number, values))})"


def listed(items: Iterable[str]) -> str:
    """Return what is named, as "a, b and c"; there is at least one."""
    texts = [safe(item) for item in items]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
