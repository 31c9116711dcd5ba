"""The NumPy and the PyTorch code that reproduce what is on the screen. The tests run both."""

import numpy as np

from core.settings import AttentionSettings
from core.trace import AttentionTrace

_INLINE = 400  # numbers in q, k and v that are written into the code; more are loaded from the NPZ


def numpy_code(trace: AttentionTrace) -> str:
    """Return a program that computes ``weights`` and ``output`` with NumPy alone."""
    settings = trace.settings
    lines = ["import numpy as np", "", *_arrays(trace)]
    if settings.rope:
        lines += ["", *_rope(settings, "np", "np.arange", "axis")]
    lines += [
        "",
        f"scores = q @ k.swapaxes(-1, -2)                # {_shape(trace.scores)}",
        f"scaled = scores * {_scale(settings)}",
        *_mask(trace, "np"),
        "masked = np.where(mask, scaled, -np.inf)       # hidden keys get exp(-inf) = 0",
        "shift = masked.max(-1, keepdims=True)",
        "exp = np.exp(masked - np.where(np.isneginf(shift), 0, shift))",
        "total = exp.sum(-1, keepdims=True)",
        "weights = exp / np.where(total == 0, 1, total) # rows sum to 1; 0 where no key is visible",
        f"context = weights @ v                          # {_shape(trace.context)}",
        "output = context.swapaxes(0, 1).reshape(context.shape[1], -1)  # the heads side by side",
        "print(weights.round(4))",
        "print(output.round(4))",
    ]
    return "\n".join(lines) + "\n"


def torch_code(trace: AttentionTrace) -> str:
    """Return a program that computes ``weights`` and ``output`` with PyTorch's own function."""
    settings = trace.settings
    lines = ["import numpy as np", "import torch", "import torch.nn.functional as F", "", *_arrays(trace)]
    lines += ["q, k, v = (torch.tensor(x, dtype=torch.float64) for x in (q, k, v))"]
    if settings.rope:
        lines += ["", *_rope(settings, "torch", "torch.arange", "dim")]
    lines += [
        "",
        f"scale = {_scale(settings)}",
        *_mask(trace, "torch"),
        "# In this function True means: may attend. (In nn.MultiheadAttention it means the opposite.)",
        "context = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)",
        "masked = (q @ k.mT * scale).masked_fill(~mask, float('-inf'))",
        "weights = torch.softmax(masked, dim=-1).nan_to_num(0.0)  # 0 where no key is visible",
        "context = torch.where(mask.any(-1)[:, None], context, 0.0)",
        "output = context.transpose(0, 1).flatten(1)   # the heads side by side",
        "print(weights.numpy().round(4))",
        "print(output.numpy().round(4))",
    ]
    return "\n".join(lines) + "\n"


def _arrays(trace: AttentionTrace) -> list[str]:
    """Lines that define q, k and v, before rotation, each key/value head repeated for its group."""
    shapes = f"# q {_shape(trace.q)}, k {_shape(trace.k)}, v {_shape(trace.v)}: heads, tokens, width"
    if trace.q.size + trace.k.size + trace.v.size > _INLINE:
        return [
            shapes,
            "# From the NPZ file that is offered beside this code:",
            'arrays = np.load("attention.npz")',
            'q, k, v = arrays["q"], arrays["k"], arrays["v"]',
        ]
    written = (f"{name} = np.array({_literal(getattr(trace, name))})" for name in "qkv")
    return [shapes, *written]


def _literal(array: np.ndarray) -> str:
    return repr(array.tolist())  # repr of a float reads back to the same float


def _rope(settings: AttentionSettings, library: str, arange: str, axis: str) -> list[str]:
    """Lines that turn q and k. Positions follow the shifts that are set."""
    last = "-1"
    join = f"{library}.{'stack' if settings.pairing == 'interleaved' else 'concatenate'}"
    double = ", dtype=torch.float64" if library == "torch" else ", dtype=float"
    if settings.pairing == "interleaved":
        split = "a, b = x[..., 0::2], x[..., 1::2]                  # pairs (2i, 2i + 1)"
        merge = f"return {join}([a * cos - b * sin, a * sin + b * cos], {axis}={last}).reshape(x.shape)"
    else:
        split = "a, b = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]  # pairs (i, i + d/2)"
        merge = f"return {join}([a * cos - b * sin, a * sin + b * cos], {axis}={last})"
    offset, shift = settings.rope_offset, settings.rope_offset + settings.query_shift
    return [
        "def rope(x, positions):",
        "    d = x.shape[-1]",
        f"    speeds = {settings.rope_base!r} ** (-{arange}(0, d, 2{double}) / d)",
        "    angles = positions[:, None] * speeds",
        f"    cos, sin = {library}.cos(angles), {library}.sin(angles)",
        f"    {split}",
        f"    {merge}",
        "",
        "behind = k.shape[-2] - q.shape[-2]              # the last query stands at the last key",
        f"q = rope(q, {arange}(q.shape[-2]) + behind{_plus(shift)})",
        f"k = rope(k, {arange}(k.shape[-2]){_plus(offset)})",
    ]


def _plus(shift: int) -> str:
    return f" {'+' if shift > 0 else '-'} {abs(shift)}" if shift else ""


def _scale(settings: AttentionSettings) -> str:
    return {"sqrt_d_k": "(1 / q.shape[-1] ** 0.5)", "none": "1.0", "d_k": "(1 / q.shape[-1])"}[settings.scale]


def _mask(trace: AttentionTrace, library: str) -> list[str]:
    """Lines that build the mask, True = may attend."""
    settings = trace.settings
    if settings.window is None and not settings.causal:
        return [f"mask = {library}.ones((q.shape[-2], k.shape[-2]), dtype=bool)"]
    lines = [
        f"query = {library}.arange(q.shape[-2])[:, None] + k.shape[-2] - q.shape[-2]",
        f"key = {library}.arange(k.shape[-2])",
    ]
    if settings.window is None:
        return [*lines, "mask = key <= query                             # causal: no key after the query"]
    return [
        *lines,
        f"mask = (key <= query) & (key > query - {settings.window})  # causal, a window of {settings.window}",
    ]


def _shape(array: np.ndarray) -> str:
    return str(list(array.shape))
