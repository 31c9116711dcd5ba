"""Positions: attention does not see order; waves added, and RoPE, which turns queries and keys."""

import streamlit as st

from core.figures.positions import rope_formula
from core.lessons.order_blind import trace_order
from core.lessons.positions import MAX_POSITION, MAX_WIDTH, PositionsSettings, rope_scores, trace_rope
from core.lessons.rope_wrong import trace_pairings, trace_split
from core.ops.positions import sinusoidal_encoding
from core.ops.rope import apply_rope, pair_columns, rope_angles
from core.reference.positions import about_rope
from core.settings import MAX_SEED, MAX_SHIFT
from pages.ui import lesson, position_answers, predict, state
from pages.ui.judge import Question
from pages.ui.live import Slider, live_plot, live_sliders
from pages.ui.pictures.positions import positions
from pages.ui.position_words import PAIRING_NAMES
from pages.ui.torch_says import torch_says
from pages.ui.widgets import choice, number, row, toggle, widget

_WIDTHS = [2, 4, 6, 8, 12, 16, 32, 64, 128]
_BASES = [1, 10, 100, 1000, 10_000, 100_000, 500_000, 1_000_000, 10_000_000]
_SHIFTS = [*range(0, 17), 20, 24, 32, 50, 64, 100, 128, 256, 512, 1000, 4096, 10_000, 100_000]
_EXAMPLES = {"drawn": "random q and k", "same": "random, k = q", "lesson": "lesson: one pair, θ = 0.5"}
_ORDERS = {"none": "nothing", "waves": "waves, added", "rope": "RoPE"}
_PRESETS = ((3, 1), (7, 5), (5, 7))

settings = state.open_link(PositionsSettings)
trace = trace_rope(settings)
lesson.opening(
    "Positions",
    "How does attention know who stands where, when nothing in it sees the order?",
    rope_formula(trace, with_score=not predict.is_locked("rope")),
    "equivariant", "positions", "waves", "RoPE", "theta", "base", "pairing",
)  # fmt: skip
pictures = positions(settings)

lesson.section("Attention does not see the order")
words, future, source, draw = st.columns([4, 1.7, 3.6, 1.4], vertical_alignment="bottom")
with words:
    widget("text", lambda **w: st.text_input("Words", help="Cut at spaces; at most 8.", **w))
with future:
    toggle("causal", "Causal mask", "Each place sees the places up to its own only.")
with source:
    choice("order_from", "What tells it the order", _ORDERS, row)
with draw:
    number("seed", "Seed", 0, MAX_SEED, help="Draws the words' vectors, the matrices, q and k again.")
live_plot(pictures["order"], key="order", on_change=state.merge)

lesson.section("Waves, added to the embeddings", "The first answer (2017): a fixed row for each position.")
live_plot(pictures["waves"], key="waves")
live_plot(pictures["added"], key="added")

lesson.section("RoPE: turn q and k, pair by pair", place="rope")
with st.container(horizontal=True, vertical_alignment="center"):
    choice("example", "q and k", _EXAMPLES, st.selectbox)
    choice("pairing", "Pairing", PAIRING_NAMES, st.selectbox)
    for m, n in _PRESETS:
        at = {"example": "lesson", "m": m, "n": n, "rope_offset": 0}
        st.button(f"Lesson: q at {m}, k at {n}", on_click=state.change, kwargs=at)
fixed = "The lesson's pair has θ = 0.5 and two entries." if settings.example == "lesson" else ""
bases = [
    Slider("rope_base", "base", _BASES, settings.rope_base, 1, 1e7, "Larger: all but pair 0 slow.", off)
    for off in (fixed, "")
]
live_sliders(
    [
        Slider("m", "m, position of q", range(65), settings.m, 0, MAX_POSITION),
        Slider("n", "n, position of k", range(65), settings.n, 0, MAX_POSITION),
        Slider(
            "rope_offset", "move both by", _SHIFTS, settings.rope_offset, 0, MAX_SHIFT,
            "The distance stays, and so does the score.",
        ),
        Slider("d_k", "d_k", _WIDTHS, settings.width, 2, MAX_WIDTH, "Even: half as many pairs.", fixed),
        bases[0],
    ],
    key="sliders", view="positions", settings=settings, on_change=state.merge,
)  # fmt: skip
live_plot(pictures["dials"], key="dials")
torch_says(Question.about("positions.rope", about_rope(settings)), position_answers.rope, room="6rem")

lesson.section("The base, and long contexts")
live_sliders(bases[1:], key="base_slider", view="positions", settings=settings, on_change=state.merge)
live_plot(pictures["base"], key="base")

lesson.section(
    "Which entries make a pair",
    "The RoFormer paper and LLaMA's own code pair neighbours; GPT-NeoX and Hugging Face pair halves.",
    place="pairings",
)
live_plot(pictures["pairings"], key="pairings", secondary=True)
lesson.section("Before the split into heads, or after", "Two heads, and the positions of the sliders above.")
live_plot(pictures["split"], key="split", secondary=True)
lesson.section("Positions in bfloat16", "Real PyTorch types. Above 256 not every whole number exists.")
torch_says(
    Question.about("positions.bfloat16", PositionsSettings()), position_answers.narrow_types, room="24rem"
)

lesson.notice(
    "Drag **move both**: every hand turns, and the score stays. Drag **m** alone: it moves.",
    "Fast pairs tell neighbours apart, slow pairs tell near from far: seconds and hours on a clock.",
    "Distance 2 and distance −2 score differently: the direction counts.",
    "With **k = q** the score is largest at distance 0. With random q and k it need not be.",
    "Nothing is learned or added: RoPE has no parameters, and v never turns.",
)
live_plot(pictures["mistakes"], key="mistakes", secondary=True)
lesson.printed_numbers("positions")
lesson.source(
    trace_order, sinusoidal_encoding, rope_angles, apply_rope, pair_columns, rope_scores, trace_pairings,
    trace_split,
)  # fmt: skip
lesson.following(
    ("kv_cache.py", "What does a model keep while it writes, and how much of it?"),
    ("playground.py", "Free play: RoPE on your own sentence, with masks and shared keys"),
)
state.write_link()
