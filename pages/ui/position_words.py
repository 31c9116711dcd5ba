"""RoPE in numbers: each pair's share of the score, pairings, the split into heads, bases."""

import numpy as np

from core.figures.positions import short, shown_pairs, signed
from core.lessons.long_contexts import CONTEXTS, Turns
from core.lessons.positions import RopeTrace
from core.lessons.rope_wrong import PairingTrace, SplitTrace
from pages.ui.html import card, cards, table
from pages.ui.matrix import matrix, row_of
from pages.ui.position_order import ROUNDING, gap

PAIRING_NAMES = {"interleaved": "neighbours (2i, 2i+1)", "half": "halves (i, i + d/2)"}
_PLAIN = {"interleaved": "neighbours", "half": "halves"}
_FEW = 16  # columns of a vector that are drawn


# --- one query, one key ---------------------------------------------------------------------------


def shares(trace: RopeTrace) -> str:
    """Return each pair's angles and its share of the score, and what rotation leaves as it was."""
    pairs, settings = shown_pairs(trace), trace.settings
    rows = [
        [
            f"pair {i}",
            angle(trace.speeds[i]),
            angle(trace.q_angles[i]),
            angle(trace.k_angles[i]),
            angle(settings.distance * trace.speeds[i]),
            signed(trace.shares[i]),
        ]
        for i in pairs
    ]
    others = len(trace.speeds) - len(pairs)
    if others:
        rest = trace.score - float(trace.shares[pairs].sum())
        rows.append([f"{others} more", "", "", "", "", signed(rest)])
    rows.append(["sum", "", "", "", "<b>score</b>", f"<b>{signed(trace.score)}</b>"])
    header = ["", "θ", "m θ", "n θ", "(m − n) θ", "share of q·k"]
    lengths = " and ".join(
        f"|{name}| = {np.linalg.norm(before):.4f} → {np.linalg.norm(after):.4f}"
        for name, before, after in (("q", trace.q, trace.q_rotated), ("k", trace.k, trace.k_rotated))
    )
    m, n = settings.positions
    moved = f" (moved by {settings.rope_offset:,})" if settings.rope_offset else ""
    return (
        "<section class='lab-panel lab-beside-table' aria-label='The score in numbers'>"
        + table("Each pair's share of the score", header, rows)
        + "<div class='lab-verdict'>"
        f"<p class='lab-large'>q at {m:,}, k at {n:,}{moved}: score <b>{signed(trace.score)}</b></p>"
        f"<p>At distance 0, and without rotation: {signed(trace.unrotated)}</p>"
        f"<p>Length is kept: {lengths}</p>"
        "<p>v is not rotated: positions change who is read, not what is read.</p></div></section>"
    )


def angle(radians: float) -> str:
    """Return an angle in radians."""
    return f"{radians:.4g}".replace("-", "−")


# --- pairings --------------------------------------------------------------------------------------


def pairings(trace: PairingTrace) -> str:
    """Return q under both pairings, the scores of each and of both mixed, and the reordering."""
    at = f"{trace.settings.positions[0]:,}"
    width = len(trace.q)
    few = slice(min(width, _FEW))
    limit = float(np.abs(trace.q).max())
    two = [
        matrix(
            f"q by {PAIRING_NAMES[pairing]}",
            np.stack([trace.q, trace.rotated[pairing]])[:, few],
            rows=["at 0", f"at {at}"],
            parts=trace.owner[pairing][few].tolist(),
            limit=max(limit, float(np.abs(trace.rotated[pairing]).max())),
            of=(2, width),
        )
        for pairing in PAIRING_NAMES
    ]
    return (
        f"<section class='lab-panel lab-tight' aria-label='Two pairings'>{row_of(*two)}"
        "<p class='lab-dim'>One colour on top: one pair, turned together.</p>"
        f"<div class='lab-beside-table'>{_pairing_scores(trace)}{_reordering(trace)}</div></section>"
    )


def _pairing_scores(trace: PairingTrace) -> str:
    names = {"interleaved": "both neighbours", "half": "both halves", "mixed": "q neighbours, k halves"}
    rows = [
        [f"q at {m:,}, k at {n:,}", *(signed(trace.scores[name][i]) for name in names)]
        for i, (m, n) in enumerate(trace.positions.tolist())
    ]
    spread = ["lie apart by"]
    for name in names:
        apart = float(np.ptp(trace.scores[name]))
        spread.append(f"<span class='lab-{'good' if apart < ROUNDING else 'bad'}'>{gap(apart)}</span>")
    distance = signed(trace.settings.distance, 0)
    return (
        "<div>"
        + table("Scores at one distance", [f"distance {distance}", *names.values()], [*rows, spread])
        + (
            "<p>With a single pair both are the same, and mixing cannot be seen.</p></div>"
            if len(trace.q) == 2
            else "<p><span class='lab-bad'>Mixed</span>: the score follows each position by itself.</p></div>"
        )
    )


def _reordering(trace: PairingTrace) -> str:
    listed = ", ".join(map(str, trace.reordering[:_FEW].tolist())) + (", …" if len(trace.q) > _FEW else "")
    return (
        "<div class='lab-verdict'><p><b>Neither is wrong.</b> Reorder the columns of q and k (in a model: of "
        f"W_Q and W_K, per head) as</p><p><code>{listed}</code></p><p>and halves do what neighbours did. "
        f"Difference of the rotated q: <span class='lab-good'>{gap(trace.reordered_difference)}</span>; "
        f"score {signed(trace.reordered_score)} = {signed(trace.scores['interleaved'][0])}.</p></div>"
    )


# --- before or after the split ---------------------------------------------------------------------


def split(trace: SplitTrace) -> str:
    """Return each head's speeds and scores when it is rotated after the split and before it."""
    pairing = trace.settings.pairing
    few = slice(4)
    more = " …" if len(trace.after) > 4 else ""

    def listed(speeds: np.ndarray) -> str:
        return ", ".join(f"{x:.3g}" for x in speeds[few]) + more

    def scores(values: np.ndarray) -> str:
        table_rows = [
            [
                f"head {h}",
                *map(signed, each),
                f"<span class='lab-{look(np.ptp(each))}'>{gap(np.ptp(each))}</span>",
            ]
            for h, each in enumerate(values)
        ]
        header = ["", *(f"+{shift}" if shift else "at m, n" for shift in trace.shifts), "lie apart by"]
        return table("Scores while both positions move", header, table_rows)

    if pairing == "half":
        before = (
            "<p>Over the full width, entry i is paired with i + D/2: <b>the two halves of a pair land in two "
            "heads</b>. No head's score depends on distance alone.</p>"
        )
    else:
        before = "".join(
            f"<p>head {h} turns by θ = <b>{listed(speeds)}</b></p>" for h, speeds in enumerate(trace.before)
        )
        before += "<p>Still relative, but the last head hardly turns at all.</p>"
    return cards(
        card(
            "After the split, per head",
            f"<p>Every head turns by θ = <b>{listed(trace.after)}</b></p>",
            "<p>Scores stay while both positions move:</p>",
            scores(trace.after_scores),
        ),
        card(f"Before the split, {_PLAIN[pairing]} over the full width", before, scores(trace.before_scores)),
    )


def look(apart: float) -> str:
    """Return whether a difference is good, being rounding, or bad."""
    return "good" if apart < ROUNDING else "bad"


# --- bases ------------------------------------------------------------------------------------------


def bases(chosen: Turns, usual: list[Turns]) -> str:
    """Return for each base how slow the slowest pair is, and how many never come round."""
    every = usual if any(turns.base == chosen.base for turns in usual) else [chosen, *usual]
    rows = []
    for turns in sorted(every, key=lambda each: each.base):
        name = f"{turns.base:,.6g}" if turns.base < 1e4 else short(turns.base)
        if turns.base == chosen.base:
            name = f"<mark>{name} ←</mark>"
        rows.append([name, f"{turns.slowest:,.0f}", *(f"{turns.unfinished(c)} of 64" for c in CONTEXTS)])
    header = ["base", "slowest turn", *(f"in {context:,}" for context in CONTEXTS)]
    last = CONTEXTS[-1]
    return (
        "<section class='lab-panel' aria-label='Bases'><h3>Pairs that never come round</h3>"
        + table("Pairs without a full turn", header, rows)
        + "<p>A pair that has not come round gives every distance an angle of its own. One that has gives "
        "several distances the same angle.</p>"
        f"<p>In {last:,} tokens the fastest pair turns {chosen.turns(last)[0]:,.0f} times, the slowest "
        f"<b>{chosen.turns(last)[-1]:.4g}</b> times.</p>"
        "<p>Beyond the length of its training, a model meets angles of slow pairs that it has never seen: "
        "longer contexts come with a larger base <em>and</em> more training.</p></section>"
    )
