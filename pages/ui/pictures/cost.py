"""The pictures of the page about cost."""

from core.figures.cost import describe_growth, describe_measured, growth_figure, measured_figure
from core.figures.cost_window import describe_window, window_figure
from core.lessons.cost import CostSettings, trace_cost
from core.lessons.cost_measured import Measured
from pages.ui.cost_mistakes import cost_mistakes
from pages.ui.cost_tables import (
    doubling,
    measured_legend,
    measured_words,
    sharing,
    window_words,
)
from pages.ui.cost_walk import walk
from pages.ui.pictures.picture import Picture


def cost(settings: CostSettings) -> dict[str, Picture]:
    """Return growth with n, the walk, the window through layers, shared heads, and the mistakes."""
    trace = trace_cost(settings)
    near, depth = settings.near, settings.depth
    return {
        "growth": Picture(
            growth_figure(settings), describe_growth(settings), "growth", below=doubling(settings)
        ),
        "walk": Picture(None, below=walk(trace)),
        "window": Picture(
            window_figure(near, depth), describe_window(near, depth), "window", below=window_words(settings)
        ),
        "sharing": Picture(None, below=sharing(settings)),
        "mistakes": Picture(None, below=cost_mistakes(trace)),
    }


def measured_picture(measured: Measured) -> Picture:
    """Return what was measured here. It does not depend on the settings."""
    return Picture(
        measured_figure(measured),
        describe_measured(measured),
        "measured",
        below=measured_legend() + measured_words(measured),
    )
