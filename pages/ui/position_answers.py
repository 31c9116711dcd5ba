"""What PyTorch answers about positions, as HTML."""

from typing import Any

from core.figures.positions import signed
from core.reference.positions import SCORED, WHOLE
from pages.ui.html import table
from pages.ui.position_order import gap


def rope(answer: dict[str, float]) -> str:
    """Return how far our rotation is from PyTorch's, by both pairings."""
    rows = [
        [
            "neighbours: a + b i times cos + i sin <small>(<code>freqs_cis</code>)</small>",
            gap(answer["interleaved"]),
        ],
        ["halves: <code>x * cos + rotate_half(x) * sin</code>", gap(answer["half"])],
    ]
    return table("RoPE in PyTorch", ["the same rotation in PyTorch, float64", "largest difference"], rows)


def narrow_types(answer: dict[str, Any]) -> str:
    """Return what positions become in each type, and what that does to a score."""
    types = [
        [f"<code>{row['dtype']}</code>", *(_held(p, x) for p, x in zip(WHOLE, row["held"], strict=True)),
         "all" if row["last"] is None else f"to {row['last']:,}", f"{row['distinct']:,}"]
        for row in answer["rows"]
    ]  # fmt: skip
    exact, *_, narrow = answer["rows"]
    scores = [
        [
            f"q at {m}, k at {m - 1}",
            signed(right),
            f"<span class='lab-{'good' if distance == 1 else 'bad'}'>{signed(wrong)}</span>",
            signed(distance, 0),
        ]
        for m, right, wrong, distance in zip(
            SCORED, exact["scores"], narrow["scores"], narrow["distances"], strict=True
        )
    ]
    return (
        table(
            "Positions in three types",
            ["position", *map(str, WHOLE), "exact", "distinct of 4,096"],
            types,
        )
        + "<div class='lab-beside-table'>"
        + table(
            "Scores one step apart",
            ["one step apart", "<code>float32</code>", "<code>bfloat16</code>", "distance there"],
            scores,
        )
        + "<div class='lab-verdict'><p>bfloat16 holds 8 significant bits: <b>257 becomes 256</b>, and "
        "neighbours collide or lie two apart.</p><p>float16 lasts to 2,048. Positions and angles belong in "
        "float32, whatever type the model computes in.</p>"
        f"<p class='lab-dim'>PyTorch {answer['version']}</p></div></div>"
    )


def _held(position: int, held: float) -> str:
    return f"<span class='lab-{'good' if held == position else 'bad'}'>{held:.0f}</span>"
