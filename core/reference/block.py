"""The small model once more in PyTorch, for its gradients; it shares no code with ours but the numbers."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from core.lessons.block import BlockLessonSettings, token_ids, weights_of, without_looks
from core.lessons.block_weights import vocabulary_of
from core.ops.block import BlockWeights, transformer

Norm = Callable[[Any, np.ndarray, np.ndarray | None], Any]
NEXT = "."  # what follows the text's last word, for the loss


def about_gradients(settings: BlockLessonSettings) -> BlockLessonSettings:
    """Return the settings with nothing left that :func:`gradients` does not depend on.

    Args:
        settings: any.
    """
    return replace(without_looks(settings), norm_place="pre", residual=True)


def gradients(query: Mapping[str, str]) -> dict[str, Any]:
    """Return the size of the loss's gradient at every depth, by autograd: with residuals, without, and bare.

    The loss is the mean of -log p(next word). Sizes are those of dL/dx over all tokens, where x is what
    enters a block (the last: what leaves the last block), ``[L + 1]`` each.

    Args:
        query: the settings as URL parameters; what :func:`about_gradients` takes out does not count.

    Returns:
        ``sizes`` by "pre" and "post", each "with" and "without" residuals, and "bare", without residuals
        and norms; ``difference``, the largest of our logits from these where there are norms.
    """
    import torch

    settings, _ = BlockLessonSettings.from_query(query)
    sizes: dict[str, dict[str, list[float]]] = {}
    difference = 0.0
    for place in ("pre", "post"):
        sizes[place] = {}
        for name, residual in (("with", True), ("without", False)):
            each = replace(settings, norm_place=place, residual=residual)
            logits, sizes[place][name] = _logits_and_sizes(each)
            ours = transformer(token_ids(each), weights_of(each), each.build)
            difference = max(difference, float(np.abs(logits - ours).max()))
        _, sizes[place]["bare"] = _logits_and_sizes(each, norms=False)
    return {"version": torch.__version__, "sizes": sizes, "difference": difference}


def _logits_and_sizes(settings: BlockLessonSettings, *, norms: bool = True) -> tuple[np.ndarray, list[float]]:
    import torch

    logits, at_depth = _model(settings, _norm if norms else lambda x, gain, bias: x)
    targets = [*token_ids(settings)[1:].tolist(), vocabulary_of(settings.tokens).index(NEXT)]
    torch.nn.functional.cross_entropy(logits, torch.tensor(targets)).backward()
    return logits.detach().numpy(), [float(x.grad.norm()) for x in at_depth]


def _model(settings: BlockLessonSettings, norm: Norm) -> tuple[Any, list[Any]]:
    """Return the logits, and x at every depth with its gradient kept."""
    weights, llama = weights_of(settings), settings.style == "llama"
    table = _tensor(weights.embedding)
    x = table[token_ids(settings)]
    if weights.positions is not None:
        x = x + _tensor(weights.positions)[: len(x)]
    x = x.requires_grad_()
    at_depth = [x]
    for block in weights.blocks:
        x = _block(x, block, settings, norm)
        x.retain_grad()
        at_depth.append(x)
    if weights.final_norm is not None:
        x = norm(x, weights.final_norm, weights.final_norm_bias)
    return x @ (_tensor(weights.unembedding) if llama else table.T), at_depth


def _block(x: Any, weights: BlockWeights, settings: BlockLessonSettings, norm: Norm) -> Any:
    attend = _attention(weights, settings)
    think = _llama_mlp(weights) if settings.style == "llama" else _gpt2_mlp(weights)
    for sub_layer, gain, bias in (
        (attend, weights.norm_1, weights.norm_1_bias),
        (think, weights.norm_2, weights.norm_2_bias),
    ):
        if settings.norm_place == "pre":
            added = sub_layer(norm(x, gain, bias))
            x = x + added if settings.residual else added
        else:
            added = sub_layer(x)
            x = norm(x + added if settings.residual else added, gain, bias)
    return x


def _attention(weights: BlockWeights, settings: BlockLessonSettings) -> Callable[[Any], Any]:
    from torch.nn.functional import linear, scaled_dot_product_attention

    def attend(x: Any) -> Any:
        q, k, v = (
            linear(x, _tensor(w).T, _optional(b)).unflatten(-1, (-1, settings.d_k)).transpose(0, 1)
            for w, b in (
                (weights.w_q, weights.b_q),
                (weights.w_k, weights.b_k),
                (weights.w_v, weights.b_v),
            )
        )
        if settings.style == "llama":
            q, k = _turned(q), _turned(k)
        k, v = (each.repeat_interleave(len(q) // len(each), dim=0) for each in (k, v))
        y = scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
        return linear(y.transpose(0, 1).flatten(1), _tensor(weights.w_o).T, _optional(weights.b_o))

    return attend


def _turned(x: Any) -> Any:
    """RoPE by complex numbers: a pair of neighbours is one of them, turned by a factor of length 1."""
    import torch

    n_tokens, width = x.shape[-2:]
    speeds = 10000.0 ** (-torch.arange(0, width, 2, dtype=x.dtype) / width)
    angles = torch.arange(n_tokens, dtype=x.dtype)[:, None] * speeds
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


def _llama_mlp(weights: BlockWeights) -> Callable[[Any], Any]:
    from torch.nn.functional import silu

    assert weights.w3 is not None
    gate, down, up = _tensor(weights.w1), _tensor(weights.w2), _tensor(weights.w3)
    return lambda x: (silu(x @ gate) * (x @ up)) @ down


def _gpt2_mlp(weights: BlockWeights) -> Callable[[Any], Any]:
    from torch.nn.functional import gelu, linear

    w1, w2 = _tensor(weights.w1).T, _tensor(weights.w2).T
    return lambda x: linear(gelu(linear(x, w1, _optional(weights.b1))), w2, _optional(weights.b2))


def _norm(x: Any, gain: np.ndarray, bias: np.ndarray | None) -> Any:
    """LayerNorm where the style has biases, else RMSNorm, each with its usual eps."""
    from torch.nn.functional import layer_norm, rms_norm

    if bias is None:
        return rms_norm(x, x.shape[-1:], _tensor(gain), 1e-6)
    return layer_norm(x, x.shape[-1:], _tensor(gain), _tensor(bias), 1e-5)


def _optional(array: np.ndarray | None) -> Any:
    return None if array is None else _tensor(array)


def _tensor(array: np.ndarray | None) -> Any:
    import torch

    return torch.from_numpy(np.array(array))
