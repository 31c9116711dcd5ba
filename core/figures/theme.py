"""Colours, sizes and the one way a figure is made. Text and grid colours are the page's own."""

import unicodedata
from html import escape
from typing import Any

import plotly.graph_objects as go

# Colour-blind safe, the same in both themes: viridis for weights, blue-white-orange for what has
# a zero in its middle.
SEQUENTIAL = "Viridis"
DIVERGING = [[0.0, "#1f5fa8"], [0.25, "#84b2dd"], [0.5, "#f4f4f2"], [0.75, "#eda65a"], [1.0, "#a8500b"]]
SCALED_COLOUR, UNSCALED_COLOUR = "#1f77b4", "#d95f02"
OUTLINE = "#ff3ea5"  # on neither colour scale, so that a chosen cell stands out on both
# One colour for each part of a whole (a head, a key); parts are numbered too.
PART_COLOURS = ("#1f77b4", "#d95f02", "#7b5ea7", "#b8860b", "#2a8f8f", "#c2447f", "#5a7d2a", "#7a6652")
MAX_LABEL = 12  # characters of a token on an axis; hover and tables show all of it


def figure(traces: list[dict[str, Any]], layout: dict[str, Any]) -> go.Figure:
    """Return a figure of plain dictionaries, without Plotly's validation and default template.

    Both cost more than the computation itself while a slider is dragged; the tests validate.
    """
    # The empty template keeps plotly.py from adding its own 7 kB to every update.
    layout = {"template": {}, "font": {"size": 14}, "showlegend": False, **layout}
    return go.Figure({"data": traces, "layout": layout}, _validate=False)


def above_each_other(height: int) -> dict[str, Any]:
    """Return what a phone changes in a layout of two panels side by side: the second goes below.

    Args:
        height: pixels, for both.
    """
    return {
        "height": height,
        "xaxis.domain": [0, 1],
        "xaxis2.domain": [0, 1],
        "yaxis.domain": [0.57, 1],
        "yaxis2.domain": [0, 0.42],
        "annotations.1.x": 0,  # its title
        "annotations.1.y": 0.42,
    }


def token_label(index: int, token: str) -> str:
    """Return a token as an axis label: its position, which tells repeats apart, and its text.

    Plotly reads a little HTML in labels, so it is escaped: the text shows literally.
    """
    shown = token if len(token) <= MAX_LABEL else token[: MAX_LABEL - 1] + "…"
    return f"{index} {escape(isolated(shown), quote=False)}"


def isolated(text: str) -> str:
    """Return right-to-left text marked as a unit, so that it does not reorder its neighbours."""
    if any(unicodedata.bidirectional(character) in ("R", "AL", "RLE", "RLO") for character in text):
        return f"\u2068{text}\u2069"
    return text


def how_many(n: int, one: str, more: str) -> str:
    """Return "1 query", "3 queries".

    Args:
        n: how many.
        one: what a single one is called.
        more: what several are called.
    """
    return f"{n} {one if n == 1 else more}"


def quoted(text: str) -> str:
    """Return a token in quotation marks for a sentence."""
    return f"“{isolated(text)}”"
