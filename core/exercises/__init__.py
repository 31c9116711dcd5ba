"""Predict, then check: every exercise, as data."""

from core.exercises.exercise import Exercise
from core.exercises.items.causal import CAUSAL
from core.exercises.items.lookup import LOOKUP
from core.exercises.items.masks import MASKS
from core.exercises.items.scale import SCALE
from core.exercises.items.softmax_axis import SOFTMAX_AXIS
from core.exercises.items.softmax_order import SOFTMAX_ORDER

EXERCISES: tuple[Exercise, ...] = (
    *LOOKUP,
    *SCALE,
    *SOFTMAX_ORDER,
    *SOFTMAX_AXIS,
    *CAUSAL,
    *MASKS,
)
"""The exercises, by topic."""
