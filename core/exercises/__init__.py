"""Predict, then check: every exercise, as data."""

from core.exercises.exercise import Exercise
from core.exercises.items.lookup import LOOKUP
from core.exercises.items.softmax_axis import SOFTMAX_AXIS
from core.exercises.items.softmax_order import SOFTMAX_ORDER

EXERCISES: tuple[Exercise, ...] = (*LOOKUP, *SOFTMAX_AXIS, *SOFTMAX_ORDER)
"""The exercises, by topic."""
