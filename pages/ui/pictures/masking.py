"""The pictures of the page on masks."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from core.figures.masking import describe_masking, masking_figure
from core.lessons.masking import WAYS, MaskingSettings, MaskingTrace, trace_masking
from core.lessons.masking_cases import (
    LESSON_SCORES,
    CachedDecoding,
    Mistake,
    Mistakes,
    PaddingLeak,
    cached_decoding,
    empty_row,
    lesson_row,
    lesson_row_unmasked,
    mistakes_of,
    padding_leak,
    row_by_ways,
)
from pages.ui.html import bar, card, cards, mistakes, number, safe, table
from pages.ui.matrix import matrix, row_of
from pages.ui.pictures.picture import Picture

WAY_NAMES = {
    "before": "−∞ before the softmax",
    "after": "0 after the softmax",
    "renormalised": "0 after, rows divided by their sum",
    "zeroed": "score × 0 before the softmax",
}
_PRINTED = (0.28, 0.41, 0.31, 0.0)  # lesson B's row, which is wrong
_FEW = 6


def masking(settings: MaskingSettings) -> dict[str, Picture]:
    """Return A, B and B - A with the row that is looked at, and the cases below them."""
    trace = trace_masking(settings)
    below = _strip(trace) + _ways(trace)
    return {
        "masking": Picture(masking_figure(trace), describe_masking(trace), "masking", below=below),
        "padding": Picture(None, below=_padding(padding_leak(settings))),
        "empty": Picture(None, below=_empty()),
        "cached": Picture(None, below=_cached(cached_decoding(settings))),
        "mistakes": Picture(None, below=_mistakes(mistakes_of(trace))),
    }


# --- below the picture ----------------------------------------------------------------------------


def _strip(trace: MaskingTrace) -> str:
    with_a_key = trace.row_sums[trace.visible.any(axis=-1)]
    low, high = (float(with_a_key.min()), float(with_a_key.max())) if with_a_key.size else (1.0, 1.0)
    sums = number(low) if high - low < 1e-9 else f"{number(low)} … {number(high)}"
    n, hidden = len(trace.tokens), int((~trace.visible).sum())
    moved = trace.visible & (np.abs(trace.weights - trace.unmasked_weights) > 1e-9)
    all_one = abs(low - 1) < 1e-9 and abs(high - 1) < 1e-9
    which = "rows of B with a key" if trace.hidden_queries else "rows of B"
    chips = [
        f"<i class='lab-hatch'></i> hidden: <b>{hidden}</b> of {n * n} cells",
        f"visible weights that change too: <b>{int(moved.sum())}</b>",
        f"{which} sum to <b class='{_verdict(all_one)}'>{sums}</b>",
    ]
    words = " ".join(f"<span class='lab-chip'>{chip}</span>" for chip in chips)
    return f"<section class='lab-truth' aria-label='Checks'><p>{words}</p>{_no_key(trace)}</section>"


def _no_key(trace: MaskingTrace) -> str:
    if not trace.hidden_queries:
        return ""
    names = ", ".join(f"{i} “{safe(trace.tokens[i])}”" for i in trace.hidden_queries)
    if trace.settings.how == "zeroed":
        return (
            f"<p><b>No key is left for query {names}</b>, and a score of 0 everywhere reads all of them.</p>"
        )
    return f"<p><b>No key is left for query {names}.</b> 0/0: the row is drawn empty, its output is 0.</p>"


def _ways(trace: MaskingTrace) -> str:
    row = trace.settings.row
    here = row_by_ways(trace.scaled[row], trace.visible[row])
    names = [f"{j}&nbsp;{safe(token)}" for j, token in enumerate(trace.tokens)]
    live = _ways_matrix(
        f"Query {row} “{safe(trace.tokens[row])}”, by each way",
        {"no mask": trace.unmasked_weights[row], **_named(here)},
        trace.visible[row],
        names,
    )
    return f"<div class='lab-ways'>{row_of(live, _lesson_ways())}</div>"


@cache
def _lesson_ways() -> str:
    printed = {"<s>as lesson B prints it</s>": np.array(_PRINTED)}
    scores = [f"{score:g}" for score in LESSON_SCORES]
    scores_row = {"no mask": lesson_row_unmasked(), **_named(lesson_row()), **printed}
    return _ways_matrix("Lesson B: scores, query 2", scores_row, np.arange(4) <= 2, scores)


def _named(ways: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {WAY_NAMES[way]: ways[way] for way in WAYS}


def _ways_matrix(title: str, ways: dict[str, np.ndarray], visible: np.ndarray, columns: Sequence[str]) -> str:
    """Return one row's weights, a line for each way, with what each sums to."""
    right = ways[WAY_NAMES["before"]]
    rows, seen = [], []
    for name, weights in ways.items():
        good = bool(np.abs(weights - right).max() < 1e-9)
        sign = "" if name == "no mask" else f" <b class='{_verdict(good)}'>{'✓' if good else '✗'}</b>"
        rows.append(f"{name}{sign} <small>Σ&nbsp;{weights.sum():.4f}</small>")
        # A hidden key that takes weight all the same is shown.
        seen.append(visible | (weights > 0))
    values = np.stack(list(ways.values()))
    return matrix(title, values, kind="weight", rows=rows, columns=columns, visible=np.stack(seen), digits=4)


def _verdict(good: bool) -> str:
    return "lab-good" if good else "lab-bad"


# --- the cases ------------------------------------------------------------------------------------


def _padding(leak: PaddingLeak) -> str:
    toy = matrix(
        "three scores of 1, one padding token",
        leak.toy[None],
        kind="weight",
        rows=["weight"],
        columns=["1", "1", "1", "pad: 0"],
        digits=4,
    )
    rows = [
        [f"{i} {safe(token)}", number(share), bar(share)]
        for i, (token, share) in enumerate(zip(leak.tokens, leak.share, strict=True))
    ]
    many = f"{leak.n_padding} padding token{'s' if leak.n_padding > 1 else ''}"
    return cards(
        card(
            "A zero key is not a hidden key",
            f"<p>Its score is q·0 = 0, and e⁰ = 1: it takes {_bad(leak.toy[3])}.</p>",
            toy,
        ),
        card(
            f"What {many} take here, unmasked",
            table("Weight on padding", ["query", "weight on padding", ""], rows[:_FEW]),
            f"<p class='lab-dim'>the first {_FEW} of {len(rows)} queries</p>" if len(rows) > _FEW else "",
            "<p>The values of padding are zero too, so each output shrinks by that share.</p>",
        ),
        card(
            "Hide the column, not the row",
            "<p>A query must not <i>read</i> padding: its <b>column</b> is hidden. What a padding row "
            "computes is thrown away later; hiding the row leaves the leak, and rows with no key.</p>",
        ),
    )


@cache
def _empty() -> str:
    row = empty_row()
    hidden, shown = np.zeros(3, dtype=bool), np.ones(3, dtype=bool)
    visible = np.stack([shown, shown, hidden])
    names = ["exp ÷ sum, unguarded: 0/0", "−1e9 in place of −∞", "here: zeros, hatched, the row named"]
    values = np.stack([row.unguarded, row.finite, row.ours])
    rows = matrix("three keys, all hidden", values, kind="weight", rows=names, visible=visible, digits=4)
    return f"<div class='lab-ways'>{row_of(rows)}</div>"


def _cached(cached: CachedDecoding) -> str:
    n, m = len(cached.key_tokens), len(cached.query_tokens)
    first = n - m
    names = [f"{first + i} {safe(token)}" for i, token in enumerate(cached.query_tokens)]
    keys = [f"{j}&nbsp;{safe(token)}" for j, token in enumerate(cached.key_tokens)]
    gap = float(np.abs(cached.bottom_right_output - cached.recomputed_output).max())
    wrong = np.abs(cached.top_left_output - cached.recomputed_output).max(axis=-1)
    same = n == m
    right_words = (
        f"query i sees keys j ≤ {first} + i. Largest difference from the last {m} of all {n} rows "
        "computed at once: "
        f"<b class='lab-good'>{f'{gap:.1e}' if gap else '0'}</b>"
    )
    if same:
        wrong_words = "query i sees keys j ≤ i. As many queries as keys: the two agree"
    else:
        wrong_words = (
            f"query i sees keys j ≤ i: query {first} “{safe(cached.query_tokens[0])}” reads key 0 alone, its "
            f"output is v₀; up to <b class='lab-bad'>{number(float(wrong.max()))}</b> away"
        )
    return row_of(
        _part("Bottom-right: the last query at the last key", cached.bottom_right, names, keys, right_words),
        _part("Top-left: the first query at the first key", cached.top_left, names, keys, wrong_words),
    )


def _part(title: str, part: Mistake, rows: Sequence[str], columns: Sequence[str], words: str) -> str:
    picture = matrix(title, part.weights, kind="weight", rows=rows, columns=columns, visible=part.visible)
    return f"<div class='lab-part'>{picture}<p>{words}.</p></div>"


# --- usual mistakes -------------------------------------------------------------------------------


def _mistakes(found: Mistakes) -> str:
    last = len(found.tokens) - 1
    total = found.after.weights.sum(axis=-1)
    leak = np.where(found.right.visible, 0.0, found.zeroed.weights).sum(axis=-1)
    added = np.where(found.right.visible, 0.0, found.added.weights).sum(axis=-1)
    sums = found.columns.weights.sum(axis=-1)
    small = matrix_of(found.tokens)
    return mistakes(
        [
            (
                "Masking after the softmax",
                small(found.after) + f"<p>Row 0 sums to {_bad(total[0])}: nobody gets the lost weight.</p>",
            ),
            (
                "Score × 0 instead of −∞",
                small(found.zeroed) + f"<p>0 is a score like any other: row 0 still reads {_bad(leak[0])} "
                "of the future.</p>",
            ),
            (
                "A 0/1 mask added to the scores",
                small(found.added) + "<p>Adding 1 where it may look only multiplies by e: row 0 still reads "
                f"{_bad(added[0])} of the future.</p>",
            ),
            (
                "Polarity: triu where tril is meant",
                small(found.polarity)
                + f"<p>Only the future is read, and row {last} has <b class='lab-bad'>no key left</b>.</p>",
            ),
            (
                "Offset 0 in triu: the diagonal goes too",
                small(found.diagonal)
                + "<p>np.triu(…, k=0) hides each token from itself: row 0 has <b class='lab-bad'>no key "
                "left</b>. The future begins at k=1.</p>",
            ),
            (
                "Softmax down the columns",
                small(found.columns)
                + f"<p>Columns sum to 1; rows sum to {_bad(sums.min())} … {_bad(sums.max())}.</p>",
            ),
            (
                "Padding: rows hidden, columns left",
                matrix_of(found.padded_tokens)(found.padded_rows)
                + f"<p>Row 0 gives {_bad(found.padding_share[0])} to padding.</p>",
            ),
        ]
    )  # fmt: skip


def matrix_of(tokens: Sequence[str]):
    """Return what draws the weights of a mistake on these tokens."""
    names = [f"{i} {safe(token)}" for i, token in enumerate(tokens)]

    def draw(mistake: Mistake) -> str:
        return matrix("weights", mistake.weights, kind="weight", rows=names, visible=mistake.visible)

    return draw


def _bad(x: float) -> str:
    return f"<b class='lab-bad'>{number(float(x))}</b>"
