"""Questions of interviews on time, memory and parameters."""

from itertools import product

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import pick, shuffled
from core.lessons.block import BlockLessonSettings
from core.lessons.cost import CostSettings, trace_cost
from core.lessons.cost_counts import Cost
from core.lessons.cost_window import reach
from core.lessons.head_counts import LayerCount
from core.lessons.heads import HeadsSettings
from core.lessons.kv_cache import KVCacheSettings
from core.lessons.kv_memory import trace_memory
from core.lessons.road import recurrent_steps

_ANGLE = "lesson A, Interview angle"
_MIB = 2**20


def _path_length(seed: int) -> Task:
    """Steps from the first token to the last. Twins draw the convolution's width and depth."""
    width, layers = pick(seed, (5, 4), tuple(product((3, 4, 5, 6), (3, 5, 6, 8))))
    n = reach(width, layers)  # just as many tokens as the layers can span
    steps = recurrent_steps(0, n - 1)
    right = (float(steps), float(layers), 1.0)
    return Task(
        setup=f"A text of {n} tokens. Something in the first token matters for the last. A recurrent network "
        "hands its state from token to token. A convolution sees, in each layer, a token and the "
        f"{width - 1} before it. Self-attention has no mask but the causal one.",
        question="Through how many steps or layers does it go in each?",
        parts=(Part("numbers", right, names=("recurrent network", "convolution", "self-attention")),),
        wrong=(
            Wrong(((right[0], right[0], 1.0),), "a convolution moves one token a layer", f"Each layer "
                  f"reaches {width - 1} tokens further back."),
            Wrong(((right[0], 1.0, 1.0),), "one convolution sees the whole text", f"One layer sees {width} "
                  f"tokens of {n}."),
            Wrong((right[:2] + right[:1],), "attention walks word by word", "Its last query meets the first "
                  "key directly."),
        ),
        explain=f"{n} − 1 = {steps} updates; {layers} layers, for 1 + {layers} · {width - 1} = {n}; 1 layer "
        "of attention. The price is time: attention takes $n^2 d$ multiplications a layer, a recurrent layer "
        "$n d^2$, but it cannot work on all tokens at once.",
        link=CostSettings(near=width, depth=layers).to_query(),
    )  # fmt: skip


_WALKS = tuple(
    each for each in product((8, 12, 16), (1, 2, 3, 4, 6)) if each != (12, 4)
)  # fmt: skip


def _in_tiles(seed: int) -> Task:
    """What FlashAttention changes. Twins draw keys and tiles."""
    keys, tile = pick(seed, (12, 4), _WALKS)
    settings = CostSettings(keys=keys, tile=tile)
    trace = trace_cost(settings)
    queries = len(trace.block_output)
    whole = queries * keys
    same = "the output and the number of multiplications"
    fewer = "the output, but it takes fewer multiplications"
    near = "the number of multiplications, but the output is close to the right one"
    memory = "all of it, memory too"
    return Task(
        setup=f"FlashAttention lets {queries} queries walk past {keys} keys, in tiles of {tile}. It keeps "
        "a running maximum, a running sum and a running output for each query, and no row of all scores.",
        question="How many scores does it hold at once? And what stays the same as in plain attention?",
        parts=(
            Part("number", float(trace.most_held), "scores at once"),
            Part("choose", same, "what stays the same", options=shuffled(seed, (same, fewer, near, memory))),
        ),
        wrong=(
            Wrong((float(whole), None), "FlashAttention holds all scores", f"{whole} is all of them for "
                  f"{queries} queries. They are there one tile after the other."),
            Wrong((None, fewer), "FlashAttention computes less", "Each query still meets each key: "
                  f"{trace.tiled_multiplications:,} multiplications in tiles, "
                  f"{trace.plain_multiplications:,} at once."),
            Wrong((None, near), "FlashAttention is an approximation", "When a new maximum comes, the running "
                  "sum and output are rescaled. The result is exact, up to rounding."),
            Wrong((None, memory), "FlashAttention changes nothing", "The $n \\times n$ scores are never "
                  "stored, so memory grows with $n$, not with $n^2$."),
        ),
        explain=f"{queries} · {min(tile, keys)} = {trace.most_held} scores at once in place of {whole}. Here "
        f"both ways take {trace.plain_multiplications:,} multiplications and differ by less than "
        "$10^{-12}$. It is faster because slow memory is read and written less.",
        link=settings.to_query(),
    )  # fmt: skip


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


_WIDTHS = tuple(
    (width, heads) for width, heads in ((256, 4), (384, 6), (768, 12), (1024, 16), (2048, 16), (4096, 32))
)


def _block_parameters(seed: int) -> Task:
    """Attention against the MLP. Twins draw the width."""
    width, heads = pick(seed, (512, 8), _WIDTHS)
    layer = LayerCount(width, heads)
    mlp = Cost(1, layer.d_k, heads, heads).mlp  # one multiplication a token for each parameter
    right = (float(layer.weights), float(mlp))
    three, one_matrix = float(3 * heads * layer.one_head), mlp / 2
    return Task(
        setup=f"A block in the style of GPT-2 is {width:,} wide and has {heads} heads. Its MLP widens to "
        f"{4 * width:,} and narrows back. Biases and norms are not counted.",
        question="How many parameters do attention and the MLP have?",
        parts=(Part("numbers", right, names=("attention", "MLP")),),
        wrong=(
            Wrong(((three, right[1]),), "the output matrix forgotten", "Q, K and V make three matrices. "
                  "$W_O$ is the fourth."),
            Wrong(((float(layer.full_width_heads), right[1]),), "each head has full-width matrices",
                  f"All {heads} heads together own one width: they are slices of the same matrices."),
            Wrong(((right[0], one_matrix),), "the mlp has one matrix", "One matrix widens, another narrows "
                  "back."),
        ),
        explain=f"Attention: $4 D^2$ = {layer.weights:,}. MLP: $2 \\cdot D \\cdot 4D = 8 D^2$ = {mlp:,}. So "
        "two thirds of the block are in its MLP.",
        link=HeadsSettings(wide=width, wide_heads=heads).to_query(),
    )  # fmt: skip


def _norms_on_the_path(seed: int) -> Task:
    """Norms between the loss and the embedding. Twins draw the depth."""
    layers = pick(seed, 12, (2, 3, 4, 6, 8, 10))
    right = (1.0, 2.0 * layers)
    return Task(
        setup=f"Two models of {layers} blocks, each block with two sub-layers and two norms. In the pre-norm "
        "model each sub-layer gets a normalised copy, and one final norm follows the last block. In the "
        "post-norm model each sum is normalised. Go back from the logits to the embedding along the sums, "
        "past all sub-layers.",
        question="How many norms does the gradient pass on this path in each model?",
        parts=(Part("numbers", right, names=("pre-norm", "post-norm")),),
        wrong=(
            Wrong(((right[1] + 1, right[1]),), "a pre-norm block normalises the stream", "Its norms stand in "
                  "front of the sub-layers, beside the stream, not on it."),
            Wrong(((0.0, right[1]),), "the final norm forgotten", "After the last block of a pre-norm model "
                  "one norm stands on the stream."),
            Wrong(((1.0, float(layers)),), "one norm for each block", "A block has two sub-layers, and each "
                  "sum is normalised."),
        ),
        explain=f"Pre-norm: 1, whatever the depth. Post-norm: 2 · {layers} = {right[1]:g}, and each of them "
        "changes the size of the gradient. That is why deep post-norm models need a careful warm-up.",
        link=BlockLessonSettings(layers=layers, norm_place="post").to_query(),
    )  # fmt: skip


INTERVIEW_COST = (
    Exercise("I03", "From the first token to the last", "cost", "core", "cost",
             (_ANGLE, "lesson B, What attention is: one step"), _path_length),
    Exercise("I04", "What tiles change", "cost", "advanced", "cost",
             (_ANGLE, "lesson A, Cost: never the whole matrix"), _in_tiles),
    Exercise("I05", "Three caches", "sharing and cache", "core", "kv-cache",
             (_ANGLE, "lesson C, Shared heads: the size of the cache"), _caches),
    Exercise("I06", "Old queries in the cache", "sharing and cache", "core", "kv-cache",
             (_ANGLE, "lesson A, KV caching: what is kept"), _cached_queries),
    Exercise("I08", "Attention and MLP", "block", "core", "heads",
             (_ANGLE,
              "lesson C, MLP: it widens by four and narrows"), _block_parameters),
    Exercise("I11", "Norms on the way back", "block", "advanced", "block",
             (_ANGLE, "lesson C, The block: pre-norm"), _norms_on_the_path),
)  # fmt: skip
