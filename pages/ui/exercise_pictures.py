"""Prediction and result in one picture."""

from core.exercises.exercise import Answer, Part
from pages.ui.exercise_inputs import as_text
from pages.ui.html import safe, table


def overlay(part: Part, given: Answer | None) -> str:
    """Return HTML."""
    return table(
        "Prediction and result",
        ["", ""],
        [["You predicted", safe(as_text(part, given))], ["Computed", safe(as_text(part, part.answer))]],
    )
