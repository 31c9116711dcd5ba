"""Exercises on reading a row of weights: three words whose vectors are their own queries, keys and values."""

from collections.abc import Callable
from functools import lru_cache
from itertools import permutations

import numpy as np

from core.examples import WORKED_EXAMPLES
from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import apart, digits, pick, source_of, vector
from core.lessons.soft_lookup import SoftLookup, SoftLookupSettings, trace_soft_lookup
from core.numbers import Matrix, Numbers
from core.ops.attention import softmax
from core.settings import AttentionSettings
from core.trace import trace_attention

Words = tuple[str, str, str]
_CAT: tuple[Words, Matrix] = (("cat", "sat", "mat"), WORKED_EXAMPLES["cat-sat-mat"].numbers.q)
_NAMES: tuple[Words, ...] = (("dog", "ran", "far"), ("sun", "sets", "low"), ("tea", "stays", "hot"))
_VECTORS: Matrix = (
    (1.2, 0.4, 0.1, 0.6), (0.2, 0.8, 0.3, 0.5), (0.7, 0.1, 0.8, 0.2), (0.4, 1.1, 0.9, 0.1),
    (0.3, 0.7, 0.2, 1.3),
)  # fmt: skip
_MISPRINT = 0.1  # how far the handout's dot product is off


def _drawn(seed: int, fits: Callable[[Matrix], bool]) -> tuple[Words, Matrix]:
    """Words and vectors: the lesson's for seed 0, else others that fit."""
    return pick(seed, _CAT, [(words, x) for x in _fitting(fits) for words in _NAMES])


@lru_cache
def _fitting(fits: Callable[[Matrix], bool]) -> tuple[Matrix, ...]:
    return tuple(x for x in permutations(_VECTORS, 3) if fits(x))


def _numbers(x: Matrix) -> Numbers:
    return Numbers(q=x, k=x, v=x)


def _lookup(x: Matrix, query: int, step: int) -> SoftLookup:
    return trace_soft_lookup(SoftLookupSettings(**source_of(_numbers(x)), query=query, step=step))


def _given(words: Words, x: Matrix) -> str:
    rows = ", ".join(f"{word} {vector(row)}" for word, row in zip(words, x, strict=True))
    return f"Three tokens have these vectors: {rows}. $W_Q$, $W_K$ and $W_V$ are the identity, and $d_k = 4$."


def _rows_by_mistake(lookup: SoftLookup) -> tuple[tuple[float, ...], ...]:
    """The right weights; all on the best match; the plain average; those of the raw scores."""
    n = len(lookup.weights)
    best, raw = lookup.exact_weights, softmax(lookup.scores)
    return tuple(tuple(map(float, row)) for row in (lookup.weights, best, np.full(n, 1 / n), raw))


def _row_fits(x: Matrix) -> bool:
    lookup = _lookup(x, 0, 3)
    return lookup.scores.argmax() == 0 and apart(_rows_by_mistake(lookup), 0.04)


def _what_a_word_reads(seed: int) -> Task:
    """Twins draw other words and vectors."""
    words, x = _drawn(seed, _row_fits)
    lookup = _lookup(x, 0, 3)
    right, best, average, raw = _rows_by_mistake(lookup)
    scaled = ", ".join(f"{score:.4g}" for score in lookup.scaled)
    return Task(
        setup=_given(words, x),
        question=f"Draw three bars: how much does “{words[0]}” read of each token?",
        parts=(Part("row", right, options=words, tolerance=0.04),),
        wrong=(
            Wrong((best,), "the best match takes all", f"“{words[0]}” scores highest with itself, "
                  f"{lookup.scaled[0]:.4g} after scaling, but the others keep a share: {scaled}."),
            Wrong((average,), "attention is a plain average", "Identity matrices leave the vectors as they "
                  f"are; the scaled scores still differ: {scaled}."),
            Wrong((raw,), "the scale forgotten", "These are the weights of the raw dot products. Divide them "
                  "by $\\sqrt{4} = 2$ first."),
        ),
        explain=f"The scaled scores are {scaled}; softmax makes {digits(right)} of them. The output is "
        f"{digits(lookup.output)}.",
        link=lookup.settings.to_query(),
    )  # fmt: skip


def _way_back(x: Matrix) -> tuple[float, float, float]:
    """Weight 1 -> 0; weight 0 -> 1; weight 1 -> 0 where the last score has slipped by a decimal place."""
    weights = trace_attention(AttentionSettings(source="custom", numbers=_numbers(x))).weights[0]
    lookup = _lookup(x, 1, 3)
    slipped = softmax(np.array([*lookup.scaled[:2], lookup.scores[2] / 10]))[0]
    return float(weights[1, 0]), float(weights[0, 1]), float(slipped)


def _back_fits(x: Matrix) -> bool:
    return apart(_way_back(x), 0.01)


def _there_and_back(seed: int) -> Task:
    """Twins draw other words and vectors."""
    words, x = _drawn(seed, _back_fits)
    a, b, c = (f"“{word}”" for word in words)
    right, there, printed = _way_back(x)
    lookup = _lookup(x, 1, 3)
    settings = AttentionSettings(**source_of(_numbers(x)), cell=(0, 1, 0))
    return Task(
        setup=f"{_given(words, x)} Scores are the same both ways: {a} and {b} have {lookup.scaled[0]:.4g} "
        f"after scaling. In the row of {a}, the weight of {b} is {there:.4f}. For the way back, from {b} to "
        f"{a}, a handout prints {printed:.3f}.",
        question=f"In the row of {b}, what is the weight of {a}?",
        parts=(Part("number", right, tolerance=0.01),),
        wrong=(
            Wrong((there,), "symmetric scores give symmetric weights", f"The score is shared, the row is "
                  f"not: {a} and {b} divide by totals of their own."),
            Wrong((printed,), "a printed value is right", f"Work it out: the score of {b} and {c} is "
                  f"{lookup.scaled[2]:.4g} after scaling, and the handout's row would need a much smaller "
                  "one."),
        ),
        explain=f"The row of {b} has the scaled scores {', '.join(f'{s:.4g}' for s in lookup.scaled)}; "
        f"softmax turns them into {digits(lookup.weights)}.",
        link=settings.to_query(),
    )  # fmt: skip


def _products_by_mistake(x: Matrix) -> tuple[float, float, float]:
    """The dot product of the last two; the misprint; the scaled score."""
    lookup = _lookup(x, 1, 0)
    raw = float(lookup.scores[2])
    return raw, raw + _MISPRINT, float(lookup.scaled[2])


def _slip_fits(x: Matrix) -> bool:
    return apart(_products_by_mistake(x), 0.005)


def _check_the_handout(seed: int) -> Task:
    """Twins draw other words and vectors."""
    words, x = _drawn(seed, _slip_fits)
    lookup = _lookup(x, 1, 0)
    right, printed, scaled = _products_by_mistake(x)
    terms = " + ".join(f"{term:.2f}" for term in lookup.products[2])
    return Task(
        setup=f"{_given(words, x)} A handout prints {printed:.2f} for the raw dot product of “{words[1]}” "
        f"and “{words[2]}”.",
        question="Check it: what is this dot product, before any scaling?",
        parts=(Part("number", right, tolerance=0.005),),
        wrong=(
            Wrong((printed,), "a printed value is right", f"Add it up yourself: {terms}."),
            Wrong((scaled,), "raw and scaled scores mixed up",
                  "That has been divided by 2. The raw product comes first."),
        ),
        explain=f"{terms} = {right:.2f}. With a wrong score, the rows of both words go "
        "wrong, weights and outputs too.",
        link=lookup.settings.to_query(),
    )  # fmt: skip


READING = (
    Exercise("X48", "What one word reads", "reading heatmaps", "core", "soft-lookup",
             ("lesson B, Worked example: the row of “cat”",), _what_a_word_reads),
    Exercise("X49", "There and back", "reading heatmaps", "core", "playground",
             ("lesson B, Worked example: the grid of weights, put right", "bertviz #5"), _there_and_back),
    Exercise("X50", "Check the handout", "reading heatmaps", "intro", "soft-lookup",
             ("lesson B, Worked example: the table of scores",), _check_the_handout),
)  # fmt: skip
