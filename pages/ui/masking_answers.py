"""How PyTorch's answers about masks are shown."""

from typing import Any

import numpy as np

from core.lessons.masking_cases import LESSON_SCORES
from core.reference.masking import DEEP_SCORES
from pages.ui.html import number, safe, table, vector
from pages.ui.matrix import matrix, row_of

_FILL_NAMES = {
    "-1e4": "−1e4", "-65504": "−65504", "-1e9": "−1e9", "finfo.min": "torch.finfo(dtype).min", "-inf": "−∞",
}  # fmt: skip


def dtypes(answer: dict[str, Any]) -> str:
    """Return the table of fill values by number type."""
    rows = []
    for row in answer["rows"]:
        name = f"<b>{row['dtype']}</b> {_FILL_NAMES[row['fill']]}"
        if row["error"]:
            held = f"<b class='lab-bad'>masked_fill refuses</b>; as a tensor {_real(row['held'])}"
            rows.append([name, held, "—", "—", "—", _added(row["added"])])
            continue
        rows.append(
            [
                name,
                _real(row["held"]),
                _leak(row["ordinary"]),
                _leak(row["deep"]),
                _all_hidden(row["all"]),
                _added(row["added"]),
            ]
        )
    header = [
        "type, fill",
        "what the tensor holds",
        f"hidden key's weight, scores {', '.join(f'{s:g}' for s in LESSON_SCORES[:3])}",
        f"… scores {DEEP_SCORES[0]:g} and below".replace("-", "−"),
        "every key hidden: each weight",
        "(1 − keep) × fill, added: visible scores",
    ]
    fills = table("Fill values by number type", header, rows)
    return f"{_says(answer)}<div class='lab-fills'>{fills}</div>"


def empty(answer: dict[str, Any]) -> str:
    """Return what PyTorch's functions make of a row without a key."""
    names = {
        "softmax": "torch.softmax of −∞, −∞, −∞",
        "sdpa": "F.scaled_dot_product_attention, output",
        "mha_with_weights": "nn.MultiheadAttention, need_weights=True, output",
        "mha_without": "nn.MultiheadAttention, need_weights=False, output",
    }
    rows = [[name, _numbers(answer[key])] for key, name in names.items()]
    return _says(answer) + table("A row without a key in PyTorch", ["function", "returns"], rows)


def meaning(answer: dict[str, Any]) -> str:
    """Return the weights that one bool mask gives in two functions."""
    names = [f"{i} {safe(token)}" for i, token in enumerate(answer["tokens"])]

    def part(title: str, key: str, words: str) -> str:
        weights = np.array(answer[key])
        picture = matrix(title, weights, kind="weight", rows=names, visible=weights != 0)
        return f"<div class='lab-part lab-third'>{picture}<p>{words}</p></div>"

    apart = np.array(answer["wrong_difference"])
    empty_rows = np.flatnonzero(np.isnan(apart)).tolist()
    largest = float(np.nanmax(apart)) if np.isfinite(apart).any() else 0.0
    wrong = f"Outputs up to <b class='lab-bad'>{number(largest)}</b> away."
    if empty_rows:
        wrong += f" Row {', '.join(map(str, empty_rows))}: <b class='lab-bad'>NaN</b>, no key is left."
    return _says(answer) + row_of(
        part("F.scaled_dot_product_attention(attn_mask=keep)", "sdpa", "True = <b>may attend</b>."),
        part(
            "nn.MultiheadAttention(attn_mask=keep)",
            "mha",
            f"True = <b>hidden</b>, as in key_padding_mask. {wrong}",
        ),
        part(
            "nn.MultiheadAttention(attn_mask=~keep)",
            "mha_inverted",
            f"The first again, to <b class='lab-good'>{answer['difference']:.2g}</b>.",
        ),
    )


def alignment(answer: dict[str, Any]) -> str:
    """Return which keys PyTorch lets a few new queries see."""
    rows = []
    for key, name in (("is_causal", "is_causal=True"), ("lower_right", "causal_lower_right(m, n)")):
        counts = [sum(weight > 0 for weight in row) for row in answer[key]]
        seen = ", ".join(f"0 … {count - 1}" if count > 1 else "0" for count in counts)
        rows.append([name, seen, vector(answer[key][0])])
    header = ["F.scaled_dot_product_attention with", "keys seen, query by query", "first query's weights"]
    return _says(answer) + table("Alignment in PyTorch", header, rows)


def _says(answer: dict[str, Any]) -> str:
    return f"<p class='lab-dim'>PyTorch {safe(answer['version'])} on this machine says:</p>"


def _real(x: float) -> str:
    if np.isnan(x):
        return "<b class='lab-bad'>NaN</b>"
    if np.isinf(x):
        return "−∞" if x < 0 else "∞"
    return (f"{x:.4g}" if abs(x) >= 1e6 else f"{x:g}").replace("-", "−")


def _numbers(values: list[float]) -> str:
    return f"({', '.join(map(_real, values))})"


def _leak(weight: float) -> str:
    return f"<b class='lab-{'bad' if weight else 'good'}'>{weight:g}</b>"


def _all_hidden(weights: list[float]) -> str:
    if all(map(np.isnan, weights)):
        return "<b class='lab-bad'>NaN</b>, loudly"
    return f"<b class='lab-bad'>{weights[0]:g}</b>, silently"


def _added(scores: list[float]) -> str:
    visible = scores[:3]
    if any(map(np.isnan, visible)):
        return "<b class='lab-bad'>NaN</b>: 0 × −∞"
    return "<b class='lab-good'>kept</b>"
