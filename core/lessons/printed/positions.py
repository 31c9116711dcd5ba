"""The numbers of the lessons that /positions shows."""

import math

import numpy as np

from core.lessons.order_blind import trace_order
from core.lessons.positions import PositionsSettings, trace_rope
from core.lessons.printed.number import Printed
from core.ops.rope import apply_rope, rope_angles


def _permuted() -> str:
    three = PositionsSettings(text="dog bites man", order=(2, 1, 0))
    if trace_order(three).output_difference > 1e-12:
        return "neither"
    return "equivariant (outputs are shuffled the same way)"


def _quarter() -> np.ndarray:
    return apply_rope(np.array([[1.0, 0.0]]), np.array([math.pi / 2]))[0]  # θ = 1: the position is the angle


def _score(m: int, n: int) -> float:
    return trace_rope(PositionsSettings(example="lesson", m=m, n=n)).score


NUMBERS: tuple[Printed, ...] = (
    Printed(
        "A-perm",
        "positions",
        "what shuffled tokens do to the outputs",
        "permutation-invariant",
        _permuted,
        remark="Imprecise: the same rows, shuffled along. With a causal mask not even that.",
    ),
    Printed(
        "C-rot90",
        "positions",
        "(1, 0) turned by 90°",
        "(0, 1)",
        _quarter,
        remark="π/2 is rounded, so the cosine is not quite 0.",
    ),
    Printed(
        "C-theta",
        "positions",
        "θ_i for d = 8 and base 10,000",
        "",
        lambda: rope_angles(np.ones(1), 8)[0],
        remark="The lesson gives the formula. For d = 2 it is θ = 1; the example takes 0.5.",
    ),
    Printed(
        "C-rope0",
        "positions",
        "q = (1, 2) and k = (3, 1) without rotation",
        "5",
        lambda: trace_rope(PositionsSettings(example="lesson", m=0, n=0)).unrotated,
    ),
    Printed(
        "C-rope-3-1",
        "positions",
        "score, query at 3, key at 1, θ = 0.5",
        "−1.506",
        lambda: _score(3, 1),
        digits=3,
    ),
    Printed(
        "C-rope-7-5",
        "positions",
        "score, query at 7, key at 5",
        "−1.506",
        lambda: _score(7, 5),
        remark="The distance is 2 again.",
        digits=3,
    ),
    Printed(
        "C-rope-5-7",
        "positions",
        "score, query at 5, key at 7",
        "6.909",
        lambda: _score(5, 7),
        remark="Distance −2: the direction counts.",
        digits=3,
    ),
)
