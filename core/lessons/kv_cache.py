"""Shared keys and values, and decoding with a cache: token by token, against the whole pass at once."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np

from core.errors import divisors
from core.inputs import word_vector
from core.lessons.kv_models import MODELS
from core.lessons.self_attention import SelfAttention
from core.ops.attention import scaled_dot_product_attention
from core.ops.heads import group_size, kv_head_of, repeat_kv
from core.ops.kv_cache import KVCache
from core.ops.masks import sliding_window_mask
from core.ops.rope import PAIRINGS, apply_rope
from core.query import Linked, Parameter, Reading, boolean, choice, integer, number_in, one_of, repaired
from core.readonly import ReadOnly
from core.settings import MAX_SEED
from core.tokens import tokenize

MAX_HEADS, MAX_LAYERS, MAX_TOKENS = 64, 200, 16
MAX_CONTEXT, MAX_BATCH = 2**20, 1024
WIDTHS = tuple(range(2, 33, 2))  # of a drawn key: even, so that RoPE can turn pairs
BYTES = (1, 2, 4)
CUSTOM = "custom"
_OF_MODEL = ("heads", "kv_heads", "layers", "d_head")


@dataclass(frozen=True)
class KVCacheSettings(Linked):
    """What the page about shared heads and the cache shows. Illegal values raise ``SettingError``.

    ``heads``, ``kv_heads``, ``layers`` and ``d_head`` are those of ``model``; whoever changes one of them
    has a model of their own, "custom". Decoding is drawn with these heads and a width ``d_k`` of its own.
    """

    model: str = "llama3-8b"  # a key of MODELS, or "custom"
    heads: int = 32  # H, query heads, 1..64
    kv_heads: int = 8  # Hkv, a divisor of H
    head: int = 13  # the query head that is looked at
    text: str = "the cat sat on the mat"  # at most 16 words
    seed: int = 0
    d_k: int = 8  # width of the drawn q, k and v, even, 2..32
    rope: bool = True
    pairing: str = "interleaved"
    window: int = MAX_TOKENS  # keys that a query sees, itself included, 1..16 (16 = all)
    step: int = 3  # position of the token that is being decoded
    layers: int = 32  # 1..200
    d_head: int = 128  # width of a key in the model, 1..512
    context: int = 8192  # tokens of each sequence in the cache, 1..2^20
    batch: int = 1  # sequences side by side, 1..1024
    bytes_per_value: int = 2  # 1, 2 or 4

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words of the text; never empty."""
        return tokenize(self.text).tokens

    @property
    def group_size(self) -> int:
        """Query heads that share one KV head."""
        return group_size(self.heads, self.kv_heads)

    @property
    def kv_head(self) -> int:
        """The KV head that the head looked at reads."""
        return kv_head_of(self.head, self.heads, self.kv_heads)

    @classmethod
    def merged(cls, query: Mapping[str, str], changed: Collection[str]) -> tuple[Self, list[str]]:
        """As for all settings; a chosen model brings its sizes, and a changed size leaves the model."""
        query = dict(query)
        if "model" in changed:
            if query["model"] in MODELS:  # its own sizes are read in their place
                query = {name: text for name, text in query.items() if name not in _OF_MODEL}
        elif any(name in changed for name in _OF_MODEL) and query.get("model") in MODELS:
            settings, _ = cls._read({**query, "model": CUSTOM})
            published = MODELS[query["model"]]
            if any(getattr(settings, name) != getattr(published, name) for name in _OF_MODEL):
                query["model"] = CUSTOM
        return super().merged(query, changed)

    @classmethod
    def _read(cls, query: Mapping[str, Any]) -> tuple[Self, dict[str, str]]:
        if "model" not in query and any(name in query for name in _OF_MODEL):
            query = {"model": CUSTOM, **query}  # a link that names sizes only
        return super()._read(query)


@dataclass(frozen=True)
class Decoding(SelfAttention, ReadOnly):
    """Every token decoded with a cache, and the whole pass. Arrays are read-only float64 (masks bool)."""

    settings: KVCacheSettings
    tokens: tuple[str, ...]
    q: np.ndarray  # [H, T, d_k] before rotation
    k: np.ndarray  # [Hkv, T, d_k]
    v: np.ndarray  # [Hkv, T, d_k]
    q_rotated: np.ndarray  # [H, T, d_k]
    k_rotated: np.ndarray  # [Hkv, T, d_k] what the cache holds at the end
    mask: np.ndarray  # [T, T] bool, True = may attend
    weights: np.ndarray  # [H, T, T] of the whole pass
    whole: np.ndarray  # [H, T, d_k] output of the whole pass
    decoded: np.ndarray  # [H, T, d_k] output, one token at a time
    decoded_weights: np.ndarray  # [H, T, T] each row when its token was new; 0 for keys to come

    @property
    def difference(self) -> float:
        """The largest difference between decoded and whole outputs, of all heads up to this step."""
        n = self.settings.step + 1
        return largest_difference(self.decoded[:, :n], self.whole[:, :n])

    @property
    def keys_read(self) -> int:
        """Keys that the new token sees, its own among them."""
        return int(self.mask[self.settings.step].sum())


def trace_kv_cache(settings: KVCacheSettings) -> Decoding:
    """Return every token decoded with a cache, and the same by one whole causal pass.

    Args:
        settings: valid by construction.

    Returns:
        A trace whose arrays cannot be written to; ``decoded`` equals ``whole`` up to rounding.

    Source: Shazeer 2019, section 2.4.
    """
    tokens, n = settings.tokens, len(settings.tokens)
    q = drawn(settings.seed, tokens, "q", settings.heads, settings.d_k)
    k = drawn(settings.seed, tokens, "k", settings.kv_heads, settings.d_k)
    v = drawn(settings.seed, tokens, "v", settings.kv_heads, settings.d_k)
    size, window = settings.group_size, settings.window

    q_rotated, k_rotated = turned(settings, q), turned(settings, k)
    mask = sliding_window_mask(n, window)
    whole, weights = scaled_dot_product_attention(
        q_rotated, repeat_kv(k_rotated, size), repeat_kv(v, size), mask=mask
    )
    decoded, decoded_weights = np.zeros_like(whole), np.zeros_like(weights)
    cache = KVCache(k[:, :0], v[:, :0])
    for t in range(n):
        new = slice(t, t + 1)
        cache = cache.append(turned(settings, k[:, new], t), v[:, new])
        row, row_weights = scaled_dot_product_attention(
            turned(settings, q[:, new], t),
            repeat_kv(cache.keys, size),
            repeat_kv(cache.values, size),
            mask=sliding_window_mask(1, window, cache.n_tokens),
        )
        decoded[:, new], decoded_weights[:, new, : t + 1] = row, row_weights
    return Decoding(
        settings, tokens, q, k, v, q_rotated, k_rotated, mask, weights, whole, decoded, decoded_weights
    )


def turned(settings: KVCacheSettings, x: np.ndarray, first: int = 0) -> np.ndarray:
    """Return x rotated from a position on, or as it is without RoPE.

    Args:
        settings: whether, and in which pairing.
        x: ``[..., T, d_k]``.
        first: the position of its first token.

    Returns:
        ``[..., T, d_k]``.
    """
    if not settings.rope:
        return x
    return apply_rope(x, first + np.arange(x.shape[-2]), pairing=settings.pairing)


@lru_cache(maxsize=64)
def drawn(seed: int, tokens: tuple[str, ...], role: str, n_heads: int, width: int) -> np.ndarray:
    """Return standard normal vectors, one for each head and word; another number of heads keeps them.

    Args:
        seed: 0..2^31-1.
        tokens: T words.
        role: "q", "k" or "v".
        n_heads: heads of that role.
        width: d_k.

    Returns:
        ``[n_heads, T, width]``, read-only.
    """
    heads = [[word_vector(seed, token, role, h)[:width] for token in tokens] for h in range(n_heads)]
    array = np.array(heads)
    array.setflags(write=False)
    return array


def largest_difference(a: np.ndarray, b: np.ndarray) -> float:
    """Return the largest difference between entries in the same place.

    Args:
        a: ``[...]``.
        b: the same shape.

    Returns:
        At least 0.
    """
    return float(np.abs(a - b).max())


# --- reading what has rules of its own ------------------------------------------------------------


def _read_text(text: str, so_far: Any) -> Reading:
    tokens, notes = tokenize(text)
    if not tokens:
        return so_far.default("text"), "The text holds no word, so the first sentence is shown; type one."
    if len(tokens) > MAX_TOKENS:
        return " ".join(tokens[:MAX_TOKENS]), (
            f"The text has more than {MAX_TOKENS} words; the first {MAX_TOKENS} are decoded."
        )
    return " ".join(tokens), " ".join(notes)


def _of_model(name: str, otherwise: Parameter) -> Parameter:
    """A size that a published model fixes; whoever has a model of their own chooses it."""

    def read(text: str, so_far: Any) -> Reading:
        if so_far.model == CUSTOM:
            return otherwise.read(text, so_far)
        value = getattr(MODELS[so_far.model], name)
        same = number_in(text) == value
        why = f"that of {MODELS[so_far.model].name}; model=custom leaves it free"
        return value, "" if same else repaired(name, text, value, why)

    return Parameter(read)


KVCacheSettings.PARAMETERS = {
    "model": choice("model", (*MODELS, CUSTOM)),
    "heads": _of_model("heads", integer("heads", 1, MAX_HEADS)),
    "kv_heads": _of_model(
        "kv_heads", one_of("kv_heads", lambda so_far: divisors(so_far.heads), "KV heads must divide heads")
    ),
    "head": one_of("head", lambda so_far: range(so_far.heads), "the query heads there are"),
    "text": Parameter(_read_text),
    "seed": integer("seed", 0, MAX_SEED),
    "d_k": one_of("d_k", lambda _: WIDTHS, "even widths"),
    "rope": boolean("rope"),
    "pairing": choice("pairing", PAIRINGS),
    "window": integer("window", 1, MAX_TOKENS),
    "step": one_of("step", lambda so_far: range(len(so_far.tokens)), "the tokens there are"),
    "layers": _of_model("layers", integer("layers", 1, MAX_LAYERS)),
    "d_head": _of_model("d_head", integer("d_head", 1, 512)),
    "context": integer("context", 1, MAX_CONTEXT),
    "batch": integer("batch", 1, MAX_BATCH),
    "bytes_per_value": one_of("bytes_per_value", lambda _: BYTES, "bytes"),
}
# A head or a step that is gone, or a number that no longer divides, is no fault of the person.
KVCacheSettings.SILENT = frozenset({"head", "kv_heads", "step"})
