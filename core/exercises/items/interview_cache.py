"""Questions of interviews on what a KV cache holds."""

from itertools import product

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import pick
from core.lessons.kv_cache import KVCacheSettings
from core.lessons.kv_memory import trace_memory

_ANGLE = "lesson A, Interview angle"
_MIB = 2**20

_MODELS = tuple(
    (layers, heads, kv_heads, width, n)
    for (layers, heads, kv_heads, width), n in product(
        ((32, 32, 8, 128), (80, 64, 8, 128), (16, 32, 8, 64), (40, 32, 4, 128)), (2048, 4096, 16384)
    )
)


def _caches(seed: int) -> Task:
    """Three ways to share keys. Twins draw the model and the tokens."""
    layers, heads, kv_heads, width, n = pick(seed, (32, 32, 8, 128, 8192), _MODELS)
    settings = KVCacheSettings(
        model="custom", heads=heads, kv_heads=kv_heads, head=0, layers=layers, d_head=width, context=n
    )
    shared = trace_memory(settings).by_kv_heads
    right = tuple(shared[count] / _MIB for count in (heads, kv_heads, 1))
    keys_alone, one_layer = tuple(x / 2 for x in right), tuple(x / layers for x in right)
    unshared = (right[0],) * 3
    return Task(
        setup=f"{layers} layers, {heads} query heads, heads {width} numbers wide, 2 bytes a number, a text "
        f"of {n:,} tokens. 1 MiB is $2^{{20}}$ bytes.",
        question=f"How many MiB does the KV cache take with full multi-head attention, with {kv_heads} KV "
        "heads (GQA), and with multi-query attention (MQA)?",
        parts=(Part("numbers", right, names=("MHA", "GQA", "MQA"), tolerance=0.6),),
        wrong=(
            Wrong((keys_alone,), "only keys are cached", "That is half: values are kept as well."),
            Wrong((one_layer,), "one layer counted", f"Each of the {layers} layers has a cache of its own."),
            Wrong((unshared,), "each query head keeps its own keys", "The cache holds KV heads. Query heads "
                  "that share one add nothing."),
        ),
        explain=f"2 · {layers} layers · {n:,} tokens · {width} numbers · 2 bytes is "
        f"{right[2]:g} MiB for each KV head. MHA has {heads} of them, GQA {kv_heads}, MQA 1.",
        link=settings.to_query(),
    )  # fmt: skip


_SHARED = tuple(
    each for each in product(((16, 4), (64, 8), (24, 8), (40, 8), (12, 4)), (5, 6, 8, 10)) if each[1] > 1
)
_LONG = "the cat sat on the mat and then it slept in the warm sun all day"


def _cached_queries(seed: int) -> Task:
    """Old queries kept as well. Twins draw the heads and the tokens."""
    (heads, kv_heads), n = pick(seed, ((32, 8), 6), _SHARED)
    settings = KVCacheSettings(
        model="custom", heads=heads, kv_heads=kv_heads, head=0, text=" ".join(_LONG.split()[:n]), step=n - 1
    )
    kept = 2 * kv_heads  # keys and values of a token, in heads
    right = ((kept + heads) / kept, 0.0)
    return Task(
        setup=f"A causal decoder has {heads} query heads and {kv_heads} KV heads. {n - 1} tokens are in its "
        "KV cache. Somebody keeps their queries there as well.",
        question="How many times as large is the cache then, and how many of the old queries does the next "
        "token read?",
        parts=(Part("numbers", right, names=("times as large", "old queries read"), tolerance=0.01),),
        wrong=(
            Wrong(((1.5, 0.0),), "as many query heads as kv heads", f"A token has {heads} queries and only "
                  f"{kv_heads} keys and {kv_heads} values."),
            Wrong(((right[0], float(n - 1)),), "queries are cached too", "Old queries would meet the new key "
                  "in cells that the mask hides. Their rows are finished."),
        ),
        explain=f"({kept} + {heads}) / {kept} = {right[0]:g}. The new token brings its one query, which "
        "reads all keys and values. Queries of the past never come up again.",
        link=settings.to_query(),
    )  # fmt: skip


INTERVIEW_CACHE = (
    Exercise("I05", "Three caches", "sharing and cache", "core", "kv-cache",
             (_ANGLE, "lesson C, Shared heads: the size of the cache"), _caches),
    Exercise("I06", "Old queries in the cache", "sharing and cache", "core", "kv-cache",
             (_ANGLE, "lesson A, KV caching: what is kept"), _cached_queries),
)  # fmt: skip
