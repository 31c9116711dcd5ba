"""Predict, then check: every exercise, as data."""

from core.exercises.exercise import Exercise
from core.exercises.items.axes import AXES
from core.exercises.items.before_transformers import BEFORE_TRANSFORMERS
from core.exercises.items.block import BLOCK
from core.exercises.items.by_hand import BY_HAND
from core.exercises.items.causal import CAUSAL
from core.exercises.items.cost import COST
from core.exercises.items.decoder import DECODER
from core.exercises.items.growing_cache import GROWING_CACHE
from core.exercises.items.head_pictures import HEAD_PICTURES
from core.exercises.items.heads import HEADS
from core.exercises.items.interview_block import INTERVIEW_BLOCK
from core.exercises.items.interview_cache import INTERVIEW_CACHE
from core.exercises.items.interview_cost import INTERVIEW_COST
from core.exercises.items.interview_decoding import INTERVIEW_DECODING
from core.exercises.items.interview_scores import INTERVIEW_SCORES
from core.exercises.items.layouts import LAYOUTS
from core.exercises.items.lookup import LOOKUP
from core.exercises.items.masks import MASKS
from core.exercises.items.more_masks import MORE_MASKS
from core.exercises.items.pipeline import PIPELINE
from core.exercises.items.positions import POSITIONS
from core.exercises.items.printed_rows import PRINTED_ROWS
from core.exercises.items.queries_and_values import QUERIES_AND_VALUES
from core.exercises.items.reading import READING
from core.exercises.items.rope import ROPE
from core.exercises.items.scale import SCALE
from core.exercises.items.scaling import SCALING
from core.exercises.items.sharing import SHARING
from core.exercises.items.softmax_axis import SOFTMAX_AXIS
from core.exercises.items.softmax_order import SOFTMAX_ORDER
from core.exercises.items.stack import STACK
from core.exercises.items.training import TRAINING
from core.exercises.items.turning import TURNING

EXERCISES: tuple[Exercise, ...] = tuple(
    sorted(
        (
            *LOOKUP, *SCALE, *SOFTMAX_ORDER, *SOFTMAX_AXIS, *CAUSAL, *MASKS, *PIPELINE, *SCALING, *HEADS,
            *HEAD_PICTURES, *POSITIONS, *ROPE, *COST, *SHARING, *BLOCK, *READING, *QUERIES_AND_VALUES,
            *MORE_MASKS, *LAYOUTS, *BY_HAND, *DECODER, *AXES, *TURNING, *STACK, *GROWING_CACHE,
            *BEFORE_TRANSFORMERS, *PRINTED_ROWS, *INTERVIEW_SCORES, *INTERVIEW_COST, *INTERVIEW_CACHE,
            *INTERVIEW_BLOCK, *INTERVIEW_DECODING, *TRAINING,
        ),
        key=lambda exercise: ("XNTI".index(exercise.id[0]), exercise.id),  # interviews last
    )
)  # fmt: skip
