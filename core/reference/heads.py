"""Our multi-head attention against PyTorch's module, with the same weights copied in."""

import numpy as np

from core.lessons.heads import HeadsSettings, HeadsTrace, largest_difference


def torch_multi_head(trace: HeadsTrace, *, average: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return output and weights of ``torch.nn.MultiheadAttention`` with the trace's matrices, in float64.

    The module computes ``x @ w.T`` and keeps W_Q, W_K and W_V in one array, so their transposes are
    stacked; and in its mask True *hides*.

    Args:
        trace: any.
        average: whether it averages the weights over heads, as it does by default.

    Returns:
        output ``[T, D]`` and weights ``[T, T]`` if averaged, else ``[H, T, T]``.
    """
    import torch

    def tensor(array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(np.array(array))

    settings = trace.settings
    module = torch.nn.MultiheadAttention(
        settings.d_model, settings.heads, bias=False, batch_first=True, dtype=torch.float64
    ).eval()
    x = tensor(trace.x)[None]
    with torch.inference_mode():
        module.in_proj_weight.copy_(tensor(np.concatenate([trace.w_q.T, trace.w_k.T, trace.w_v.T])))
        module.out_proj.weight.copy_(tensor(trace.w_o.T))
        output, weights = module(
            x, x, x, need_weights=True, average_attn_weights=average, attn_mask=tensor(~trace.mask)
        )
    return output[0].numpy(), weights[0].numpy()


def torch_parameters(d_model: int, n_heads: int, *, bias: bool) -> int:
    """Return how many parameters ``torch.nn.MultiheadAttention`` has.

    Args:
        d_model: D.
        n_heads: a divisor of D.
        bias: whether the four projections have biases, as by default.

    Returns:
        At least 4.
    """
    import torch

    # Shapes alone: on this device nothing is stored.
    module = torch.nn.MultiheadAttention(d_model, n_heads, bias=bias, device="meta")
    return sum(each.numel() for each in module.parameters())


def module_verdict(trace: HeadsTrace) -> dict[str, float]:
    """Return how far we and PyTorch's module are apart.

    Args:
        trace: any.

    Returns:
        Largest differences: "output", "weights" of each head, "mean" of our heads' mean from the
        module's default weights, "one_head" of our heads from these.
    """
    output, weights = torch_multi_head(trace, average=False)
    _, default = torch_multi_head(trace, average=True)
    return {
        "output": largest_difference(output, trace.output),
        "weights": largest_difference(weights, trace.weights),
        "mean": largest_difference(default, trace.weights.mean(axis=0)),
        "one_head": largest_difference(default, trace.weights),
    }


def counts_verdict(settings: HeadsSettings) -> dict[str, int]:
    """Return what PyTorch's module counts in the wide layer.

    Args:
        settings: any; only the wide layer and its heads matter.

    Returns:
        "parameters" and "with_biases".
    """
    return {
        "parameters": torch_parameters(settings.wide, settings.wide_heads, bias=False),
        "with_biases": torch_parameters(settings.wide, settings.wide_heads, bias=True),
    }
