"""Predict, then check: every exercise, as data."""

from core.exercises.exercise import Exercise
from core.exercises.items.cost import COST
from core.exercises.items.head_pictures import HEAD_PICTURES
from core.exercises.items.heads import HEADS
from core.exercises.items.lookup import LOOKUP
from core.exercises.items.pipeline import PIPELINE
from core.exercises.items.positions import POSITIONS
from core.exercises.items.rope import ROPE
from core.exercises.items.scaling import SCALING

EXERCISES: tuple[Exercise, ...] = (
    *LOOKUP,
    *PIPELINE,
    *SCALING,
    *HEADS,
    *HEAD_PICTURES,
    *POSITIONS,
    *ROPE,
    *COST,
)
