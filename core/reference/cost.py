"""PyTorch's own attention kernels on the numbers of the walk."""

from typing import Any

import numpy as np

from core.lessons.cost import CostTrace


def flash_verdict(trace: CostTrace) -> dict[str, Any]:
    """Return how far our two outputs are from PyTorch's flash kernel and from its plain one.

    Args:
        trace: any; all queries are compared, in float64.

    Returns:
        "flash" and "math", each the largest difference from our "tiled" and "plain" output; a kernel
        that this build of PyTorch does not have for the CPU is left out.
    """
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention

    q, k, v = (torch.from_numpy(x.copy())[None, None] for x in (trace.q, trace.k, trace.v))
    found: dict[str, Any] = {"version": torch.__version__}
    for name, backend in (("flash", SDPBackend.FLASH_ATTENTION), ("math", SDPBackend.MATH)):
        try:
            with torch.inference_mode(), sdpa_kernel(backend):
                theirs = scaled_dot_product_attention(q, k, v, is_causal=trace.settings.causal)[0, 0].numpy()
        except RuntimeError:
            continue
        ours = {"tiled": trace.tiled, "plain": trace.output}
        found[name] = {way: float(np.abs(theirs - each).max()) for way, each in ours.items()}
    return found
