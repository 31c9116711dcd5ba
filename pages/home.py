"""Home: what this is, in one screen, with a small picture that answers."""

import streamlit as st

from core.figures.heatmap import describe_heads, heads_figure
from core.settings import AttentionSettings
from core.trace import trace_attention
from pages.ui import style
from pages.ui.live import live_plot, live_slider

_D_K = "_home_d_k"
_WIDTHS = [2, 4, 8, 16, 32, 64, 128, 256, 512]

style.page()
st.title("Attention Lab")

words, picture = st.columns([2, 3], gap="large")
with words:
    st.markdown(
        "Self-attention, live under your hand. Every picture is computed from real arrays while you "
        "drag, and checked against PyTorch.\n\n"
        "**Predict first.** At the right, each row is one word's weights over all words. The scores "
        "are *not* scaled. What will a larger $d_k$ do to the rows? Decide, then drag.\n\n"
    )
    scaled = st.toggle("Divide the scores by √d_k", key="home_scale")
    st.page_link("playground.py", label="**Open the playground**", icon=":material/tune:")
    st.caption("Random vectors of unit variance, one for each word: no meaning, honest numbers.")


@st.fragment
def small_picture() -> None:
    """A slider and one head that answers."""
    live_slider(
        "d_k, width of q and k",
        _WIDTHS,
        st.session_state.get(_D_K, 8),
        key="home_d_k",
        on_change=lambda value: st.session_state.update({_D_K: int(value)}),
        low=2,
        high=512,
    )
    trace = trace_attention(
        AttentionSettings(
            text="the cat sat on the mat",
            heads=1,
            d_k=st.session_state.get(_D_K, 8),
            scale="sqrt_d_k" if scaled else "none",
        )
    )
    live_plot(heads_figure(trace), key="home_plot", alt=describe_heads(trace), file_name="attention")


with picture:
    small_picture()
