"""Usual mistakes in reading trained heads, each failing on these numbers."""

import numpy as np

from core.figures.trained_heads import head_name
from core.lessons.trained_effects import scores_elsewhere
from core.lessons.trained_heads import HeadsTrace, short_name
from core.models.scores import SCORES
from pages.ui.html import mistakes as cards
from pages.ui.html import number, safe, table

_SENTENCE_NAMES = {
    "tired": "… too tired",
    "wide": "… too wide",
    "repeat": "random words, twice",
    "capitals": "Paris, Rome, Madrid",
    "names": "Mary and John",
}


def mistakes(trace: HeadsTrace) -> str:
    """Return the cards."""
    return cards([_one_sentence(trace), _swapped(trace), _mean_of_heads(trace), _sink(trace)])


def _one_sentence(trace: HeadsTrace) -> tuple[str, str]:
    head = trace.settings.head
    found = scores_elsewhere(trace.settings.model, head)
    rows = [
        [_SENTENCE_NAMES[sentence], *("–" if x is None else f"{x:.2f}" for x in scores.values())]
        for sentence, scores in found.items()
    ]
    header = ["sentence", *(score.title.split()[0] for score in SCORES.values())]
    return (
        "Naming a head after one sentence",
        table("Scores on each sentence", header, rows)
        + f"<p>{head_name(head).capitalize()} on five sentences. A score belongs to a head and a text.</p>",
    )


def _swapped(trace: HeadsTrace) -> tuple[str, str]:
    i = trace.row
    row, column = trace.weights[i], trace.weights[:, i]
    j = int(np.abs(row - column).argmax())
    token, other = (safe(trace.tokens[k]) for k in (i, j))
    back = number(column[j]) if trace.visible[j, i] else "nothing: the mask hides it"
    return (
        "Reading a row as a column",
        f"<p>Query {i} “{token}” gives key {j} “{other}” <b class='lab-good'>{number(row[j])}</b>. "
        f"Query {j} “{other}” gives key {i} “{token}” <b class='lab-bad'>{back}</b>. "
        f"Rows sum to 1; column {i} sums to {number(column.sum())}.</p>",
    )


def _mean_of_heads(trace: HeadsTrace) -> tuple[str, str]:
    layer = trace.settings.head[0]
    heads = trace.all_weights[layer, :, trace.row]
    mean = heads.mean(axis=0)
    best = heads.max(axis=-1)
    n = trace.spec.n_heads
    return (
        "The mean of the heads as “the attention”",
        f"<p>From query {trace.row} the {n} heads of layer {layer} give one key up to "
        f"<b class='lab-good'>{number(best.max())}</b>, on average {number(best.mean())}; their mean gives "
        f"<b class='lab-bad'>{number(mean.max())}</b>. The model never computes that mean: it puts the "
        "heads’ outputs side by side, times W_O.</p>",
    )


def _sink(trace: HeadsTrace) -> tuple[str, str]:
    values = trace.scores["first"]
    token = safe(trace.tokens[0])
    if values is None:
        return "Weight on token 0 as interest in it", "<p>This sentence has one token only.</p>"
    many = int((values > 0.5).sum())
    lengths = trace.recording.written.astype(np.float64)
    sinks = values > 0.5
    if not sinks.any():
        words = "In this sentence no head gives it more than half."
    else:
        first = lengths[..., 0][sinks].mean()
        others = lengths[..., 1:][sinks].mean()
        words = (
            f"In those heads its value brings ‖v W_O‖ = <b class='lab-good'>{first:.2f}</b> on average, the "
            f"other tokens’ {others:.2f}: {_less(first, others)}"
        )
    strongest = divmod(int(values.argmax()), trace.spec.n_heads)
    return (
        "Weight on token 0 as interest in it",
        f"<p><b>{many}</b> of {values.size} heads give more than half of their weight to “{token}”, most of "
        f"all {short_name(strongest)} ({values.max():.2f}). {words}</p>",
    )


def _less(first: float, others: float) -> str:
    if first < 0.8 * others:
        return "much weight, little written. Weight must go somewhere, for rows sum to 1."
    return "here the sink writes about as much as the others."
