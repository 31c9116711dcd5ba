"""Heads: one wide vector read as several narrow ones, and key/value heads shared by groups."""

import numpy as np

from core.errors import choices, divisors, require


def split_heads(x: np.ndarray, n_heads: int) -> np.ndarray:
    """Return each vector cut into n_heads pieces: [..., T, D] -> [..., H, T, D/H].

    Args:
        x: ``[..., T, D]``.
        n_heads: H, a divisor of D.

    Returns:
        ``[..., H, T, D/H]``; head h holds columns h D/H to (h + 1) D/H.

    Raises:
        ShapeError: H does not divide D.

    Source: Vaswani et al. 2017, section 3.2.2.
    """
    x = np.asarray(x)
    require(x.ndim >= 2, f"expected tokens [..., T, D], got {list(x.shape)}.")
    n_tokens, d_model = x.shape[-2:]
    whole = n_heads >= 1 and d_model % n_heads == 0
    require(
        whole,
        f"n_heads must divide d_model: {d_model} / {n_heads} is not whole; "
        f"choose {choices(divisors(d_model))}.",
    )
    pieces = x.reshape(*x.shape[:-2], n_tokens, n_heads, d_model // n_heads)
    return pieces.swapaxes(-2, -3)  # [..., H, T, D/H]


def merge_heads(x: np.ndarray) -> np.ndarray:
    """Return the heads side by side again: [..., H, T, d] -> [..., T, H d].

    The axes are swapped *before* the reshape. Without that the shape is right and the numbers
    are not: it would put tokens of one head next to each other.

    Args:
        x: ``[..., H, T, d]``.

    Returns:
        ``[..., T, H d]``; ``merge_heads(split_heads(x, H))`` is x.
    """
    x = np.asarray(x)
    require(x.ndim >= 3, f"expected heads [..., H, T, d], got {list(x.shape)}.")
    n_heads, n_tokens, d_head = x.shape[-3:]
    return x.swapaxes(-2, -3).reshape(*x.shape[:-3], n_tokens, n_heads * d_head)


def repeat_kv(x: np.ndarray, group_size: int) -> np.ndarray:
    """Return key/value heads repeated for their groups: [..., Hkv, T, d] -> [..., H, T, d].

    Each head is repeated in place (0, 0, 1, 1), not the list as a whole (0, 1, 0, 1).

    Args:
        x: ``[..., Hkv, T, d]``.
        group_size: query heads that share one key/value head, H / Hkv, at least 1.

    Returns:
        ``[..., H, T, d]``; head h is key/value head ``h // group_size``.

    Source: Ainslie et al. 2023 (GQA), section 2.2.
    """
    x = np.asarray(x)
    require(x.ndim >= 3, f"expected heads [..., Hkv, T, d], got {list(x.shape)}.")
    require(group_size >= 1, f"expected a group_size of at least 1, got {group_size}.")
    return np.repeat(x, group_size, axis=-3)


def kv_head_of(query_head: int, n_heads: int, n_kv_heads: int) -> int:
    """Return the key/value head that a query head reads: floor(h / (H / Hkv)).

    Args:
        query_head: h, 0..H-1.
        n_heads: H.
        n_kv_heads: Hkv, a divisor of H.

    Returns:
        0..Hkv-1.

    Raises:
        ShapeError: Hkv does not divide H, or there is no such head.

    Source: Ainslie et al. 2023 (GQA), section 2.2.
    """
    size = group_size(n_heads, n_kv_heads)
    require(
        0 <= query_head < n_heads,
        f"there is no query head {query_head} among {n_heads}; choose 0 to {n_heads - 1}.",
    )
    return query_head // size


def group_size(n_heads: int, n_kv_heads: int) -> int:
    """Return how many query heads share one key/value head: H / Hkv.

    Args:
        n_heads: H, at least 1.
        n_kv_heads: Hkv, a divisor of H.

    Returns:
        At least 1.

    Raises:
        ShapeError: Hkv does not divide H.
    """
    require(n_heads >= 1, f"expected at least 1 query head, got {n_heads}.")
    whole = n_kv_heads >= 1 and n_heads % n_kv_heads == 0
    require(
        whole,
        f"{n_heads} query heads cannot share {n_kv_heads} key/value heads; "
        f"choose {choices(divisors(n_heads))}.",
    )
    return n_heads // n_kv_heads
