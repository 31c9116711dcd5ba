"""What PyTorch itself says about positions: RoPE by complex numbers, and positions in narrow types."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from core.lessons.heads import largest_difference
from core.lessons.positions import PositionsSettings, drawn, rope_scores
from core.ops.rope import apply_rope
from core.settings import PAIRINGS

Query = Mapping[str, str]
DTYPES = ("float32", "float16", "bfloat16")
WHOLE = (255, 256, 257, 258, 259, 511, 513, 1001, 4097)
SCORED = tuple(range(254, 261))  # positions of a query whose key stands one behind it
_TOKENS = 12


def about_rope(settings: PositionsSettings) -> PositionsSettings:
    """Return the settings with nothing left that :func:`rope` does not depend on.

    Args:
        settings: any.
    """
    return replace(PositionsSettings(), d_k=settings.d_k, rope_base=settings.rope_base, seed=settings.seed)


def rope(query: Query) -> dict[str, Any]:
    """Return the largest differences of our rotation from PyTorch's complex multiplication.

    Neighbours are read as a + bi and multiplied by cos + i sin of the angle, as LLaMA's ``freqs_cis``;
    halves by ``x * cos + rotate_half(x) * sin``, as in Hugging Face. Float64.
    """
    import torch

    settings, _ = PositionsSettings.from_query(query)
    d_k, base = settings.d_k, settings.rope_base
    x = np.array([drawn(settings, head)[0] for head in range(_TOKENS)])
    at = np.arange(_TOKENS)
    ours = {pairing: apply_rope(x, at, base=base, pairing=pairing) for pairing in PAIRINGS}

    tensor = torch.from_numpy(x)
    speeds = 1.0 / base ** (torch.arange(0, d_k, 2, dtype=torch.float64) / d_k)
    angles = torch.outer(torch.arange(_TOKENS, dtype=torch.float64), speeds)
    freqs_cis = torch.polar(torch.ones_like(angles), angles)
    complex_ = torch.view_as_complex(tensor.reshape(_TOKENS, -1, 2))
    neighbours = torch.view_as_real(complex_ * freqs_cis).flatten(1)
    both = torch.cat([angles, angles], dim=-1)
    first, second = tensor.chunk(2, dim=-1)
    halves = tensor * both.cos() + torch.cat([-second, first], dim=-1) * both.sin()
    return {
        "interleaved": largest_difference(ours["interleaved"], neighbours.numpy()),
        "half": largest_difference(ours["half"], halves.numpy()),
    }


def bfloat16(_: Query) -> dict[str, Any]:
    """Return what positions become in narrow types, and scores one step apart with such positions.

    ``held`` are whole numbers in each type; ``distinct`` how many of the first 4,096 stay apart; ``last``
    the largest up to which all are exact; ``scores`` those of a query and a key one behind it, and
    ``distances`` what is left of that one.
    """
    import torch

    settings = PositionsSettings()
    q, k = drawn(settings, 0)
    positions = np.array(SCORED, dtype=np.float64)
    whole = torch.arange(4096)
    rows = []
    for name in DTYPES:
        dtype = getattr(torch, name)

        def held(values: np.ndarray, dtype: Any = dtype) -> np.ndarray:
            return torch.from_numpy(values).to(dtype).to(torch.float64).numpy()

        kept = whole.to(dtype)
        exact = (kept.to(torch.float64) == whole).tolist()
        rows.append(
            {
                "dtype": name,
                "held": held(np.array(WHOLE, dtype=np.float64)).tolist(),
                "distinct": int(kept.to(torch.float64).unique().numel()),
                "last": exact.index(False) - 1 if False in exact else None,
                "scores": rope_scores(q, k, held(positions), held(positions - 1)).tolist(),
                "distances": (held(positions) - held(positions - 1)).tolist(),
            }
        )
    return {"version": torch.__version__, "rows": rows}
