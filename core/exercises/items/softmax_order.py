"""Exercises on what softmax keeps: gaps and order, not the level of the scores."""

import numpy as np

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import floats, four_digits, listed, pick, shuffled
from core.lessons.masking_cases import LESSON_SCORES
from core.lessons.soft_lookup import SoftLookupSettings, exact_lookup, trace_soft_lookup

_CLAIMED = (0.28, 0.41, 0.31)  # what lesson B prints for the three scores that its query may see
_NOT_A_NUMBER = "it does not exist (NaN)"


def _large_scores(seed: int) -> Task:
    """Softmax of large scores a small step apart. Twins draw the level and the steps."""
    steps = [(0, 2, 1), (1, 0, 2), (2, 1, 0), (0, 1, 3), (1, 3, 0), (1, 0, 1.5), (0, 1.5, 0.5)]
    level, step = pick(seed, (1000, (0, 1, 2)), [(c, s) for c in (800, 1200, 2000) for s in steps])
    scores = level + np.array(step, dtype=float)
    settings = SoftLookupSettings(source="three-tokens", edit=("scaled", floats(scores)), step=3)
    weights = trace_soft_lookup(settings).weights
    ordered = np.sort(scores)[::-1]
    shares = np.exp(ordered - ordered[0])  # of the largest exponential
    return Task(
        setup=f"Three scaled scores: {listed(floats(scores))}.",
        question="What does softmax make of them? Draw the three bars.",
        parts=(
            Part("row", floats(weights), options=("key 0", "key 1", "key 2"), words=(_NOT_A_NUMBER,),
                 tolerance=0.04),
        ),
        wrong=(
            Wrong((floats(scores / scores.sum()),), "scores divided by their sum",
                  "Exponentials are divided by their sum, not scores. "
                  f"$e^{{{ordered[0]:g}}}$ is {1 / shares[1]:.4f} times as large as $e^{{{ordered[1]:g}}}$."),
            Wrong((floats(exact_lookup(scores)),), "large scores saturate, whatever the gaps",
                  f"The top two are {ordered[0] - ordered[1]:g} apart, so the second has "
                  f"{shares[1]:.4f} of the weight of the first."),
            Wrong((_NOT_A_NUMBER,), "exp overflows, so there is no answer",
                  f"A program that works out $e^{{{scores.max():g}}}$ does break. The weights exist all the "
                  "same: quotients of such powers are ordinary numbers."),
        ),
        explain=f"As shares of the largest, $e^{{{ordered[0]:g}}}$, the exponentials are from the top down "
        f"{four_digits(shares)}, with the sum {shares.sum():.4f}. So the weights are {four_digits(weights)}.",
        link=settings.to_query(),
    )  # fmt: skip


def _same_shift(seed: int) -> Task:
    """The same number added to every score. Twins draw the query, the key and the number."""
    seldom_read = ((0, 1), (1, 0), (2, 0), (2, 1))  # where saturation would leave nothing
    cases = [(i, j, c) for i, j in seldom_read for c in (2, 3, 4, 10)]
    query, key, shift = pick(seed, (0, 1, 5), cases)
    before = trace_soft_lookup(SoftLookupSettings(source="three-tokens", query=query, step=3))
    shifted = floats(before.scaled + shift)
    settings = SoftLookupSettings(source="three-tokens", query=query, edit=("scaled", shifted), step=3)
    old, new = (float(each.weights[key]) for each in (before, trace_soft_lookup(settings)))
    grown = float(old * np.exp(shift))
    return Task(
        setup=f"The scaled scores of one query are {four_digits(before.scaled)}, for keys 0, 1 and 2. "
        f"Now {shift} is added to all three.",
        question=f"By how much does the weight on key {key} change?",
        parts=(Part("number", round(new - old, 9) + 0.0, tolerance=0.005),),
        wrong=(
            Wrong((grown - old,), "higher scores, higher weights",
                  f"The exponential of key {key} does grow by the factor $e^{{{shift}}}$. So does the sum "
                  "below it."),
            Wrong((-old,), "large scores saturate, whatever the gaps",
                  "One key takes all only where the gaps between scores are large. Here the gaps stay "
                  "as they were."),
        ),
        explain=f"The factor $e^{{{shift}}}$ stands above and below the line and cancels. The weight is "
        f"{old:.4f} before and {new:.4f} after.",
        link=settings.to_query(),
    )  # fmt: skip


def _row_out_of_order(seed: int) -> Task:
    """A printed row that cannot be a softmax. Twins draw other scores and swap two weights of theirs."""
    twins = [(0.6, 0.2, 0.9), (0.4, 0.1, 0.6), (1.0, 0.7, 0.4), (0.2, 0.7, 0.4), (0.9, 0.6, 0.3)]
    scores = pick(seed, LESSON_SCORES[:3], twins)
    settings = SoftLookupSettings(source="three-tokens", edit=("scaled", scores), step=3)
    row = trace_soft_lookup(settings).weights
    low, middle, _ = (int(j) for j in np.argsort(scores))
    claimed = _CLAIMED if seed == 0 else _swapped(row, low, middle)
    fact = f"the score {scores[low]:g} got more weight than the score {scores[middle]:g}"
    total, top, nothing = "it does not sum to 1", "its largest weight is below 0.5", "nothing is wrong"
    printed = ", ".join(f"{w:.2f}" for w in claimed)
    return Task(
        setup=f"A page says: the scaled scores {listed(scores)}, with a fourth one hidden by the mask, give "
        f"the weights {printed}, and 0 for the hidden key.",
        question="Do not work out any exponential. Which fact shows that the row is wrong?",
        parts=(Part("choose", fact, options=shuffled(seed + 1, (fact, total, top, nothing))),),
        wrong=(
            Wrong((total,), "a wrong row never sums to 1",
                  f"{' + '.join(f'{w:.2f}' for w in claimed)} = {sum(claimed):.2f}, as it should be."),
            Wrong((top,), "the best match takes at least half",
                  f"There is no such rule. The largest weight of the right row, {row.max():.4f}, is also "
                  "below 0.5."),
            Wrong((nothing,), "a printed value is right",
                  "Softmax keeps the order: a higher score always gets more weight. Compare the two smaller "
                  "weights."),
        ),
        explain=f"$e^x$ grows with $x$, so the weights stand in the order of the scores. The right row is "
        f"{four_digits(row)}.",
        link=settings.to_query(),
    )  # fmt: skip


def _swapped(row: np.ndarray, low: int, middle: int) -> tuple[float, ...]:
    """The row to two digits, its two smaller weights swapped, and still a sum of 1."""
    wrong = np.round(row, 2)
    wrong[low], wrong[middle] = wrong[middle], wrong[low]
    best = int(np.argmax(row))
    wrong[best] = 1 - (wrong.sum() - wrong[best])
    return tuple(float(round(w, 2)) for w in wrong)


SOFTMAX_ORDER = (
    Exercise(
        "X04",
        "Scores of a thousand",
        "softmax",
        "core",
        "soft-lookup",
        ("lesson A, Predict: softmax of 1000, 1001, 1002",),
        _large_scores,
    ),
    Exercise(
        "X05",
        "The same number added to every score",
        "softmax",
        "core",
        "soft-lookup",
        (
            "lesson A, step 1: taking off the maximum changes nothing",
            "question B22: does taking off the maximum change the weights?",
        ),
        _same_shift,
    ),
    Exercise(
        "X14",
        "A row and its scores",
        "softmax",
        "core",
        "soft-lookup",
        ("lesson B, Causal masking: its printed row",),
        _row_out_of_order,
    ),
)
