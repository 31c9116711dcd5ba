"""Predict, then check: every exercise, as data."""

from core.exercises.exercise import Exercise
from core.exercises.items.lookup import LOOKUP

EXERCISES: tuple[Exercise, ...] = (*LOOKUP,)
