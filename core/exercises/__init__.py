"""Predict, then check: every exercise, as data."""

from core.exercises.exercise import Exercise
from core.exercises.items.block import BLOCK
from core.exercises.items.layouts import LAYOUTS
from core.exercises.items.lookup import LOOKUP
from core.exercises.items.more_masks import MORE_MASKS
from core.exercises.items.queries_and_values import QUERIES_AND_VALUES
from core.exercises.items.reading import READING
from core.exercises.items.sharing import SHARING

EXERCISES: tuple[Exercise, ...] = (
    *LOOKUP,
    *SHARING,
    *BLOCK,
    *READING,
    *QUERIES_AND_VALUES,
    *MORE_MASKS,
    *LAYOUTS,
)
