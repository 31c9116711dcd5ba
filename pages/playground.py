"""The playground: every control of attention, and the pictures that answer."""

import streamlit as st

from pages.ui import controls, judge, state, style
from pages.ui.live import live_plot
from pages.ui.numbers_editor import numbers_editor
from pages.ui.pictures import playground
from pages.ui.pinning import pin_controls
from pages.ui.source_notes import source_note
from pages.ui.take_away import take_away
from pages.ui.truth_strip import wait_for_verdict

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

style.unseen_title("Playground")
for note in state.notes():
    st.warning(style.literal(note))
if settings.source == "custom":
    numbers_editor()

stage, head, panel = st.columns([3, 1.3, 2], vertical_alignment="center")
with stage:
    controls.stage()
with head:
    controls.head()
with panel:
    controls.panel()


verdict = judge.ask(state.settings())
controls.sliders()
pictures = playground(state.settings())
if "saturation" in pictures:
    left, right = st.columns([3, 2], gap="medium")
    with left:
        live_plot(pictures["heads"], key="heads", on_change=state.merge)
    with right:
        live_plot(pictures["saturation"], key="saturation", secondary=True)
else:
    live_plot(pictures["heads"], key="heads", on_change=state.merge)
source_note(state.settings())
take_away(state.settings())
state.write_link()
if not verdict.done():
    wait_for_verdict(state.settings())
