"""What is counted and compared: loop, batch and PyTorch's module, and the parameters of a layer."""

from core.lessons.head_counts import LayerCount
from core.lessons.heads import HeadsTrace
from pages.ui.head_stages import N_COLOURS, colour, part, side_by_side
from pages.ui.html import number, table


def agreement(trace: HeadsTrace) -> str:
    """Return the loop's output and the batched one, with their largest difference."""
    return (
        "<section class='lab-panel lab-tight' aria-label='Loop and batched'>"
        + side_by_side(
            part("a loop over heads", trace.loop, trace), "=", part("all at once", trace.batched, trace)
        )
        + "<p>Largest difference between the two: "
        f"<b class='lab-good'>{size(trace.loop_difference)}</b></p></section>"
    )


def torch_verdict(answer: dict[str, float]) -> str:
    """Return what PyTorch's module says about the same arrays."""
    lines = {
        "output: largest difference from ours": size(answer["output"]),
        "weights of every head: largest difference from ours": size(answer["weights"]),
        "the weights it returns by default are a <b>mean over heads</b>: difference from our mean": size(
            answer["mean"]
        ),
        "… and from the weights of single heads, up to": size(answer["one_head"]),
    }
    return _said(lines)


def torch_counts(answer: dict[str, int]) -> str:
    """Return what PyTorch's module counts in the wide layer."""
    lines = {
        "Parameters of <code>nn.MultiheadAttention(D, H)</code>, no biases": f"{answer['parameters']:,}",
        "… with biases, its default": f"{answer['with_biases']:,}",
    }
    return _said(lines)


def _said(lines: dict[str, str]) -> str:
    items = (f"<li><span>{name}</span><b>{value}</b></li>" for name, value in lines.items())
    return f"<ol class='lab-steps'>{''.join(items)}</ol>"


def counts(trace: HeadsTrace, layers: list[LayerCount]) -> str:
    """Return the parameters of a wide layer for every number of heads."""
    chosen = next(each for each in layers if each.n_heads == trace.settings.wide_heads)
    d, h = chosen.d_model, chosen.n_heads
    rows = [_count_row(each, each is chosen) for each in layers]
    header = ["heads H", "d_k = D / H", "scale 1/√d_k", "one head's part of W_Q", "all four matrices"]
    return (
        "<section class='lab-panel' aria-label='Parameters'>"
        f"<p class='lab-large'>4 × D² = 4 × {d:,}² = <b>{chosen.weights:,}</b>, whatever H "
        f"<small>· with biases, + 4 × D: <b>{chosen.with_biases:,}</b> "
        f"· d_k = {d:,} / {h:,} = <b>{chosen.d_k:,}</b></small></p>"
        "<div class='lab-beside-table'>"
        + table("Parameters for every number of heads", header, rows, tall=True)
        + _squares(chosen)
        + "</div></section>"
    )


def _squares(layer: LayerCount) -> str:
    """The four matrices as squares, cut into heads: by columns, and W_O by rows."""
    step = 100 / layer.n_heads
    colours = ", ".join(
        f"{colour(h)} {h * step:.4f}% {(h + 1) * step:.4f}%" for h in range(min(layer.n_heads, N_COLOURS))
    )
    squares = (
        f"<figure><i style='background:repeating-linear-gradient({turn}deg, {colours})'></i>"
        f"<figcaption>{name}<br><small>[{layer.d_model:,}, {layer.d_model:,}]</small></figcaption></figure>"
        for name, turn in (("W_Q", 90), ("W_K", 90), ("W_V", 90), ("W_O", 180))
    )
    cut = f"Four squares, each cut into {layer.n_heads:,} heads"
    return f"<div class='lab-squares' role='img' aria-label='{cut}'>{''.join(squares)}</div>"


def _count_row(each: LayerCount, chosen: bool) -> list[str]:
    cells = [
        f"{each.n_heads:,}",
        f"{each.d_k:,}",
        number(each.scale),
        f"{each.d_model:,} × {each.d_k:,} = {each.one_head:,}",
        f"{each.weights:,}",
    ]
    return [f"<mark>{cell}</mark>" for cell in cells] if chosen else cells


def size(difference: float) -> str:
    """Return a difference as text, exactly nothing as 0."""
    return "0" if difference == 0 else number(difference)
