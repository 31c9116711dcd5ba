"""The playground: every control of attention, and the pictures that answer."""

import streamlit as st

from core.settings import AttentionSettings
from pages.ui import controls, state, style
from pages.ui.html import show
from pages.ui.live import live_plot
from pages.ui.numbers_editor import numbers_editor, put_away
from pages.ui.pictures.playground import playground
from pages.ui.pinning import pin_controls
from pages.ui.source_notes import source_note
from pages.ui.take_away import take_away
from pages.ui.terms import symbols
from pages.ui.truth_strip import expect_verdict, wait_for_verdict

style.page()
settings = state.open_link(AttentionSettings)

with st.sidebar:
    controls.source()
    if not settings.given:
        controls.text()
    controls.scale()
    controls.causal()
    controls.window()
    if settings.source == "random":  # other sources bring their own heads
        left, right = st.columns(2)
        with left:
            controls.heads()
        with right:
            controls.kv_heads()
    controls.rope()
    if not settings.given:
        controls.seed()
    pin_controls()
    style.link_buttons()

style.unseen_title("Playground")
for note in state.notes():
    st.warning(style.literal(note))
if settings.source == "custom":
    numbers_editor()
else:
    put_away()

stage, head, panel = st.columns([3, 1.3, 2], vertical_alignment="center")
with stage:
    controls.stage()
with head:
    controls.head()
with panel:
    controls.panel()

controls.sliders()
expect_verdict(state.settings())
pictures = playground(state.settings())
if "saturation" in pictures and not settings.compare:
    heads, curves = st.columns([3, 2], gap="medium")
else:  # compared pictures need the width
    heads, curves = st.container(), st.container()
with heads:
    live_plot(pictures["heads"], key="heads", on_change=state.merge)
if "saturation" in pictures:
    with curves:
        live_plot(pictures["saturation"], key="saturation", secondary=True)
source_note(state.settings())
show(symbols("Q", "K", "V", "d_k", "scale", "M", "A", "H", "H_kv", "RoPE"))
take_away(state.settings())
state.write_link()
wait_for_verdict(state.settings())
