"""Take it away: the code, the arrays, a page of its own, and the numbers as a table."""

import streamlit as st

from core.export.arrays import csv_table, npz
from core.export.code import numpy_code, torch_code
from core.export.page import standalone_page
from core.figures.heatmap import STAGE_TITLES
from core.settings import AttentionSettings
from core.trace import AttentionTrace, trace_attention
from pages.ui import assets, state
from pages.ui.html import number, safe, show, table
from pages.ui.pictures.playground import playground

_SCRIPTS = (
    "live_plot.js", "live.js", "plotly.js", "fit.js", "cells.js", "edits.js", "handle.js", "links.js",
    "roving.js", "row.js", "style.js", "stage.js", "enlarge.js", "ink.js",
)  # fmt: skip


def take_away(settings: AttentionSettings) -> None:
    """Offer everything that reproduces what is on the screen. Files are made when asked for."""
    box = st.expander(
        "Take it away: code, arrays, a page that works offline", key="take_away", on_change=state.moved
    )
    if not box.open:  # nothing of it is made before it is wanted
        return
    trace = trace_attention(settings)
    with box:
        files = st.columns(3)
        files[0].download_button(
            "All arrays (NPZ)", lambda: npz(trace), "attention.npz", on_click="ignore", width="stretch"
        )
        files[1].download_button(
            "All arrays (CSV)",
            lambda: csv_table(trace),
            "attention.csv",
            "text/csv",
            on_click="ignore",
            width="stretch",
        )
        files[2].download_button(
            "This picture (HTML)",
            lambda: _page(settings),
            "attention.html",
            "text/html",
            on_click="ignore",
            width="stretch",
        )
        numpy_tab, torch_tab, table_tab = st.tabs(["NumPy", "PyTorch", "Numbers"])
        numpy_tab.code(numpy_code(trace), language="python")
        torch_tab.code(torch_code(trace), language="python")
        with table_tab:
            _table(trace)


def _page(settings: AttentionSettings) -> str:
    return standalone_page(
        playground(settings)["heads"].data(),
        title=f"Attention: {STAGE_TITLES[settings.stage]}s",
        settings=settings.to_query(),
        scripts={name: assets.text(name) for name in _SCRIPTS},
        css=assets.text("live.css") + assets.text("page.css"),
        plotly_js=assets.text(assets.PLOTLY.name),
    )


def _table(trace: AttentionTrace) -> None:
    """Show the stage in view of the head in view as a table, for reading and screen readers."""
    head, stage = trace.settings.head or 0, trace.settings.stage
    values = getattr(trace, stage)[head].tolist()
    header = ["query \\ key", *(f"{j} {safe(token)}" for j, token in enumerate(trace.key_tokens))]
    rows = ([f"{i} {safe(token)}", *map(number, values[i])] for i, token in enumerate(trace.query_tokens))
    title = f"{STAGE_TITLES[stage]}s of head {head}: rows are queries, columns are keys"
    show(
        "<section class='lab-panel'>", f"<p>{title}</p>", table(title, header, rows, tall=True), "</section>"
    )
