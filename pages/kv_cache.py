"""Shared keys and values, and the cache: what decoding computes, reads and keeps."""

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
    trace_kv_cache,
)
from core.lessons.kv_cost import DecodingCost
from core.lessons.kv_models import MODELS
from core.ops.heads import kv_head_of, repeat_kv
from core.ops.kv_cache import KVCache, cache_bytes
from core.ops.masks import sliding_window_mask
from core.reference.kv_cache import about_decoding
from core.settings import MAX_SEED
from pages.ui import kv_answers, lesson, state
from pages.ui.judge import Question
from pages.ui.live import Slider, live_plot, live_sliders, stepper
from pages.ui.pictures.kv_cache import kv_cache
from pages.ui.torch_says import torch_says
from pages.ui.widgets import choice, number, row, toggle, widget

_HEADS = [1, 2, 4, 6, 8, 9, 12, 16, 20, 24, 32, 40, 48, 64]
_CONTEXTS = [2**i for i in range(21)]
_BATCHES = [2**i for i in range(11)]
_D_HEADS = [16, 32, 48, 64, 80, 96, 128, 192, 256]
_LAYERS = [1, 2, 4, 6, 8, 12, 16, 24, 30, 32, 40, 48, 60, 80, 96, 126, 160, 200]

settings = state.open_link(KVCacheSettings)
h, size, g, t = settings.head, settings.group_size, settings.kv_head, settings.step
lesson.opening(
    "GQA and the KV cache",
    "Which query heads share keys and values, and what does a model keep while it writes?",
    r"\begin{gathered}"
    rf"g=\Big\lfloor\tfrac{{h}}{{H/H_{{kv}}}}\Big\rfloor=\Big\lfloor\tfrac{{{h}}}{{{size}}}\Big\rfloor={g}\\"
    rf"o_{{{t}}}=\mathrm{{softmax}}\Big(\tfrac{{q_{{{t}}}\,K_{{\le {t}}}^\top}}{{\sqrt{{{settings.d_k}}}}}\Big)V_{{\le {t}}}\\"
    r"\mathrm{bytes}=2\cdot\mathrm{layers}\cdot H_{kv}\cdot d\cdot\mathrm{width}\cdot n"
    r"\end{gathered}",
    "H", "H_kv", "GQA", "KV cache", "decoding", "prefill",
)  # fmt: skip

LIVE = {"view": "kv-cache", "settings": settings, "on_change": state.merge}
live_sliders(
    [
        Slider(
            "kv_heads", "H_kv, KV heads: MQA … MHA", divisors(settings.heads), settings.kv_heads, 1, settings.heads,
            "1 is MQA, as many as query heads is MHA, between them is GQA.",
        ),
        Slider("head", "query head looked at", range(settings.heads), h, 0, settings.heads - 1,
               disabled="" if settings.heads > 1 else "There is one head only."),
        Slider("heads", "H, query heads", _HEADS, settings.heads, 1, MAX_HEADS),
    ],
    key="sharing_sliders", **LIVE,
)  # fmt: skip
pictures = kv_cache(settings)
live_plot(pictures["sharing"], key="sharing")
st.caption("Random vectors, one for each head and word: the weights mean nothing, the arithmetic is real.")

lesson.section("Decoding: one token at a time")
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
names = [f"{i} {token if len(token) < 11 else token[:10] + '…'}" for i, token in enumerate(settings.tokens)]
stepper("step", names, label="Token that is decoded", **LIVE)
live_plot(pictures["tape"], key="tape")
live_sliders(
    [
        Slider("d_k", "d_k", WIDTHS, settings.d_k, WIDTHS[0], WIDTHS[-1], "Width of the drawn vectors."),
        Slider(
            "window", f"window: keys a query sees ({MAX_TOKENS} = all)", range(1, MAX_TOKENS + 1),
            settings.window, 1, MAX_TOKENS,
        ),
    ],
    key="decoding_sliders", **LIVE,
)  # fmt: skip
live_plot(pictures["decoding"], key="decoding")
live_plot(pictures["cost"], key="cost")
asked, timed = st.columns(2, gap="medium")
with asked:
    question = Question.about("kv_cache.decoding", about_decoding(settings))
    torch_says(question, kv_answers.decoding, room="15rem")
with timed:
    torch_says(Question.about("kv_cache.timing", KVCacheSettings()), kv_answers.timing, room="15rem")

lesson.section("Why queries need no cache")
live_plot(pictures["no_queries"], key="no_queries")

lesson.section("What the cache takes", "H and H_kv are those at the top; a model brings its own.")
left, right = st.columns(2, vertical_alignment="bottom")
with left:
    models = {name: model.name for name, model in MODELS.items()} | {CUSTOM: "sizes of your own"}
    choice("model", "Model", models, st.selectbox)
with right:
    choice("bytes_per_value", "Bytes of each number in the cache", {n: str(n) for n in BYTES}, row)
live_sliders(
    [
        Slider("context", "tokens in the cache", _CONTEXTS, settings.context, 1, MAX_CONTEXT),
        Slider("batch", "sequences side by side", _BATCHES, settings.batch, 1, MAX_BATCH),
        Slider("layers", "layers", _LAYERS, settings.layers, 1, MAX_LAYERS),
        Slider("d_head", "d, width of a head", _D_HEADS, settings.d_head, 1, 512),
    ],
    key="memory_sliders", **LIVE,
)  # fmt: skip
live_plot(pictures["memory"], key="memory")
live_plot(pictures["models"], key="models")

lesson.notice(
    "Drag **H_kv** from 1 to H: MQA, GQA, MHA are one slider. Queries stay as many.",
    "The cache holds keys **after** rotation and heads **before** they are repeated.",
    "With and without a cache the outputs are the same; only the work differs.",
    "One step still reads the whole cache: O(n) per token, and it is memory traffic rather than arithmetic.",
    "The first pass over the prompt (prefill) fills the cache with many tokens at once: row i of a chunk sees key "
    "j ≤ cached + i.",
)
live_plot(pictures["mistakes"], key="mistakes")
lesson.printed_numbers("kv-cache")
lesson.source(
    trace_kv_cache, KVCache, cache_bytes, kv_head_of, repeat_kv, sliding_window_mask, DecodingCost
)
lesson.following(("playground.py", "Every control at once: the playground"))
state.write_link()
