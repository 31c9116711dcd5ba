"""Masks: who may attend to whom, and what goes wrong when the mask comes late, upside down or not at all."""

import streamlit as st

from core.figures.masking import masking_formula
from core.lessons.masking import MASKS, MAX_NEW, MAX_PADDING, SOURCES, MaskingSettings, mask_of, trace_masking
from core.lessons.masking_cases import cached_decoding
from core.ops.attention import softmax
from core.ops.masks import causal_mask, padding_mask, sliding_window_mask
from core.reference.masking import about_alignment, about_meaning
from core.settings import MAX_D_K, MAX_SEED, MAX_WINDOW
from pages.ui import controls, lesson, masking_answers, state
from pages.ui.judge import Question
from pages.ui.live import Slider, live_plot, live_sliders
from pages.ui.pictures.masking import WAY_NAMES, masking
from pages.ui.torch_says import torch_says
from pages.ui.widgets import choice, number, row, widget

MASK_NAMES = dict(
    zip(MASKS, ["causal", "sliding window", "padding", "causal + padding", "none"], strict=True)
)
STAGE_NAMES = {"masked": "before softmax: scores", "weights": "after softmax: weights"}
WIDTHS = [2, 4, 8, 16, 32, 64, 128, 256, 512]

settings = state.open_link(MaskingSettings)
lesson.opening(
    "Masks",
    "How is a key hidden from a query, and what happens to the keys that stay?",
    masking_formula(trace_masking(settings)),
    "Q", "K", "d_k", "M", "causal mask", "padding mask", "window",
)  # fmt: skip

with st.container(horizontal=True, vertical_alignment="bottom"):
    choice("mask", "Mask", MASK_NAMES, st.selectbox)
    choice("how", "How it is applied", WAY_NAMES, st.selectbox)
    choice("stage", "Stage", STAGE_NAMES, st.selectbox)
    if "padding" in settings.mask:
        choice("side", "Padding", {"right": "on the right", "left": "on the left"}, row)
    with st.popover("Numbers"):
        choice(
            "source", "Numbers from", {name: controls.SOURCE_NAMES[name] for name in SOURCES}, st.selectbox
        )
        if settings.source == "random":
            widget("text", lambda **w: st.text_input("Sentence", **w))
            number("seed", "Seed", 0, MAX_SEED)

given = settings.source != "random"
width = settings.inputs.width
sliders = [
    Slider(
        "d_k", "d_k", [width] if given else WIDTHS, width, 2, MAX_D_K,
        disabled="This source brings its own width." if given else "",
    ),
    Slider(
        "window", "window: keys that a query sees", range(1, 17), settings.window, 1, MAX_WINDOW,
        disabled="" if settings.mask == "window" else "For the sliding window.",
    ),
    Slider(
        "padding", "padding tokens", range(MAX_PADDING + 1), settings.padding, 0, MAX_PADDING,
        disabled="" if "padding" in settings.mask else "For a padding mask.",
    ),
]  # fmt: skip
shown = [slider for slider in sliders if slider.name not in state.hidden()]
if shown:
    live_sliders(shown, key="sliders", view="masking", settings=settings, on_change=state.merge)

pictures = masking(settings)
live_plot(pictures["masking"], key="masking", on_change=state.merge)
if settings.source == "random":
    st.caption("Random vectors, one for each word: the weights mean nothing, the arithmetic is real.")

lesson.notice(
    "Hidden cells lose their weight, and **visible cells gain it**: the softmax divides by a smaller sum.",
    "Under a causal mask row 0 is exactly 1, whatever the numbers. The last row does not change.",
    "−∞ before the softmax is 0 after it, and each row still sums to 1. A 0 put there **after** takes "
    "weight away; a score of **0** hides nothing.",
    "*Right* padding lies in the future, where a causal mask hides it from every real query; "
    "*left* padding leaves the first rows without any key.",
)

lesson.section("Padding: does a vector of zeros stay out by itself?", place="padding")
live_plot(pictures["padding"], key="padding")

lesson.section(
    "A row with no key left",
    "Softmax of nothing is 0/0. What comes out depends on who divides.",
    place="empty",
)
live_plot(pictures["empty"], key="empty")
torch_says(Question.about("masking.empty", MaskingSettings()), masking_answers.empty, room="12rem")
left = {"mask": "causal-padding", "side": "left", "padding": 2}
st.button("Show one above: left padding, causal", on_click=lambda: state.change(**left))

words = "The last of four scores is to be hidden, in real PyTorch types."
lesson.section("A large negative number instead of −∞", words, place="dtypes")
torch_says(Question.about("masking.dtypes", MaskingSettings()), masking_answers.dtypes, room="32rem")

words = "One causal mask `keep`, given to two functions of PyTorch with the same weights."
lesson.section("True: may attend, or hidden?", words, place="meaning")
torch_says(Question.about("masking.meaning", about_meaning(settings)), masking_answers.meaning, room="20rem")

words = "The newest tokens ask, all keys are there. Which corner does *causal* start from?"
lesson.section("New queries, cached keys", words, place="cached")
new = Slider("new", "new queries", range(1, MAX_NEW + 1), settings.new, 1, MAX_NEW)
if "new" not in state.hidden():
    live_sliders([new], key="new_queries", view="masking", settings=settings, on_change=state.merge)
live_plot(pictures["cached"], key="cached")
torch_says(Question.about("masking.alignment", about_alignment(settings)), masking_answers.alignment)

live_plot(pictures["mistakes"], key="mistakes")
lesson.printed_numbers("masking")
lesson.source(
    trace_masking, mask_of, softmax, causal_mask, sliding_window_mask, padding_mask, cached_decoding
)
lesson.following(
    ("heads.py", "What does a model with 8 heads have 8 of?"),
    ("playground.py", "Every control at once: the playground"),
)
state.write_link()
