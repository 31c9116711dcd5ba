"""The playground: every control of attention, and the pictures that answer."""

import streamlit as st

from core.figures.compare import compare_figure, describe_compare
from core.figures.heatmap import describe_heads, heads_figure
from core.trace import trace_attention
from pages.ui import controls, judge, state, style
from pages.ui.cell_panel import cell_panel
from pages.ui.live import live_plot, settled
from pages.ui.numbers_editor import numbers_editor
from pages.ui.pinning import pin_controls
from pages.ui.saturation_panel import row_table, saturation_panel
from pages.ui.source_notes import source_note
from pages.ui.take_away import take_away
from pages.ui.truth_strip import truth_strip, wait_for_verdict

_LIVE = ("d_k", "rope_offset", "query_shift", "heads_plot")

style.page()
settings = state.open_link()

with st.sidebar:
    controls.source()
    if settings.source in ("random", "patterns"):
        controls.text()
    fixed = "" if settings.source == "random" else "This source brings its own heads."
    controls.scale()
    controls.causal()
    controls.window()
    left, right = st.columns(2)
    with left:
        controls.heads(fixed)
    with right:
        controls.kv_heads(fixed)
    controls.rope()
    controls.seed()
    pin_controls()
    style.link_buttons()

st.title("Playground")
for note in state.notes():
    st.warning(style.literal(note))
if settings.source == "custom":
    numbers_editor()
source_note(state.settings())

stage, head, panel = st.columns([3, 1.2, 2], vertical_alignment="bottom")
with stage:
    controls.stage()
with head:
    controls.head()
with panel:
    controls.panel()


@st.fragment
def live() -> None:
    """The sliders and the pictures that answer while they move; all else waits for rest."""
    if settled(*_LIVE):
        st.rerun()
    settings = state.settings()
    for column, draw in zip(st.columns(3), _sliders(), strict=True):
        with column:
            draw()
    trace = trace_attention(settings)
    pinned = settings.pinned()
    wide, narrow = st.columns([3, 2] if pinned is None else [1, 0.001], gap="medium")
    with wide:
        if pinned is None:
            picture, alt = heads_figure(trace), describe_heads(trace)
        else:
            other = trace_attention(pinned)
            picture, alt = compare_figure(other, trace), describe_compare(other, trace)
        live_plot(picture, key="heads_plot", alt=alt, file_name="attention", on_cell=_choose)
        truth_strip(trace)
    with narrow if pinned is None else st.container():
        if settings.panel == "cell":
            cell_panel(trace)
        else:
            saturation_panel(trace)
    if settings.panel == "saturation":
        row_table(trace)


def _sliders():
    yield controls.d_k_slider
    yield lambda: controls.shift_slider(
        "rope_offset", "Shift all positions", "Moves queries and keys together: with RoPE the picture stays."
    )
    yield lambda: controls.shift_slider(
        "query_shift", "Shift the queries alone", "Moves the queries' positions: with RoPE the picture changes."
    )


def _choose(cell: tuple[int, int, int]) -> None:
    state.change(cell=cell, panel="cell")


verdict = judge.ask(state.settings())
live()
take_away(state.settings())
state.write_link()
if not verdict.done():
    wait_for_verdict(state.settings())
