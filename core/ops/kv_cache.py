"""The KV cache: keys and values of the tokens so far, kept so that each is computed once."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from core.errors import ShapeError, require


@dataclass(frozen=True)
class KVCache:
    """Keys and values of the tokens so far, one entry per KV head and token.

    Keys are stored *after* rotation: a position does not change, so neither does a turned key. KV heads
    are stored *before* they are repeated for their groups: repeating would give the memory back.

    Attributes:
        keys: ``[..., Hkv, n, d_k]``, n >= 0.
        values: ``[..., Hkv, n, d_v]``.

    Raises:
        ShapeError: keys and values differ in more than their width.

    Source: Shazeer 2019, section 2.4 (incremental multi-head attention).
    """

    keys: np.ndarray
    values: np.ndarray

    def __post_init__(self) -> None:
        keys, values = np.asarray(self.keys), np.asarray(self.values)
        require(
            min(keys.ndim, values.ndim) >= 2,
            f"expected keys and values [..., Hkv, n, d], got {list(keys.shape)} and {list(values.shape)}.",
        )
        require(
            keys.shape[:-1] == values.shape[:-1],
            f"expected a value for every key, got keys {list(keys.shape)} and values {list(values.shape)}; "
            "only their last axis may differ.",
        )
        object.__setattr__(self, "keys", _read_only(keys))
        object.__setattr__(self, "values", _read_only(values))

    @property
    def n_tokens(self) -> int:
        """How many tokens are in it: the position of the next one."""
        return int(self.keys.shape[-2])

    def append(self, keys: np.ndarray, values: np.ndarray) -> Self:
        """Return a new cache with one or more tokens at its end; this one stays as it is.

        Args:
            keys: ``[..., Hkv, m, d_k]``, rotated already.
            values: ``[..., Hkv, m, d_v]``.

        Returns:
            A cache of n + m tokens.

        Raises:
            ShapeError: heads or widths are not those of the cache.
        """
        new = KVCache(keys, values)
        for name, old, added in (("keys", self.keys, new.keys), ("values", self.values, new.values)):
            fits = old.shape[:-2] == added.shape[:-2] and old.shape[-1] == added.shape[-1]
            wanted = [*old.shape[:-2], "m", old.shape[-1]]
            require(
                fits,
                f"expected {name} [{', '.join(map(str, wanted))}] for this cache, got {list(added.shape)}; "
                "append KV heads before they are repeated, and as wide as those in it.",
                ShapeError,
            )
        return type(self)(
            np.concatenate([self.keys, new.keys], axis=-2),
            np.concatenate([self.values, new.values], axis=-2),
        )


def cache_bytes(
    n_tokens: int,
    *,
    n_layers: int,
    n_kv_heads: int,
    d_head: int,
    bytes_per_value: int = 2,
    batch: int = 1,
) -> int:
    """Return the bytes that a KV cache takes: 2 * layers * Hkv * d * bytes * tokens * batch.

    Args:
        n_tokens: of each sequence, at least 0.
        n_layers: each has a cache of its own; at least 1.
        n_kv_heads: Hkv, not H: only these are stored; at least 1.
        d_head: width of a key and of a value, at least 1.
        bytes_per_value: 4 for float32, 2 for float16 and bfloat16, 1 for 8 bits.
        batch: sequences side by side, at least 1.

    Returns:
        A whole number of bytes; the 2 is for keys and values.

    Raises:
        ShapeError: a count is too small.

    Source: Shazeer 2019, section 3, for the fewer heads; Ainslie et al. 2023, section 2.2, for groups.
    """
    counts = {
        "n_layers": n_layers, "n_kv_heads": n_kv_heads, "d_head": d_head,
        "bytes_per_value": bytes_per_value, "batch": batch,
    }  # fmt: skip
    require(n_tokens >= 0, f"expected at least 0 tokens, got n_tokens = {n_tokens}.")
    for name, count in counts.items():
        require(count >= 1, f"expected {name} of at least 1, got {count}.")
    return 2 * n_layers * n_kv_heads * d_head * bytes_per_value * n_tokens * batch


def _read_only(array: np.ndarray) -> np.ndarray:
    """A view that cannot be written to, of an array that others may still own."""
    view = array.view()
    view.setflags(write=False)
    return view
