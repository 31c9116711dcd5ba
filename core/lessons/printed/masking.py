"""The numbers of the lessons that /masking shows."""

import numpy as np

from core.lessons.masking import MaskingSettings, MaskingTrace, trace_masking
from core.lessons.masking_cases import demo_weights, lesson_row
from core.lessons.printed.number import Printed
from core.ops.masks import causal_mask

_PAGE = "masking"


def _causal_six() -> MaskingTrace:
    return trace_masking(MaskingSettings(text="a b c d e f"))


def _three_tokens() -> MaskingTrace:
    return trace_masking(MaskingSettings(source="three-tokens"))


NUMBERS: tuple[Printed, ...] = (
    Printed(
        "A-row0",
        _PAGE,
        "row 0 of causal weights, 6 tokens",
        "1, 0, 0, 0, 0, 0",
        lambda: _causal_six().weights[0],
        remark="Whatever the numbers: query 0 sees key 0 alone.",
    ),
    Printed(
        "A-upper",
        _PAGE,
        "every weight above the diagonal is exactly 0 (6 tokens)",
        "True",
        lambda: not bool(np.triu(_causal_six().weights, 1).any()),
        remark="15 of the 36 cells.",
    ),
    Printed(
        "B-mask",
        _PAGE,
        "scores (0.5, 0.8, 0.3, 0.9), query 2, causal",
        "[0.28, 0.41, 0.31, 0.00]",
        lambda: lesson_row()["before"],
        right=False,
        remark="A softmax keeps the order of its scores: 0.3 cannot get more weight than 0.5.",
    ),
    Printed(
        "B-mask4",
        _PAGE,
        "causal mask of 4 tokens, 1 = may attend",
        "[[1,0,0,0], [1,1,0,0], [1,1,1,0], [1,1,1,1]]",
        lambda: causal_mask(4).astype(int),
    ),
    Printed(
        "B-demo-nomask",
        _PAGE,
        "demo, seed 42, 4 tokens, d_k = 8: no mask",
        "",
        lambda: demo_weights(causal=False),
        remark="The lesson prints the script, not its result.",
    ),
    Printed(
        "B-demo-mask",
        _PAGE,
        "the same with the causal mask",
        "",
        lambda: demo_weights(causal=True),
        remark="Row 3 sees everything, so it is as before.",
    ),
    Printed(
        "C-row2",
        _PAGE,
        "three tokens: scaled scores of query 2",
        "0.71, 0.71, 1.41",
        lambda: _three_tokens().scaled[2],
    ),
    Printed(
        "C-cw",
        _PAGE,
        "three tokens: causal weights",
        "[1, 0, 0], [0.33, 0.67, 0], [0.25, 0.25, 0.50]",
        lambda: _three_tokens().weights,
    ),
    Printed(
        "C-co0",
        _PAGE,
        "three tokens, causal: output of query 0",
        "(1, 0)",
        lambda: _three_tokens().context[0],
        remark="Exactly its own value.",
    ),
    Printed(
        "C-causal-outs",
        _PAGE,
        "three tokens, causal: outputs of queries 1 and 2",
        "",
        lambda: _three_tokens().context[1:],
        remark="Asked in the lesson, not printed.",
    ),
)
