"""The pictures of the playground."""

from core.figures.compare import compare_figure, describe_compare
from core.figures.heatmap import describe_heads, heads_figure
from core.figures.saturation import describe_saturation, saturation_figure
from core.settings import AttentionSettings
from core.trace import AttentionTrace, trace_attention
from pages.ui import cache
from pages.ui.cell_panel import cell_panel
from pages.ui.pictures.picture import Picture
from pages.ui.saturation_panel import curves_legend, row_table
from pages.ui.truth_strip import truth_strip


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


def _saturation(trace: AttentionTrace) -> Picture:
    curves = cache.curves(len(trace.key_tokens))
    return Picture(
        saturation_figure(curves, trace.d_k),
        describe_saturation(curves, trace.d_k),
        "softmax-saturation",
        below=curves_legend(curves, trace),
    )
