"""Our attention against PyTorch's on the same arrays."""

import numpy as np

from core.trace import AttentionTrace


def torch_attention(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, *, mask: np.ndarray, scale: float
) -> np.ndarray:
    """Return ``torch.nn.functional.scaled_dot_product_attention`` on the same arrays, in float64.

    The mask is passed explicitly: PyTorch's own ``is_causal`` counts from the first key when the
    numbers of queries and keys differ, ours from the last.

    Args:
        query: ``[H, Tq, d_k]``.
        key: ``[H, Tk, d_k]``.
        value: ``[H, Tk, d_v]``.
        mask: bool ``[Tq, Tk]``, True = may attend (the same sense as in this PyTorch function).
        scale: what the dot products are multiplied by.

    Returns:
        ``[H, Tq, d_v]``.
    """
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    q, k, v, visible = (torch.from_numpy(np.array(x)) for x in (query, key, value, mask))
    with torch.inference_mode():
        return scaled_dot_product_attention(q, k, v, attn_mask=visible, scale=scale).numpy()


def difference_from_torch(trace: AttentionTrace) -> float | None:
    """Return the largest difference between the trace's context and PyTorch's.

    Rows without any visible key are left out: there PyTorch and we may define different things.

    Args:
        trace: any.

    Returns:
        At least 0; None if no row has a visible key.
    """
    rows = trace.mask.any(axis=-1)
    if not rows.any():
        return None
    theirs = torch_attention(trace.q_rotated, trace.k_rotated, trace.v, mask=trace.mask, scale=trace.scale)
    return float(np.abs(theirs - trace.context)[:, rows].max())
