"""What stands in the pictures of a page: settings in, figures and the words around them out.

The page's script draws them, and so does the route that answers while a slider is dragged
(``pages/ui/live_route.py``). Both ask here, so they cannot differ.
"""

from collections.abc import Callable
from dataclasses import dataclass

import plotly.graph_objects as go

from core.figures.compare import compare_figure, describe_compare
from core.figures.heatmap import describe_heads, heads_figure
from core.figures.saturation import describe_saturation, saturation_figure
from core.settings import AttentionSettings
from core.trace import AttentionTrace, trace_attention
from pages.ui import cache
from pages.ui.cell_panel import cell_panel
from pages.ui.saturation_panel import curves_legend, row_table
from pages.ui.truth_strip import truth_strip


@dataclass(frozen=True)
class Picture:
    """A figure, its text alternative, and the HTML that stands with it and changes with it."""

    figure: go.Figure
    alt: str
    file_name: str  # of the PNG that the plot's own button saves, without its ending
    beside: str = ""
    below: str = ""

    def data(self) -> dict[str, str]:
        """Return what the browser gets. The figure is JSON already."""
        return {
            "figure": self.figure.to_json(),
            "alt": self.alt,
            "fileName": self.file_name,
            "beside": self.beside,
            "below": self.below,
        }


def playground(settings: AttentionSettings) -> dict[str, Picture]:
    """Return the heads, or two settings compared, with one cell's arithmetic or with the curves."""
    trace = trace_attention(settings)
    pinned = settings.pinned()
    strip = truth_strip(trace, name="B" if pinned else "")
    if pinned is None:
        figure, alt = heads_figure(trace), describe_heads(trace)
    else:
        other = trace_attention(pinned)
        figure, alt = compare_figure(other, trace), describe_compare(other, trace)
    if settings.panel == "saturation":
        heads = Picture(figure, alt, "attention", below=strip + row_table(trace))
        return {"heads": heads, "saturation": _saturation(trace)}
    if pinned is None:
        return {"heads": Picture(figure, alt, "attention", below=strip, beside=cell_panel(trace))}
    # Compared pictures need the width: the arithmetic goes below them.
    return {"heads": Picture(figure, alt, "attention-compared", below=strip + cell_panel(trace, name="B"))}


def home(settings: AttentionSettings) -> dict[str, Picture]:
    """Return one small picture."""
    trace = trace_attention(settings)
    return {"home": Picture(heads_figure(trace), describe_heads(trace), "attention")}


VIEWS: dict[str, Callable[[AttentionSettings], dict[str, Picture]]] = {
    "playground": playground,
    "home": home,
}


def _saturation(trace: AttentionTrace) -> Picture:
    curves = cache.curves(len(trace.key_tokens))
    return Picture(
        saturation_figure(curves, trace),
        describe_saturation(curves, trace),
        "softmax-saturation",
        below=curves_legend(curves, trace),
    )
