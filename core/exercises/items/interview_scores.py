"""Questions of interviews on scores, softmax and heads."""

from itertools import product

import numpy as np

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import apart, pick
from core.lessons.cost import CostSettings
from core.lessons.scaling import ScalingSettings, largest_exponent, overflows
from core.ops.attention import softmax

_ANGLE = "lesson A, Interview angle"


def _divisors(d_k: int, q_variance: int, k_variance: int) -> tuple[float, float, float, float]:
    """What brings the variance back to 1: right; as if all were 1; variances not rooted; nothing rooted."""
    variance = d_k * q_variance * k_variance  # of a sum of d_k independent products
    return variance**0.5, d_k**0.5, d_k**0.5 * q_variance * k_variance, float(variance)


_VARIANCES = tuple(
    each
    for each in product((16, 36, 64, 100, 144), (4, 9, 16), (1, 4))
    if apart(_divisors(*each), 0.1) and each != (64, 4, 1)
)


def _other_variance(seed: int) -> Task:
    """The divisor where entries are spread wider. Twins draw width and variances."""
    d_k, q_variance, k_variance = pick(seed, (64, 4, 1), _VARIANCES)
    right, root, half, whole = _divisors(d_k, q_variance, k_variance)
    return Task(
        setup=f"The entries of queries and keys are independent with mean 0. Those of queries have variance "
        f"{q_variance}, those of keys variance {k_variance}. $d_k = {d_k}$.",
        question="By what must the scores be divided to have variance 1?",
        parts=(Part("number", right, tolerance=0.1),),
        wrong=(
            Wrong((root,), "the divisor is the root of d_k whatever the variance", f"√{d_k} = {root:g} is "
                  "right for entries of variance 1. These are spread wider."),
            Wrong((half,), "variance taken for the standard deviation", "Variances have to go under the root "
                  "too: a divisor acts on the standard deviation."),
            Wrong((whole,), "divided by the variance, not by its root", f"{whole:g} is the variance. "
                  f"Dividing by it would leave a variance of 1/{whole:g}."),
        ),
        explain=f"Each product has variance {q_variance} · {k_variance}, and the sum of {d_k} of them has "
        f"{whole:g}. Its root is {right:g}. That is why models keep entries near variance 1, with norms and "
        "a suitable initialisation; otherwise $\\sqrt{d_k}$ does not do its work.",
    )  # fmt: skip


def _whole_table(seed: int) -> Task:
    """Softmax over all cells at once. Twins draw the number of tokens."""
    n = pick(seed, 4, (3, 5, 6, 8, 10, 12, 20))
    scores = np.zeros((n, n))
    rows = softmax(scores).sum(axis=-1)
    at_once = softmax(scores.ravel()).reshape(n, n).sum(axis=-1)
    factor = round(float(rows[0] / at_once[0]), 9)
    return Task(
        setup=f"{n} tokens, and all scores are equal. Softmax should run along each row. Somebody takes it "
        f"over all {n} · {n} numbers at once, so that the whole table sums to 1.",
        question="How many times too small are the outputs?",
        parts=(Part("number", factor),),
        wrong=(
            Wrong((1.0,), "weights that sum to 1 anywhere are enough", "Each output is an average of values "
                  "only if its own row sums to 1."),
            Wrong((float(n * n),), "the right weight taken to be 1", "Each weight "
                  f"is 1/{n * n}, and it should be 1/{n}."),
        ),
        explain=f"Each row sums to 1/{n} and not to 1. With unequal scores it is worse: a query with high "
        "scores takes weight from the others. Each query has to share out a weight of 1 of its own.",
    )  # fmt: skip


_TYPES = {"float16": "65,504", "float32": "3.4028 × 10³⁸", "float64": "1.7977 × 10³⁰⁸"}
_OVERFLOWS = tuple((name, level) for name in _TYPES for level in (100.0, 200.0, 500.0, 800.0))


def _stable(seed: int) -> Task:
    """Where exp overflows. Twins draw the type and the level of the scores."""
    name, level = pick(seed, ("float16", 1000.0), _OVERFLOWS)
    limit = largest_exponent(name)
    largest = level + 2
    settings = ScalingSettings(offset=level)
    (found,) = (each for each in overflows(level) if each.dtype == name)
    fate = "is fine here" if found.sound else "breaks here"
    decimal = float(np.log10(np.exp(1)) * limit)
    return Task(
        setup=f"Softmax of {level:g}, {level + 1:g} and {largest:g} is computed in {name}, whose largest "
        f"number is {_TYPES[name]}. The stable way subtracts the row's largest score first.",
        question="What is the largest score whose exponential still fits? And which is the largest number "
        "that goes into exp after the subtraction?",
        parts=(
            Part("numbers", (limit, 0.0), names=("largest score", "after the subtraction"), tolerance=0.05),
        ),
        wrong=(
            Wrong(((decimal, 0.0),), "the logarithm to base 10 taken", "exp is a power of $e$, so the limit "
                  "is the natural logarithm of the largest number."),
            Wrong(((limit, largest),), "the shift comes after exp", "Subtract first. Once exp has overflowed "
                  "nothing helps."),
            Wrong(((limit, 1.0),), "exponent and exponential mixed up", "1 is the largest exponential then, "
                  "$e^0$. What goes into exp is 0."),
        ),
        explain=f"$\\ln$ of the largest number is {limit:.4f}, so softmax without the shift {fate}. With it "
        "exp gets 0 and negative numbers, every exponential lies in 0 to 1, and the weights are the same.",
        link=settings.to_query(),
    )  # fmt: skip


_LAYERS = tuple(
    each for each in product((256, 1024, 4096), (32, 64, 128), (4, 8, 16, 32)) if each != (1024, 64, 8)
)


def _many_or_one(seed: int) -> Task:
    """Heads against one head of full width. Twins draw tokens, width and heads."""
    n, d_k, heads = pick(seed, (1024, 64, 8), _LAYERS)
    settings = CostSettings(n=n, d_k=d_k, heads=heads, kv_heads=heads)
    many = settings.cost
    one = many.at(d_k=many.d_model, heads=1, kv_heads=1)
    right = (many.scores / one.scores, many.heads / one.heads)
    return Task(
        setup=f"A layer of width {many.d_model:,} has {heads} heads of width {d_k}. It is compared with one "
        f"head of width {many.d_model:,} on the same {n:,} tokens.",
        question="How many times as many multiplications does $QK^\\top$ take with the heads, and how many "
        "tables of weights does the layer have?",
        parts=(Part("numbers", right, names=("times as many", "tables")),),
        wrong=(
            Wrong(((float(heads), right[1]),), "more heads mean more work", f"There are {heads} tables, but "
                  f"each score is a sum of {d_k} products in place of {many.d_model:,}."),
            Wrong(((1 / heads, right[1]),), "narrow heads make attention cheaper", f"Each head is {heads} "
                  f"times as cheap, and there are {heads} of them."),
            Wrong(((right[0], 1.0),), "all heads share one table of weights", "Each head has queries and "
                  "keys of its own, so it has a table of its own."),
        ),
        explain=f"$h \\cdot n^2 d_k = n^2 d_{{model}}$: {many.scores:,} multiplications in both. So "
        f"{heads} ways to look cost no more than one. The price is that each compares only {d_k} numbers.",
        link=settings.to_query(),
    )  # fmt: skip


INTERVIEW_SCORES = (
    Exercise("I01", "Another variance", "scaling", "advanced", "scaling",
             (_ANGLE, "lesson A, Why divide by the root of d_k"), _other_variance),
    Exercise("I02", "Softmax over the whole table", "softmax", "core", "playground", (_ANGLE,), _whole_table),
    Exercise("I12", "A softmax that cannot overflow", "softmax", "core", "scaling",
             (_ANGLE, "lesson A, step 1: taking off the maximum changes nothing"), _stable),
    Exercise("I13", "Many heads or one", "heads", "core", "cost",
             (_ANGLE, "lesson A, Multi-head: the cost of one full-width head"), _many_or_one),
)  # fmt: skip
