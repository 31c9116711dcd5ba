"""The controls. Each shows one setting under its own name as key, and changes it when moved."""

from functools import partial

import streamlit as st

from core.errors import divisors
from core.examples import WORKED_EXAMPLES
from core.settings import MAX_D_K, MAX_HEADS, MAX_SEED, MAX_SHIFT, MAX_WINDOW
from pages.ui import state
from pages.ui.live import Slider, live_sliders
from pages.ui.widgets import bare_box, bare_row, choice, number, row, toggle, widget

SOURCE_NAMES = {
    "random": "Random vectors",
    **{name: f"Example: {example.title}" for name, example in WORKED_EXAMPLES.items()},
    "patterns": "Patterns built by hand",
    "custom": "My numbers",
}
SCALE_NAMES = {"sqrt_d_k": "÷ √d_k", "none": "none", "d_k": "÷ d_k"}
STAGE_NAMES = {"scores": "Scores", "scaled": "Scaled", "masked": "Masked", "weights": "Weights"}
PAIRING_NAMES = {"interleaved": "neighbours (2i, 2i+1)", "half": "halves (i, i+d/2)"}
PANEL_TITLES = {"cell": "One cell", "saturation": "Saturation"}
# Every width while it is small, then steps that keep the slider even under the hand.
WIDTHS = [
    *range(2, 33, 2),
    *range(36, 65, 4),
    *range(72, 129, 8),
    *range(144, 257, 16),
    *range(288, 513, 32),
]
_SHIFTS = list(range(-64, 65))
_ALL = -1  # a select box takes None for "nothing chosen", so all heads are this


def source() -> None:
    """Where q, k and v come from."""
    choice("source", "Numbers from", SOURCE_NAMES, st.selectbox)


def text() -> None:
    """The sentence."""
    widget(
        "text", lambda **w: st.text_input("Sentence", help="Words are cut at spaces and shown as typed.", **w)
    )


def seed() -> None:
    """The seed of the random numbers."""
    number("seed", "Seed", 0, MAX_SEED, help="Other numbers, drawn again from the start.")


def scale() -> None:
    """What the scores are divided by."""
    choice("scale", "Scale the scores", SCALE_NAMES, row)


def causal() -> None:
    """Whether the future is hidden."""
    toggle("causal", "Causal mask", "Each query sees the keys up to its own position only.")


def window() -> None:
    """How many keys a query sees."""
    number(
        "window", "Window", 1, MAX_WINDOW, may_be_blank=True, placeholder="no window",
        help="A query sees this many keys, itself included, and none after it. Clear it for no window.",
    )  # fmt: skip


def heads() -> None:
    """The number of query heads."""
    number("heads", "Heads", 1, MAX_HEADS, help="Query heads, 1 to 16.")


def kv_heads() -> None:
    """The number of key/value heads, from the divisors."""
    hint = "Key/value heads that the query heads share in groups (GQA); it must divide the heads."
    legal = divisors(state.settings().heads)
    choice("kv_heads", "KV heads", {n: str(n) for n in legal}, partial(st.selectbox, help=hint))


def rope() -> None:
    """RoPE, and while it is on, how it turns."""
    toggle("rope", "RoPE", "Turn queries and keys by their positions.")
    if state.settings().rope:
        number(
            "rope_base", "Base", 1.0, 1e7, step=1000.0, format="%g",
            help="The larger, the slower the last pairs turn. Llama 3 uses 500,000.",
        )  # fmt: skip
        choice("pairing", "Pairs", PAIRING_NAMES, st.selectbox)


def stage() -> None:
    """Which stage of the computation is drawn."""
    choice("stage", "Stage", STAGE_NAMES, bare_row)


def head() -> None:
    """Which heads are drawn."""
    names = {_ALL: "All heads", **{h: f"Head {h}" for h in range(state.settings().n_heads)}}
    choice("head", "Head", names, bare_box, none=_ALL)


def panel() -> None:
    """What stands beside the heads."""
    choice("panel", "Beside it", PANEL_TITLES, bare_row)


def sliders() -> None:
    """The width of queries and keys, and the shifts of positions, live."""
    settings = state.settings()
    fixed = "This source brings its own width." if settings.given else ""
    no_rope = "" if settings.rope else "Needs RoPE: else positions play no part."
    every = [
        Slider(
            "d_k", "d_k, width of q and k", [settings.width] if fixed else WIDTHS, settings.width, 2,
            MAX_D_K, "A larger d_k adds entries to q and k and leaves the first ones as they are.", fixed,
        ),
        Slider(
            "rope_offset", "Shift all positions", _SHIFTS, settings.rope_offset, -MAX_SHIFT, MAX_SHIFT,
            "Moves queries and keys together: with RoPE the picture stays.", no_rope,
        ),
        Slider(
            "query_shift", "Shift the queries alone", _SHIFTS, settings.query_shift, -MAX_SHIFT, MAX_SHIFT,
            "Moves the queries' positions only: with RoPE the picture changes.", no_rope,
        ),
    ]  # fmt: skip
    live_sliders(every, key="sliders", view="playground", settings=settings, on_change=state.merge)
