"""What the app asks PyTorch, by name: URL parameters in, something that JSON can hold out."""

from collections.abc import Callable, Mapping
from typing import Any

from core.lessons.cost import CostSettings, trace_cost
from core.lessons.cost_measured import measure_apart
from core.lessons.heads import HeadsSettings, trace_heads
from core.lessons.kv_cache import KVCacheSettings
from core.lessons.scaling import ScalingSettings
from core.reference import block, kv_cache, masking, positions
from core.reference.attention import difference_from_torch
from core.reference.cost import flash_verdict
from core.reference.heads import counts_verdict, module_verdict
from core.reference.scaling import autograd_gradients
from core.settings import AttentionSettings
from core.trace import trace_attention

Query = Mapping[str, str]


def attention(query: Query) -> float | None:
    """Return the largest difference between our output and PyTorch's; None if no row has a key."""
    settings, _ = AttentionSettings.from_query(query)
    return difference_from_torch(trace_attention(settings))


def gradients(query: Query) -> dict[str, dict[str, float]]:
    """Return the gradients through softmax by autograd."""
    settings, _ = ScalingSettings.from_query(query)
    return autograd_gradients(settings)


def heads_module(query: Query) -> dict[str, float]:
    """Return our multi-head attention against ``nn.MultiheadAttention`` with the same weights."""
    settings, _ = HeadsSettings.from_query(query)
    return module_verdict(trace_heads(settings))


def heads_counts(query: Query) -> dict[str, int]:
    """Return the parameters of a wide layer as ``nn.MultiheadAttention`` counts them."""
    settings, _ = HeadsSettings.from_query(query)
    return counts_verdict(settings)


def cost_flash(query: Query) -> dict[str, Any]:
    """Return our tiled attention against PyTorch's kernels."""
    settings, _ = CostSettings.from_query(query)
    return flash_verdict(trace_cost(settings))


def cost_measured(_: Query) -> dict[str, Any]:
    """Return time and memory of attention here, measured apart from the app's own process."""
    return measure_apart().plain()


def kv_cache_decoding(query: Query) -> dict[str, Any]:
    """Return our decoding with a cache against PyTorch's."""
    settings, _ = KVCacheSettings.from_query(query)
    return kv_cache.decoding(settings)


def kv_cache_timing(_: Query) -> dict[str, Any]:
    """Return what decoding takes on this machine; in this process, where it holds nobody up."""
    return kv_cache.timing()


QUESTIONS: dict[str, Callable[[Query], Any]] = {
    "attention": attention,
    "scaling.gradients": gradients,
    "heads.module": heads_module,
    "heads.counts": heads_counts,
    "cost.flash": cost_flash,
    "cost.measured": cost_measured,
    "block.gradients": block.gradients,
    "masking.dtypes": masking.dtypes,
    "masking.empty": masking.empty,
    "masking.meaning": masking.meaning,
    "masking.alignment": masking.alignment,
    "positions.rope": positions.rope,
    "positions.bfloat16": positions.bfloat16,
    "kv_cache.decoding": kv_cache_decoding,
    "kv_cache.timing": kv_cache_timing,
}
