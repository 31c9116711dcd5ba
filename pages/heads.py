"""Heads: one wide vector read as several narrow ones."""

import dataclasses

import streamlit as st

from core.errors import divisors
from core.lessons.heads import D_MODELS, MAX_WIDE, STEPS, HeadsSettings, trace_heads
from core.lessons.heads_wrong import without_transpose
from core.ops.heads import merge_heads, split_heads
from core.ops.multi_head import multi_head_attention, multi_head_attention_loop
from core.settings import MAX_SEED
from pages.ui import lesson, state
from pages.ui.head_checks import torch_counts, torch_verdict
from pages.ui.judge import Question
from pages.ui.live import Slider, live_plot, live_sliders, stepper
from pages.ui.pictures.heads import heads
from pages.ui.torch_says import torch_says
from pages.ui.widgets import number, toggle, widget

_WIDE = [64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192]

settings = state.open_link(HeadsSettings)
mask = " + M" if settings.causal else ""
last = {1: "", 2: r"\;\mathrm{head}_1"}.get(
    settings.heads, rf"\,\cdots\,\mathrm{{head}}_{{{settings.heads - 1}}}"
)
lesson.opening(
    "Heads are slices",
    "What does a model with 8 heads have 8 of, and what does it cost?",
    r"\begin{gathered}"
    rf"\mathrm{{head}}_h=\mathrm{{softmax}}\Big(\tfrac{{Q_hK_h^\top}}{{\sqrt{{{settings.d_k}}}}}{mask}\Big)V_h\\"
    rf"\mathrm{{output}}=[\mathrm{{head}}_0{last}]\,W_O\\"
    rf"d_k=\tfrac{{D}}{{H}}=\tfrac{{{settings.d_model}}}{{{settings.heads}}}={settings.d_k}"
    r"\end{gathered}",
    "Q", "K", "V", "D", "H", "d_k", "W_O",
)  # fmt: skip

words, draw, future = st.columns([4, 1.3, 1.5], vertical_alignment="bottom")
with words:
    widget("text", lambda **w: st.text_input("Sentence", help="Words are cut at spaces.", **w))
with draw:
    number("seed", "Seed", 0, MAX_SEED, help="Draws X and the four matrices again.")
with future:
    toggle("causal", "Causal mask", "Each query sees the keys up to its own position only.")
live_sliders(
    [
        Slider(
            "heads", "H, heads", divisors(settings.d_model), settings.heads, 1, settings.d_model,
            "Changes how columns are read, and no number in X, Q, K or V.",
        ),
        Slider(
            "d_model", "D, width of a token", D_MODELS, settings.d_model, D_MODELS[0], D_MODELS[-1],
            "A larger D adds columns.",
        ),
        Slider(
            "head", "head looked at", range(settings.heads), settings.head, 0, settings.heads - 1,
            "Whose arithmetic is shown where heads attend.",
            "" if settings.heads > 1 else "There is one head only.",
        ),
    ],
    key="sliders", view="heads", settings=settings, on_change=state.merge,
)  # fmt: skip
stepper("step", STEPS, label="Steps", view="heads", settings=settings, on_change=state.merge)

pictures = heads(settings)
live_plot(pictures["stage"], key="stage")
st.caption("X and all matrices are random, of unit variance: true arithmetic, and no meaning in any head.")
lesson.section("Every head has a pattern of its own", place="weights")
live_plot(pictures["weights"], key="weights")

lesson.section("Three ways, one answer", place="agreement")
loop, module = st.columns([5, 3], gap="medium")
with loop:
    st.markdown("A loop over heads, or all at once with the head axis as a batch axis:")
    live_plot(pictures["agreement"], key="agreement")
with module:
    st.markdown("`nn.MultiheadAttention(D, H)` with these weights copied in, X as query, key and value:")
    narrow = dataclasses.replace(settings, step=0, head=0, wide=settings.d_model, wide_heads=1)
    torch_says(Question.about("heads.module", narrow), torch_verdict)

lesson.section("What heads cost", "Four matrices, each [D, D]; H heads share their columns.", place="counts")
live_sliders(
    [
        Slider("wide", "D, width of a layer", _WIDE, settings.wide, 1, MAX_WIDE, "1 to 16,384."),
        Slider(
            "wide_heads", "H, its heads", divisors(settings.wide), settings.wide_heads, 1, settings.wide,
            "One of the numbers that divide D.",
        ),
    ],
    key="wide_sliders", view="heads", settings=settings, on_change=state.merge,
)  # fmt: skip
live_plot(pictures["counts"], key="counts")
wide = HeadsSettings(wide=settings.wide, wide_heads=settings.wide_heads)
torch_says(Question.about("heads.counts", wide), torch_counts, room="4rem")

lesson.notice(
    "Drag **H**: the colours move over the columns; X, Q, K and V stay as they are.",
    "At **H = D** each head has one column, d_k = 1, and √1 = 1: the scale does nothing.",
    "Weights are [H, T, T]: more heads mean more patterns, from the same number of parameters.",
    "Values never change a weight. A head's V and its rows of W_O say what it passes on.",
    "Heads of keys and values can be fewer than heads of queries (GQA): that is a page of its own.",
)
live_plot(pictures["mistakes"], key="mistakes")
lesson.printed_numbers("heads")
lesson.source(
    trace_heads, split_heads, merge_heads, multi_head_attention_loop, multi_head_attention, without_transpose
)
lesson.following(
    ("positions.py", "How does attention know who stands where?"),
    ("playground.py", "Free play: your own sentence, masks, RoPE, shared keys and values"),
)
state.write_link()
