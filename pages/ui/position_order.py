"""Order-blindness in matrices: the same words twice, and each word's row found again."""

import numpy as np

from core.figures.soft_lookup import colour
from core.lessons.order_blind import OrderTrace
from pages.ui.html import safe, table
from pages.ui.matrix import matrix, row_of

ROUNDING = 1e-9  # what is smaller is rounding


def order_picture(trace: OrderTrace) -> str:
    """Return both orders with their weights and outputs, and how far apart each word's outputs are."""
    typed = list(range(len(trace.words)))
    order = trace.order.tolist()
    limit = float(np.abs([trace.output, trace.shuffled_output]).max())
    return (
        f"<section class='lab-panel lab-tight lab-orders' aria-label='Two orders'>{_buttons(trace)}"
        + row_of(
            _block("as typed", trace, typed, trace.weights, trace.output, limit),
            _block("reordered", trace, order, trace.shuffled_weights, trace.shuffled_output, limit),
        )
        + f"<div class='lab-beside-table'>{_found_again(trace)}"
        f"<div class='lab-verdict'>{_verdict(trace)}</div></div></section>"
    )


def added_picture(trace: OrderTrace) -> str:
    """Return the embeddings of the words as typed, the waves of their positions, and the sum."""
    names = [chip(trace, i) for i in range(len(trace.words))]
    total = trace.embeddings + trace.waves
    limit = float(np.abs([trace.embeddings, total]).max())
    return (
        "<section class='lab-panel lab-tight' aria-label='Waves added'>"
        + row_of(
            matrix("embeddings X", trace.embeddings, rows=names, limit=limit),
            "<span class='lab-sign'>+</span>",
            matrix("waves", trace.waves, limit=limit),
            "<span class='lab-sign'>=</span>",
            matrix("what the model reads", total, rows=names, limit=limit),
        )
        + "</section>"
    )


def gap(x: float) -> str:
    """Return a difference; one that is rounding is called 0."""
    if x == 0:
        return "0"
    return f"0 <small>(rounding: {x:.0e})</small>".replace("-", "−") if x < ROUNDING else f"{x:.4f}"


def chip(trace: OrderTrace, word: int) -> str:
    """Return a word with its colour, the same in every order."""
    return f"<i class='lab-dot' style='background:{colour(word)}'></i>{safe(_cut(trace.words[word]))}"


def _cut(word: str) -> str:
    return word if len(word) <= 12 else word[:11] + "…"


def _block(title: str, trace: OrderTrace, places: list[int], weights, output, limit: float) -> str:
    names = [chip(trace, word) for word in places]
    visible = trace.mask
    heads = [
        f"<span title='{safe(trace.words[word])}'>{safe(_cut(trace.words[word]))}</span>" for word in places
    ]
    return (
        f"<div class='lab-order'><h3>{title}: {' '.join(safe(trace.words[word]) for word in places)}</h3>"
        + row_of(
            matrix("weights", weights, kind="weight", rows=names, columns=heads, visible=visible),
            matrix("output", output, rows=names, limit=limit),
        )
        + "</div>"
    )


def _buttons(trace: OrderTrace) -> str:
    """Whole orders, and for each two neighbours a button that swaps them."""
    n, now = len(trace.words), tuple(trace.order.tolist())
    typed = tuple(range(n))
    whole = {"as typed": typed, "reversed": typed[::-1], "moved on by one": (*typed[1:], 0)}
    pieces = [_put(name, order, order == now) for name, order in whole.items()]
    swaps = []
    for place in range(n):
        swaps.append(f"<b>{chip(trace, now[place])}</b>")
        if place + 1 < n:
            order = (*now[:place], now[place + 1], now[place], *now[place + 2 :])
            first, second = (safe(trace.words[now[at]]) for at in (place, place + 1))
            swaps.append(_put("⇄", order, False, f"swap {first} and {second}"))
    return f"<p class='lab-puts'>{''.join(pieces)}<span>{' '.join(swaps)}</span></p>"


def _put(name: str, order: tuple[int, ...], chosen: bool, label: str = "") -> str:
    spoken = f" aria-label='{label}' title='{label}'" if label else ""
    return (
        f"<button class='lab-put' data-name='order' data-put='{','.join(map(str, order))}' "
        f"aria-pressed='{str(chosen).lower()}'{spoken}>{name}</button>"
    )


def _found_again(trace: OrderTrace) -> str:
    places = {word: place for place, word in enumerate(trace.order.tolist())}
    rows = []
    for word, apart in enumerate(trace.differences.tolist()):
        look = "lab-good" if apart < ROUNDING else "lab-bad"
        rows.append(
            [chip(trace, word), str(word), str(places[word]), f"<span class='{look}'>{gap(apart)}</span>"]
        )
    return table("Each word in both orders", ["word", "typed at", "now at", "output differs by"], rows)


def _verdict(trace: OrderTrace) -> str:
    settings = trace.settings
    if settings.order == tuple(range(len(trace.words))):
        return "<p>Both orders are the same: swap two words.</p>"
    if trace.output_difference < ROUNDING:
        if settings.causal or settings.order_from != "none":
            return "<p>No difference is seen on these words: try others.</p>"
        return (
            "<p class='lab-large'><span class='lab-good'>Equivariant.</span> The rows are shuffled along: "
            "every word has the output it had.</p><p>Not <em>invariant</em>, which would be the same matrix, "
            "unshuffled. Rows and columns stand in order, but no step of the computation uses their "
            "numbers.</p>"
        )
    why = []
    if settings.causal:
        why.append("the causal mask shows each place another part of the text")
    if settings.order_from != "none":
        why.append(
            {"waves": "the waves tie", "rope": "RoPE ties"}[settings.order_from] + " a word to its place"
        )
    return (
        f"<p class='lab-large'><span class='lab-bad'>Not equivariant:</span> {', and '.join(why)}. "
        f"Outputs differ by up to {trace.output_difference:.4f}.</p>"
        "<p>The order is seen now: for language, that is what is wanted.</p>"
    )
