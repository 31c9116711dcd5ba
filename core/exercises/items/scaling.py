"""Exercises on softmax by hand, saturation, and the slope that is left."""

from itertools import product

import numpy as np

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import apart, out_of_order, pick
from core.lessons.soft_lookup import SoftLookupSettings, trace_soft_lookup
from core.numbers import Numbers
from core.ops.attention import softmax
from core.settings import AttentionSettings
from core.trace import trace_attention

_EIGHT = (1.2, 0.3, -0.5, 0.8, -1.1, 0.1, -0.2, 0.6)


def _listed(scores: tuple[float, ...]) -> str:
    return ", ".join(f"{score:g}" for score in scores)


def _power_of_ten(x: float) -> str:
    digits, _, exponent = f"{x:.4e}".partition("e")
    return f"${digits} \\times 10^{{{int(exponent)}}}$"


def _as_keys(scores: tuple[float, ...]) -> Numbers:
    """One query (1) and keys of one entry: the scores are the keys, and the square root of d_k is 1."""
    return Numbers(
        q=((1.0,),), k=tuple((score,) for score in scores), v=((1.0,),) + ((0.0,),) * (len(scores) - 1)
    )


def _four_scores(seed: int) -> Task:
    """One score stands out of four. Twins draw both heights."""
    cases = product((1.5, 2.0, 2.5, 3.0, 3.5, 4.0), (0.5, 1.0, 1.5))
    high, low = pick(seed, (2.0, 0.5), [case for case in cases if _misprinted(*case)])
    scores = (high, low, low, low)
    settings = SoftLookupSettings(source="custom", numbers=_as_keys(scores), step=3)
    lookup = trace_soft_lookup(settings)
    first, other = float(lookup.weights[0]), float(lookup.weights[1])
    by_sum, printed, rest = high / sum(scores), *_printed(first)
    total = printed + 3 * rest
    return Task(
        setup=f"Four keys have the scaled scores {_listed(scores)}. A text prints their weights as "
        f"{printed:.2f}, {rest:.2f}, {rest:.2f}, {rest:.2f}.",
        question="What weight does softmax really give the first key?",
        parts=(Part("number", first, tolerance=0.012),),
        wrong=(
            Wrong((by_sum,), "scores divided by their sum", "That divides the score by the sum of all. Take "
                  f"exponentials first: {lookup.exponentials[0]:.4f} against three times "
                  f"{lookup.exponentials[1]:.4f}."),
            Wrong((printed,), "a printed value is right", f"The printed row adds up to {total:.2f}, so it "
                  "cannot be a softmax. Work it out again."),
            Wrong((1.0,), "the best match takes all", f"The first score leads by only {high - low:g}. "
                  f"Each of the others keeps {other:.4f}."),
        ),
        explain=f"$e^{{{high:g}}} = {lookup.exponentials[0]:.4f}$ is divided by the total "
        f"{lookup.total:.4f}, which gives {first:.4f}. Each other key gets {other:.4f}.",
        link=settings.to_query(),
    )  # fmt: skip


def _printed(first: float) -> tuple[float, float]:
    """A misprint: the first weight about a tenth too low, as in lesson B, and each of the others."""
    printed = round(first - 0.1, 2)
    return printed, round((1 - printed) / 3, 2)


def _misprinted(high: float, low: float) -> bool:
    """Whether the misprint can be told from all else, and does not sum to 1."""
    first = float(softmax(np.array([high, low, low, low]))[0])
    printed, rest = _printed(first)
    answers = (first, high / (high + 3 * low), printed, 1.0)
    return apart(answers, 0.012) and abs(printed + 3 * rest - 1) > 0.005


def _scaling_removed(seed: int) -> Task:
    """Eight fixed scores, stretched by the square root of d_k. Twins draw scores and d_k."""
    draw = np.random.default_rng(seed)
    scores: tuple[float, ...] = _EIGHT
    d_k = 128
    while True:
        if seed:
            scores = tuple(float(x) for x in draw.normal(0, 0.8, 8).round(1) + 0.0)
            d_k = int(draw.choice([64, 128, 256]))
        numbers = _as_keys(scores)
        settings = SoftLookupSettings(source="custom", numbers=numbers, temperature=d_k**-0.5, step=3)
        before = float(trace_soft_lookup(SoftLookupSettings(source="custom", numbers=numbers)).weights.max())
        after = float(trace_soft_lookup(settings).weights.max())
        if 0.22 < before < 0.5 and 0.9 < after < 0.9995:
            break
    gap = float(np.diff(np.sort(scores))[-1])
    return Task(
        setup=f"Eight keys have the scaled scores {_listed(scores)}. Then the division by "
        f"$\\sqrt{{d_k}} = \\sqrt{{{d_k}}} = {d_k**0.5:.4f}$ is taken away, so every score becomes "
        f"{d_k**0.5:.4f} times as large.",
        question="How large is the largest weight before, and how large is it after?",
        parts=(Part("numbers", (before, after), names=("before", "after"), tolerance=0.03),),
        wrong=(
            Wrong(((before, before),), "stretching the scores changes nothing",
                  "Stretched scores have larger gaps, and the "
                  "weights follow the gaps. They do not stay."),
            Wrong(((1 / len(scores), 1.0),), "softmax is either equal or one-hot",
                  "Before, the scores differ, so "
                  "the weights are not all 1/8. After, the largest comes close to 1 and never reaches it."),
        ),
        explain=f"The two best scores are {gap:.1f} apart. Stretched, they are {gap * d_k**0.5:.4f} apart, "
        f"and the largest weight goes from {before:.4f} to {after:.4f}.",
        link=settings.to_query(),
    )  # fmt: skip


def _which_slope_is_left(seed: int) -> Task:
    """A saturated row and a soft one: which can still learn? Twins draw both."""
    cases = tuple(product((40.0, 50.0, 60.0, 80.0), (1.0, 2.0), (1.5, 2.0, 2.5), (0.5, 1.0)))
    top_far, low_far, top_near, low_near = pick(seed, (100.0, 1.0, 2.0, 0.5), cases)
    far, near = (top_far, *(low_far,) * 3), (top_near, *(low_near,) * 3)
    numbers = Numbers(
        q=((1.0, 0.0), (0.0, 1.0)), k=tuple(zip(far, near, strict=True)), v=((1.0,), (0.0,), (0.0,), (0.0,))
    )
    settings = AttentionSettings(source="custom", numbers=numbers, scale="none")
    rows = trace_attention(settings).weights[0]
    slopes = dict(zip((far, near), (rows[:, 0] * rows[:, 1:].sum(axis=1)).tolist(), strict=True))
    small, large = sorted(slopes, key=lambda scores: slopes[scores])
    answer = (f"({_listed(small)})", f"({_listed(large)})")
    top = float(rows[1, 0])
    return Task(
        setup=f"Softmax is taken of two rows of scores, $({_listed(near)})$ and $({_listed(far)})$. "
        "When its score moves a little, the largest weight $p$ of a row moves with the slope $p(1 - p)$.",
        question="Order the rows from the smaller slope to the larger, and give the larger slope.",
        parts=(
            Part("order", answer, "smaller slope first", out_of_order(seed, answer), words=("equal",)),
            Part("number", slopes[large], "the larger slope", tolerance=0.02),
        ),
        wrong=(
            Wrong((answer[::-1], None), "a confident softmax learns fastest",
                  "A softmax that is almost certain "
                  "hardly moves when its scores move. There is little left to learn from."),
            Wrong(("equal", None), "the slope of softmax is the same everywhere",
                  "$p(1 - p)$ depends on $p$: it is "
                  "largest at $p = 0.5$ and goes to 0 as $p$ nears 1."),
        ),
        explain=f"In ({_listed(small)}) the largest weight is as good as 1, and the slope is "
        f"{_power_of_ten(slopes[small])}. In ({_listed(large)}) it is {top:.4f}, and "
        f"$p(1 - p)$ is {slopes[large]:.4f}.",
        link=settings.to_query(),
    )  # fmt: skip


SCALING = (
    Exercise(
        "X20",
        "A printed row of weights",
        "softmax",
        "core",
        "soft-lookup",
        ("lesson B, Scale: the printed softmax rows",),
        _four_scores,
    ),
    Exercise(
        "X21",
        "The division taken away",
        "scaling",
        "core",
        "soft-lookup",
        (
            "lesson A, Notice: unscaled, the row is almost one-hot",
            "lesson A, Watch out: large unscaled scores",
            "lesson A, Common mistake: no scaling at all",
            "lesson C, Why divide: eight scores",
        ),
        _scaling_removed,
    ),
    Exercise(
        "X22",
        "Two rows and their slopes",
        "softmax",
        "core",
        "playground",
        ("lesson A, Notice: tiny gradients of a saturated softmax", "lesson B, Scale: gradients of two rows"),
        _which_slope_is_left,
    ),
)
