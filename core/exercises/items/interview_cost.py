"""Questions of interviews on how far information travels, and on attention in tiles."""

from itertools import product

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import pick, shuffled
from core.lessons.cost import CostSettings, trace_cost
from core.lessons.cost_window import reach
from core.lessons.road import recurrent_steps

_ANGLE = "lesson A, Interview angle"


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
        "of attention. The price: attention takes $n^2 d$ multiplications a layer, a recurrent layer "
        "$n d^2$. But a recurrent layer has to take the tokens one by one.",
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
            Wrong((float(whole), None), "FlashAttention stores all scores", f"{whole} is all of them for "
                  f"{queries} queries. They are there one tile after the other."),
            Wrong((None, fewer), "FlashAttention computes less", "Each query still meets each key: "
                  f"{trace.tiled_multiplications:,} multiplications in tiles, "
                  f"{trace.plain_multiplications:,} at once."),
            Wrong((None, near), "FlashAttention is an approximation", "When a new maximum comes, the running "
                  "sum and output are rescaled. The result is exact, up to rounding."),
            Wrong((None, memory), "FlashAttention stores all scores", "The $n \\times n$ scores are never "
                  "stored, so memory grows with $n$, not with $n^2$."),
        ),
        explain=f"{queries} · {min(tile, keys)} = {trace.most_held} scores at once in place of {whole}. Here "
        f"both ways take {trace.plain_multiplications:,} multiplications and differ by less than "
        "$10^{-12}$. It is faster because slow memory is read and written less.",
        link=settings.to_query(),
    )  # fmt: skip


INTERVIEW_COST = (
    Exercise("I03", "From the first token to the last", "cost", "core", "cost",
             (_ANGLE, "lesson B, What attention is: one step"), _path_length),
    Exercise("I04", "What tiles change", "cost", "advanced", "cost",
             (_ANGLE, "lesson A, Cost: never the whole matrix"), _in_tiles),
)  # fmt: skip
