"""How PyTorch's decoding and the measured times are shown."""

from typing import Any

from pages.ui.html import number, safe, table


def decoding(answer: dict[str, Any]) -> str:
    """Return how far PyTorch's decoding is from ours, and what its shortcuts give."""
    lines = {
        "enable_gqa=True, a mask of one row": _good(answer["grouped"]),
        "repeat_interleave(H / H<sub>kv</sub>, dim=1)": _good(answer["repeated"]),
        "repeat(1, H / H<sub>kv</sub>, 1, 1), which tiles": _apart(answer["tiled"]),
        "is_causal=True with the last query alone": _apart(answer["top_left"]),
        "… and that output from v₀": _good(answer["first_value"]),
    }
    items = "".join(f"<li><span>{name}</span><b>{value}</b></li>" for name, value in lines.items())
    return (
        f"<p class='lab-dim'>PyTorch {safe(answer['version'])}, F.scaled_dot_product_attention on these q, k "
        f"and v, all {answer['n_tokens']} steps; largest difference from ours:</p>"
        f"<ol class='lab-steps'>{items}</ol>"
    )


def timing(answer: dict[str, Any]) -> str:
    """Return the measured times of decoding."""
    rows = [
        [
            f"{row['n_tokens']}",
            f"{1e3 * row['with']:.1f} ms",
            f"{1e3 * row['without']:.1f} ms",
            f"<b>{row['without'] / row['with']:.1f}</b>",
            f"{row['counted']:.1f}",
        ]
        for row in answer["rows"]
    ]
    header = ["n tokens", "with a cache", "without", "times as long", "times as many multiplications"]
    apart = max(row["difference"] for row in answer["rows"])
    return (
        "<p class='lab-dim'>Measured on this machine, in NumPy: one layer with projections, "
        f"{answer['heads']} query heads, {answer['kv_heads']} KV heads of width {answer['d_k']}.</p>"
        + table("Measured times", header, rows)
        + f"<p>Outputs are equal: <b class='lab-good'>{number(apart)}</b> apart at most. Counts are exact; "
        "times are not: small products are ruled by what a call costs.</p>"
    )


def _good(x: float) -> str:
    return f"<span class='lab-good'>{number(x) if x else '0'}</span>"


def _apart(x: float) -> str:
    return f"<span class='lab-{'bad' if x > 1e-9 else 'good'}'>{number(x) if x else '0'}</span>"
