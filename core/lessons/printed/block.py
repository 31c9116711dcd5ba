"""The numbers of the lessons that /block shows."""

import numpy as np

from core.lessons.block_weights import hidden_width
from core.lessons.printed.number import Printed
from core.ops.mlp import sigmoid, silu, swiglu_mlp


def _entry(a: float, b: float) -> float:
    """One entry of SwiGLU whose branches give a and b."""
    one = np.ones((1, 1))
    return swiglu_mlp(one, a * one, one, b * one).item()


NUMBERS: tuple[Printed, ...] = (
    Printed(
        "C-gpt2", "block", "hidden width of GPT-2's MLP, D = 768", "4D", lambda: hidden_width("gpt2", 768)
    ),
    Printed("C-sig2", "block", "σ(2)", "0.881", lambda: float(sigmoid(np.array(2.0)))),
    Printed("C-silu2", "block", "SiLU(2) = 2 σ(2)", "1.76", lambda: float(silu(np.array(2.0)))),
    Printed(
        "C-swiglu",
        "block",
        "one entry of SwiGLU: x W1 = 2, x W3 = 0.5",
        "0.88",
        lambda: _entry(2.0, 0.5),
        remark="The lesson calls x W3 the gate; LLaMA code calls the SiLU branch so (w1, gate_proj).",
    ),
    Printed("C-gate0", "block", "the same with x W3 = 0", "0", lambda: _entry(2.0, 0.0)),
)
