"""What goes wrong with heads, on the numbers of the page: it fits in shape, and the values are wrong."""

import numpy as np

from core.lessons import heads_wrong
from core.lessons.head_counts import LayerCount
from core.lessons.heads import HeadsTrace, largest_difference
from pages.ui.head_checks import size
from pages.ui.head_stages import (
    colour,
    head_chip,
    part,
    row_names,
    side_by_side,
    weights_part,
)
from pages.ui.html import card, cards, number, safe, vector

_SMALL = 1e-9  # what is smaller is rounding
_MOST_HEADS = 4  # patterns drawn beside their average


def mistakes(trace: HeadsTrace) -> str:
    """Return the usual mistakes, each failing on these numbers."""
    items = (
        ("Reshape without the transpose, at the split", _split_card(trace)),
        ("Cut the input first, project each piece", _input_card(trace)),
        ("Scale by √d_model", _scale_card(trace)),
        ("Transpose three axes of four", _axes_card(trace)),
        ("Copy W into PyTorch as it is", _copy_card(trace)),
        ("Give every head the full width", _wide_card(trace)),
    )
    title = "<h2 class='lab-section'>Usual mistakes, on these numbers</h2>"
    small = cards(*(card(*item) for item in items))
    return f"{title}{_merge(trace)}{_average(trace)}<div class='lab-thirds'>{small}</div>"


# --- two mistakes with pictures ----------------------------------------------------------------


def _merge(trace: HeadsTrace) -> str:
    wrong = heads_wrong.forgotten_merge(trace)
    limit = float(np.abs([trace.output, wrong.output]).max())
    n_tokens, d_model = trace.output.shape
    assert wrong.origin is not None
    return (
        "<section class='lab-panel lab-tight lab-card' aria-label='The forgotten transpose'>"
        "<h3>The forgotten transpose: <code>context.reshape(T, D)</code></h3>"
        f"<p>Both are [{n_tokens}, {d_model}], so no shape complains. Largest difference of the output: "
        f"{_verdict(trace, wrong.difference)} A row should hold one token; it holds:</p>"
        + side_by_side(
            _origins(trace, wrong.origin),
            part("right", trace.output, trace, limit=limit),
            "≠",
            part("without the transpose", wrong.output, trace, limit=limit),
        )
        + "</section>"
    )


def _origins(trace: HeadsTrace, origin: np.ndarray) -> str:
    """Which head and token stand in each block of the wrongly merged rows."""
    names, n_heads = row_names(trace), trace.settings.heads
    few = n_heads <= _MOST_HEADS
    rows = []
    for i, (name, blocks) in enumerate(zip(names, origin[: len(names)].tolist(), strict=True)):
        cells = (
            f"<td class='lab-block' style='border-color:{colour(head)}'>"
            f"<span class='{'lab-good' if (head, token) == (block, i) else 'lab-bad'}'>"
            f"{f'head {head}, token {token}' if few else f'{head}·{token}'}</span></td>"
            for block, (head, token) in enumerate(blocks)
        )
        rows.append(f"<tr><th scope='row'>{name}</th>{''.join(cells)}</tr>")
    heads = "".join(f"<th scope='col'>for {f'head {h}' if few else h}</th>" for h in range(n_heads))
    return (
        "<figure class='lab-matrix'>"
        f"<figcaption>what stands there{'' if few else ': head·token'}</figcaption>"
        "<div class='lab-scroll' tabindex='0' role='region' aria-label='What each row holds'>"
        f"<table><thead><tr><td></td>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></figure>"
    )


def _average(trace: HeadsTrace) -> str:
    wrong, small = heads_wrong.averaged_heads(trace), heads_wrong.two_heads()
    first, second = (_short(each) for each in small.weights[:, 0])
    shown = range(min(trace.settings.heads, _MOST_HEADS))
    more = f"<span class='lab-dim'>… {trace.settings.heads} heads</span>"
    pieces = [weights_part(head_chip(h), trace.weights[h], trace) for h in shown]
    return (
        "<section class='lab-panel lab-tight lab-card' aria-label='The average of heads'>"
        "<h3>Read the average of the heads as what the model uses</h3>"
        + side_by_side(
            *pieces,
            *([more] if trace.settings.heads > _MOST_HEADS else []),
            "→",
            weights_part("average: used by nothing", wrong.inner, trace),
        )
        + "<p>Each head multiplies its <b>own</b> values by its own weights; W_O adds the results. "
        f"One pattern for all heads changes the output by up to {_verdict(trace, wrong.difference)}</p>"
        f"<p>One query, two keys: weights {first} and {second} average to {_short(small.mean)}, "
        "no preference at all. With values (10, 0) and (0, 10) the heads pass on "
        f"<b class='lab-good'>{_short(small.passed_on)}</b>; the average would pass on "
        f"<b class='lab-bad'>{_short(small.by_mean)}</b>.</p></section>"
    )


# --- and four in few words -----------------------------------------------------------------------


def _split_card(trace: HeadsTrace) -> str:
    wrong = heads_wrong.forgotten_split(trace)
    assert wrong.origin is not None
    row = min(1, len(trace.tokens) - 1)
    head, token = wrong.origin[0, row].tolist()
    return (
        "<p><code>q.reshape(H, T, d_k)</code> cuts tokens into pieces. "
        f"Row {row} of head 0 should be piece 0 of token {row} “{safe(trace.tokens[row])}”; "
        f"it is piece {head} of token {token} “{safe(trace.tokens[token])}”.</p>"
        f"<p>Right {vector(trace.q_heads[0, row, :4])}{_more(trace)}<br>"
        f"wrong <span class='lab-bad'>{vector(wrong.inner[0, row, :4])}</span>{_more(trace)}</p>"
        f"<p>Output off by up to {_verdict(trace, wrong.difference)}</p>"
    )


def _input_card(trace: HeadsTrace) -> str:
    wrong = heads_wrong.split_input(trace)
    right_move, wrong_move = heads_wrong.change_seen(trace)
    d_k, d_model = trace.settings.d_k, trace.settings.d_model
    return (
        f"<p>Another model: each head sees {d_k} of the {d_model} columns of X, as if "
        f"{int((wrong.inner == 0).sum())} of the {wrong.inner.size} entries of W_Q were 0.</p>"
        "<p>Add 1 to the last column of token 0. The weights of head 0 move by up to "
        f"<b class='lab-good'>{number(right_move)}</b>; with the input cut first by "
        f"<b class='lab-bad'>{size(wrong_move)}</b>.</p>"
        f"<p>Output off by up to {_verdict(trace, wrong.difference)}</p>"
    )


def _scale_card(trace: HeadsTrace) -> str:
    wrong = heads_wrong.scaled_by_width(trace)
    d_k, d_model, h = trace.settings.d_k, trace.settings.d_model, trace.settings.head
    right, too_even = trace.weights[h].max(), wrong.inner[h].max()
    return (
        f"<p>Inside a head a dot product adds d_k = {d_k} terms: divide by √{d_k} = {number(d_k**0.5)}, "
        f"not by √{d_model} = {number(d_model**0.5)}. Else the weights come out too even.</p>"
        f"<p>Largest weight of {head_chip(h)}: <b class='lab-good'>{number(right)}</b>, "
        f"with √d_model <b class='lab-bad'>{number(too_even)}</b>; the weights differ by up to "
        f"{number(largest_difference(wrong.inner, trace.weights))}.</p>"
        f"<p>Output off by up to {_verdict(trace, wrong.difference)}</p>"
    )


def _axes_card(trace: HeadsTrace) -> str:
    shape = (1, *trace.k_heads.shape)
    return (
        f"<p><code>key.transpose(0, 2, 1)</code> was written for [B, T, d]. With heads the keys are "
        f"{list(shape)}, and NumPy says:</p>"
        f"<p><code class='lab-bad'>{safe(heads_wrong.three_axes_for_four(shape))}</code></p>"
        "<p><code>key.swapaxes(-1, -2)</code> turns the last two, whatever stands before them. "
        "This one at least is loud.</p>"
    )


def _copy_card(trace: HeadsTrace) -> str:
    wrong = heads_wrong.copied_untransposed(trace)
    return (
        "<p><code>nn.Linear</code> and <code>nn.MultiheadAttention</code> compute x @ weightᵀ. "
        "Ours is x @ W: copy Wᵀ. W is square, so no shape complains.</p>"
        f"<p>Query of token 0: {vector(trace.q[0, :4])} …<br>"
        f"wrong <span class='lab-bad'>{vector(wrong.inner[0, :4])}</span> …</p>"
        f"<p>Output off by up to <b class='lab-bad'>{number(wrong.difference)}</b>.</p>"
    )


def _wide_card(trace: HeadsTrace) -> str:
    layer = LayerCount(trace.settings.wide, trace.settings.wide_heads)
    return (
        f"<p>Heads of width D / H = {layer.d_k:,} share D = {layer.d_model:,} columns: "
        f"<b class='lab-good'>{layer.weights:,}</b> parameters in all.</p>"
        f"<p>{layer.n_heads:,} heads of width {layer.d_model:,} each would take "
        f"<b class='lab-bad'>{layer.full_width_heads:,}</b>, {layer.n_heads:,} times as many. "
        "And W_O is the fourth matrix: without it, heads are never mixed.</p>"
    )


def _verdict(trace: HeadsTrace, difference: float) -> str:
    if difference > _SMALL:
        return f"<b class='lab-bad'>{number(difference)}</b>."
    why = "one head" if trace.settings.heads == 1 else "so few tokens"
    return f"<b>{size(difference)}</b>. With {why} it cannot be seen here."


def _short(values: np.ndarray) -> str:
    return f"({',&nbsp;'.join(f'{x:g}' for x in values)})"


def _more(trace: HeadsTrace) -> str:
    return " …" if trace.settings.d_k > 4 else ""
