"""Exercises on attention as a soft lookup."""

import numpy as np

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.lessons.soft_lookup import SoftLookupSettings, trace_soft_lookup
from core.numbers import Numbers
from core.ops.attention import softmax


def _share_of_the_other(seed: int) -> Task:
    """Two keys; the query equals the first. Twins draw other lengths and values."""
    draw = np.random.default_rng(seed)
    length = 1.0 if seed == 0 else float(draw.choice([1.5, 2.0, 2.5]))
    v1, v2 = (10.0, 6.0) if seed == 0 else (float(x) for x in draw.choice([2, 4, 8, 12], 2, replace=False))
    numbers = Numbers(q=((length, 0.0),), k=((1.0, 0.0), (0.0, 1.0)), v=((v1, 0.0), (0.0, v2)))
    settings = SoftLookupSettings(source="custom", numbers=numbers, step=4)
    lookup = trace_soft_lookup(settings)
    share = float(lookup.weights[1])
    unscaled = float(softmax(lookup.scores)[1])
    return Task(
        setup=f"One query $q = ({length:g}, 0)$ and two keys, $k_1 = (1, 0)$ and $k_2 = (0, 1)$, with values "
        f"$v_1 = ({v1:g}, 0)$ and $v_2 = (0, {v2:g})$. $d_k = 2$.",
        question="One value makes up most of the output. What share is left for the other, $v_2$?",
        parts=(Part("number", share, tolerance=0.02),),
        wrong=(
            Wrong((0.0,), "the best match takes all", "Softmax never gives a finite score exactly 0: "
                  f"$v_2$ keeps {share:.2f} here."),
            Wrong((0.5,), "attention is a plain average", "Key 1 scores higher, so it gets more than half."),
            Wrong((unscaled,), "the scale forgotten", f"That is softmax of the raw scores {length:g} and 0. "
                  "Divide them by √2 first."),
        ),
        explain=f"The scaled scores are {lookup.scaled[0]:.4f} and 0. Softmax makes "
        f"{lookup.weights[0]:.4f} and {share:.4f} of them.",
        link=settings.to_query(),
    )  # fmt: skip


LOOKUP = (
    Exercise(
        "X01",
        "What the best match leaves over",
        "soft lookup",
        "intro",
        "soft-lookup",
        ("lesson A, Try it 1",),
        _share_of_the_other,
    ),
)
