"""The pictures of the training lab: curves, heads at one moment, and what they say in numbers."""

from core.figures.theme import OUTLINE
from core.figures.training import (
    curves_figure,
    describe_curves,
    describe_trained_heads,
    look,
    trained_heads_figure,
)
from core.training.course import Course, recorded
from core.training.experiments import TrainingSettings
from core.training.measures import MEASURES
from pages.ui import training_pool
from pages.ui.html import safe
from pages.ui.pictures.picture import Picture

_DASH_ARRAYS = {"solid": "none", "dash": "8 5", "dashdot": "8 4 2 4", "longdash": "14 5"}  # as Plotly's


def training(settings: TrainingSettings) -> dict[str, Picture]:
    """Return the curves of an experiment, and the heads of the run in view at the moment in view."""
    experiment, mine = settings.chosen, own_course(settings)
    is_mine = mine is not None and mine.run.name == settings.run and len(mine.drawn_at)
    shown = mine if mine is not None and is_mine else recorded(settings.run)
    index = moment(shown, settings.step)
    courses = [recorded(name) for name in experiment.runs]
    step = int(shown.drawn_at[index])
    return {
        "curves": Picture(
            curves_figure(experiment, courses, mine, step),
            describe_curves(experiment, courses, mine),
            "training",
            below=_legend(settings, mine),
        ),
        "heads": Picture(
            trained_heads_figure(shown, index, settings.head),
            describe_trained_heads(shown, index),
            "trained-heads",
            below=_numbers(shown, step, shown is mine) + _written(shown, index),
        ),
    }


def own_course(settings: TrainingSettings) -> Course | None:
    """Return the training in the server's memory that is shown, as far as it has come, or None."""
    job = training_pool.pool().find(settings.mine) if settings.mine else None
    if job is None or job.run.name not in settings.chosen.runs:
        return None
    return job.course


def moment(course: Course, step: int) -> int:
    """Return the index of the last moment with heads at or before a step."""
    return max(0, int((course.drawn_at <= step).sum()) - 1)


def _legend(settings: TrainingSettings, mine: Course | None) -> str:
    parts = []
    for name in settings.chosen.runs:
        parts.append(_swatch(*look(settings.chosen, name)) + safe(recorded(name).run.title))
    if mine is not None:
        own = f"<b>this training</b>: {safe(mine.run.title)}, seed {mine.seeds[0]}"
        parts.append(_swatch(OUTLINE, "solid") + own)
    words = " ".join(f"<span class='lab-nobreak'>{part}</span>" for part in parts)
    return (
        f"<p class='lab-legend'>{words}</p><p class='lab-dim'>Recorded: mean of three seeds, the band from "
        "the least to the largest. Thin dotted: chance, ln V.</p>"
    )


def _swatch(colour: str, dash: str) -> str:
    return (
        "<svg class='lab-dash' width='38' height='8' aria-hidden='true'><path d='M2 4H36' "
        f"stroke='{colour}' stroke-width='3.5' stroke-dasharray='{_DASH_ARRAYS[dash]}'/></svg>"
    )


def _numbers(course: Course, step: int, own: bool) -> str:
    at = int((course.steps <= step).sum()) - 1
    whose = f"trained here, seed {course.seeds[0]}" if own else f"recorded, seed {course.seeds[0]}"
    chips = [f"<b>step {step:,}</b> of {course.run.steps:,} ({whose})"]
    for i, measure in enumerate(MEASURES[course.run.task]):
        chips.append(f"{measure.title}: <b>{course.values[0, i, at]:.3f}</b>")
    words = " ".join(f"<span class='lab-chip'>{chip}</span>" for chip in chips)
    return f"<section class='lab-truth lab-wrap-chips' aria-label='In numbers'><p>{words}</p></section>"


def _written(course: Course, index: int) -> str:
    if not course.texts[index]:
        return ""
    start = "".join(course.tokens).replace("␣", " ")
    text = safe(course.texts[index].replace("\n", "⏎"))
    return (
        "<p class='lab-dim'>What it writes now, character by character:</p>"
        f"<p class='lab-written'>{safe(start)}<b>{text}</b></p>"
    )
