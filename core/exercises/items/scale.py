"""Exercises on the divisor of the scores."""

import numpy as np

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import pick
from core.lessons.scaling import N_PAIRS, ScalingSettings, measured_sd, trace_scaling
from core.numbers import Numbers
from core.ops.attention import softmax
from core.settings import AttentionSettings


def _which_divisor(seed: int) -> Task:
    """Two raw scores and a width. Twins draw both."""
    cases = [(25, 7.5), (25, 10.0), (36, 6.0), (36, 9.0), (49, 7.0), (49, 10.5), (64, 12.0), (64, 16.0)]
    d_k, score = pick(seed, (64, 8.0), cases)
    widths = ScalingSettings(d_k=d_k)
    divisors = trace_scaling(widths).divisors
    query, none = (1.0, *(0.0,) * (d_k - 1)), (0.0,) * d_k  # a query and two keys with just these scores
    numbers = Numbers((query,), ((score, *none[1:]), none), ((1.0, 0.0), (0.0, 1.0)))
    settings = AttentionSettings(source="custom", numbers=numbers, cell=(0, 0, 0))
    gaps = {name: score / divisor for name, divisor in divisors.items()}
    weights = {name: float(softmax(np.array([gap, 0.0]))[0]) for name, gap in gaps.items()}
    heads, d_model, root = widths.heads, widths.d_model, divisors["sqrt_d_k"]
    return Task(
        setup=f"A model is {d_model} wide and has {heads} heads, so each head has $d_k = {d_k}$. In one head "
        f"a query meets two keys. The raw scores, before any division, are {score:g} and 0.",
        question="What weight does the first key get?",
        parts=(Part("number", weights["sqrt_d_k"], tolerance=0.02),),
        wrong=(
            Wrong((weights["d_k"],), "divided by d_k, not by its root",
                  f"You divided by {d_k}. The divisor is √{d_k} = {root:g}."),
            Wrong((weights["none"],), "the scale forgotten",
                  f"A raw gap of {score:g} would leave next to nothing for the other key. But the scores are "
                  f"divided by {root:g} first."),
            Wrong((weights["sqrt_d_model"],), "the model's width in the scale",
                  f"You divided by √{d_model}. What counts is the width of a head, {d_k}: a dot product has "
                  "that many terms."),
        ),
        explain=f"√{d_k} = {root:g}, so the gap becomes {score:g} / {root:g} = {gaps['sqrt_d_k']:g}. Softmax "
        f"of {gaps['sqrt_d_k']:g} and 0 gives the first key {weights['sqrt_d_k']:.4f}.",
        link=settings.to_query(),
    )  # fmt: skip


def _spread_of_scores(seed: int) -> Task:
    """The standard deviation of a dot product. Twins draw the width."""
    d_k = pick(seed, 64, (16, 25, 36, 49, 81, 100, 144, 256, 400))
    settings = ScalingSettings(d_k=d_k)
    divisors = trace_scaling(settings).divisors
    spread = divisors["sqrt_d_k"]
    return Task(
        setup=f"A query $q$ and a key $k$ have {d_k} entries each. All entries are independent, each "
        "with mean 0 and variance 1.",
        question="How large is the standard deviation of $q \\cdot k$, before any scaling?",
        parts=(Part("number", spread, tolerance=0.5),),
        wrong=(
            Wrong((divisors["d_k"],), "variance taken for the standard deviation",
                  f"{d_k} is the variance. The standard deviation is its square root, {spread:g}."),
            Wrong((divisors["none"],), "adding terms does not add variance",
                  f"Each of the {d_k} products has a variance of 1, and the variances of independent terms "
                  "add up."),
            Wrong((0.0,), "mean 0 taken for no spread",
                  f"The mean of the scores is 0. Single scores are spread around it, by {spread:g}."),
        ),
        explain=f"The variance of the sum is {d_k} · 1, so the standard deviation is √{d_k} = {spread:g}. "
        f"{N_PAIRS:,} drawn pairs gave {measured_sd(d_k, settings.seed):.2f}.",
        link=settings.to_query(),
    )  # fmt: skip


SCALE = (
    Exercise(
        "X18",
        "What to divide by",
        "scaling",
        "core",
        "playground",
        ("lesson A, Common mistake: dividing by d_k", "question B29: the width of the model or of a head?"),
        _which_divisor,
    ),
    Exercise(
        "X19",
        "How large scores get",
        "scaling",
        "core",
        "scaling",
        (
            "lesson A, Why divide by the root of d_k",
            "lesson B, Scale: the variance of a dot product",
            "lesson C, Why divide: the variance is d",
        ),
        _spread_of_scores,
    ),
)
