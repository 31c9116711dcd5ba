"""Exercises on what queries and values do in one lookup."""

from functools import lru_cache
from itertools import product

import numpy as np

from core.examples import WORKED_EXAMPLES
from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import apart, digits, pick, shuffled, source_of, vector
from core.lessons.soft_lookup import SoftLookupSettings, trace_soft_lookup
from core.numbers import Matrix, Numbers
from core.ops.attention import softmax

_THREE = WORKED_EXAMPLES["three-tokens"].numbers
_TWO = WORKED_EXAMPLES["two-keys"].numbers
_KEYS: Matrix = ((1.0, 2.0), (2.0, 0.0), (0.0, 3.0), (1.0, 1.0), (3.0, 1.0), (2.0, 2.0))
_VALUES: Matrix = ((4.0, 0.0), (0.0, 8.0), (2.0, 6.0), (6.0, 2.0), (8.0, 4.0), (1.0, 1.0))


def _named(letter: str, rows: Matrix) -> str:
    return ", ".join(f"${letter}_{i} = {vector(row)}$" for i, row in enumerate(rows))


_CROWDS = tuple(
    (Numbers(q=_KEYS[:n], k=_KEYS[:n], v=_VALUES[:n]), token)
    for n in (2, 4, 5, 6)
    for token in range(n)
)  # fmt: skip


def _an_empty_query(seed: int) -> Task:
    """Twins draw another number of keys, and another token."""
    numbers, token = pick(seed, (_THREE, 0), _CROWDS)
    settings = SoftLookupSettings(**source_of(numbers), query=token, q=(0.0, 0.0), step=3)
    lookup = trace_soft_lookup(settings)
    weight, n = float(lookup.weights[token]), len(numbers.k)
    return Task(
        setup=f"{n} tokens have the keys {_named('k', numbers.k)} and the values {_named('v', numbers.v)}. "
        f"Queries equal keys, but the query of token {token} is now set to $(0, 0)$. There is no mask.",
        question=f"What weight does token {token} give to its own key?",
        parts=(Part("number", weight, tolerance=0.01),),
        wrong=(
            Wrong((0.0,), "a score of 0 means a weight of 0",
                  "Every score is 0, and $e^0 = 1$: each key gets the "
                  "same. The row still sums to 1."),
            Wrong((1.0,), "a token reads mostly itself",
                  f"With a query of zeros nothing speaks for its own key; "
                  f"all {n} score 0."),
        ),
        explain=f"All scores are 0, so each of the {n} keys gets {weight:.4f}. The output is the mean of the "
        f"values, {vector(lookup.output.round(4))}.",
        link=settings.to_query(),
    )  # fmt: skip


_TIMES = tuple(
    (Numbers(q=_TWO.q, k=_TWO.k, v=v), times)
    for v, times in product(
        (((4.0, 0.0), (0.0, 8.0)), ((2.0, 1.0), (1.0, 5.0)), _TWO.v), (2.0, 3.0, 5.0, 10.0)
    )
    if (v, times) != (_TWO.v, 2.0)
)


def _louder_values(seed: int) -> Task:
    """Twins draw other values and another factor."""
    numbers, times = pick(seed, (_TWO, 2.0), _TIMES)
    louder = Numbers(q=numbers.q, k=numbers.k, v=tuple(tuple(times * x for x in row) for row in numbers.v))
    before = trace_soft_lookup(SoftLookupSettings(source="custom", numbers=numbers, step=4))
    after = trace_soft_lookup(SoftLookupSettings(source="custom", numbers=louder, step=4))
    grown = float(np.linalg.norm(after.output) / np.linalg.norm(before.output))
    assert np.array_equal(before.weights, after.weights)
    right = f"the output becomes {grown:g} times as large, the weights stay"
    sharper = "the weights become sharper"
    nothing = "nothing changes"
    return Task(
        setup=f"The query ${vector(numbers.q[0])}$ meets the keys {_named('k', numbers.k)} with the values "
        f"{_named('v', numbers.v)}. Now every value is multiplied by {times:g}.",
        question="What changes?",
        parts=(Part("choose", right, options=shuffled(seed, (right, sharper, nothing))),),
        wrong=(
            Wrong((sharper,), "values take part in the matching", "Scores come from $q$ and $k$ alone. A "
                  "value is read after the weights are settled."),
            Wrong((nothing,), "softmax cancels the size of the values",
                  "Softmax works on scores. What happens to values shows in "
                  "the output."),
        ),
        explain=f"The weights stay {digits(after.weights)}. The output goes from {digits(before.output)} to "
        f"{digits(after.output)}.",
        link=after.settings.to_query(),
    )  # fmt: skip


def _survives_rounding(numbers: Numbers, token: int, entry: int) -> bool:
    """Whether weights rounded to two digits still give the right number."""
    lookup = trace_soft_lookup(SoftLookupSettings(source="custom", numbers=numbers, query=token))
    return abs(lookup.weights.round(2) @ lookup.v[:, entry] - lookup.output[entry]) <= 0.03


def _second_numbers(numbers: Numbers, token: int, entry: int) -> tuple[float, ...]:
    """An entry of the output; of the worst match; by raw scores; of the mean; of the token's own value."""
    lookup = trace_soft_lookup(SoftLookupSettings(source="custom", numbers=numbers, query=token))
    v = lookup.v[:, entry]
    raw = softmax(lookup.scores) @ v
    return tuple(map(float, (lookup.output[entry], v[lookup.scores.argmin()], raw, v.mean(), v[token])))


@lru_cache
def _whole_lookups() -> tuple[tuple[Numbers, int, int], ...]:
    found = []
    for a, b, c in product((2.0, 6.0, 8.0), (10.0, 12.0, 20.0), ((5.0, 5.0), (4.0, 3.0), (3.0, 6.0))):
        numbers = Numbers(q=_THREE.q, k=_THREE.k, v=((a, 0.0), (0.0, b), c))
        for token, entry in product((0, 1), (0, 1)):
            fits = apart(_second_numbers(numbers, token, entry), 0.03)
            if fits and _survives_rounding(numbers, token, entry):
                found.append((numbers, token, entry))
    return tuple(found)


def _a_whole_lookup(seed: int) -> Task:
    """Twins draw other values, another token and another entry of the output."""
    numbers, token, entry = pick(seed, (_THREE, 0, 1), _whole_lookups())
    right, worst, raw, mean, own = _second_numbers(numbers, token, entry)
    settings = SoftLookupSettings(**source_of(numbers), query=token, step=4)
    lookup = trace_soft_lookup(settings)
    scores = ", ".join(f"{score:g}" for score in lookup.scores)
    least = int(lookup.scores.argmin())
    return Task(
        setup=f"Three tokens have queries equal to their keys, {_named('k', numbers.k)}, and the values "
        f"{_named('v', numbers.v)}. $d_k = 2$, and there is no mask.",
        question=f"What is the {('first', 'second')[entry]} number of token {token}'s output?",
        parts=(Part("number", right, tolerance=0.03),),
        wrong=(
            Wrong((worst,), "one value is read whole", f"That is $v_{least}$ alone, and key {least} is the "
                  f"worst match here: it gets {lookup.weights[least]:.4f}."),
            Wrong((raw,), "the scale forgotten", f"Those are the weights of the raw scores {scores}. Divide "
                  f"them by {lookup.divisor:.4f} first."),
            Wrong((mean,), "attention is a plain average", f"A third of each value would give {mean:g}, but "
                  f"key {least} gets only {lookup.weights[least]:.4f}."),
            Wrong((own,), "a token reads mostly itself", f"Its own key and key 2 match equally well, so "
                  f"$v_{token}$ has to share."),
        ),
        explain=f"The weights are {digits(lookup.weights)} and the output is {digits(lookup.output)}. "
        "Weights rounded to two digits give nearly the same, and count as right.",
        link=settings.to_query(),
    )  # fmt: skip


QUERIES_AND_VALUES = (
    Exercise("X51", "A query of zeros", "soft lookup", "core", "soft-lookup", ("our own",), _an_empty_query),
    Exercise("X52", "Louder values", "soft lookup", "intro", "soft-lookup", ("Kyubyong/transformer #170",),
             _louder_values),
    Exercise("X57", "A whole lookup", "soft lookup", "intro", "soft-lookup",
             ("lesson C, Soft lookup: the three tokens",), _a_whole_lookup),
)  # fmt: skip
