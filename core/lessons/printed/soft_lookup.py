"""The numbers of the lessons that /soft-lookup shows."""

import numpy as np

from core.lessons.printed.number import Printed
from core.lessons.soft_lookup import SoftLookup, SoftLookupSettings, trace_soft_lookup
from core.ops.attention import scaled_dot_product_attention, softmax
from core.settings import AttentionSettings
from core.trace import AttentionTrace, trace_attention

PAGE = "soft-lookup"


def _two(**values) -> SoftLookup:
    return trace_soft_lookup(SoftLookupSettings(**values))


def _cat() -> AttentionTrace:
    return trace_attention(AttentionSettings(source="cat-sat-mat"))


def _three() -> AttentionTrace:
    return trace_attention(AttentionSettings(source="three-tokens"))


def _shapes() -> tuple[str, ...]:
    x, w = np.zeros((6, 8)), np.zeros((8, 4))
    q = x @ w
    output, weights = scaled_dot_product_attention(q, q, q)
    return tuple(str(list(each.shape)) for each in (x, w, q, q @ q.T, weights, output))


def _rounded_shares() -> np.ndarray:
    return _cat().weights[0, 0][:, None] * _cat().v[0]


NUMBERS: tuple[Printed, ...] = (
    Printed("A-we-scores", PAGE, "two keys: scores", "1, 0", lambda: _two().scores),
    Printed("A-we-sqrt2", PAGE, "√d_k for d_k = 2", "1.4142", lambda: _two().divisor),
    Printed("A-we-scaled", PAGE, "two keys: scaled scores", "0.7071, 0", lambda: _two().scaled),
    Printed("A-we-exp", PAGE, "two keys: exponentials", "2.0281, 1", lambda: _two().exponentials),
    Printed("A-we-sum", PAGE, "two keys: their sum", "3.0281", lambda: _two().total),
    Printed("A-we-w", PAGE, "two keys: weights", "0.6698, 0.3302", lambda: _two().weights),
    Printed(
        "A-we-out", PAGE, "two keys: output", "6.6976, 1.9814", lambda: _two().output,
        remark="with v = (10, 0) and (0, 6), the simplest values that give it",
    ),
    Printed("A-we-gap", PAGE, "two keys: scaled gap, share of v2", "0.71, a third",
            lambda: (float(_two().scaled[0]), float(_two().weights[1])), digits=2),
    Printed("A-kc", PAGE, "q = (0, 2): weights", "", lambda: _two(q=(0.0, 2.0)).weights),
    Printed("A-kc", PAGE, "q = (0, 2): output", "", lambda: _two(q=(0.0, 2.0)).output),
    Printed("A-shapes", PAGE, "shapes of X, W_Q, Q, QKᵀ, A, AV for n = 6, d_model = 8, d_k = 4",
            "[6, 8] [8, 4] [6, 4] [6, 6] [6, 6] [6, 4]", _shapes),
    Printed("B-illus", PAGE, "sum of the drawn weights 0.05, 0.60, 0.20, 0.10, 0.03, 0.02", "1.0",
            lambda: float(np.sum([0.05, 0.60, 0.20, 0.10, 0.03, 0.02])),
            remark="a drawing: computed from nothing"),
    Printed("B-scores", PAGE, "cat sat mat: scores", "… 0.65", lambda: _cat().scores[0], right=False,
            remark="sat·mat = 0.18 + 0.18 + 0.07 + 0.12 = 0.55", digits=2),
    Printed("B-scaled", PAGE, "cat sat mat: scaled scores", "… 0.325", lambda: _cat().scaled[0],
            right=False, remark="follows from 0.65", digits=3),
    Printed("B-exp0", PAGE, "cat: exponentials", "2.625, 1.725, 1.716", lambda: np.exp(_cat().scaled[0, 0]),
            digits=3),
    Printed("B-sum0", PAGE, "cat: their sum", "6.066", lambda: float(np.exp(_cat().scaled[0, 0]).sum()),
            remark="6.066 adds rounded terms"),
    Printed("B-w0", PAGE, "cat: weights", "0.433, 0.284, 0.283", lambda: _cat().weights[0, 0], digits=3),
    Printed("B-w1", PAGE, "sat: weights", "0.384, 0.377, 0.239", lambda: _cat().weights[0, 1], right=False,
            remark="does not even follow from 0.65", digits=3),
    Printed("B-w2", PAGE, "mat: weights", "0.389, 0.269, 0.342", lambda: _cat().weights[0, 2], right=False,
            digits=3),
    Printed("B-pct", PAGE, "weights in percent", "43/28/28, 38/38/24, 39/27/34",
            lambda: 100 * _cat().weights[0], right=False, remark="rows sat and mat", digits=1),
    Printed("B-parts", PAGE, "cat: shares of the output", "0.433, 0.217, 0.087, 0.347 …", _rounded_shares,
            remark="printed from rounded weights", digits=3),
    Printed("B-out0", PAGE, "cat: output", "0.688, 0.530, 0.313, 0.546", lambda: _cat().output[0],
            remark="two entries 0.001 high: rounded terms were added"),
    Printed("B-out1", PAGE, "sat: output", "0.644, 0.529, 0.279, 0.538", lambda: _cat().output[1],
            right=False),
    Printed("B-out2", PAGE, "mat: output", "0.666, 0.477, 0.330, 0.543", lambda: _cat().output[2],
            right=False),
    Printed("B-dia-0", PAGE, "softmax(0.8, 0.3, 0.2)", "0.5, 0.3, 0.2",
            lambda: softmax(np.array([0.8, 0.3, 0.2])), right=False, remark="drawn, not computed"),
    Printed("B-dia-1", PAGE, "softmax(0.2, 0.7, 0.3)", "0.2, 0.5, 0.3",
            lambda: softmax(np.array([0.2, 0.7, 0.3])), right=False, remark="drawn, not computed"),
    Printed("B-dia-2", PAGE, "softmax(0.1, 0.6, 0.5)", "0.15, 0.45, 0.40",
            lambda: softmax(np.array([0.1, 0.6, 0.5])), right=False, remark="drawn, not computed"),
    Printed("C-s0", PAGE, "three tokens, token 0: scaled scores", "0.71, 0, 0.71",
            lambda: _three().scaled[0, 0]),
    Printed("C-w0", PAGE, "token 0: weights", "0.40, 0.20, 0.40", lambda: _three().weights[0, 0]),
    Printed("C-o0", PAGE, "token 0: output", "2.41, 3.98", lambda: _three().output[0],
            remark="rounded weights give (2.40, 4.00)"),
    Printed("C-w1", PAGE, "token 1: weights", "0.20, 0.40, 0.40", lambda: _three().weights[0, 1]),
    Printed("C-o1", PAGE, "token 1: output", "2.20, 6.02", lambda: _three().output[1]),
)  # fmt: skip
