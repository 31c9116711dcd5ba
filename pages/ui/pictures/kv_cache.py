"""The pictures of the page about shared heads and the cache."""

from core.figures.kv_cache import cost_figure, decoding_figure, describe_cost, describe_decoding
from core.lessons.kv_cache import MAX_TOKENS, KVCacheSettings, trace_kv_cache
from core.lessons.kv_cache_wrong import mistakes_of
from core.lessons.kv_cost import DecodingCost, cost_curves
from core.lessons.kv_memory import trace_memory
from core.lessons.kv_sharing import trace_sharing
from pages.ui.kv_decoding import LEGEND, no_queries, step_panel, tape
from pages.ui.kv_memory import memory, models_table
from pages.ui.kv_mistakes import mistakes
from pages.ui.kv_sharing import sharing
from pages.ui.pictures.picture import Picture

_LEGEND = (
    "<p class='lab-legend'><i class='lab-line lab-scaled'></i>with a cache"
    "<i class='lab-line lab-unscaled'></i>without: the whole text at each step</p>"
)


def kv_cache(settings: KVCacheSettings) -> dict[str, Picture]:
    """Return who shares with whom, the decoded step, its cost, the memory and the mistakes."""
    trace = trace_kv_cache(settings)
    shared, found = trace_sharing(trace), trace_memory(settings)
    window = None if settings.window == MAX_TOKENS else settings.window
    cost = DecodingCost(settings.heads, settings.kv_heads, settings.d_k, window)
    curves = cost_curves(cost)
    return {
        "sharing": Picture(None, below=sharing(trace, shared)),
        "tape": Picture(None, below=tape(trace)),
        "decoding": Picture(
            decoding_figure(trace),
            describe_decoding(trace),
            "decoding",
            beside=step_panel(trace, cost),
            below=LEGEND,
            even=True,
        ),
        "cost": Picture(
            cost_figure(curves, cost, settings.step + 1), describe_cost(curves), "cost", below=_LEGEND
        ),
        "no_queries": Picture(None, below=no_queries(trace)),
        "memory": Picture(None, below=memory(found)),
        "models": Picture(None, below=models_table(settings)),
        "mistakes": Picture(None, below=mistakes(trace, mistakes_of(trace), shared, found)),
    }
