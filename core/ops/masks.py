"""Masks: which query may see which key. Always bool, and True = may attend."""

import numpy as np

from core.errors import require


def causal_mask(n_queries: int, n_keys: int | None = None, *, offset: int | None = None) -> np.ndarray:
    """Return the mask that hides the future: key j is visible to query i if j <= offset + i.

    Args:
        n_queries: Tq, at least 1.
        n_keys: Tk, at least 1; Tq if None.
        offset: the position of the first query; Tk - Tq if None, so that the last query stands
            at the last key, as in decoding with a cache.

    Returns:
        bool ``[Tq, Tk]``. With Tq > Tk and the default offset the first rows see no key at all.

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    distance = _distance(n_queries, n_keys, offset)
    return distance >= 0


def sliding_window_mask(
    n_queries: int, window: int, n_keys: int | None = None, *, offset: int | None = None
) -> np.ndarray:
    """Return the causal mask that also hides keys ``window`` or more positions back.

    Args:
        n_queries: Tq, at least 1.
        window: how many keys a query sees at most, its own position included; at least 1.
        n_keys: Tk, at least 1; Tq if None.
        offset: the position of the first query; Tk - Tq if None.

    Returns:
        bool ``[Tq, Tk]``, at most ``window`` True in a row.

    Raises:
        ShapeError: the window is smaller than 1.

    Source: Beltagy, Peters and Cohan 2020 (Longformer), section 3.1, made causal.
    """
    require(
        window >= 1,
        f"expected a window of at least 1 key (the token itself), got {window}; choose 1 or more.",
    )
    distance = _distance(n_queries, n_keys, offset)
    return (distance >= 0) & (distance < window)


def padding_mask(lengths: np.ndarray, n_keys: int) -> np.ndarray:
    """Return the mask that hides the padding: key j of sequence b is visible if j < lengths[b].

    Args:
        lengths: ``[B]``, real tokens in each sequence, 0..Tk.
        n_keys: Tk, at least 1.

    Returns:
        bool ``[B, 1, Tk]``: it hides columns, so it broadcasts over queries.

    Raises:
        ShapeError: a length lies outside 0..Tk.
    """
    lengths = np.asarray(lengths)
    require(
        lengths.ndim == 1 and bool(((lengths >= 0) & (lengths <= n_keys)).all()),
        f"expected lengths [B] in 0..{n_keys}, got {lengths.tolist()}; "
        "a sequence cannot hold more real tokens than there are keys.",
    )
    return (np.arange(n_keys) < lengths[:, None])[:, None, :]


def _distance(n_queries, n_keys, offset) -> np.ndarray:
    """How many positions key j lies behind query i, [Tq, Tk]."""
    n_keys = n_queries if n_keys is None else n_keys
    require(
        n_queries >= 1 and n_keys >= 1,
        f"expected at least 1 query and 1 key, got {n_queries} and {n_keys}.",
    )
    offset = n_keys - n_queries if offset is None else offset
    return (offset + np.arange(n_queries))[:, None] - np.arange(n_keys)
