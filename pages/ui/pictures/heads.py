"""The pictures of the page about heads."""

from core.figures.heads import describe_head_weights, head_weights_figure
from core.lessons.head_counts import layer_counts
from core.lessons.heads import HeadsSettings, trace_heads
from pages.ui.head_checks import agreement, counts
from pages.ui.head_mistakes import mistakes
from pages.ui.head_stages import stage
from pages.ui.pictures.picture import Picture


def heads(settings: HeadsSettings) -> dict[str, Picture]:
    """Return the step that is looked at, all heads' weights, the checks, the counts and the mistakes."""
    trace = trace_heads(settings)
    return {
        "stage": Picture(None, below=stage(trace)),
        "weights": Picture(head_weights_figure(trace), describe_head_weights(trace), "heads"),
        "agreement": Picture(None, below=agreement(trace)),
        "counts": Picture(None, below=counts(trace, layer_counts(settings.wide))),
        "mistakes": Picture(None, below=mistakes(trace)),
    }
