"""Predict, then check: one exercise of a set."""

import streamlit as st

from core.exercises.place import BY_ID, QUIZ, PlaceSettings, entries
from pages.ui import for_a_course, kept_attempts, progress, state, style
from pages.ui.exercise_block import exercise_block
from pages.ui.exercise_on_stage import exercise_on_stage
from pages.ui.exercise_sets import before_and_next, controls, empty
from pages.ui.quiz_end import quiz_end

settings = state.open_link(PlaceSettings)
style.page()
framed, hidden = bool(st.context.is_embedded), state.hidden()  # framed: inside slides or a course page
if framed:
    st.html("<h1 class='lab-unseen lab-framed'>Predict, then check</h1>")
else:
    st.html(
        "<header class='lab-opening'><h1>Predict, then check</h1><p>Commit to an answer before you see it: "
        "that is what makes it stay.</p></header>"
    )
for note in state.notes():
    st.warning(style.literal(note))

shown = entries(settings, progress.records())
if not settings.id and shown:  # what is asked again is known only now
    state.change(id=shown[0].id, seed=shown[0].seed)
    st.rerun()
if settings.id and state.lecture():
    exercise_on_stage(settings)
    progress.keep()
    state.write_link()
    st.stop()
controls(settings, shown)
if not shown:
    empty(settings)
attempt = None
if settings.id:
    with st.container(border=True, key="exercise"):
        attempt = exercise_block(BY_ID[settings.id], settings.seed)
before_and_next(settings, shown)
if settings.set == QUIZ and not (attempt and attempt.revealed and not attempt.explained):
    quiz_end(settings, shown, links=not framed)

if not framed and "progress" not in hidden:
    progress.summary()
progress.keep()
kept_attempts.keep()
if not framed and "course" not in hidden:
    for_a_course.box(settings)
if not framed and "link" not in hidden:
    style.link_buttons()
state.write_link()
