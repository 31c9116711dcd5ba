"""The controls of the page about the block: how it is built, how deep the model is, one entry of SwiGLU."""

import streamlit as st

from core.errors import divisors
from core.lessons.block import D_MODELS, MAX_ENTRY, MAX_LAYERS, STEPS, BlockLessonSettings, even_heads
from core.settings import MAX_SEED
from pages.ui import state
from pages.ui.live import Slider, live_sliders, stepper
from pages.ui.widgets import choice, number, toggle, widget

_STYLES = {"llama": "LLaMA: RMSNorm, RoPE, GQA, SwiGLU", "gpt2": "GPT-2: LayerNorm, positions, GELU"}
_PLACES = {"pre": "pre-norm: before each sub-layer", "post": "post-norm: after each sum"}
_ENTRIES = [x / 20 for x in range(-20 * int(MAX_ENTRY), 20 * int(MAX_ENTRY) + 1)]  # a slider's stops


def build(settings: BlockLessonSettings) -> None:
    """Show what a block is made of, and the steps through it."""
    words, style, place, draw, sums = st.columns([2.4, 2.4, 2.2, 1.2, 1.2], vertical_alignment="bottom")
    with words:
        widget("text", lambda **w: st.text_input("Sentence", help="Words are cut at spaces.", **w))
    with style:
        choice("style", "Style", _STYLES, st.selectbox)
    with place:
        choice("norm_place", "Norms", _PLACES, st.selectbox)
    with draw:
        number("seed", "Seed", 0, MAX_SEED, help="Draws all weights again.")
    with sums:
        toggle("residual", "Residuals", "Off: what a sub-layer gives replaces x.")
    heads = settings.heads
    d_model = Slider("d_model", "D, width of a token", D_MODELS, settings.d_model, D_MODELS[0], D_MODELS[-1])
    most_heads = settings.d_model // 2
    legal = even_heads(settings.d_model)
    even = "d_k = D / H stays even, for RoPE turns pairs."
    why = "" if settings.style == "llama" and heads > 1 else "As many as heads."
    _sliders(
        "sliders",
        settings,
        d_model,
        Slider("heads", "H, heads", legal, heads, 1, most_heads, even),
        Slider("kv_heads", "KV heads", divisors(heads), settings.n_kv_heads, 1, heads, disabled=why),
        _one_of("block", "block looked at", settings.layers, settings.block),
    )
    names = STEPS[settings.norm_place]
    stepper("step", names, label="Steps", view="block", settings=settings, on_change=state.merge)


def depth(settings: BlockLessonSettings) -> None:
    """Show how many blocks there are, and whose vector is followed through them."""
    _sliders(
        "depth_sliders",
        settings,
        Slider("layers", "L, blocks", range(1, MAX_LAYERS + 1), settings.layers, 1, MAX_LAYERS),
        _one_of("token", "token looked at", len(settings.tokens), settings.token),
    )


def entry(settings: BlockLessonSettings) -> None:
    """Show the two branches of one entry of SwiGLU."""
    _sliders(
        "gate_sliders",
        settings,
        Slider("a", "a, one entry of x W1", _ENTRIES, settings.a, -MAX_ENTRY, MAX_ENTRY, whole=False),
        Slider("b", "b, the same entry of x W3", _ENTRIES, settings.b, -MAX_ENTRY, MAX_ENTRY, whole=False),
    )


def _sliders(key: str, settings: BlockLessonSettings, *sliders: Slider) -> None:
    shown = [slider for slider in sliders if slider.name not in state.hidden()]
    if shown:
        live_sliders(shown, key=key, view="block", settings=settings, on_change=state.merge)


def _one_of(name: str, label: str, n: int, value: int) -> Slider:
    why = "" if n > 1 else "There is one only."
    return Slider(name, label, range(n), value, 0, n - 1, disabled=why)
