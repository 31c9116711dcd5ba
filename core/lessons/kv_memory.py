"""The memory calculator: bytes of a KV cache, and what fits beside the weights."""

from dataclasses import dataclass

from core.lessons.kv_cache import KVCacheSettings
from core.lessons.kv_models import CARDS, GB, MODELS, PublishedModel
from core.ops.kv_cache import cache_bytes


@dataclass(frozen=True)
class Card:
    """A memory of so many GB, and what lies in it."""

    gigabytes: int
    weights: int  # bytes of the parameters; 0 where they are not published
    cache: int  # bytes
    longest: int  # tokens of each sequence that fit beside the weights

    @property
    def capacity(self) -> int:
        """Bytes; GB is 10^9."""
        return self.gigabytes * GB

    @property
    def fits(self) -> bool:
        """Whether weights and cache do."""
        return self.weights + self.cache <= self.capacity


@dataclass(frozen=True)
class Memory:
    """What the calculator shows. All in bytes."""

    settings: KVCacheSettings
    model: PublishedModel | None  # None for sizes of one's own
    per_token: int  # of one sequence
    cache: int  # of all sequences
    by_kv_heads: dict[int, int]  # Hkv -> cache, for 1, this and H
    weights: int
    cards: tuple[Card, ...]


def trace_memory(settings: KVCacheSettings) -> Memory:
    """Return the bytes that the settings' cache takes, and how it fits beside the weights.

    Args:
        settings: valid by construction.

    Returns:
        Counts in bytes; the weights at 2 bytes a parameter, whatever the cache's numbers are.
    """
    model = MODELS.get(settings.model)

    def cache(kv_heads: int, n_tokens: int, batch: int) -> int:
        return cache_bytes(
            n_tokens,
            n_layers=settings.layers,
            n_kv_heads=kv_heads,
            d_head=settings.d_head,
            bytes_per_value=settings.bytes_per_value,
            batch=batch,
        )

    whole = cache(settings.kv_heads, settings.context, settings.batch)
    each = cache(settings.kv_heads, 1, settings.batch)
    weights = weight_bytes(model) if model else 0
    cards = tuple(Card(size, weights, whole, max(0, size * GB - weights) // each) for size in CARDS)
    shared = sorted({1, settings.kv_heads, settings.heads})
    by_kv_heads = {count: cache(count, settings.context, settings.batch) for count in shared}
    return Memory(settings, model, cache(settings.kv_heads, 1, 1), whole, by_kv_heads, weights, cards)


def weight_bytes(model: PublishedModel) -> int:
    """Return the bytes of a model's parameters at 2 bytes each (bfloat16, float16).

    Args:
        model: any.
    """
    return 2 * model.parameters


def bytes_per_token(model: PublishedModel, bytes_per_value: int = 2, kv_heads: int | None = None) -> int:
    """Return the bytes that one token takes in a published model's cache.

    Args:
        model: any.
        bytes_per_value: 1, 2 or 4.
        kv_heads: in place of the model's own.
    """
    return cache_bytes(
        1,
        n_layers=model.layers,
        n_kv_heads=model.kv_heads if kv_heads is None else kv_heads,
        d_head=model.d_head,
        bytes_per_value=bytes_per_value,
    )
