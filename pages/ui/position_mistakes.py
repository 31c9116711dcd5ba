"""What goes wrong with positions, on the numbers of the page: it runs, and the scores are others."""

import numpy as np

from core.figures.positions import signed
from core.lessons import rope_wrong
from core.lessons.order_blind import OrderTrace
from core.lessons.positions import RopeTrace
from core.lessons.rope_wrong import NewToken
from pages.ui.html import mistakes, table
from pages.ui.position_order import gap
from pages.ui.position_words import look


def position_mistakes(trace: RopeTrace, order: OrderTrace) -> str:
    """Return the usual mistakes, each failing on these numbers."""
    settings = trace.settings
    return mistakes(
        [
            ("A new token rotated as position 0", _at_zero(rope_wrong.rotated_at_zero(settings))),
            ("Cached keys rotated again", _twice(rope_wrong.rotated_twice(settings))),
            ("Two ways of counting padding", _two_ways(rope_wrong.counted_two_ways(settings))),
            ("Only the query rotated", _only_queries(trace)),
            ("Values rotated too", _values(order)),
            ("An odd width", _odd()),
        ]
    )


def _at_zero(new: NewToken) -> str:
    return (
        f"<p>Decoding with a cache, the token at {new.position} comes alone, and its own row is row 0:</p>"
        + _new_token(new, f"rotated at {new.wrong_position}")
        + "<p class='lab-bad'>Every key it reads now lies in its future.</p>"
    )


def _twice(new: NewToken) -> str:
    return (
        "<p>Keys are cached <em>after</em> rotation. Rotated once more at every step:</p>"
        + _new_token(new, "rotated twice")
        + "<p class='lab-bad'>The key at n counts as one at 2n.</p>"
    )


def _two_ways(new: NewToken) -> str:
    return (
        f"<p>{rope_wrong.PADS} padding tokens on the left are counted for the cached keys, and not for the "
        "new token.</p>"
        + _new_token(new, "counted two ways")
        + f"<p><span class='lab-bad'>Every distance is {rope_wrong.PADS} too short.</span> Counted for both, "
        "padding is harmless: a shift of all positions changes no score.</p>"
    )


def _new_token(new: NewToken, wrong: str) -> str:
    rows = [
        [
            f"k at {n}",
            f"{new.position - n}",
            signed(right),
            signed(new.wrong_position - moved, 0),
            signed(bad),
        ]
        for n, moved, right, bad in zip(
            new.key_positions.tolist(),
            new.wrong_key_positions.tolist(),
            new.scores,
            new.wrong_scores,
            strict=True,
        )
    ]
    header = [
        "",
        "m − n",
        "score",
        *(f"<span class='lab-bad'>{each}</span>" for each in ("wrong m − n", "wrong score")),
    ]
    return table(wrong, header, rows)


def _only_queries(trace: RopeTrace) -> str:
    right, wrong = rope_wrong.only_queries_rotated(trace.settings)
    m, n = trace.settings.positions
    rows = [
        [f"q at {m + step:,}, k at {n + step:,}", signed(a), signed(b)]
        for step, a, b in zip(rope_wrong.STEPS, right, wrong, strict=True)
    ]
    apart = float(np.ptp(wrong))
    return (
        table("Only the query rotated", ["", "both", "<span class='lab-bad'>q only</span>"], rows)
        + f"<p>At one distance, they lie apart by <span class='lab-{look(apart)}'>{gap(apart)}</span>, for "
        "they follow the query's own position.</p>"
    )


def _values(order: OrderTrace) -> str:
    right, wrong = rope_wrong.values_rotated(order)
    return (
        f"<p>The words above with RoPE, moved on by {rope_wrong.PADS} positions. Outputs change by:</p>"
        f"<p>q and k rotated: <span class='lab-good'>{gap(right)}</span></p>"
        f"<p>v rotated as well: <span class='lab-{look(wrong)}'>{gap(wrong)}</span></p>"
        "<p>Only scores need the distance. Rotated values bring the absolute position back.</p>"
    )


def _odd() -> str:
    said = rope_wrong.odd_width()
    return f"<p><code>apply_rope</code> on a head of 7:</p><p class='lab-bad'>{said}</p>"
