"""The controls of the page about shared heads and the cache."""

from typing import Any

import streamlit as st

from core.errors import divisors
from core.lessons.kv_cache import (
    BYTES,
    CUSTOM,
    MAX_BATCH,
    MAX_CONTEXT,
    MAX_HEADS,
    MAX_LAYERS,
    MAX_TOKENS,
    WIDTHS,
    KVCacheSettings,
)
from core.lessons.kv_models import MODELS
from core.settings import MAX_SEED
from pages.ui import state
from pages.ui.live import Slider, live_sliders, stepper
from pages.ui.widgets import choice, number, row, toggle, widget

_HEADS = [1, 2, 4, 6, 8, 9, 12, 16, 20, 24, 32, 40, 48, 64]
_CONTEXTS = [2**i for i in range(21)]
_BATCHES = [2**i for i in range(11)]
_D_HEADS = [16, 32, 48, 64, 80, 96, 128, 192, 256]
_LAYERS = [1, 2, 4, 6, 8, 12, 16, 24, 30, 32, 40, 48, 60, 80, 96, 126, 160, 200]
_LONGEST = 10  # characters of a token on its button


def sharing_sliders(settings: KVCacheSettings) -> None:
    """Draw the sliders of query heads and KV heads."""
    heads = settings.heads
    kv_heads = Slider(
        "kv_heads", "H_kv, KV heads: MQA … MHA", divisors(heads), settings.kv_heads, 1, heads,
        "1 is MQA, as many as query heads is MHA, between them is GQA.",
    )  # fmt: skip
    head = Slider(
        "head", "query head looked at", range(heads), settings.head, 0, heads - 1,
        disabled="" if heads > 1 else "There is one head only.",
    )  # fmt: skip
    all_heads = Slider("heads", "H, query heads", _HEADS, heads, 1, MAX_HEADS)
    live_sliders([kv_heads, head, all_heads], key="sliders", **_live(settings))


def decoding_controls(settings: KVCacheSettings) -> None:
    """Draw the text, how its positions count, and the steps."""
    words, turn, pair, draw = st.columns([4, 1.1, 2.2, 1.3], vertical_alignment="bottom")
    with words:
        widget("text", lambda **w: st.text_input("Text", help=f"Up to {MAX_TOKENS} words.", **w))
    with turn:
        toggle("rope", "RoPE", "Queries and keys are turned by their positions; keys are stored turned.")
    with pair:
        if settings.rope:
            choice("pairing", "Pairs", {"interleaved": "2i, 2i+1", "half": "i, i+d/2"}, row)
    with draw:
        number("seed", "Seed", 0, MAX_SEED)
    names = [f"{i} {_short(token)}" for i, token in enumerate(settings.tokens)]
    stepper("step", names, label="Token that is decoded", numbered=False, **_live(settings))


def decoding_sliders(settings: KVCacheSettings) -> None:
    """Draw the sliders of the drawn vectors and the window."""
    d_k = Slider("d_k", "d_k", WIDTHS, settings.d_k, WIDTHS[0], WIDTHS[-1], "Width of the drawn vectors.")
    window = Slider(
        "window", f"window: keys a query sees ({MAX_TOKENS} = all)", range(1, MAX_TOKENS + 1),
        settings.window, 1, MAX_TOKENS,
    )  # fmt: skip
    live_sliders([d_k, window], key="decoding_sliders", **_live(settings))


def memory_controls(settings: KVCacheSettings) -> None:
    """Draw the choice of a model and the sliders of its sizes."""
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        names = {name: model.name for name, model in MODELS.items()} | {CUSTOM: "sizes of your own"}
        choice("model", "Model", names, st.selectbox)
    with right:
        choice("bytes_per_value", "Bytes of each number in the cache", {n: str(n) for n in BYTES}, row)
    sliders = [
        Slider("context", "tokens in the cache", _CONTEXTS, settings.context, 1, MAX_CONTEXT),
        Slider("batch", "sequences side by side", _BATCHES, settings.batch, 1, MAX_BATCH),
        Slider("layers", "layers", _LAYERS, settings.layers, 1, MAX_LAYERS),
        Slider("d_head", "d, width of a head", _D_HEADS, settings.d_head, 1, 512),
    ]
    live_sliders(sliders, key="memory_sliders", **_live(settings))


def _live(settings: KVCacheSettings) -> dict[str, Any]:
    return {"view": "kv-cache", "settings": settings, "on_change": state.merge}


def _short(token: str) -> str:
    return token if len(token) <= _LONGEST else token[: _LONGEST - 1] + "…"
