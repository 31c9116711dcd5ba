"""Exercises on attention as a soft lookup."""

from itertools import permutations, product

import numpy as np

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import floats, pick, source_asked_by, vector
from core.lessons.soft_lookup import SoftLookupSettings, exact_lookup, trace_soft_lookup
from core.numbers import Numbers
from core.ops.attention import softmax


def _two_keys(
    q: tuple[float, float], v0: float = 10.0, v1: float = 6.0, temperature: float = 1.0
) -> SoftLookupSettings:
    """The lesson's two keys under a query and two values of one's own."""
    numbers = Numbers((q,), ((1.0, 0.0), (0.0, 1.0)), ((v0, 0.0), (0.0, v1)))
    return SoftLookupSettings(**source_asked_by(numbers), step=4, temperature=temperature)


def _share_of_the_other(seed: int) -> Task:
    """Two keys; the query equals the first. Twins draw other lengths and values."""
    cases = tuple(product((1.5, 2.0, 2.5), permutations((2.0, 4.0, 8.0, 12.0), 2)))
    length, (v0, v1) = pick(seed, (1.0, (10.0, 6.0)), cases)
    settings = _two_keys((length, 0.0), v0, v1)
    lookup = trace_soft_lookup(settings)
    share = float(lookup.weights[1])
    unscaled = float(softmax(lookup.scores)[1])
    return Task(
        setup=f"One query $q = ({length:g}, 0)$ and two keys, $k_0 = (1, 0)$ and $k_1 = (0, 1)$, with values "
        f"$v_0 = ({v0:g}, 0)$ and $v_1 = (0, {v1:g})$. $d_k = 2$.",
        question="One value makes up most of the output. What share is left for the other, $v_1$?",
        parts=(Part("number", share, tolerance=0.02),),
        wrong=(
            Wrong((0.0,), "the best match takes all", "Softmax never gives a finite score exactly 0: "
                  f"$v_1$ keeps {share:.2f} here."),
            Wrong((0.5,), "attention is a plain average", "Key 0 scores higher, so it gets more than half."),
            Wrong((unscaled,), "the scale forgotten", f"That is softmax of the raw scores {length:g} and 0. "
                  "Divide them by √2 first."),
        ),
        explain=f"The scaled scores are {lookup.scaled[0]:.4f} and 0. Softmax makes "
        f"{lookup.weights[0]:.4f} and {share:.4f} of them.",
        link=settings.to_query(),
    )  # fmt: skip


def _blended_output(seed: int) -> Task:
    """Weights times values. Twins draw another length of the query and other values."""
    cases = [(x, v0, v1) for x in (1.0, 1.5, 2.0) for v0, v1 in ((8.0, 4.0), (12.0, 5.0), (20.0, 10.0))]
    length, v0, v1 = pick(seed, (1.0, 10.0, 6.0), cases)
    settings = _two_keys((length, 0.0), v0, v1)
    lookup = trace_soft_lookup(settings)
    first = lookup.v[:, 0]
    w0, w1 = lookup.weights
    unscaled = float(softmax(lookup.scores) @ first)
    by_width = float(softmax(lookup.scores / len(lookup.q)) @ first)
    return Task(
        setup=f"A query $q = ({length:g}, 0)$ meets the keys $k_0 = (1, 0)$ and $k_1 = (0, 1)$. Their values "
        f"are $v_0 = ({v0:g}, 0)$ and $v_1 = (0, {v1:g})$. $d_k = 2$.",
        question="What is the first number of the output vector?",
        parts=(Part("number", float(lookup.output[0]), tolerance=0.1),),
        wrong=(
            Wrong((float(exact_lookup(lookup.scores) @ first),), "the best match takes all",
                  "This is $v_0$ by itself. The output mixes both values."),
            Wrong((unscaled,), "the scale forgotten",
                  "These are the weights of the raw scores. Divide the scores by √2 before softmax."),
            Wrong((float(first.mean()),), "attention is a plain average",
                  f"The scores are {length:g} and 0, so the two weights cannot be equal."),
            Wrong((by_width,), "divided by d_k, not by its root",
                  "The scores are divided by √2, which is 1.4142, and not by 2."),
        ),
        explain=f"The weights are {w0:.4f} and {w1:.4f}. So the first number is {w0:.4f} · {v0:g} + "
        f"{w1:.4f} · 0 = {lookup.output[0]:.4f}. The second is {w1:.4f} · {v1:g} = {lookup.output[1]:.4f}.",
        link=settings.to_query(),
    )  # fmt: skip


def _longer_query(seed: int) -> Task:
    """A longer query makes a sharper row. Twins draw another length and direction."""
    cases = [q for x in (1.5, 2.0, 2.5) for q in ((0.0, x), (x, 0.0)) if q != (0.0, 2.0)]
    q = pick(seed, (0.0, 2.0), cases)
    length = max(q)
    settings = _two_keys(q)
    lookup = trace_soft_lookup(settings)
    unit = trace_soft_lookup(_two_keys((q[0] / length, q[1] / length))).weights
    return Task(
        setup=f"A query $q = ({q[0]:g}, {q[1]:g})$ and the keys $k_0 = (1, 0)$, $k_1 = (0, 1)$. $d_k = 2$.",
        question="How much weight does each key get? Draw the two bars.",
        parts=(Part("row", floats(lookup.weights), options=("k0", "k1"), tolerance=0.03),),
        wrong=(
            Wrong((floats(unit),), "the length of a query does not count",
                  f"That row belongs to a query of length 1. At length {length:g} the scores are {length:g} "
                  "times as large, and the row is sharper."),
            Wrong((floats(softmax(lookup.scores)),), "the scale forgotten",
                  f"The raw scores are {lookup.scores[0]:g} and {lookup.scores[1]:g}. "
                  "Divide them by √2 first."),
            Wrong((floats(exact_lookup(lookup.scores)),), "the best match takes all",
                  f"A gap of {np.ptp(lookup.scaled):.4f} still leaves {lookup.weights.min():.4f} "
                  "to the other key."),
        ),
        explain=f"The scaled scores are {lookup.scaled[0]:.4f} and {lookup.scaled[1]:.4f}, and softmax makes "
        f"{lookup.weights[0]:.4f} and {lookup.weights[1]:.4f} of them.",
        link=settings.to_query(),
    )  # fmt: skip


def _stretched_scores(seed: int) -> Task:
    """Scores times a factor, which is a lower temperature. Twins draw the factor and the query's length."""
    # Length times factor is that of no query that another exercise shows.
    cases = [(1.0, 3.0), (1.0, 4.0), (0.5, 2.5), (0.5, 3.5), (1.5, 1.5), (1.5, 2.5)]
    length, factor = pick(seed, (1.0, 2.0), cases)
    before = trace_soft_lookup(_two_keys((length, 0.0)))
    settings = _two_keys((length, 0.0), temperature=1 / factor)
    after = trace_soft_lookup(settings)
    old, new = float(before.weights[0]), float(after.weights[0])
    gap, wide = (float(np.ptp(scores)) for scores in (before.scaled, after.scaled))
    return Task(
        setup=f"A query ${vector((length, 0.0))}$, two keys $(1, 0)$ and $(0, 1)$, $d_k = 2$. The first key "
        f"gets a weight of {old:.4f}. Now both scaled scores are multiplied by {factor:g}, and softmax is "
        "taken again.",
        question="What is the weight on the first key now?",
        parts=(Part("number", new, tolerance=0.02),),
        wrong=(
            Wrong((old,), "stretching the scores changes nothing",
                  "Adding the same number to all scores changes nothing. Multiplying them widens the gap, "
                  "and that does change the weights."),
            Wrong((float(exact_lookup(after.scores)[0]),), "the best match takes all",
                  f"The gap is now {wide:.4f}. That is far from enough for a weight of 1."),
            Wrong((old * factor,), "weights grow in proportion to the scores",
                  f"{factor:g} times the old weight is not what softmax makes, and the two weights have "
                  "to sum to 1."),
        ),
        explain=f"The gap between the scores grows from {gap:.4f} to {wide:.4f}. Softmax turns that gap into "
        f"{new:.4f} and {after.weights[1]:.4f}: sharper, but not one-hot.",
        link=settings.to_query(),
    )  # fmt: skip


LOOKUP = (
    Exercise(
        "X01",
        "The share of the other value",
        "soft lookup",
        "intro",
        "soft-lookup",
        ("lesson A, Try it 1: which value the output copies",),
        _share_of_the_other,
    ),
    Exercise(
        "X02",
        "One number of the output",
        "soft lookup",
        "intro",
        "soft-lookup",
        ("lesson A, Worked example: weights and output",),
        _blended_output,
    ),
    Exercise(
        "X03",
        "A longer query",
        "soft lookup",
        "core",
        "soft-lookup",
        ("lesson A, Knowledge check: the weights of a query of length 2",),
        _longer_query,
    ),
    Exercise(
        "X06",
        "Stretched scores",
        "softmax",
        "core",
        "soft-lookup",
        ("lesson A, Worked example: sharper or softer rows",),
        _stretched_scores,
    ),
)
