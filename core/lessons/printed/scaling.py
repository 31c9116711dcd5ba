"""The numbers of the lessons that /scaling shows."""

import numpy as np

from core.lessons.printed.number import Printed
from core.lessons.scaling import EIGHT_SCORES, measured_sd
from core.ops.attention import softmax

PAGE = "scaling"
_SAMPLED = "a sample; theory √d_k beside it"
_EIGHT = np.array(EIGHT_SCORES)


def _sd(d_k: int) -> tuple[float, float]:
    return measured_sd(d_k, 0), d_k**0.5


def _exp_1000() -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(1000.0))


NUMBERS: tuple[Printed, ...] = (
    Printed("A-std-4", PAGE, "SD of q·k at d_k = 4: measured, theory", "2.00", lambda: _sd(4),
            remark=_SAMPLED),
    Printed("A-std-64", PAGE, "at d_k = 64", "7.98", lambda: _sd(64), remark=_SAMPLED),
    Printed("A-std-512", PAGE, "at d_k = 512", "22.42", lambda: _sd(512),
            remark="a sample 0.9% below theory; theory √d_k beside it"),
    Printed("A-sqrt512", PAGE, "√512", "22.6", lambda: 512**0.5),
    Printed("B-var-64", PAGE, "variance of q·k at d_k = 64, measured", "64", lambda: measured_sd(64, 0) ** 2,
            remark="theory 64", digits=1),
    Printed("B-var-512", PAGE, "variance of q·k at d_k = 512, measured", "512",
            lambda: measured_sd(512, 0) ** 2, remark="theory 512", digits=1),
    Printed("C-sd128", PAGE, "SD of q·k at d_k = 128: measured, theory", "about 11", lambda: _sd(128)),
    Printed("C-sqrt128", PAGE, "√128", "11.3", lambda: 128**0.5),
    Printed("A-softmax1000", PAGE, "softmax(1000, 1001, 1002)", "0.09, 0.2447, 0.6652",
            lambda: softmax(np.array([1000.0, 1001.0, 1002.0]))),
    Printed("A-exp1000", PAGE, "exp(1000) in float64", "∞", _exp_1000, remark="finite up to 709.78"),
    Printed("B-sat100", PAGE, "softmax(100, 1, 1, 1)", "1, 0, 0, 0",
            lambda: softmax(np.array([100.0, 1, 1, 1])), remark="the others are 1.0112e−43"),
    Printed("B-sat2", PAGE, "softmax(2, 0.5, 0.5, 0.5)", "0.5, 0.17, 0.17, 0.17",
            lambda: softmax(np.array([2.0, 0.5, 0.5, 0.5])), right=False, remark="printed row sums to 1.01"),
    Printed("C-draw", PAGE, "eight scores of SD 11: largest weight, and divided by √128", "0.99999, 0.41",
            lambda: (float(softmax(_EIGHT).max()), float(softmax(_EIGHT / 128**0.5).max())),
            remark="the lesson's draw has no seed; these are eight fixed scores of ours", digits=5),
)  # fmt: skip
