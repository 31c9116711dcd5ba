"""Exercises on shared keys and values, and on the cache."""

from itertools import product

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import apart, pick, shuffled
from core.lessons.kv_cache import KVCacheSettings
from core.lessons.kv_cost import DecodingCost
from core.lessons.kv_memory import trace_memory
from core.lessons.kv_sharing import tiled_heads
from core.ops.heads import group_size, kv_head_of
from core.ops.kv_cache import cache_bytes

_LONG = "the cat sat on the mat and then it slept in the warm sun all day"
_LAYOUTS = ((64, 8), (32, 8), (16, 4), (32, 4), (12, 4), (24, 8), (28, 4), (9, 3), (20, 5))


def _kv_heads_by_mistake(heads: int, kv_heads: int, head: int) -> tuple[int, int, int, int]:
    """The right KV head, the tiled one, h over Hkv, and the right one counted from 1."""
    right = kv_head_of(head, heads, kv_heads)
    return right, tiled_heads(heads, kv_heads)[head], head // kv_heads, right + 1


_GROUPS = tuple(
    (heads, kv_heads, head)
    for heads, kv_heads in _LAYOUTS
    for head in range(heads)
    if apart(_kv_heads_by_mistake(heads, kv_heads, head), 0) and (heads, kv_heads, head) != (32, 8, 13)
)


def _which_kv_head(seed: int) -> Task:
    """Twins draw other numbers of heads."""
    heads, kv_heads, head = pick(seed, (32, 8, 13), _GROUPS)
    right, tiled, divided, from_1 = _kv_heads_by_mistake(heads, kv_heads, head)
    size = group_size(heads, kv_heads)
    settings = KVCacheSettings(model="custom", heads=heads, kv_heads=kv_heads, head=head)
    return Task(
        setup=f"{heads} query heads share {kv_heads} KV heads, each of which serves one run of neighbouring "
        "query heads. All heads are numbered from 0.",
        question=f"Which KV head does query head {head} read?",
        parts=(Part("number", right),),
        wrong=(
            Wrong((tiled,), "kv heads are dealt out in turn",
                  f"{head} mod {kv_heads} = {tiled} deals the KV heads out "
                  f"in turn. Neighbours share one instead: floor({head}/{size})."),
            Wrong((divided,), "divided by the number of kv heads", f"Divide by the size of a group, {size}, "
                  f"not by the number of groups, {kv_heads}."),
            Wrong((from_1,), "counting from 1", "That counts from 1. The first head is head 0."),
        ),
        explain=f"A group has {heads}/{kv_heads} = {size} query heads. floor({head}/{size}) = {right}.",
        link=settings.to_query(),
    )  # fmt: skip


_MODELS = tuple(
    (layers, heads, kv_heads, width)
    for layers, (heads, kv_heads), width in product(
        (16, 24, 40), ((16, 4), (24, 8), (32, 2), (64, 8)), (64, 128)
    )
)  # fmt: skip


def _bytes_of_a_token(seed: int) -> Task:
    """Twins draw other models."""
    layers, heads, kv_heads, width = pick(seed, (32, 32, 8, 128), _MODELS)
    settings = KVCacheSettings(
        model="custom", heads=heads, kv_heads=kv_heads, head=0, layers=layers, d_head=width
    )
    right = trace_memory(settings).per_token

    def stored(n_layers: int, n_heads: int) -> int:
        return cache_bytes(
            1, n_layers=n_layers, n_kv_heads=n_heads, d_head=width, bytes_per_value=settings.bytes_per_value
        )

    unshared, one_layer = stored(layers, heads), stored(1, kv_heads)
    return Task(
        setup=f"A model has {layers} layers, {heads} query heads, {kv_heads} KV heads and heads "
        f"{width} numbers wide. A number takes {settings.bytes_per_value} bytes.",
        question="How many bytes does the cache need for one token?",
        parts=(Part("number", right),),
        wrong=(
            Wrong((right // 2,), "only keys are cached", "That is half. Values are kept beside keys."),
            Wrong((unshared,), "each query head keeps its own keys",
                  f"Of the {heads} query heads nothing is kept: count "
                  f"the {kv_heads} KV heads."),
            Wrong((one_layer,), "one layer counted", f"Each of the {layers} layers keeps keys and values of "
                  "its own."),
        ),
        explain=f"2 (K and V) × {layers} layers × {kv_heads} heads × {width} numbers × "
        f"{settings.bytes_per_value} bytes = {right:,} bytes. Without sharing it would be {unshared:,}: "
        f"{unshared // right} times as much.",
        link=settings.to_query(),
    )  # fmt: skip


_QUERY_HEADS = tuple((heads, head) for heads in (4, 6, 12, 16, 32) for head in range(1, heads, 2))


def _one_kv_head(seed: int) -> Task:
    """Twins draw another number of heads and another head."""
    heads, head = pick(seed, (8, 5), _QUERY_HEADS)

    def stored(kv_heads: int) -> int:
        return cache_bytes(1, n_layers=1, n_kv_heads=kv_heads, d_head=64)

    right = (float(kv_head_of(head, heads, 1)), stored(heads) / stored(1))
    own = (float(kv_head_of(head, heads, heads)), stored(heads) / stored(heads))
    keys_gone = (right[0], stored(heads) / (stored(heads) // 2))  # values stay as they are
    settings = KVCacheSettings(model="custom", heads=heads, kv_heads=1, head=head)
    return Task(
        setup=f"A layer with {heads} query heads uses multi-query attention. Heads are numbered from 0. "
        "Its cache is compared with that of full multi-head attention.",
        question=f"Which KV head does query head {head} read, and how many times smaller is the cache?",
        parts=(Part("numbers", right, names=(f"KV head of query head {head}", "times smaller")),),
        wrong=(
            Wrong((own,), "each query head keeps its own keys",
                  "That is full multi-head attention. Here a single "
                  "KV head serves all query heads."),
            Wrong((keys_gone,), "only keys are shared", "Values are shared just as keys are, so both halves "
                  "of the cache shrink."),
        ),
        explain=f"There is one KV head, number 0. It takes the place of {heads}, for keys and for values: "
        f"the cache is {right[1]:g} times smaller.",
        link=settings.to_query(),
    )  # fmt: skip


_SENTENCES = (
    ("the dog ran", "home"), ("she reads an old", "book"), ("rain fell on", "us"), ("we saw two", "ships"),
    ("he gave her a", "rose"), ("birds sing at", "dawn"), ("it was too", "late"), ("they built a", "boat"),
)  # fmt: skip


def _what_is_kept(seed: int) -> Task:
    """Twins draw other words."""
    before, new = pick(seed, ("the cat sat on", "the"), _SENTENCES)
    n = len(before.split())
    right, all_three, values, nothing = "K and V", "Q, K and V", "V alone", "none of them"
    return Task(
        setup=f"A causal decoder has read “{before}”, {n} tokens, and now reads one more, “{new}”. It does "
        "not want to compute anything twice.",
        question=f"Which of the {n} earlier tokens' Q, K and V does the new token need?",
        parts=(Part("choose", right, options=shuffled(seed, (right, all_three, values, nothing))),),
        wrong=(
            Wrong((all_three,), "queries are cached too", "Each old query has done its work: its row is "
                  "finished, and the mask hides the new key from it."),
            Wrong((values,), "old keys are used up", f"“{new}” brings a query of its own, which has to be "
                  "scored against every old key."),
            Wrong((nothing,), "decoding starts over at every step",
                  "Starting over gives the same output, but it makes "
                  "all old keys and values once more."),
        ),
        explain=f"The query of “{new}” is scored against {n} old keys and averages {n} old values, its own "
        "beside them. No earlier token sees a later one, so old K and V stay as they were.",
        link=KVCacheSettings(text=f"{before} {new}", step=n).to_query(),
    )  # fmt: skip


def _dot_products_by_mistake(prompt: int, new: int) -> tuple[int, int, int, int]:
    """With a cache; without; one for each new token; the whole square."""
    cost, n = DecodingCost(heads=1, kv_heads=1, d_k=1), prompt + new
    right = cost.pairs(prompt) + sum(cost.dot_products(m) for m in range(prompt + 1, n + 1))
    without = sum(cost.pairs(m) for m in range(prompt, n + 1))
    return right, without, cost.pairs(prompt) + new, n * n


_PROMPTS = tuple(
    (prompt, new)
    for prompt, new in product(range(3, 11), range(2, 6))
    if apart(_dot_products_by_mistake(prompt, new), 0) and (prompt, new) != (5, 3)
)


def _work_saved(seed: int) -> Task:
    """Twins draw other lengths."""
    prompt, new = pick(seed, (5, 3), _PROMPTS)
    n = prompt + new
    right, without, one_each, square = _dot_products_by_mistake(prompt, new)
    cost = DecodingCost(heads=1, kv_heads=1, d_k=1)
    passes = " + ".join(str(cost.pairs(m)) for m in range(prompt, n + 1))
    steps = " + ".join(str(cost.dot_products(m)) for m in range(prompt + 1, n + 1))
    return Task(
        setup=f"A causal decoder reads a prompt of {prompt} tokens at once, then {new} more tokens one by "
        "one, with a KV cache. Count the dot products of a query with a key that it may see, in one head.",
        question=f"How many are there in all, from the first to the last of the {n} tokens?",
        parts=(Part("number", right),),
        wrong=(
            Wrong((without,), "decoding starts over at every step",
                  "That is the count without a cache, when each "
                  f"step redoes the triangle: {passes}."),
            Wrong((one_each,), "one dot product for each token", "A new query meets every key in the cache, "
                  "and its own."),
            Wrong((square,), "the mask forgotten", f"{n} × {n} counts pairs in which the key comes after the "
                  "query. Those are hidden."),
        ),
        explain=f"The prompt makes a triangle of {cost.pairs(prompt)}; then come {steps}: {right} in all. "
        f"Without a cache it would be {passes} = {without}.",
        link=KVCacheSettings(text=" ".join(_LONG.split()[:n]), step=n - 1).to_query(),
    )  # fmt: skip


SHARING = (
    Exercise("X39", "Whose keys does this head read?", "sharing and cache", "core", "kv-cache",
             ("lesson C, Shared heads: which head reads which",), _which_kv_head),
    Exercise("X40", "A token's bytes in the cache", "sharing and cache", "core", "kv-cache",
             ("lesson C, Shared heads: the size of the cache",
              "torchtune #38",
              "vllm-fit #14"), _bytes_of_a_token),
    Exercise("X41", "Multi-query attention", "sharing and cache", "core", "kv-cache",
             ("lesson C, Shared heads: one KV head for all",), _one_kv_head),
    Exercise("X42", "What is worth keeping", "sharing and cache", "core", "kv-cache",
             ("lesson A, KV caching: what is kept",
              "question B55: why is no query cached?"), _what_is_kept),
    Exercise("X43", "The work a cache saves", "sharing and cache", "core", "kv-cache",
             ("lesson A, KV caching: n scores for a new token",), _work_saved),
)  # fmt: skip
