"""What attention costs: the square of n, counted and measured, and three ways to pay less."""

from collections.abc import Sequence

import streamlit as st

from core.errors import divisors
from core.figures.cost import cost_formula
from core.lessons.cost import D_KS, DEPTHS, HEADS, KEYS, LAYERS, NEARS, SIZES, TILES, CostSettings, trace_cost
from core.lessons.cost_counts import log_log_slope
from core.lessons.cost_measured import measure
from core.lessons.cost_window import layers_needed
from core.ops.masks import sliding_window_mask
from core.ops.tiled import tile_states, tiled_attention
from core.settings import MAX_SEED
from pages.ui import lesson, measuring, state
from pages.ui.cost_tables import torch_verdict
from pages.ui.cost_walk import step_names
from pages.ui.judge import Question
from pages.ui.live import Slider, live_plot, live_sliders, stepper
from pages.ui.pictures.cost import cost
from pages.ui.torch_says import torch_says
from pages.ui.widgets import choice, number, row, toggle

settings = state.open_link(CostSettings)


def slider(name: str, label: str, options: Sequence[int], help: str = "") -> Slider:
    """Return a slider for one setting of this page."""
    return Slider(name, label, options, getattr(settings, name), options[0], options[-1], help)


def sliders(key: str, *each: Slider) -> None:
    """Show sliders side by side."""
    live_sliders(each, key=key, view="cost", settings=settings, on_change=state.merge)


lesson.opening(
    "What attention costs",
    "The context doubles: what happens to time and memory, and how does one pay less?",
    cost_formula(settings),
    "T", "D", "H", "d_k", "quadratic", "FlashAttention",
)  # fmt: skip
sliders(
    "sliders",
    slider("n", "n, tokens", SIZES, "The T of the other pages; powers of two."),
    slider("heads", "H, heads", HEADS, "D = H · d_k."),
    slider("d_k", "d_k", D_KS, "Width of a query and a key."),
    slider("window", "w, window", SIZES, "Keys that a query sees at most."),
)
pictures = cost(settings)
live_plot(pictures["growth"], key="growth")

with st.container(key="measure_first"):
    lesson.section(
        "Measured on this machine", "**Predict:** from 1,024 to 2,048 tokens, how many times slower?"
    )
measuring.measured_here()

lesson.section(
    "FlashAttention’s idea: tiles, and three running numbers",
    "Keys and values stream past a block of queries. The n × n matrix never stands anywhere.",
)
left, middle, right = st.columns([4, 1, 1], vertical_alignment="bottom")
with left:
    sliders(
        "walk_sliders",
        slider("tile", "tile: keys at a time", TILES),
        slider("keys", "n of the walk", KEYS),
        slider("block", "block of queries", range(settings.n_blocks)),
    )
with middle:
    number("seed", "Seed", 0, MAX_SEED)
with right:
    toggle("causal", "Causal", "Each query sees the keys up to its own position.")
stepper("step", step_names(settings), label="Steps", view="cost", settings=settings, on_change=state.merge)
live_plot(pictures["walk"], key="walk")
st.caption("q, k and v are random, of unit variance: true arithmetic, and no meaning in any weight.")
walked = CostSettings(keys=settings.keys, tile=settings.tile, causal=settings.causal, seed=settings.seed)
torch_says(Question.about("cost.flash", walked), torch_verdict, room="7rem")

lesson.section("A sliding window: what it costs, and how far it reaches")
sliders(
    "window_sliders",
    slider("near", "w, window in the picture", NEARS),
    slider("depth", "L, layers in the picture", DEPTHS),
)
live_plot(pictures["window"], key="window")

lesson.section("Shared keys and values (GQA): a different saving")
kv, bytes_ = st.columns([4, 1], vertical_alignment="bottom")
with kv:
    sliders(
        "sharing_sliders",
        slider("kv_heads", "H_kv, key/value heads", divisors(settings.heads)),
        slider("layers", "L, layers", LAYERS),
    )
with bytes_:
    choice("bytes", "Bytes in a value", {2: "2 (float16)", 4: "4 (float32)"}, row)
live_plot(pictures["sharing"], key="sharing")

lesson.notice(
    "On log axes n² is a line of slope 2, n one of slope 1. A wider model moves lines, and bends none.",
    "Doubling n: scores × 4, projections and MLP × 2. **Below n ≈ 6D the linear part is the larger one.**",
    "Tiles change what is *held*, not what is *computed*: memory becomes linear, multiplications stay.",
    "Step through the walk: o ÷ ℓ is at every step plain attention over the keys seen so far.",
    "A window makes scores linear too, but it is another function: far keys are only reached through layers.",
)
live_plot(pictures["mistakes"], key="mistakes")
lesson.printed_numbers("cost")
lesson.source(
    tile_states, tiled_attention, trace_cost, measure, log_log_slope, sliding_window_mask, layers_needed
)
lesson.following(
    ("block.py", "What stands around attention in a model?"),
    ("playground.py", "Free play: your own sentence, masks, windows, shared keys and values"),
)
state.write_link()
