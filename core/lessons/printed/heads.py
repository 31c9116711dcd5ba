"""The numbers of the lessons that /heads shows."""

import numpy as np

from core.lessons.head_counts import LayerCount
from core.lessons.heads import largest_difference
from core.lessons.heads_wrong import three_axes_for_four, without_transpose
from core.lessons.printed.number import Printed
from core.ops.attention import scaled_dot_product_attention
from core.ops.heads import split_heads
from core.ops.multi_head import multi_head_attention, multi_head_attention_loop


def _drawn() -> tuple[np.ndarray, ...]:
    """X [6, 8] and then W_Q, W_K, W_V, W_O [8, 8], all N(0, 1), in this order from one generator."""
    generator = np.random.default_rng(0)
    return tuple(generator.standard_normal(shape) for shape in ((6, 8), *((8, 8),) * 4))


def _shapes() -> tuple:
    output, weights = multi_head_attention(*_drawn(), n_heads=2, is_causal=True)
    return output.shape, weights.shape


def _agree() -> bool:
    batched, _ = multi_head_attention(*_drawn(), n_heads=2, is_causal=True)
    loop, _ = multi_head_attention_loop(*_drawn(), n_heads=2, is_causal=True)
    return bool(np.allclose(batched, loop))


def _without_transpose() -> float:
    x, w_q, w_k, w_v, w_o = _drawn()
    right, _ = multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads=2, is_causal=True)
    q, k, v = (split_heads(x @ w, 2) for w in (w_q, w_k, w_v))
    context, _ = scaled_dot_product_attention(q, k, v, is_causal=True)
    return largest_difference(without_transpose(context) @ w_o, right)


def _one_head_shapes() -> tuple:
    x, w_q = _drawn()[:2]
    w_q = w_q[:, :4]
    q = x @ w_q
    output, weights = scaled_dot_product_attention(q, q, q)
    return x.shape, w_q.shape, q.shape, (q @ q.T).shape, weights.shape, output.shape


def _head_width(d_model: int, n_heads: int) -> int:
    return split_heads(np.zeros((1, d_model)), n_heads).shape[-1]


NUMBERS: tuple[Printed, ...] = (
    Printed("A-dk64", "heads", "d_k for d_model = 512 and 8 heads", "64", lambda: _head_width(512, 8)),
    Printed(
        "A-params",
        "heads",
        "parameters of W_Q, W_K, W_V and W_O, d_model = 512, 8 heads",
        "1,048,576",
        lambda: LayerCount(512, 8).weights,
        remark=f"Without biases, whatever H; with biases {LayerCount(512, 8).with_biases:,}.",
    ),
    Printed(
        "A-shapes",
        "heads",
        "one head, n = 6, d_model = 8, d_k = 4: X, W_Q, Q, QKᵀ, A, AV",
        "[6, 8], [8, 4], [6, 4], [6, 6], [6, 6], [6, 4]",
        _one_head_shapes,
    ),
    Printed(
        "A-mha-shapes",
        "heads",
        "n = 6, d_model = 8, 2 heads: output and each head's weights",
        "(6, 8), (2, 6, 6)",
        _shapes,
    ),
    Printed("A-mha-agree", "heads", "loop and batched agree, 2 heads, causal", "True", _agree),
    Printed(
        "A-mha-transpose",
        "heads",
        "the same without the last transpose: largest difference",
        "",
        _without_transpose,
        remark="The lesson asks; the shape still fits. Drawn by default_rng(0): X, W_Q, W_K, W_V, W_O.",
    ),
    Printed(
        "A-h8",
        "heads",
        "8 heads of d_model = 8: d_k, and what scores are divided by",
        "",
        lambda: (_head_width(8, 8), 1 / LayerCount(8, 8).scale),
        remark="The lesson asks. √1 = 1: the scale does nothing.",
    ),
    Printed(
        "A-lib",
        "heads",
        "head width of MultiheadAttention(embed_dim=512, num_heads=8)",
        "64",
        lambda: _head_width(512, 8),
        remark="By default it returns the weights averaged over heads: average_attn_weights=False gives all.",
    ),
    Printed(
        "B-128",
        "heads",
        "head width of embed_dim = 128 with 4 heads",
        "32",
        lambda: _head_width(128, 4),
        remark="The lesson's diagram cuts the input X; its code projects first, which is right.",
    ),
    Printed(
        "B-code",
        "heads",
        "the printed MultiHeadAttention class: key.transpose(0, 2, 1) with a head axis",
        "runs",
        lambda: three_axes_for_four((1, 4, 6, 32)),
        right=False,
        remark="Four axes need four numbers; key.swapaxes(-1, -2) works for any.",
    ),
    Printed(
        "C-DH",
        "heads",
        "D = 8, H = 2: head size, shape of W_O",
        "4, 8×8",
        lambda: (_head_width(8, 2), _drawn()[4].shape),
    ),
)
