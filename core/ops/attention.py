"""Attention as a soft lookup: score each key, softmax the scores, average the values."""

import numpy as np

from core.errors import MaskError, ShapeError, require
from core.ops.masks import causal_mask


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return the scores turned into weights: exp(s_j) / sum_j exp(s_j).

    The largest score is subtracted first; the weights stay the same and exp cannot overflow.

    Args:
        scores: ``[...]``, any real numbers; -inf marks an entry that is to get no weight.
        axis: the axis along which the weights sum to 1.

    Returns:
        ``[...]``, each in 0..1; every slice along ``axis`` sums to 1, or is all 0 where every
        score is -inf (there is nothing to choose from, so nothing is chosen).

    Source: Vaswani et al. 2017, section 3.2.1; the shift is standard numerics.
    """
    scores = _as_floats(scores)
    largest = scores.max(axis=axis, keepdims=True)
    largest = np.where(np.isneginf(largest), 0.0, largest).astype(scores.dtype)
    exponentials = np.exp(scores - largest)
    total = exponentials.sum(axis=axis, keepdims=True)
    return exponentials / np.where(total == 0, 1, total).astype(scores.dtype)


def scaled_dot_product_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    *,
    mask: np.ndarray | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return softmax(scale * Q K^T) V and the weights; hidden keys get a score of -inf.

    Args:
        query: ``[..., Tq, d_k]``.
        key: ``[..., Tk, d_k]``.
        value: ``[..., Tk, d_v]``. Leading axes of the three broadcast.
        mask: bool, broadcasts to ``[..., Tq, Tk]``; True = may attend.
        is_causal: also hide every key after the query, ``causal_mask(Tq, Tk)``: the last query
            sees the last key. (PyTorch's own flag starts at the first key when Tq and Tk differ.)
        scale: what the dot products are multiplied by; 1/sqrt(d_k) if None.

    Returns:
        output ``[..., Tq, d_v]`` and weights ``[..., Tq, Tk]``. A row of weights sums to 1, or is
        all 0 (and its output 0) where no key is visible. A hidden key or value changes nothing,
        not even if it is NaN or infinite.

    Raises:
        ShapeError: the shapes do not fit together.
        MaskError: the mask is not bool.

    Source: Vaswani et al. 2017, equation 1.
    """
    query, key, value = _as_floats(query), _as_floats(key), _as_floats(value)
    require_attention_shapes(query, key, value)
    n_queries, n_keys, d_k = query.shape[-2], key.shape[-2], query.shape[-1]
    scale = 1 / d_k**0.5 if scale is None else scale

    with np.errstate(invalid="ignore"):  # a hidden key may hold inf or NaN
        scores = scale * (query @ key.swapaxes(-1, -2))  # [..., Tq, Tk]
    visible = visible_cells(mask, is_causal, n_queries, n_keys)
    if visible is not None:
        try:
            np.broadcast_shapes(visible.shape, scores.shape)
        except ValueError:
            raise ShapeError(
                f"expected a mask that broadcasts to {list(scores.shape)}, "
                f"got {list(visible.shape)}; its leading axes must be those of the scores or 1."
            ) from None
    return _average_values(_where_visible(visible, scores, -np.inf), visible, value)


def additive_attention(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    w_query: np.ndarray,
    w_key: np.ndarray,
    v: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return attention whose score is a small network: v . tanh(q W_query + k W_key).

    Args:
        query: ``[..., Tq, d_q]``.
        key: ``[..., Tk, d_key]``.
        value: ``[..., Tk, d_v]``.
        w_query: ``[d_q, d_hidden]``.
        w_key: ``[d_key, d_hidden]``.
        v: ``[d_hidden]``.

    Returns:
        output ``[..., Tq, d_v]`` and weights ``[..., Tq, Tk]``; each row of weights sums to 1.

    Raises:
        ShapeError: a width does not fit its matrix.

    Source: Bahdanau, Cho and Bengio 2015 (first shown 2014), appendix A.1.2.
    """
    query, key, value, w_query, w_key, v = map(_as_floats, (query, key, value, w_query, w_key, v))
    _require_pairs(query, key, value)
    require(
        query.shape[-1] == w_query.shape[0] and key.shape[-1] == w_key.shape[0],
        f"expected w_query [d_q = {query.shape[-1]}, d_hidden] and w_key "
        f"[d_key = {key.shape[-1]}, d_hidden], got {list(w_query.shape)} and {list(w_key.shape)}; "
        "give each matrix as many rows as its input is wide.",
    )
    require(
        w_query.shape[1:] == w_key.shape[1:] == v.shape,
        f"w_query, w_key and v must share d_hidden, got {list(w_query.shape)}, "
        f"{list(w_key.shape)} and {list(v.shape)}.",
    )
    hidden = np.tanh((query @ w_query)[..., :, None, :] + (key @ w_key)[..., None, :, :])
    return _average_values(hidden @ v, None, value)


def visible_cells(mask: np.ndarray | None, is_causal: bool, n_queries: int, n_keys: int) -> np.ndarray | None:
    """Return the mask and the causal mask in one, or None where every key is visible.

    Args:
        mask: bool, broadcasts to ``[..., Tq, Tk]``; True = may attend.
        is_causal: whether to hide every key after the query.
        n_queries: Tq, at least 1.
        n_keys: Tk, at least 1.

    Returns:
        bool, broadcasts to ``[..., Tq, Tk]``.

    Raises:
        MaskError: the mask is not bool.
        ShapeError: the mask does not broadcast to ``[..., Tq, Tk]``.
    """
    causal = causal_mask(n_queries, n_keys) if is_causal else None
    if mask is None:
        return causal
    mask = np.asarray(mask)
    require(
        mask.dtype == bool,
        f"expected a bool mask in which True = may attend, got dtype {mask.dtype}; for a mask of "
        "ones and zeros write mask.astype(bool), for a bias of 0 and -inf write bias == 0.",
        MaskError,
    )
    fits = mask.ndim >= 1 and mask.shape[-1] in (1, n_keys)
    fits = fits and (mask.ndim < 2 or mask.shape[-2] in (1, n_queries))
    require(
        fits,
        f"expected a mask that broadcasts to [..., Tq, Tk] = [..., {n_queries}, {n_keys}], "
        f"got {list(mask.shape)}; rows are queries, columns are keys.",
    )
    return mask if causal is None else mask & causal


def require_attention_shapes(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> None:
    """Raise unless every query meets keys of its own width and every key has one value.

    Args:
        query: ``[..., Tq, d_k]``.
        key: ``[..., Tk, d_k]``.
        value: ``[..., Tk, d_v]``.

    Returns:
        Nothing.

    Raises:
        ShapeError: the shapes do not fit together.
    """
    _require_pairs(query, key, value)
    require(
        query.shape[-1] == key.shape[-1],
        f"query and key must have the same width d_k, got {query.shape[-1]} and "
        f"{key.shape[-1]}; a dot product pairs their entries.",
    )


def _average_values(scores, visible, value):
    weights = _where_visible(visible, softmax(scores), 0.0)
    if np.isfinite(value).all():
        return weights @ value, weights
    # 0 * NaN is NaN: a hidden value must be left out of the sum, not multiplied by a weight of 0.
    with np.errstate(invalid="ignore"):
        products = weights[..., None] * value[..., None, :, :]  # [..., Tq, Tk, d_v]
    shown = None if visible is None else visible[..., None]
    return _where_visible(shown, products, 0.0).sum(axis=-2), weights


def _where_visible(visible, array, otherwise):
    if visible is None:
        return array
    return np.where(visible, array, np.asarray(otherwise, dtype=array.dtype))


def _as_floats(array) -> np.ndarray:
    array = np.asarray(array)
    return array if np.issubdtype(array.dtype, np.floating) else array.astype(np.float64)


def _require_pairs(query, key, value) -> None:
    """What every score needs: two axes, a value for each key, leading axes that broadcast."""
    require(
        min(query.ndim, key.ndim, value.ndim) >= 2,
        "query, key and value need at least two axes, [T, d], got "
        f"{list(query.shape)}, {list(key.shape)} and {list(value.shape)}.",
    )
    require(
        key.shape[-2] == value.shape[-2],
        f"there are {key.shape[-2]} keys but {value.shape[-2]} values; give each key one value.",
    )
    try:
        np.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    except ValueError:
        raise ShapeError(
            "the leading axes of query, key and value must broadcast, got "
            f"{list(query.shape)}, {list(key.shape)} and {list(value.shape)}; "
            "repeat shared key/value heads with repeat_kv first."
        ) from None
