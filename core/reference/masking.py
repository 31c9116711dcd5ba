"""What PyTorch itself says about masks: number types, empty rows, the two meanings of True, a cache."""

import warnings
from collections.abc import Mapping
from typing import Any

from core.lessons.masking import MaskingSettings, trace_masking
from core.lessons.masking_cases import LESSON_SCORES
from core.ops.masks import causal_mask

Query = Mapping[str, str]
FILLS = ("-1e4", "-65504", "-1e9", "finfo.min", "-inf")
DTYPES = ("float16", "bfloat16", "float32")
DEEP_SCORES = (-20000.0, -20001.0, -20002.0, 5.0)  # real scores far below -1e4
_FEW = 5


def about_meaning(settings: MaskingSettings) -> MaskingSettings:
    """Return the settings with nothing left that :func:`meaning` does not depend on.

    Args:
        settings: any.
    """
    few = " ".join(settings.text.split(" ")[:_FEW])
    return MaskingSettings(
        source=settings.source, text=few, d_k=settings.d_k, seed=settings.seed, mask="none"
    )


def about_alignment(settings: MaskingSettings) -> MaskingSettings:
    """Return the settings with nothing left that :func:`alignment` does not depend on.

    Args:
        settings: any.
    """
    return MaskingSettings(
        source=settings.source,
        text=settings.text,
        d_k=settings.d_k,
        seed=settings.seed,
        mask="none",
        new=settings.new,
    )


def dtypes(_: Query) -> dict[str, Any]:
    """Return what each fill value becomes in each floating-point type, and what it hides.

    The last of four scores is hidden. ``ordinary`` and ``deep`` are its weight when it is filled in
    lesson B's row and in a row of very low scores; ``all`` the weights of a row that is filled
    throughout; ``added`` the scores after adding (1 - keep) * fill.
    """
    import torch

    hidden = torch.tensor([False, False, False, True])
    rows = []
    for name in DTYPES:
        dtype = getattr(torch, name)
        for fill in FILLS:
            value = torch.finfo(dtype).min if fill == "finfo.min" else float(fill)
            held = torch.tensor(value, dtype=dtype)
            row: dict[str, Any] = {"dtype": name, "fill": fill, "held": held.item(), "error": ""}
            try:
                filled = [
                    torch.tensor(scores, dtype=dtype).masked_fill(hidden, value)
                    for scores in (LESSON_SCORES, DEEP_SCORES)
                ]
                everything = torch.zeros(4, dtype=dtype).masked_fill(torch.ones(4, dtype=torch.bool), value)
            except RuntimeError as error:
                row["error"] = str(error)
            else:
                ordinary, deep = (torch.softmax(each, -1)[3].item() for each in filled)
                row |= {"ordinary": ordinary, "deep": deep, "all": torch.softmax(everything, -1).tolist()}
            bias = hidden.to(dtype) * held
            row["added"] = (torch.tensor(LESSON_SCORES, dtype=dtype) + bias).tolist()
            rows.append(row)
    return {"version": torch.__version__, "rows": rows}


def empty(_: Query) -> dict[str, Any]:
    """Return what PyTorch's functions make of a row without any visible key: lists, NaN included."""
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    trace = trace_masking(MaskingSettings(source="three-tokens"))
    q, k, v = (torch.from_numpy(x.copy())[None] for x in (trace.q, trace.k, trace.v))
    nothing = torch.zeros(3, 3, dtype=torch.bool)
    attention = _identity_attention(2)
    with torch.inference_mode():
        with_weights, _ = attention(q, k, v, attn_mask=~nothing, need_weights=True)
        without, _ = attention(q, k, v, attn_mask=~nothing, need_weights=False)
        return {
            "version": torch.__version__,
            "softmax": torch.softmax(torch.full((3,), -torch.inf), -1).tolist(),
            "sdpa": scaled_dot_product_attention(q, k, v, attn_mask=nothing)[0, 0].tolist(),
            "mha_with_weights": with_weights[0, 0].tolist(),
            "mha_without": without[0, 0].tolist(),
        }


def meaning(query: Query) -> dict[str, Any]:
    """Return the weights that one bool mask gives in two functions of PyTorch.

    The mask is causal with True = may attend. ``sdpa`` and ``mha`` are handed it as it is;
    ``mha_inverted`` gets its opposite, and ``difference`` compares that output with sdpa's.
    """
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    settings, _ = MaskingSettings.from_query(query)
    trace = trace_masking(about_meaning(settings))
    q, k, v = (torch.from_numpy(x.copy())[None] for x in (trace.q, trace.k, trace.v))
    keep = torch.from_numpy(causal_mask(len(trace.tokens)))
    attention = _identity_attention(q.shape[-1])
    with torch.inference_mode():
        # Values that are one-hot: then the output is the weights.
        one_hot = torch.eye(len(trace.tokens), dtype=q.dtype)[None]
        output = scaled_dot_product_attention(q, k, v, attn_mask=keep)
        wrong, wrong_weights = attention(q, k, v, attn_mask=keep)
        right, right_weights = attention(q, k, v, attn_mask=~keep)
        return {
            "version": torch.__version__,
            "tokens": list(trace.tokens),
            "sdpa": scaled_dot_product_attention(q, k, one_hot, attn_mask=keep)[0].tolist(),
            "mha": wrong_weights[0].tolist(),
            "mha_inverted": right_weights[0].tolist(),
            "wrong_difference": (wrong - output).abs().amax(-1)[0].tolist(),
            "difference": (right - output).abs().max().item(),
        }


def alignment(query: Query) -> dict[str, Any]:
    """Return which weights PyTorch gives a few new queries against all keys.

    ``is_causal`` are its weights with ``is_causal=True``, ``lower_right`` those with its own
    ``causal_lower_right``, each ``[m, n]``; ``output`` is the first query's output under ``is_causal``.
    """
    import torch
    from torch.nn.attention.bias import causal_lower_right
    from torch.nn.functional import scaled_dot_product_attention

    settings, _ = MaskingSettings.from_query(query)
    trace = trace_masking(about_alignment(settings))
    n = len(trace.tokens)
    m = min(settings.new, n)
    q, k, v = (torch.from_numpy(x.copy())[None, None] for x in (trace.q[n - m :], trace.k, trace.v))
    one_hot = torch.eye(n, dtype=q.dtype)[None, None]
    with torch.inference_mode(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns that top-left and bottom-right differ
        return {
            "version": torch.__version__,
            "is_causal": scaled_dot_product_attention(q, k, one_hot, is_causal=True)[0, 0].tolist(),
            "lower_right": scaled_dot_product_attention(q, k, one_hot, attn_mask=causal_lower_right(m, n))[
                0, 0
            ].tolist(),
            "output": scaled_dot_product_attention(q, k, v, is_causal=True)[0, 0, 0].tolist(),
        }


def _identity_attention(width: int) -> Any:
    """Return ``nn.MultiheadAttention`` with one head whose projections change nothing."""
    import torch

    attention = torch.nn.MultiheadAttention(width, 1, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        attention.in_proj_weight.copy_(torch.eye(width).repeat(3, 1))
        attention.out_proj.weight.copy_(torch.eye(width))
    return attention.eval()
