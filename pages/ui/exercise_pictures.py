"""Prediction and result in one picture: what came out is filled, what was predicted outlined over it.

What a picture shows is said in words too. Nothing here is drawn before the reveal.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from core.exercises.exercise import Answer, Part
from pages.ui.cells_picture import cells
from pages.ui.exercise_answers import names
from pages.ui.exercise_inputs import in_short
from pages.ui.html import listed, safe
from pages.ui.number_line import line_for, number_line

_FEW = 3  # cards out of place that are named one by one
_SCALE = (
    "<div class='lab-over-bar' aria-hidden='true'><span></span><div class='lab-over-scale'>"
    "<span>0</span><span>0.5</span><span>1</span></div><span></span></div>"
)


def overlay(part: Part, given: Answer | None) -> str:
    """Return the picture of a part's answer with a prediction over it, as HTML.

    Args:
        part: what was asked.
        given: what was predicted; None, or what can be no answer to this part: the result alone.
    """
    word = given if isinstance(given, str) and given in part.words else None
    mine = given if word is None and _fits(part, given) else None
    if isinstance(part.answer, str) and part.answer in part.words:  # a word is right
        said = word if mine is None else _in_words(mine)
        others = [said] if said is not None and said not in part.words else []
        drawn = _choices((*part.words, *others), part.answer, said)
    else:
        drawn = _DRAWN[part.kind](part, mine)
        if word is not None:
            drawn = f"<p class='lab-said'>You predicted: <b>{safe(word)}</b></p>{drawn}"
    title = f"<h3>{safe(part.label)}</h3>" if part.label else ""
    predicted = mine is not None or word is not None
    return f"<figure class='lab-over'>{title}{_legend(predicted)}{drawn}</figure>"


def _fits(part: Part, given: Answer | None) -> bool:
    """Whether something is an answer of the part's kind at all."""
    if part.kind == "number":
        return _finite(given)
    if part.kind in ("numbers", "row"):
        return isinstance(given, tuple) and len(given) == len(names(part)) and all(map(_finite, given))
    if part.kind == "cells":
        return isinstance(given, frozenset)
    if part.kind == "order":
        return isinstance(given, tuple) and sorted(map(str, given)) == sorted(part.options)
    return isinstance(given, str) and given in part.options


def _finite(x: object) -> bool:
    return isinstance(x, float | int) and math.isfinite(x)


def _legend(predicted: bool) -> str:
    mine = "<span><i class='lab-key-mine'></i>you predicted</span>" if predicted else ""
    return f"<p class='lab-over-key'><span><i class='lab-key-got'></i>computed</span>{mine}</p>"


# --- a row of weights --------------------------------------------------------------------------


def _row(part: Part, given: Answer | None) -> str:
    computed = _floats(part.answer)
    mine: Sequence[float | None] = _floats(given) if given else [None] * len(computed)
    bars = "".join(
        _bar(name, weight, drawn, part.tolerance)
        for name, weight, drawn in zip(part.options, computed, mine, strict=True)
    )
    return f"<div class='lab-over-bars'>{bars}{_SCALE}</div>"


def _bar(name: str, computed: float, drawn: float | None, tolerance: float) -> str:
    full = _share(computed)
    pieces = f"<i class='lab-got' style='width:{full:.2f}%'></i>"
    words = f"<b>{computed:.4f}</b>"
    if drawn is not None:
        mine = _share(drawn)
        kind = "lab-gap lab-within" if mine < full else "lab-gap"
        pieces += f"<i class='{kind}' style='left:{min(full, mine):.2f}%;width:{abs(full - mine):.2f}%'></i>"
        pieces += f"<i class='lab-mine' style='width:{mine:.2f}%'></i>"
        words += f" <span>you {in_short(drawn)}{_gap(computed, drawn, tolerance)}</span>"
    return (
        f"<div class='lab-over-bar'><span class='lab-over-name'>{safe(name)}</span>"
        f"<div class='lab-over-track' aria-hidden='true'>{pieces}</div>"
        f"<span class='lab-over-number'>{words}</span></div>"
    )


def _gap(computed: float, drawn: float, tolerance: float) -> str:
    gap = round(drawn - computed, 2)
    near = abs(drawn - computed) <= tolerance + 1e-9
    return " ✓" if near else f", gap <b>{'+' if gap > 0 else '−'}{abs(gap):.2f}</b>"


# --- cards in order, options ---------------------------------------------------------------------


def _order(part: Part, given: Answer | None) -> str:
    computed = [str(card) for card in part.answer]  # type: ignore[union-attr]
    if not given:
        return f"<div class='lab-over-order lab-alone'>{_cards('got', computed)}</div>"
    mine = [str(card) for card in given]  # type: ignore[union-attr]
    n, lines = len(mine), []
    for place, card in enumerate(mine):
        to = computed.index(card)
        # A strip cut out of a box: st.html takes no SVG.
        half = 2 + 0.6 * abs(to - place)  # pixels: a steep strip would look thin
        ends = [f"calc({100 * (y + 0.5) / n:.2f}% {sign} {half:.1f}px)" for y in (place, to) for sign in "-+"]
        shape = f"0 {ends[0]}, 100% {ends[2]}, 100% {ends[3]}, 0 {ends[1]}"
        kind = "stays" if place == to else "moves"
        lines.append(f"<i class='lab-{kind}' style='clip-path:polygon({shape})'></i>")
    off = {card: computed.index(card) - i for i, card in enumerate(mine) if computed[i] != card}
    return (
        f"<div class='lab-over-order'>{_cards('mine', mine)}"
        f"<div aria-hidden='true'>{''.join(lines)}</div>"
        f"{_cards('got', computed)}</div><p>{_order_in_words(n - len(off), n, off)}</p>"
    )


def _order_in_words(right: int, n: int, off: Mapping[str, int]) -> str:
    """The cards out of place, by how many places they come later; of many, the furthest."""
    if not off:
        return "Every card is in its place."
    if len(off) <= _FEW:
        return (
            f"{right} of {n} in place: {listed(f'{card} comes {_places(by)}' for card, by in off.items())}."
        )
    card = max(off, key=lambda card: abs(off[card]))
    return f"{right} of {n} in place. Furthest off: {safe(card)} comes {_places(off[card])}."


def _cards(kind: str, cards: Iterable[str]) -> str:
    title = "You predicted" if kind == "mine" else "Computed"
    items = "".join(f"<li class='lab-{kind}-card'>{safe(card)}</li>" for card in cards)
    return f"<ol aria-label='{title}'>{items}</ol>"


def _places(by: int) -> str:
    return f"{abs(by)} {'later' if by > 0 else 'earlier'}"


def _choose(part: Part, given: Answer | None) -> str:
    return _choices(part.options, str(part.answer), given)


def _choices(options: Sequence[str], computed: str, given: Answer | None) -> str:
    rows = []
    for i, option in enumerate(options):
        kinds = [kind for kind, holds in (("got", option == computed), ("mine", option == given)) if holds]
        signs = {"got": "<em>✓ computed</em>", "mine": "<em class='lab-you'>you</em>"}
        looks = " ".join(f"lab-{kind}-option" for kind in kinds)
        rows.append(
            f"<li class='{looks}'><b aria-hidden='true'>{chr(65 + i)}</b>"
            f"<span>{safe(option)}</span>{''.join(signs[kind] for kind in kinds)}</li>"
        )
    return f"<ul class='lab-over-options'>{''.join(rows)}</ul>"


# --- numbers -------------------------------------------------------------------------------------


def _numbers(part: Part, given: Answer | None) -> str:
    computed = _floats(part.answer)
    mine: Sequence[float | None] = [None] * len(computed) if given is None else _floats(given)
    titles = names(part) if len(computed) > 1 else ("",)
    # A prediction within the tolerance is right: no line is drawn to show its gap.
    off = [x for x, y in zip(mine, computed, strict=True) if x is not None and abs(x - y) > part.tolerance]
    together = line_for([*computed, *off])
    lines = []
    for title, number, said in zip(titles, computed, mine, strict=True):
        line = together if together.step else line_for([number, said] if said in off else [number])
        lines.append(number_line(title, line, number, said, part.tolerance))
    return f"<div class='lab-over-lines'>{''.join(lines)}</div>"


_DRAWN: dict[str, Callable[[Part, Answer | None], str]] = {
    "number": _numbers, "numbers": _numbers, "choose": _choose, "row": _row, "cells": cells, "order": _order,
}  # fmt: skip


def _in_words(given: Answer) -> str:
    """A drawn or typed answer where a word was the right one."""
    if isinstance(given, tuple):
        return f"({', '.join(x if isinstance(x, str) else in_short(x) for x in given)})"
    return (
        given
        if isinstance(given, str)
        else "other cells"
        if isinstance(given, frozenset)
        else in_short(given)
    )


def _floats(answer: Answer | None) -> list[float]:
    return [float(x) for x in answer] if isinstance(answer, tuple) else [float(answer)]  # type: ignore[arg-type]


def _share(weight: float) -> float:
    return 100 * min(max(weight, 0.0), 1.0)
