"""The words and tables with the pictures of trained heads. Numbers only: no head is given a meaning."""

import numpy as np

from core.figures.trained_heads import head_name
from core.lessons.trained_effects import Effects, Written
from core.lessons.trained_heads import Head, HeadsTrace, short_name, write_head
from core.lessons.trained_pronoun import ENDS, Pronoun
from core.lessons.trained_switches import Switched
from core.models.scores import SCORES
from pages.ui.html import bar, number, safe, table
from pages.ui.matrix import matrix, row_of

_FEW = 8
_SHIFT = 0.05
_FIRM = 0.01  # of weight between the nouns on each side; less is nothing to speak of


def head_words(trace: HeadsTrace) -> str:
    """Return the six scores of the chosen head with its ranks, and the checks."""
    head = trace.settings.head
    n_heads = len(trace.spec.heads)
    rows = []
    for key, score in SCORES.items():
        values = trace.scores[key]
        if values is None:
            rows.append([score.title, *_score(None), "no such key here"])
            continue
        rank = int((values > values[head]).sum()) + 1
        rows.append([score.title, *_score(float(values[head])), f"{rank} of {n_heads}"])
    scores = table("Scores of this head", ["score", "value", "", "rank"], rows)
    recording = trace.recording
    sums = recording.weights.astype(np.float64).sum(axis=-1)
    layers, heads, n, _ = recording.weights.shape
    chips = [
        f"weights [{layers}, {heads}, {n}, {n}]",
        f"rows sum to 1 ± {np.abs(sums - 1).max():.4f}, in half precision",
    ]
    words = " ".join(f"<span class='lab-chip'>{chip}</span>" for chip in chips)
    return (
        f"<section class='lab-panel'>{scores}</section>"
        f"<section class='lab-truth' aria-label='Checks'><p>{words}</p></section>"
    )


def group_words(trace: HeadsTrace) -> str:
    """Return what the heads of the group share."""
    spec, n = trace.spec, len(trace.tokens)
    size = spec.group_size
    if size == 1:
        return (
            f"<p>{spec.title} has as many KV heads as query heads ({spec.n_heads}): nobody shares. "
            "Choose the decoder for groups of three.</p>"
        )
    names = ", ".join(map(str, trace.group))
    return (
        f"<p>Heads <b>{names}</b> of layer {trace.settings.head[0]} read KV head <b>{trace.kv_head}</b>: "
        f"{size} × q [{n}, {spec.d_head}], one k [{n}, {spec.d_head}], one v [{n}, {spec.d_head}]. What "
        f"differs between the pictures comes from the queries alone; the cache is {size} times smaller.</p>"
    )


def no_vectors(trace: HeadsTrace) -> str:
    """Return the heads whose q, k and v are there, as buttons."""
    buttons = " ".join(map(_choose, map(tuple, trace.recording.telling.tolist())))
    return (
        f"<section class='lab-panel'><p>q, k and v are kept for some heads only. "
        f"<b>{head_name(trace.settings.head).capitalize()}</b> is not one of them. Choose one that is: "
        f"{buttons}</p></section>"
    )


def switched_words(trace: HeadsTrace, found: Switched) -> str:
    """Return what the switches did, in numbers."""
    settings = trace.settings
    i = found.row
    sums = found.weights_b.sum(axis=-1)
    moved = float(np.abs(found.context_b - found.context).max())
    spread = float(found.scaled[found.visible].std())
    largest = [
        float(w.max(axis=-1)[found.visible.sum(axis=-1) > 1].mean()) for w in (found.weights, found.weights_b)
    ]
    chips = [
        f"A against the model’s own weights: <b>{found.from_model:.4f}</b>",
        f"SD of A’s scores: <b>{spread:.2f}</b>",
        f"largest weight of a row: A <b>{largest[0]:.3f}</b>, B <b>{largest[1]:.3f}</b>",
        f"rows of B sum to <b class='lab-good'>{number(sums.min())} … {number(sums.max())}</b>"
        if sums.max() - sums.min() > 1e-9
        else f"rows of B sum to <b class='lab-good'>{number(sums.min())}</b>",
        f"largest change in the head’s output: <b>{number(moved)}</b>",
    ]
    strip = " ".join(f"<span class='lab-chip'>{chip}</span>" for chip in chips)
    names = [f"{j}&nbsp;{safe(token)}" for j, token in enumerate(found.tokens)]
    row = matrix(
        f"Query {i} “{safe(found.tokens[i])}”",
        np.stack([found.weights[i], found.weights_b[i]]),
        kind="weight",
        rows=["A", "B"],
        columns=names,
        visible=np.stack([found.visible[i], found.visible_b[i]]),
        digits=3,
    )
    scores = table(
        "Scores of the head as trained and as switched",
        ["score", "A", "", "B", ""],
        [
            [SCORES[key].title, *(part for x in pair for part in _score(x))]
            for key, pair in found.scores.items()
        ],
    )
    note = ""
    if settings.is_switched:
        note = (
            "<p>The model never ran like this: its later layers, and its training, know nothing of B. "
            "B shows what one part does in this head.</p>"
        )
    return (
        f"<section class='lab-truth' aria-label='Checks'><p>{strip}</p></section>"
        f"<div class='lab-panel lab-tight'>{row_of(row)}{scores}{note}</div>"
    )


def _score(x: float | None) -> tuple[str, str]:
    return ("–", "") if x is None else (f"<b>{x:.3f}</b>", bar(x))


def pronoun_words(encoder: Pronoun, decoder: Pronoun, heads) -> str:
    """Return the row of "it" with both ends, in both models, and what holds."""
    parts = []
    for title, each, head in zip(("Encoder", "Decoder"), (encoder, decoder), heads, strict=True):
        rows = np.stack([each.rows[end, head[0], head[1]] for end in range(2)])
        columns = [
            f"{j}&nbsp;{safe(a)}" + ("" if a == b else f"<br>{safe(b)}")
            for j, (a, b) in enumerate(zip(*each.tokens, strict=True))
        ]
        visible = np.stack([each.visible] * 2)
        title_words = f"{title}, {head_name(head)}: query {each.it} “it”"
        parts.append(
            matrix(
                title_words,
                rows,
                kind="weight",
                rows=[f"… {end}" for end in ENDS],
                columns=columns,
                visible=visible,
            )
        )
    return (
        f"<div class='lab-panel lab-tight'>{row_of(parts[0])}{_encoder_words(encoder, heads[0])}"
        f"{row_of(parts[1])}{_decoder_words(decoder)}</div>"
    )


def _encoder_words(each: Pronoun, head) -> str:
    tired, wide = (each.balance[end][head] for end in range(2))
    firm = each.firm_flips(_FIRM)
    names = ", ".join(map(short_name, firm))
    return (
        f"<p class='lab-step-words'>In this head “animal” less “street” goes from <b>{_signed(tired)}</b> to "
        f"<b>{_signed(wide)}</b>: it {_moved(tired, wide)}. "
        f"Of {_count(each)} heads, <b>{len(each.flips)}</b> change sides at all, and <b>{len(firm)}</b> "
        f"({names}) with more than {_FIRM} of weight on both sides. "
        "Picked out of so many after looking, that is no evidence of anything.</p>"
    )


def _decoder_words(each: Pronoun) -> str:
    same = "the same to the last bit" if each.identical else "<b class='lab-bad'>not the same</b>"
    return (
        f"<p class='lab-step-words'>Both rows are {same}, and so are all rows before the last word, in all "
        f"{_count(each)} heads: the causal mask hides from “it” the word that would decide.</p>"
    )


def _moved(tired: float, wide: float) -> str:
    if tired > 0 > wide:
        return "changes sides"
    return "shifts, and does not change sides" if abs(tired - wide) > _SHIFT else "hardly moves"


def _count(each: Pronoun) -> int:
    """How many heads there are."""
    return each.balance[0].size


def effect_words(trace: HeadsTrace, row: Written, found: Effects | None) -> str:
    """Return the row's weights against what they bring, and the head against what its loss changes."""
    head = head_name(trace.settings.head)
    order = np.argsort(-row.weights, kind="stable")[: _FEW if len(row.weights) > _FEW else None]
    rows = [
        [
            f"{j} {safe(trace.tokens[j])}",
            f"{row.weights[j]:.3f}",
            bar(row.weights[j]),
            f"{row.lengths[j]:.1f}",
            f"{row.parts[j]:.2f}",
            f"{row.shares[j]:.3f}",
            bar(row.shares[j]),
        ]
        for j in order
        if row.visible[j]
    ]
    header = ["key", "weight", "", "‖v W_O‖", "weight × ‖v W_O‖", "share", ""]
    title = f"{head.capitalize()}, query {row.query} “{safe(trace.tokens[row.query])}”"
    more = (
        f"<p class='lab-dim'>the {_FEW} largest of {int(row.visible.sum())} weights</p>"
        if row.visible.sum() > _FEW
        else ""
    )
    return (
        f"<section class='lab-panel'><h3>{title}</h3>{table('Weight and what it brings', header, rows)}{more}"
        f"{_removed(trace, found)}</section>"
    )


def _removed(trace: HeadsTrace, found: Effects | None) -> str:
    if found is None:
        return "<p>What changes without a head was measured for the stored sentences only.</p>"
    head = trace.settings.head
    dim, strong = found.dim_example, found.strong_example
    unit = "the next token’s logits move by" if trace.spec.is_causal else "the sentence’s vector moves by"
    rms = " (root mean square)" if trace.spec.is_causal else ""
    words = [
        f"<p>Without {head_name(head)} {unit} <b>{found.removed[head]:.3f}</b>{rms}"
        f"{_probability(trace, head)}.</p>",
        "<p>Large weight, small effect: "
        f"{_choose(dim)} has a largest weight of <b>{found.brightness[dim]:.2f}</b> and moves the result by "
        f"<b>{found.removed[dim]:.3f}</b>. Largest effect: {_choose(strong)}, "
        f"<b>{found.brightness[strong]:.2f}</b> and <b>{found.removed[strong]:.3f}</b>. Over all heads the "
        f"rank correlation of the two is <b>{_signed(found.rank_correlation)}</b>.</p>",
    ]
    return "".join(words)


def _choose(head: Head) -> str:
    """A button that looks at a head."""
    return (
        f"<button type='button' class='lab-put' data-name='head' data-put='{write_head(head)}' "
        f"aria-label='{head_name(head)}'>{short_name(head)}</button>"
    )


def _probability(trace: HeadsTrace, head) -> str:
    recording = trace.recording
    if not recording.removed_p.size:
        return ""
    return (
        f", and the likeliest next token “{safe(recording.next_tokens[0].replace(chr(10), '↵'))}” goes from "
        f"{recording.next_p[0]:.3f} to {recording.removed_p[head]:.3f}"
    )


def _signed(x: float) -> str:
    return f"{x:+.3f}".replace("-", "−")
