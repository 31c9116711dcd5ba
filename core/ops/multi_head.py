"""Multi-head attention: project, split into heads, attend in each, merge, project back."""

import numpy as np

from core.errors import choices, divisors, require
from core.ops.attention import scaled_dot_product_attention
from core.ops.heads import group_size, kv_head_of, merge_heads, repeat_kv, split_heads
from core.ops.rope import apply_rope


def multi_head_attention(
    x: np.ndarray,
    w_q: np.ndarray,
    w_k: np.ndarray,
    w_v: np.ndarray,
    w_o: np.ndarray,
    *,
    n_heads: int,
    n_kv_heads: int | None = None,
    is_causal: bool = False,
    mask: np.ndarray | None = None,
    rope_positions: np.ndarray | None = None,
    rope_base: float = 10000.0,
    rope_pairing: str = "interleaved",
) -> tuple[np.ndarray, np.ndarray]:
    """Return concat(head_1, ..., head_H) W_O and each head's weights, all heads at once.

    Args:
        x: ``[..., T, D]``.
        w_q: ``[D, H d_k]``, used as ``x @ w_q``.
        w_k: ``[D, Hkv d_k]``.
        w_v: ``[D, Hkv d_v]``.
        w_o: ``[H d_v, D_out]``.
        n_heads: H.
        n_kv_heads: Hkv, a divisor of H; H if None (plain multi-head), 1 is multi-query.
        is_causal: hide the future.
        mask: bool, True = may attend: ``[Tq, Tk]``, or ``[B, 1, Tk]`` (a padding mask; the axis of
            the heads is put in here), or with an axis for the heads already.
        rope_positions: ``[T]``; queries and keys of each head are turned by them, after the
            split. None = no RoPE.
        rope_base: see ``rope_angles``.
        rope_pairing: see ``apply_rope``.

    Returns:
        output ``[..., T, D_out]`` and weights ``[..., H, T, T]``, each row of which sums to 1.

    Raises:
        ShapeError: a width does not fit, or Hkv does not divide H.

    Source: Vaswani et al. 2017, section 3.2.2; grouped heads Ainslie et al. 2023.
    """
    n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
    size = group_size(n_heads, n_kv_heads)
    x = np.asarray(x)
    _require_weights(x, w_q, w_k, w_v, w_o, n_heads, n_kv_heads)

    q = split_heads(x @ w_q, n_heads)  # [..., H, T, d_k]
    k = split_heads(x @ w_k, n_kv_heads)  # [..., Hkv, T, d_k]
    v = split_heads(x @ w_v, n_kv_heads)
    if rope_positions is not None:
        q = apply_rope(q, rope_positions, base=rope_base, pairing=rope_pairing)
        k = apply_rope(k, rope_positions, base=rope_base, pairing=rope_pairing)
    k, v = repeat_kv(k, size), repeat_kv(v, size)  # [..., H, T, d]
    context, weights = scaled_dot_product_attention(
        q, k, v, mask=_with_head_axis(mask, x.ndim), is_causal=is_causal
    )
    return merge_heads(context) @ w_o, weights


def multi_head_attention_loop(
    x: np.ndarray,
    w_q: np.ndarray,
    w_k: np.ndarray,
    w_v: np.ndarray,
    w_o: np.ndarray,
    *,
    n_heads: int,
    n_kv_heads: int | None = None,
    is_causal: bool = False,
    mask: np.ndarray | None = None,
    rope_positions: np.ndarray | None = None,
    rope_base: float = 10000.0,
    rope_pairing: str = "interleaved",
) -> tuple[np.ndarray, np.ndarray]:
    """Return the same as :func:`multi_head_attention`, one head after the other, for reading.

    Args and returns: as there. Each head owns a slice of the projections' columns.
    """
    n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
    x = np.asarray(x)
    _require_weights(x, w_q, w_k, w_v, w_o, n_heads, n_kv_heads)
    mask = _with_head_axis(mask, x.ndim)
    outputs, weights = [], []
    for h in range(n_heads):
        g = kv_head_of(h, n_heads, n_kv_heads)
        q = x @ _columns(w_q, h, n_heads)  # [..., T, d_k]
        k = x @ _columns(w_k, g, n_kv_heads)
        v = x @ _columns(w_v, g, n_kv_heads)
        if rope_positions is not None:
            q = apply_rope(q, rope_positions, base=rope_base, pairing=rope_pairing)
            k = apply_rope(k, rope_positions, base=rope_base, pairing=rope_pairing)
        output, weight = scaled_dot_product_attention(
            q, k, v, mask=_mask_of_head(mask, h), is_causal=is_causal
        )
        outputs.append(output)
        weights.append(weight)
    return np.concatenate(outputs, axis=-1) @ w_o, np.stack(weights, axis=-3)


def _columns(weight, head, n_heads):
    width = weight.shape[-1] // n_heads
    return weight[:, head * width : (head + 1) * width]


def _with_head_axis(mask, n_axes_of_x):
    """Scores have one axis more than x: a mask with as many axes as x lacks that of the heads."""
    if mask is None or np.ndim(mask) <= 2 or np.ndim(mask) > n_axes_of_x:
        return mask
    return np.expand_dims(mask, -3)


def _mask_of_head(mask, head):
    if mask is None or np.ndim(mask) <= 2:
        return mask
    return mask[..., 0 if mask.shape[-3] == 1 else head, :, :]


def _require_weights(x, w_q, w_k, w_v, w_o, n_heads, n_kv_heads) -> None:
    group_size(n_heads, n_kv_heads)
    d_model = x.shape[-1]
    for name, weight in (("w_q", w_q), ("w_k", w_k), ("w_v", w_v)):
        require(
            weight.shape[0] == d_model,
            f"expected {name} [D = {d_model}, ...] for x @ {name}, got {list(weight.shape)}; "
            "PyTorch stores the transpose: write weight.T.",
        )
    width = w_q.shape[-1]
    require(
        width % n_heads == 0,
        f"n_heads must divide d_model: {width} / {n_heads} is not whole; choose {choices(divisors(width))}.",
    )
    d_k, d_v = w_q.shape[-1] / n_heads, w_v.shape[-1] / n_kv_heads
    require(
        w_k.shape[-1] == d_k * n_kv_heads,
        f"expected w_k with Hkv * d_k = {n_kv_heads} * {d_k:g} columns, got {w_k.shape[-1]}; "
        "query and key heads must be equally wide.",
    )
    require(
        w_o.shape[0] == d_v * n_heads,
        f"expected w_o with H * d_v = {n_heads} * {d_v:g} rows, got {w_o.shape[0]}; "
        "it mixes the heads laid side by side.",
    )
