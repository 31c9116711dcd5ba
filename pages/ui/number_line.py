"""A line of numbers on which two are compared: what came out, and what was predicted."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pages.ui.exercise_inputs import in_short
from pages.ui.html import safe

_NONE = 1e-12  # less than this is drawn at 0
_POWERS = 100  # numbers further apart than this stand on a line of powers of ten
_ZOOM = 0.05  # numbers nearer than this share of the line get one that does not begin at 0


@dataclass(frozen=True)
class Line:
    """Where numbers lie between two ends."""

    low: float
    high: float
    step: float  # between two marks; 0 on a line of powers of ten

    def place(self, x: float) -> float:
        """Return where a number lies, from 0 at the low end to 1."""
        if self.step:
            return min(max((x - self.low) / (self.high - self.low), 0.0), 1.0)
        low, high = math.log10(self.low), math.log10(self.high)
        return min(max((math.log10(max(x, self.low)) - low) / (high - low), 0.0), 1.0)

    def marks(self) -> list[float]:
        """Return the numbers to be written at the line, both ends among them."""
        if self.step:
            n = round((self.high - self.low) / self.step)
            return [self.low + (self.high - self.low) * i / n for i in range(n + 1)]
        first, last = round(math.log10(self.low)), round(math.log10(self.high))
        every = -(-(last - first) // 6)  # at most seven marks
        return [10.0**power for power in [*range(first, last, every), last]]


def line_for(values: Sequence[float]) -> Line:
    """Return a line that tells some numbers apart: from 0 where it can, else closer, else in powers of ten.

    Args:
        values: at least one, all finite.
    """
    near = [x if abs(x) > _NONE else 0.0 for x in values]
    low, high = min(near), max(near)
    if low > 0 and high / low > _POWERS:
        return Line(10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high)), 0)
    apart = high - low
    low, high = min(low, 0.0), max(high, 0.0)
    if high == low:
        high = 1.0
    elif apart == 0:  # a number alone does not stand at the line's end
        low, high = 1.2 * low, 1.2 * high
    if 0 < apart < _ZOOM * (high - low) and apart > 1e-9 * (high - low):
        low, high = min(near) - 2 * apart, max(near) + 2 * apart
    elif low == 0 and 0.2 < max(near) <= 1:
        high = 1.0  # weights and shares
    step = _round_step((high - low) / 5)
    low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return Line(low, high, step)


def number_line(title: str, line: Line, computed: float, given: float | None, tolerance: float) -> str:
    """Return a computed number as a full mark, and over it the predicted one as an outline.

    Args:
        title: what the number is; may be empty.
        line: of ``line_for``.
        computed: what came out.
        given: what was predicted, if it was a number.
        tolerance: how far off still counts as right.
    """
    here = line.place(computed)
    pieces = [_mark("got", here, in_short(computed))]
    if given is not None:
        mine = line.place(given)
        if abs(given - computed) > tolerance:
            left, width = min(here, mine), abs(here - mine)
            style = f"left:{100 * left:.2f}%;width:{100 * width:.2f}%"
            pieces.append(f"<i class='lab-gap' style='{style}'></i>")
        pieces.append(_mark("mine", mine, in_short(given)))
    marks = line.marks()
    written = []
    for i, x in enumerate(marks):
        at = 100 * line.place(x)
        kind = "lab-more" if 2 * i % (len(marks) - 1) else "lab-mark-kept"  # a phone has no room for all
        style = f"left:{at:.2f}%;transform:translateX(-{at:.0f}%)"
        written.append(f"<small class='{kind}' style='{style}'>{_written(x, line)}</small>")
    name = f"<b>{safe(title)}</b>" if title else ""
    words = gap_in_words(computed, given, tolerance) + ("" if line.step else " The line is in powers of ten.")
    told = safe(f"{title + ': ' if title else ''}computed {in_short(computed)}. {words}")
    return (
        f"<div class='lab-numline'>{name}<div class='lab-numline-box' role='img' aria-label='{told}'>"
        f"<div class='lab-numline-axis'>{''.join(pieces)}</div>"
        f"<div class='lab-numline-marks'>{''.join(written)}</div></div><p>{safe(words)}</p></div>"
    )


def gap_in_words(computed: float, given: float | None, tolerance: float) -> str:
    """Return how far a prediction is off, as a sentence; "" without one.

    Args:
        computed: what came out.
        given: what was predicted.
        tolerance: how far off still counts as right.
    """
    if given is None:
        return ""
    gap = given - computed
    if abs(gap) <= tolerance + 1e-9:
        exact = f" within ±{in_short(tolerance)}" if abs(gap) > 1e-9 and tolerance else ""
        return f"Your {in_short(given)} is right{exact}."
    if min(abs(given), abs(computed)) > _NONE and (given > 0) == (computed > 0):
        ratio = abs(given / computed)
        if max(ratio, 1 / ratio) >= 10:
            times = in_short(float(f"{max(ratio, 1 / ratio):.2g}"))
            return f"Your {in_short(given)} is about {times} times too {'large' if ratio > 1 else 'small'}."
    return f"Your {in_short(given)} is {in_short(abs(gap))} too {'high' if gap > 0 else 'low'}."


def _mark(kind: str, at: float, text: str) -> str:
    """A number on the line, its label kept within the line's ends."""
    where, shift = f"left:{100 * at:.2f}%", min(max(100 * at, 12), 88)
    return (
        f"<i class='lab-{kind}-stem' style='{where}'></i>"
        f"<span class='lab-{kind}-label' style='{where};transform:translateX(-{shift:.0f}%)'>{text}</span>"
    )


def _written(x: float, line: Line) -> str:
    if abs(x) >= 1e7 or not line.step:
        return f"{x:,.0f}" if 1 <= x < 1e7 else f"{x:g}".replace("e+", "e").replace("-", "−")
    decimals = max(0, -math.floor(math.log10(line.step) + 1e-9))
    text = f"{x:,.{min(decimals, 15)}f}".replace("-", "−")
    return text.rstrip("0").rstrip(".") if decimals else text


def _round_step(step: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(power * m for m in (1, 2, 5, 10) if power * m >= step * (1 - 1e-9))
