"""Transformer block: attention, an MLP, two norms and two sums; and the small model made of such blocks."""

import streamlit as st

from core.figures.block import block_formula
from core.lessons.block import BlockLessonSettings, trace_block
from core.ops.block import block_steps, transformer, transformer_block
from core.ops.mlp import gelu_mlp, swiglu_mlp
from core.ops.norms import layer_norm, rms_norm
from core.reference.block import about_gradients
from pages.ui import block_controls, lesson, state
from pages.ui.block_model import SIZE_NAMES, gradient_table
from pages.ui.judge import Question
from pages.ui.live import live_plot
from pages.ui.pictures.block import block
from pages.ui.torch_says import torch_says
from pages.ui.widgets import choice

settings = state.open_link(BlockLessonSettings)
norm, mlp = ("RMSNorm", "SwiGLU") if settings.style == "llama" else ("LayerNorm", "GELU")
lesson.opening(
    "The transformer block",
    "What does one block do to a token's vector, and what do eight of them?",
    block_formula(settings),
    "residual stream", "pre-norm", norm, mlp, "d_ff",
)  # fmt: skip

block_controls.build(settings)
pictures = block(settings)
live_plot(pictures["stage"], key="stage")
st.caption("All weights are random, as before training: true arithmetic, and no meaning in any number.")

lesson.section("The residual stream, block after block")
block_controls.depth(settings)
live_plot(pictures["depth"], key="depth")
st.markdown("**Gradient of the loss at each depth**, by PyTorch's autograd: size of ∂L/∂x over all tokens.")
torch_says(
    Question.about("block.gradients", about_gradients(settings)),
    lambda answer: gradient_table(answer, settings.norm_place),
    room="16rem",
)

lesson.section("What bends: SwiGLU and GELU", place="gate")
block_controls.entry(settings)
live_plot(pictures["gate"], key="gate")

lesson.section("The whole model", place="model")
said, counted = st.columns([1, 1.2], gap="medium")
with said:
    live_plot(pictures["model"], key="model")
with counted:
    choice("size", "Parameters of", SIZE_NAMES, st.selectbox)
    live_plot(pictures["counts"], key="counts")
lesson.notice(
    "Attention is the only step where tokens meet. Norms, MLP and sums treat each row by itself.",
    "**Pre-norm**: nothing norms the stream itself, so it can grow. **Post-norm**: always √D long.",
    "**Without residuals** attention soon makes all tokens alike (cosine near 1), norms or not.",
    "**Gradients** change smoothly with depth; without residuals they jump about; without norms too "
    "they die away.",
    "Without GQA the MLP has about twice the parameters of attention: 8 D² against 4 D².",
)
live_plot(pictures["mistakes"], key="mistakes")
lesson.printed_numbers("block")
lesson.source(
    transformer_block, block_steps, rms_norm, layer_norm, swiglu_mlp, gelu_mlp, transformer, trace_block
)
lesson.following(
    ("training.py", "Do heads form by themselves? Small models, trained while you watch"),
    ("playground.py", "Every control of attention at once: the playground"),
)
state.write_link()
