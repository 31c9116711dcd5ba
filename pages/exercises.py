"""Predict, then check: every exercise, by topic or again."""

import streamlit as st

from core.exercises import EXERCISES
from core.exercises.place import BY_ID, SETS, PlaceSettings
from core.exercises.record import to_ask_again
from pages.ui import progress, state, style
from pages.ui.exercise_block import exercise_block
from pages.ui.widgets import choice

_SETS = {name: name for name in SETS} | {"all": "all topics", "again": "wrong, though sure: ask me again"}

settings = state.open_link(PlaceSettings)
style.page()
st.html(
    "<header class='lab-opening'><h1>Predict, then check</h1><p>Commit to an answer before you see it: "
    "that is what makes it stay.</p></header>"
)
for note in state.notes():
    st.warning(style.literal(note))

again = to_ask_again(progress.records())
shown = [
    each
    for each in EXERCISES
    if settings.set in ("all", each.topic) or (settings.set == "again" and each.id in again)
]
titles = {each.id: f"{each.id}  {each.title}" for each in shown}
titles.setdefault(settings.id, f"{settings.id}  {BY_ID[settings.id].title}")
left, right = st.columns([2, 3])
with left:
    choice("set", "Exercises", _SETS, st.selectbox)
with right:
    choice("id", "Exercise", titles, st.selectbox)
if settings.set == "again" and not again:
    st.info("Nothing to ask again: no answer so far was wrong and given with confidence.")

place = state.settings()
with st.container(border=True):
    exercise_block(BY_ID[place.id], place.seed)
ids = [each.id for each in shown] or [place.id]
at = ids.index(place.id) if place.id in ids else 0
back, forward = st.columns(2)
back.button(
    "‹ Exercise before", width="stretch", disabled=at == 0,
    on_click=lambda: state.change(id=ids[at - 1], seed=0),
)  # fmt: skip
forward.button(
    "Next exercise ›", width="stretch", disabled=at == len(ids) - 1,
    on_click=lambda: state.change(id=ids[at + 1], seed=0),
)  # fmt: skip
progress.summary()
progress.keep()
style.link_buttons()
state.write_link()
