"""Exercises worked out by hand: outputs, a row of a printed table, shapes."""

from itertools import product

import numpy as np

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import apart, digits, floats, listed, pick, source_asked_by, vector
from core.lessons.road import SENTENCE
from core.lessons.soft_lookup import SoftLookup, SoftLookupSettings, trace_soft_lookup
from core.numbers import Numbers
from core.ops.attention import softmax
from core.settings import AttentionSettings
from core.trace import trace_attention

_KEYS = ((1.0, 0.0), (0.0, 1.0))
Pair = tuple[float, float]


def _against_two_keys(q: Pair, v0: float, v1: float) -> SoftLookup:
    numbers = Numbers((q,), _KEYS, ((v0, 0.0), (0.0, v1)))
    return trace_soft_lookup(SoftLookupSettings(**source_asked_by(numbers), step=4))


def _outputs_by_mistake(lookup: SoftLookup) -> tuple[tuple[float, ...], ...]:
    """Right; the best match alone; raw scores; plain average; scores in place of weights."""
    v = lookup.v
    found = (lookup.output, lookup.exact_output, softmax(lookup.scores) @ v, v.mean(axis=0))
    return tuple(map(floats, (*found, lookup.unnormalised)))


_QUERIES = tuple(
    (q, v0, v1)
    for q in ((0.0, 1.5), (0.0, 2.0), (2.0, 0.0), (1.5, 0.0), (0.0, 2.5), (1.0, 2.0))
    for v0, v1 in ((8.0, 4.0), (12.0, 5.0), (20.0, 10.0))
    if apart(_outputs_by_mistake(_against_two_keys(q, v0, v1)), 0.06)
)


def _whole_output(seed: int) -> Task:
    """Weights and output of a longer query. Twins draw the query and the values."""
    q, v0, v1 = pick(seed, ((0.0, 2.0), 10.0, 6.0), _QUERIES)
    lookup = _against_two_keys(q, v0, v1)
    right, best, raw, mean, scores = _outputs_by_mistake(lookup)
    return Task(
        setup=f"The query is $q = {vector(q)}$, the keys are $k_0 = (1, 0)$ and $k_1 = (0, 1)$, and their "
        f"values are $v_0 = ({v0:g}, 0)$ and $v_1 = (0, {v1:g})$. $d_k = 2$.",
        question="What is the output vector?",
        parts=(Part("numbers", right, names=("first number", "second number"), tolerance=0.06),),
        wrong=(
            Wrong((best,), "the best match takes all", "That is the value of the best key alone. The other "
                  f"key still gets {lookup.weights.min():.4f}."),
            Wrong((raw,), "the scale forgotten", f"The raw scores are {listed(floats(lookup.scores))}. "
                  "Divide them by √2 before softmax."),
            Wrong((mean,), "attention is a plain average", "That gives both keys one half, and their scores "
                  "differ."),
            Wrong((scores,), "scores used as weights", "Scores become weights by softmax: without it they "
                  "do not sum to 1."),
        ),
        explain=f"The scaled scores are {digits(lookup.scaled)}, the weights {digits(lookup.weights)}. So "
        f"the output is {lookup.weights[0]:.4f} · ({v0:g}, 0) + {lookup.weights[1]:.4f} · (0, {v1:g}) = "
        f"{digits(right)}.",
        link=lookup.settings.to_query(),
    )  # fmt: skip


_WORDS = ("The", "cat", "sat", "on", "the", "mat")
_WEIGHTS = (0.05, 0.60, 0.20, 0.10, 0.03, 0.02)  # lesson B's row for "sat"
_FIRST = (0.1, 0.5, 0.3, 0.2, 0.1, 0.4)  # the first number of each value there


def _by_mistake(weights: tuple[float, ...], values: tuple[float, ...]) -> tuple[float, ...]:
    """The weighted sum; the best value alone; the mean; the sum."""
    w, v = np.array(weights), np.array(values)
    return float(w @ v), float(v[w.argmax()]), float(v.mean()), float(v.sum())


def _printed_rows(seed: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    if seed == 0:
        return _WEIGHTS, _FIRST
    draw = np.random.default_rng(seed)
    while True:
        weights, values = (floats(draw.permutation(x)) for x in (_WEIGHTS, (0.9, 0.5, 0.3, 0.2, 0.1, 0.7)))
        if apart(_by_mistake(weights, values), 0.01):
            return weights, values


def _mostly_one_word(seed: int) -> Task:
    """Six weights and six values. Twins draw which word gets which."""
    weights, values = _printed_rows(seed)
    right, best, mean, total = _by_mistake(weights, values)
    # Scores whose softmax is this row: the logarithms.
    keys = tuple((float(np.log(w)),) for w in weights)
    numbers = Numbers(((1.0,),), keys, tuple((v,) for v in values))
    settings = SoftLookupSettings(source="custom", numbers=numbers, step=4)
    most = int(np.argmax(weights))
    table = "\n".join(
        f"| {word} | {w:.2f} | {v:g} |" for word, w, v in zip(_WORDS, weights, values, strict=True)
    )
    return Task(
        setup="The word “sat” reads its sentence with these weights. Of each value the first number is "
        f"shown.\n\n| token | weight | value |\n|---|---|---|\n{table}\n\nThe weights sum to 1.",
        question="With which number does the output of “sat” begin?",
        parts=(Part("number", right, tolerance=0.01),),
        wrong=(
            Wrong((best,), "the best match takes all", f"That is the value of “{_WORDS[most]}”. It counts "
                  f"for {weights[most]:g}, and the other tokens add their shares."),
            Wrong((mean,), "attention is a plain average", "Each value counts as much as its weight says, "
                  "not one sixth."),
            Wrong((total,), "values are added without weights", "Multiply each value by its weight before "
                  "you add."),
        ),
        explain=" + ".join(f"{w:.2f} · {v:g}" for w, v in zip(weights, values, strict=True))
        + f" = {right:.4f}. “{_WORDS[most]}” alone brings {max(weights) * values[most]:.4f} of it.",
        link=settings.to_query(),
    )  # fmt: skip


_SIZES = tuple(
    sizes for sizes in product((3, 4, 5, 6, 7), (8, 16, 32), (2, 8)) if len(set(sizes)) == 3
)  # fmt: skip


def _shapes(seed: int) -> Task:
    """Shapes of one head on a sequence. Twins draw all three sizes."""
    n, width, d_k = pick(seed, (6, 8, 4), _SIZES)
    settings = AttentionSettings(text=" ".join(SENTENCE[:n]), d_k=d_k, heads=1)
    trace = trace_attention(settings)
    right = tuple(map(float, (*trace.weights.shape[-2:], *trace.context.shape[-2:])))
    grid = "the grid's size follows d_k"
    return Task(
        setup=f"{n} tokens as rows of $X$, shape $[{n}, {width}]$. $W_Q$, $W_K$ and $W_V$ are "
        f"$[{width}, {d_k}]$. $A = \\mathrm{{softmax}}(QK^\\top / \\sqrt{{d_k}})$.",
        question="What are the shapes of $A$ and of $AV$?",
        parts=(
            Part("numbers", right, names=("rows of A", "columns of A", "rows of AV", "columns of AV")),
        ),
        wrong=(
            Wrong(((float(d_k), float(d_k), *right[2:]),), grid, "That is the shape of $Q^\\top K$. In "
                  "$QK^\\top$ the width is summed away, and a row and a column are left for each token."),
            Wrong(((float(n), float(d_k), *right[2:]),), grid, "That is the shape of $Q$ and of $K$. $A$ "
                  "has a number for each pair of tokens."),
            Wrong(((*right[:3], float(width)),), "a head's output is as wide as the model", f"$V$ has "
                  f"{d_k} columns, and mixing its rows adds none. The width {width} comes back with $W_O$."),
        ),
        explain=f"$Q$, $K$ and $V$ are $[{n}, {d_k}]$. $QK^\\top$ is $[{n}, {d_k}] \\times [{d_k}, {n}] = "
        f"[{n}, {n}]$, and $AV$ is $[{n}, {n}] \\times [{n}, {d_k}] = [{n}, {d_k}]$.",
        link=settings.to_query(),
    )  # fmt: skip


BY_HAND = (
    Exercise("N03", "Two shapes", "soft lookup", "intro", "playground",
             ("lesson A, Worked example: shapes for a sequence",), _shapes),
    Exercise("N04", "The output of a longer query", "soft lookup", "core", "soft-lookup",
             ("lesson A, Knowledge check: the output for a query of length 2",), _whole_output),
    Exercise("N05", "A row of six weights", "soft lookup", "intro", "soft-lookup",
             ("lesson B, Query, key, value: the row of “sat”",), _mostly_one_word),
)  # fmt: skip
