"""What wrong implementations of multi-head attention give on the same arrays.

Each fits in shape; only the numbers tell. The mistakes are made on purpose here, and nowhere else.
"""

from dataclasses import dataclass

import numpy as np

from core.lessons.heads import HeadsTrace, largest_difference
from core.ops.attention import scaled_dot_product_attention
from core.ops.heads import merge_heads
from core.ops.multi_head import multi_head_attention


@dataclass(frozen=True)
class Wrong:
    """One wrong implementation."""

    output: np.ndarray  # [T, D], the right shape
    difference: float  # the largest, from the right output
    inner: np.ndarray  # what it went wrong in
    origin: np.ndarray | None = None  # [..., 2]: which (head, token) stands where


def forgotten_merge(trace: HeadsTrace) -> Wrong:
    """Return a merge without the transpose: ``context.reshape(T, D)``.

    Args:
        trace: any.

    Returns:
        inner: the merged array ``[T, D]``; origin ``[T, H, 2]``: the (head, token) that each block
        of d_k columns really holds, where (column block, row) would be right.
    """
    n_heads, n_tokens, _ = trace.context.shape
    merged = without_transpose(trace.context)
    names = np.stack(np.meshgrid(np.arange(n_heads), np.arange(n_tokens), indexing="ij"), axis=-1)
    output = merged @ trace.w_o
    origin = names.reshape(n_tokens, n_heads, 2)  # the same reshape, done to the names
    return Wrong(output, largest_difference(output, trace.output), merged, origin)


def without_transpose(context: np.ndarray) -> np.ndarray:
    """Return heads reshaped to rows without swapping axes first: the mistake itself.

    Args:
        context: ``[H, T, d_k]``.

    Returns:
        ``[T, H d_k]``, as wide as the right answer.
    """
    n_heads, n_tokens, d_k = context.shape
    return context.reshape(n_tokens, n_heads * d_k)


def forgotten_split(trace: HeadsTrace) -> Wrong:
    """Return a split without the transpose: ``q.reshape(H, T, d_k)``, merged properly.

    Args:
        trace: any.

    Returns:
        inner: the queries ``[H, T, d_k]`` it makes; origin ``[H, T, 2]``: the (head, token) whose
        numbers each row really holds.
    """
    n_heads, n_tokens, d_k = trace.context.shape
    q, k, v = (each.reshape(n_heads, n_tokens, d_k) for each in (trace.q, trace.k, trace.v))
    context, _ = scaled_dot_product_attention(q, k, v, mask=trace.mask)
    token, head = np.meshgrid(np.arange(n_tokens), np.arange(n_heads), indexing="ij")
    origin = np.stack([head, token], axis=-1).reshape(n_heads, n_tokens, 2)
    output = merge_heads(context) @ trace.w_o
    return Wrong(output, largest_difference(output, trace.output), q, origin)


def split_input(trace: HeadsTrace) -> Wrong:
    """Return heads that see only their own slice of X: cut first, then project each piece.

    The same as setting to zero all of W_Q, W_K and W_V but H blocks on the diagonal.

    Args:
        trace: any.

    Returns:
        inner: W_Q with zeros ``[D, D]``.
    """
    matrices = _cut(trace)
    output = _attend(trace, trace.x, matrices)[0]
    return Wrong(output, largest_difference(output, trace.output), matrices["w_q"])


def change_seen(trace: HeadsTrace) -> tuple[float, float]:
    """Return how far head 0's weights move when 1 is added to X's last column for token 0.

    Args:
        trace: any.

    Returns:
        (projected first, cut first): with two heads or more the second is exactly 0.
    """
    x = trace.x.copy()
    x[0, -1] += 1.0
    right, wrong = (
        largest_difference(_attend(trace, x, each)[1][0], _attend(trace, trace.x, each)[1][0])
        for each in (trace.projections, _cut(trace))
    )
    return right, wrong


def averaged_heads(trace: HeadsTrace) -> Wrong:
    """Return one pattern for all heads: the mean of their weights, applied to all values.

    Args:
        trace: any.

    Returns:
        inner: the mean weights ``[T, T]``; rows sum to 1.
    """
    mean = trace.weights.mean(axis=0)
    output = merge_heads(mean @ trace.v_heads) @ trace.w_o
    return Wrong(output, largest_difference(output, trace.output), mean)


def scaled_by_width(trace: HeadsTrace) -> Wrong:
    """Return heads scaled by 1/sqrt(d_model) where 1/sqrt(d_k) belongs.

    Args:
        trace: any.

    Returns:
        inner: the weights ``[H, T, T]``, too even.
    """
    context, weights = scaled_dot_product_attention(
        trace.q_heads, trace.k_heads, trace.v_heads, mask=trace.mask, scale=trace.settings.d_model**-0.5
    )
    output = merge_heads(context) @ trace.w_o
    return Wrong(output, largest_difference(output, trace.output), weights)


def copied_untransposed(trace: HeadsTrace) -> Wrong:
    """Return what a layer gives that computes ``x @ w.T``, with W copied in as it is.

    Square matrices fit either way round.

    Args:
        trace: any.

    Returns:
        inner: the queries ``[T, D]`` it makes.
    """
    turned = {name: each.T for name, each in trace.projections.items()}
    output = _attend(trace, trace.x, turned)[0]
    return Wrong(output, largest_difference(output, trace.output), trace.x @ trace.w_q.T)


@dataclass(frozen=True)
class TwoHeads:
    """One query, two keys, two heads that look at opposite keys."""

    weights: np.ndarray  # [H, 1, Tk]
    values: np.ndarray  # [H, Tk, 1]
    mean: np.ndarray  # [Tk] the average pattern
    passed_on: np.ndarray  # [H] what the heads pass on
    by_mean: np.ndarray  # [H] what the average pattern would pass on


def two_heads() -> TwoHeads:
    """Return weights (0.9, 0.1) and (0.1, 0.9): their average says that neither key is preferred.

    Returns:
        All arrays of the example; ``passed_on`` and ``by_mean`` differ.
    """
    weights = np.array([[[0.9, 0.1]], [[0.1, 0.9]]])
    values = np.array([[[10.0], [0.0]], [[0.0], [10.0]]])
    mean = weights.mean(axis=0)
    return TwoHeads(weights, values, mean[0], merge_heads(weights @ values)[0], merge_heads(mean @ values)[0])


def three_axes_for_four(shape: tuple[int, ...]) -> str:
    """Return what NumPy says when keys with a head axis are transposed by three axes.

    Args:
        shape: of the keys, ``(B, H, T, d_k)``.

    Returns:
        The kind of the error and its message.
    """
    try:
        np.zeros(shape).transpose(0, 2, 1)
    except ValueError as error:
        return f"ValueError: {error}"
    return ""


def _cut(trace):
    """The projections with zeros wherever a head would read another head's slice of X."""
    kept = np.kron(np.eye(trace.settings.heads), np.ones((trace.settings.d_k,) * 2))
    return {name: each if name == "w_o" else each * kept for name, each in trace.projections.items()}


def _attend(trace, x, matrices):
    return multi_head_attention(x, **matrices, n_heads=trace.settings.heads, is_causal=trace.settings.causal)
