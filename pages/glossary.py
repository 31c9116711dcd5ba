"""Every symbol and term: shape, unit, the names that other libraries use, the page that shows it."""

import streamlit as st

from core.glossary import MAX_FIND, TERMS, GlossarySettings, found
from pages.ui import state, style
from pages.ui.html import show, table
from pages.ui.terms import entry, rows
from pages.ui.widgets import widget

settings = state.open_link(GlossarySettings)
style.page()
st.html(
    "<header class='lab-opening'><h1>Glossary</h1><p>What does each symbol stand for, and what do others "
    "call it?</p></header>"
)
for note in state.notes():
    st.warning(style.literal(note))
if settings.term:
    show(entry(TERMS[settings.term]))
widget(
    "find",
    lambda **w: st.text_input(
        "Find", placeholder="a symbol, a word, a library’s name", max_chars=MAX_FIND, **w
    ),
)
entries = found(state.settings().find)
header = ["symbol or term", "name", "meaning", "shape or range", "unit", "elsewhere", "page"]
if entries:
    body = table("All entries", header, rows(entries))
    show(f"<section class='lab-panel lab-glossary' id='entries'>{body}</section>")
else:
    st.info("No entry contains that. Try fewer letters, or clear the field to see all.")
st.caption(f"{len(entries)} of {len(TERMS)} entries. Symbols on every page lead here.")
style.link_buttons()
state.write_link()
