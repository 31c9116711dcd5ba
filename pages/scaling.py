"""Why the scores are divided by the square root of d_k: measured, not claimed."""

import dataclasses

import streamlit as st

from core.figures.scaling import DIVISOR_NAMES
from core.lessons.gradients import gradients
from core.lessons.scaling import N_PAIRS, ScalingSettings, trace_scaling
from core.ops.attention import softmax
from core.ops.saturation import softmax_jacobian
from core.settings import MAX_HEADS, MAX_SEED
from pages.ui import lesson, state
from pages.ui.controls import WIDTHS
from pages.ui.judge import Question
from pages.ui.live import Slider, live_plot, live_sliders
from pages.ui.pictures.scaling import autograd_table, scaling
from pages.ui.torch_says import torch_says
from pages.ui.widgets import choice, number, row

_VIEW = "scaling"
_ROOTS = {"none": "1", "sqrt_d_k": r"\sqrt{%(d_k)d}", "d_k": "%(d_k)d", "sqrt_d_model": r"\sqrt{%(d_model)d}"}

settings = state.open_link(ScalingSettings)
divisor = _ROOTS[settings.scale] % {"d_k": settings.d_k, "d_model": settings.d_model}
lesson.opening(
    "Why divide by √d<sub>k</sub>?",
    "What happens to softmax when the vectors get wider?",
    rf"\mathrm{{Var}}(q\cdot k) = \sum_{{m=1}}^{{{settings.d_k}}} 1 = {settings.d_k}, \qquad "
    rf"w = \mathrm{{softmax}}\!\left(\frac{{q K^\top}}{{{divisor}}}\right)",
    "Q", "K", "d_k", "softmax",
)  # fmt: skip

scale, heads, seed = st.columns([3, 1, 1], vertical_alignment="bottom")
with scale:
    choice("scale", "Divide the scores", DIVISOR_NAMES, row)
with heads:
    number("heads", "Heads (for d_model)", 1, MAX_HEADS)
with seed:
    number("seed", "Seed", 0, MAX_SEED)
settings = state.settings()
live_sliders(
    [Slider("d_k", "d_k, width of q and k", WIDTHS, settings.d_k, 2, 512)],
    key="scaling_sliders", view=_VIEW, settings=settings, on_change=state.merge,
)  # fmt: skip
pictures = scaling(settings)
live_plot(pictures["spread"], key="spread")
st.caption(
    f"Predict how the spread of q·k changes from d_k = 64 to 256, then drag. {N_PAIRS:,} random "
    "pairs; a wider vector extends the narrower one, so only d_k changes."
)
lesson.section("What softmax makes of it", place="row")
live_plot(pictures["row"], key="row")
live_plot(pictures["curves"], key="curves", secondary=True)
lesson.notice(
    "The spread grows like √d_k. Dividing by √d_k brings it back to 1, whatever the width.",
    "Undivided, softmax goes to one key: its largest weight nears 1 and its Jacobian nears 0.",
    "Divided by d_k, or by √d_model, it is too flat: every key gets nearly the same.",
)
lesson.section(
    "The Jacobian, cell by cell",
    r"$\partial w_i / \partial s_j = w_i\,([i=j] - w_j)$: how weight *i* answers to score *j*. Near a "
    "one-hot row every entry is near 0: no score can change the weights.",
)
live_plot(pictures["jacobians"], key="jacobians")
lesson.section(
    "“Without the scale the gradients vanish”: half true",
    "At the **scores**, gradients shrink. At the **query**, the *typical* (median) gradient vanishes, but "
    "the *mean* grows: leaving out the factor leaves it out of the chain rule too. Most queries learn "
    "nothing, a few get huge noise.",
)
live_plot(pictures["gradients"], key="gradients", secondary=True)
asked = dataclasses.replace(settings, scale="sqrt_d_k", heads=8, offset=1000.0)
torch_says(Question.about("scaling.gradients", asked), autograd_table)
lesson.section("Too large for exp", "The scale is not the only guard.", place="overflow")
offsets = [*range(0, 20), *range(20, 120, 5), *range(120, 1001, 20)]
live_sliders(
    [Slider("offset", "Added to every score", offsets, settings.offset, 0, 1000, whole=False)],
    key="overflow_sliders", view=_VIEW, settings=settings, on_change=state.merge,
)  # fmt: skip
live_plot(pictures["overflow"], key="overflow")
live_plot(pictures["scaling_mistakes"], key="scaling_mistakes")

lesson.printed_numbers("scaling")
lesson.source(trace_scaling, softmax, softmax_jacobian, gradients)
lesson.following(
    ("masking.py", "How is a key hidden from a query?"),
    ("playground.py", "The same experiment on a sentence: the playground"),
)
state.write_link()
