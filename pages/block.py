"""Transformer block: attention, an MLP, two norms and two sums; and the small model made of such blocks."""

import streamlit as st

from core.errors import divisors
from core.figures.block import block_formula
from core.lessons.block import (
    D_MODELS,
    MAX_ENTRY,
    MAX_LAYERS,
    STEPS,
    BlockLessonSettings,
    even_heads,
    trace_block,
)
from core.ops.block import block_steps, transformer, transformer_block
from core.ops.mlp import gelu_mlp, swiglu_mlp
from core.ops.norms import layer_norm, rms_norm
from core.reference.block import about_gradients
from core.settings import MAX_SEED
from pages.ui import lesson, state
from pages.ui.block_model import gradient_table
from pages.ui.judge import Question
from pages.ui.live import Slider, live_plot, live_sliders, stepper
from pages.ui.pictures.block import ENTRIES, PLACE_NAMES, SIZE_NAMES, STYLE_NAMES, block
from pages.ui.torch_says import torch_says
from pages.ui.widgets import choice, number, toggle, widget

settings = state.open_link(BlockLessonSettings)
lesson.opening(
    "The transformer block",
    "What does a block add to a token's vector, and why does it add instead of replace?",
    block_formula(settings),
    "residual stream", "RMSNorm", "LayerNorm", "SwiGLU", "GELU", "d_ff", "pre-norm",
)  # fmt: skip

words, style, place = st.columns([3, 2.6, 2.4], vertical_alignment="bottom")
with words:
    widget("text", lambda **w: st.text_input("Sentence", help="Words are cut at spaces.", **w))
with style:
    choice("style", "Style", STYLE_NAMES, st.selectbox)
with place:
    choice("norm_place", "Norms", PLACE_NAMES, st.selectbox)
heads, last = settings.heads, settings.layers - 1
live_sliders(
    [
        Slider(
            "d_model", "D, width of a token", D_MODELS, settings.d_model, D_MODELS[0], D_MODELS[-1],
        ),
        Slider(
            "heads", "H, heads", even_heads(settings.d_model), heads, 1, settings.d_model // 2,
            "d_k = D / H stays even, for RoPE turns pairs.",
        ),
        Slider(
            "kv_heads", "KV heads", divisors(heads), settings.n_kv_heads, 1, heads,
            disabled="" if settings.style == "llama" and heads > 1 else "As many as heads.",
        ),
        Slider("layers", "L, blocks", range(1, MAX_LAYERS + 1), settings.layers, 1, MAX_LAYERS),
        Slider(
            "block", "block looked at", range(last + 1), settings.block, 0, last,
            disabled="" if last else "There is one only.",
        ),
        Slider(
            "token", "token looked at", range(len(settings.tokens)), settings.token, 0,
            len(settings.tokens) - 1, disabled="" if len(settings.tokens) > 1 else "There is one only.",
        ),
    ],
    key="sliders", view="block", settings=settings, on_change=state.merge,
)  # fmt: skip
residual, draw, _ = st.columns([2, 1.3, 4], vertical_alignment="bottom")
with residual:
    toggle("residual", "Residual connections", "Off: what a sub-layer gives replaces x.")
with draw:
    number("seed", "Seed", 0, MAX_SEED, help="Draws all weights again.")
names = STEPS[settings.norm_place]
stepper("step", names, label="Steps", view="block", settings=settings, on_change=state.merge)

pictures = block(settings)
live_plot(pictures["stage"], key="stage")
st.caption("All weights are random, as before training: true arithmetic, and no meaning in any number.")

lesson.section("The residual stream, block after block")
live_plot(pictures["depth"], key="depth")
st.markdown("**Gradient of the loss at each depth**, by PyTorch's autograd: size of ∂L/∂x over all tokens.")
torch_says(
    Question.about("block.gradients", about_gradients(settings)),
    lambda answer: gradient_table(answer, settings.norm_place),
    room="16rem",
)

lesson.section("What bends: SwiGLU and GELU")
live_sliders(
    [
        Slider(name, label, ENTRIES, value, -MAX_ENTRY, MAX_ENTRY, whole=False)
        for name, label, value in (
            ("a", "a, one entry of x W1", settings.a),
            ("b", "b, the same entry of x W3", settings.b),
        )
    ],
    key="gate_sliders", view="block", settings=settings, on_change=state.merge,
)  # fmt: skip
live_plot(pictures["gate"], key="gate")

lesson.section("The whole model")
live_plot(pictures["model"], key="model")
choice("size", "Parameters of", SIZE_NAMES, st.selectbox)
live_plot(pictures["counts"], key="counts")
lesson.notice(
    "Attention is the only step where tokens meet. Norms, MLP and sums treat each row by itself.",
    "**Pre-norm**: nothing norms the stream itself, so it can grow. **Post-norm**: always √D long.",
    "**Without residuals** all tokens end up pointing the same way (cosine near 1), norms or not.",
    "Norms hold the *size* of a gradient; without norms and residuals it dies away with depth.",
    "Without GQA the MLP has about twice the parameters of attention: 8 D² against 4 D².",
)
live_plot(pictures["mistakes"], key="mistakes")
lesson.printed_numbers("block")
lesson.source(
    transformer_block, block_steps, rms_norm, layer_norm, swiglu_mlp, gelu_mlp, transformer, trace_block
)
lesson.following(("playground.py", "Every control of attention at once: the playground"))
state.write_link()
