"""What the app asks PyTorch, by name: URL parameters in, something that JSON can hold out."""

from collections.abc import Callable, Mapping
from typing import Any

from core.reference import masking
from core.reference.attention import difference_from_torch
from core.settings import AttentionSettings
from core.trace import trace_attention

Query = Mapping[str, str]


def attention(query: Query) -> float | None:
    """Return the largest difference between our output and PyTorch's; None if no row has a key."""
    settings, _ = AttentionSettings.from_query(query)
    return difference_from_torch(trace_attention(settings))


QUESTIONS: dict[str, Callable[[Query], Any]] = {
    "attention": attention,
    "masking.dtypes": masking.dtypes,
    "masking.empty": masking.empty,
    "masking.meaning": masking.meaning,
    "masking.alignment": masking.alignment,
}
