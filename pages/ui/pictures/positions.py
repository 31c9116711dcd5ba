"""The pictures of the page about positions."""

from dataclasses import replace
from functools import lru_cache

from core.figures.positions import (
    describe_dials,
    describe_wavelengths,
    describe_waves,
    dials_figure,
    wavelengths_figure,
    waves_figure,
)
from core.lessons.long_contexts import BASES, turns_of
from core.lessons.order_blind import trace_order, trace_waves
from core.lessons.positions import PositionsSettings, trace_rope
from core.lessons.rope_wrong import trace_pairings, trace_split
from pages.ui.pictures.picture import Picture
from pages.ui.position_mistakes import position_mistakes
from pages.ui.position_order import added_picture, order_picture
from pages.ui.position_words import bases, pairings, shares, split

_ORDER = ("text", "order", "causal", "order_from", "seed")


def positions(settings: PositionsSettings) -> dict[str, Picture]:
    """Return both orders, the waves, the dials with their score, pairings, the split, bases, mistakes."""
    trace = trace_rope(settings)
    return {
        **_about_order(_only(settings, *_ORDER, *_rope_of(settings))),
        "waves": _waves(),
        "dials": Picture(dials_figure(trace), describe_dials(trace), "rope", below=shares(trace)),
        "base": _base(settings.rope_base),
        "pairings": Picture(None, below=pairings(trace_pairings(settings))),
        "split": Picture(None, below=split(trace_split(settings))),
        "mistakes": Picture(None, below=position_mistakes(trace, trace_order(settings))),
    }


# While a slider moves, what it does not change is not made again.


@lru_cache(maxsize=64)
def _about_order(settings: PositionsSettings) -> dict[str, Picture]:
    trace = trace_order(settings)
    return {
        "order": Picture(None, below=order_picture(trace)),
        "added": Picture(None, below=added_picture(trace)),
    }


@lru_cache(maxsize=1)
def _waves() -> Picture:
    waves = trace_waves()
    three, seven = waves.same_distance
    beside = (
        "<section class='lab-panel' aria-label='The waves'><p>Fixed, not learned: two columns, a sine and a "
        "cosine, for each speed. The speeds are those of RoPE.</p><p><b>Row 3 · row 1</b> = "
        f"{three:.4f}<br><b>Row 7 · row 5</b> = {seven:.4f}</p><p>The same distance, the same product. But "
        "the waves are added to the words' vectors, and W_Q and W_K mix the two: a score then depends on "
        "both positions, not on their difference alone.</p></section>"
    )
    return Picture(waves_figure(waves), describe_waves(waves), "waves", beside=beside)


@lru_cache(maxsize=64)
def _base(base: float) -> Picture:
    chosen, usual = turns_of(base), [turns_of(each) for each in BASES]
    return Picture(
        wavelengths_figure(chosen, usual),
        describe_wavelengths(chosen),
        "rope-base",
        beside=bases(chosen, usual),
        even=True,
    )


def _rope_of(settings: PositionsSettings) -> tuple[str, ...]:
    return ("rope_base", "pairing") if settings.order_from == "rope" else ()


def _only(settings: PositionsSettings, *names: str) -> PositionsSettings:
    return replace(PositionsSettings(), **{name: getattr(settings, name) for name in names})
