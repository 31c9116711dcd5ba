"""Shared keys and values, and the cache: what decoding computes, reads and keeps."""

import streamlit as st

from core.figures.kv_cache import decoding_formula
from core.lessons.kv_cache import KVCacheSettings, trace_kv_cache
from core.lessons.kv_cost import DecodingCost
from core.ops.heads import kv_head_of, repeat_kv
from core.ops.kv_cache import KVCache, cache_bytes
from core.ops.masks import sliding_window_mask
from core.reference.kv_cache import about_decoding
from pages.ui import kv_answers, kv_controls, lesson, predict, state
from pages.ui.judge import Question
from pages.ui.live import live_plot
from pages.ui.pictures.kv_cache import kv_cache
from pages.ui.torch_says import torch_says

settings = state.open_link(KVCacheSettings)
lesson.opening(
    "GQA and the KV cache",
    "Which query heads share keys and values, and what does a model keep while it writes?",
    "" if predict.is_locked("memory") else decoding_formula(settings),
    "H", "H_kv", "GQA", "KV cache", "decoding", "prefill",
)  # fmt: skip

kv_controls.sharing_sliders(settings)
pictures = kv_cache(settings)
live_plot(pictures["sharing"], key="sharing")
st.caption("Random vectors, one for each head and word: the weights mean nothing, the arithmetic is real.")

lesson.section("Decoding: one token at a time", place="decoding")
kv_controls.decoding_controls(settings)
live_plot(pictures["tape"], key="tape")
kv_controls.decoding_sliders(settings)
live_plot(pictures["decoding"], key="decoding")

lesson.section("The outputs are equal, the work is not", place="cost")
live_plot(pictures["cost"], key="cost")
asked, timed = st.columns(2, gap="medium")
with asked:
    question = Question.about("kv_cache.decoding", about_decoding(settings))
    torch_says(question, kv_answers.decoding, room="15rem")
with timed:
    torch_says(Question.about("kv_cache.timing", KVCacheSettings()), kv_answers.timing, room="15rem",
               waiting="Decoding is being timed on this machine …")  # fmt: skip

lesson.section("Why queries need no cache")
live_plot(pictures["no_queries"], key="no_queries")

lesson.section(
    "What the cache takes", "H and H_kv are those at the top; a model brings its own.", place="memory"
)
kv_controls.memory_controls(settings)
live_plot(pictures["memory"], key="memory")
live_plot(pictures["models"], key="models")

lesson.notice(
    "Drag **H_kv** from 1 to H: MQA, GQA and MHA are one slider. The queries stay as many.",
    "The cache holds keys **after** rotation, and heads **before** they are repeated.",
    "With and without a cache the outputs are the same; only the work differs.",
    "A step still reads the whole cache: O(n) for each token, and on a GPU reading is what takes the time.",
    "Prefill puts the whole prompt in at once: row i of several new tokens sees key j ≤ cached + i.",
)
live_plot(pictures["mistakes"], key="mistakes")
lesson.printed_numbers("kv-cache")
lesson.source(trace_kv_cache, KVCache, cache_bytes, kv_head_of, repeat_kv, sliding_window_mask, DecodingCost)
lesson.following(
    ("cost.py", "The context doubles: what happens to time and memory?"),
    ("playground.py", "Every control at once: the playground"),
)
state.write_link()
