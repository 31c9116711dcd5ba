"""Exercises on rows and outputs that a text prints wrongly: work them out instead."""

from functools import cache
from itertools import permutations, product

import numpy as np

from core.examples import WORKED_EXAMPLES
from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import apart, digits, floats, four_digits, listed, pick, source_of, vector
from core.lessons.soft_lookup import SoftLookup, SoftLookupSettings, exact_lookup, trace_soft_lookup
from core.numbers import Matrix, Numbers
from core.ops.attention import softmax

Row = tuple[float, ...]
_DIAGRAM: tuple[Row, Row] = ((0.8, 0.3, 0.2), (0.50, 0.30, 0.20))  # lesson B's scores and "softmax"


def _by_mistake(scores: Row, printed: Row) -> tuple[Row, ...]:
    """The right weights; those printed; shares of the scores; all on the best."""
    s = np.array(scores)
    return floats(softmax(s)), printed, floats(s / s.sum()), floats(exact_lookup(s))


def _diagrams() -> list[tuple[Row, Row]]:
    """Scores, and a printed row that sums to 1 and keeps their order, but is too sharp."""
    found: list[tuple[Row, Row]] = []
    for scores in product((0.9, 0.7, 0.5), (0.6, 0.4), (0.3, 0.2, 0.1)):
        a, b, _ = np.round(softmax(2.2 * np.array(scores)), 2)
        printed = (float(a), float(b), float(round(1 - a - b, 2)))
        if scores[0] > scores[1] and apart(_by_mistake(scores, printed), 0.015):
            found.append((scores, printed))
    return found


def _row_of_a_diagram(seed: int) -> Task:
    """A row of scores and what a diagram makes of it. Twins draw other scores."""
    scores, printed = pick(seed, _DIAGRAM, _diagrams())
    right, printed, shares, best = _by_mistake(scores, printed)
    settings = SoftLookupSettings(source="three-tokens", edit=("scaled", scores), step=3)
    lookup = trace_soft_lookup(settings)
    return Task(
        setup=f"A diagram shows the scaled scores {listed(scores)} of one query. An arrow says “softmax”. "
        f"Under it stands {', '.join(f'{w:.2f}' for w in printed)}.",
        question="What does softmax really make of the scores? Draw the three bars.",
        parts=(Part("row", right, options=("key 0", "key 1", "key 2"), tolerance=0.015),),
        wrong=(
            Wrong((printed,), "a printed value is right", "It sums to 1 and keeps the order, but that is not "
                  f"enough. Key 0 should have $e^{{{scores[0] - scores[1]:.2g}}}$ = "
                  f"{np.exp(scores[0] - scores[1]):.4f} times the weight of key 1."),
            Wrong((shares,), "scores divided by their sum", "Take the exponential of each score first, and "
                  "divide those by their sum."),
            Wrong((best,), "the best match takes all", f"A lead of {scores[0] - scores[1]:.2g} is small: the "
                  "others keep much."),
        ),
        explain=f"The exponentials are {four_digits(lookup.exponentials)}, with the sum {lookup.total:.4f}. "
        f"So the weights are {four_digits(lookup.weights)}.",
        link=settings.to_query(),
    )  # fmt: skip


_CAT: Matrix = WORKED_EXAMPLES["cat-sat-mat"].numbers.q
_WORDS = ("cat", "sat", "mat")
_VECTORS: Matrix = (
    (1.2, 0.4, 0.1, 0.6), (0.2, 0.8, 0.3, 0.5), (0.7, 0.1, 0.8, 0.2), (0.4, 1.1, 0.9, 0.1),
    (0.3, 0.7, 0.2, 1.3),
)  # fmt: skip
_ENTRY, _PRINTED = 1, 0.529  # lesson B prints this as the second number of the output of "sat"


def _lookup(x: Matrix) -> SoftLookup:
    settings = SoftLookupSettings(**source_of(Numbers(x, x, x)), query=1, step=4)
    return trace_soft_lookup(settings)


def _outputs(x: Matrix, printed: float) -> tuple[float, ...]:
    """The right number; the printed one; by raw scores; the plain average; its own."""
    lookup = _lookup(x)
    v = lookup.v[:, _ENTRY]
    right, raw = float(lookup.output[_ENTRY]), float(softmax(lookup.scores) @ v)
    return right, printed, raw, float(v.mean()), float(v[1])


@cache
def _handouts() -> list[tuple[Matrix, float]]:
    """Vectors, and a number a little too small that can be told from every other mistake."""
    found: list[tuple[Matrix, float]] = []
    for x in permutations(_VECTORS, 3):
        printed = round(float(_lookup(x).output[_ENTRY]) - 0.03, 3)
        if apart(_outputs(x, printed), 0.002):
            found.append((x, printed))
    return found


def _printed_output(seed: int) -> Task:
    """One number of an output that a handout prints. Twins draw other vectors."""
    x, printed = pick(seed, (_CAT, _PRINTED), _handouts())
    right, printed, raw, mean, own = _outputs(x, printed)
    lookup = _lookup(x)
    rows = ", ".join(f"{word} {vector(row)}" for word, row in zip(_WORDS, x, strict=True))
    return Task(
        setup=f"Three tokens have these vectors: {rows}. $W_Q$, $W_K$ and $W_V$ are the identity, and "
        f"$d_k = 4$. For the output of “sat” a handout prints {printed:.3f} as the second number.",
        question="Check it: what is the second number of the output of “sat”? Give three digits.",
        parts=(Part("number", right, tolerance=0.002),),
        wrong=(
            Wrong((printed,), "a printed value is right", "Work it out: the weights of “sat” are "
                  f"{digits(lookup.weights)}."),
            Wrong((raw,), "the scale forgotten", "Those are the weights of the raw dot products. Divide them "
                  "by $\\sqrt{4} = 2$ first."),
            Wrong((mean,), "attention is a plain average", "The scaled scores "
                  f"{digits(lookup.scaled)} are not equal, so neither are the weights."),
            Wrong((own,), "a token reads mostly itself", "“sat” gives its own vector "
                  f"{lookup.weights[1]:.4f}. The others come in as well."),
        ),
        explain=" + ".join(
            f"{w:.4f} · {v:g}" for w, v in zip(lookup.weights, lookup.v[:, _ENTRY], strict=True)
        ) + f" = {right:.4f}. The whole output is {digits(lookup.output)}.",
        link=lookup.settings.to_query(),
    )  # fmt: skip


PRINTED_ROWS = (
    Exercise("N19", "Under the arrow", "softmax", "core", "soft-lookup",
             ("lesson B, Visualization: the printed softmax of a diagram",), _row_of_a_diagram),
    Exercise("N20", "Check an output", "reading heatmaps", "core", "soft-lookup",
             ("lesson B, Worked example: the printed outputs",), _printed_output),
)  # fmt: skip
