"""Home: what this is, in one screen, with a small picture that answers."""

import streamlit as st

from core.settings import MAX_D_K, AttentionSettings
from pages.ui import lecture, style
from pages.ui.html import show
from pages.ui.live import Slider, live_plot, live_sliders
from pages.ui.pictures.home import home
from pages.ui.terms import symbols

_D_K = "_home_d_k"
_COURSE = {
    "soft_lookup.py": "Soft lookup: how can a table answer when no entry matches?",
    "scaling.py": "Why √d_k: what do wide vectors do to softmax?",
    "masking.py": "Masks: how is a key hidden, and what happens to the rest?",
    "heads.py": "Heads: what does a model with 8 heads have 8 of?",
    "positions.py": "Positions and RoPE: who stands where?",
    "kv_cache.py": "GQA and the KV cache: what is kept while a model writes?",
    "cost.py": "Cost: what happens when the context doubles?",
    "block.py": "The block: what stands around attention?",
    "trained_heads.py": "Trained heads: what do real ones attend to?",
    "training.py": "Training lab: do such heads form by themselves?",
}
_STARTS = {
    "Playground: all controls": {},
    "What can one head do? Four built by hand": {"source": "patterns", "rope": "true", "d_k": "32"},
}
_WIDTHS = [2, 4, 8, 16, 32, 64, 128, 256, 512]

style.page()
st.html("<header class='lab-opening'><h1>Attention Lab</h1></header>")

words, picture = st.columns([2, 3], gap="large")
with words:
    st.markdown(
        "Self-attention, live under your hand. Every picture is computed from real arrays while you drag.\n\n"
        "**Predict first.** In the picture, each row is one word's weights over all words. The scores "
        "are not scaled. What will a larger $d_k$ do to the rows? Decide, then drag."
    )
    scaled = st.toggle("Divide the scores by √d_k", key="home_scale")
    st.caption("Random vectors of unit variance, one for each word: no meaning, honest numbers.")
    st.markdown("**The course**")
    for file, question in _COURSE.items():
        st.page_link(file, label=question, icon=":material/school:")
    st.page_link("exercises.py", label="Exercises: predict, then check", icon=":material/quiz:")
    for question, query in _STARTS.items():
        st.page_link("playground.py", label=question, icon=":material/arrow_forward:", query_params=query)

settings, _ = AttentionSettings(text="the cat sat on the mat", heads=1).changed(
    d_k=st.session_state.get(_D_K, 8), scale="sqrt_d_k" if scaled else "none"
)
with picture:
    live_sliders(
        [Slider("d_k", "d_k, width of q and k", _WIDTHS, settings.d_k, 2, MAX_D_K)],
        key="home_sliders",
        view="home",
        settings=settings,
        on_change=lambda changes: st.session_state.update({_D_K: changes["d_k"]}),
    )
    live_plot(home(settings)["home"], key="home")
show(symbols("d_k", "A", "softmax"))
lecture.button()
