"""The picture on the first page."""

from core.figures.heatmap import describe_heads, heads_figure
from core.settings import AttentionSettings
from core.trace import trace_attention
from pages.ui.pictures.picture import Picture


def home(settings: AttentionSettings) -> dict[str, Picture]:
    """Return one small picture."""
    trace = trace_attention(settings)
    return {"home": Picture(heads_figure(trace), describe_heads(trace), "attention")}
