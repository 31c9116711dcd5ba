"""Trained heads: real attention of two real models, and why its picture is no explanation."""

import streamlit as st

from core.figures.trained_heads import trained_formula
from core.lessons.trained_effects import effects, written
from core.lessons.trained_heads import TrainedHeadsSettings, scores_of
from core.lessons.trained_switches import switch
from core.models.minilm import MiniLM
from core.models.recording import Recording
from core.models.scores import induction, same_word
from core.models.smollm2 import SmolLM2
from pages.ui import lesson, state, trained_text
from pages.ui.html import show
from pages.ui.live import live_plot
from pages.ui.pictures.trained_heads import pronoun, trained_heads
from pages.ui.trained_grid import sprite
from pages.ui.trained_recordings import recording_of, wait_for

settings = state.open_link(TrainedHeadsSettings)
lesson.opening(
    "Trained heads",
    "What do the heads of a trained model attend to, and what does such a picture prove?",
    trained_formula(settings),
    "H_kv", "encoder", "induction", "sink",
)  # fmt: skip

trained_text.top_controls(settings)
wait_for(settings)
recording = recording_of(settings)
if isinstance(recording, Recording):
    show(sprite(recording))
pictures = trained_heads(settings)
live_plot(pictures["grid"], key="grid", on_change=state.merge)
live_plot(pictures["head"], key="head", on_change=state.merge)
st.caption(trained_text.provenance(settings.spec))

lesson.section("A heatmap is not an explanation")
st.markdown(
    "A weight says how much of a value is read. What is read may be short, and later layers may not use it. "
    "**Predict:** do the brightest heads matter most? Each point is a head; upwards is what changes at the "
    "end of the sentence when the head’s output is set to 0."
)
live_plot(pictures["effects"], key="effects", on_change=state.merge)

lesson.section(
    "Scale, mask and RoPE, switched on this head",
    "The same q, k and v, taken before rotation. **Predict:** without 1/√d_k, which rows change most?",
)
trained_text.switches(settings)
live_plot(pictures["switched"], key="switched", on_change=state.merge)

lesson.section("Heads that share keys and values")
live_plot(pictures["group"], key="group", on_change=state.merge)

lesson.section(
    "“It”: tired or wide?",
    "The animal didn’t cross the street because it was too … **Predict:** will “it” look elsewhere when the "
    "last word changes? In which of the two models can it?",
)
trained_text.pronoun_controls()
live_plot(pronoun(settings), key="pronoun")

lesson.section(
    "How heads are sorted", "A holds one head’s weights; tokens count from 0; w is a token’s word."
)
with st.container(key="formulas"):
    st.markdown(trained_text.formulas())

lesson.notice(
    "Drag **layer** through the decoder: most heads put most weight on the first token, whatever word it is.",
    "Random words, twice, sorted by *induction*: a few heads attend to what came **after** the earlier copy.",
    "Of the same group, one head may do it and another not: k and v are shared, the queries are not.",
    "Random words, RoPE off: 16.0 gives the previous token 0.07 instead of 0.92, and 14.3 the same word 0.20 "
    "instead of 0.86. 17.4 keeps its induction of 0.94: its q and k come from layers that still had RoPE.",
    "Sort another sentence: the order changes. A score belongs to a head **and** a text.",
)
live_plot(pictures["mistakes"], key="mistakes", on_change=state.merge)
lesson.source(SmolLM2.layer, MiniLM.layer, induction, same_word, scores_of, switch, written, effects)
lesson.following(
    ("exercises.py", "Predict before you look: exercises"),
    ("playground.py", "Every control at once: the playground"),
)
state.write_link()
