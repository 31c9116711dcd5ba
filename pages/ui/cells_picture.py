"""Cells that were picked, over those that are right: filled = computed, ringed = predicted."""

from collections.abc import Iterable, Sequence

from core.exercises.exercise import Answer, Cells, Part
from pages.ui.html import listed, safe

_MANY = 6  # cells that are named one by one


def cells(part: Part, given: Answer | None) -> str:
    """Return a grid of queries and keys, or the entries of one list, and in words what was missed.

    Args:
        part: of kind "cells".
        given: what was picked, or None.
    """
    computed = _pairs(part, part.answer)
    mine = None if given is None else _pairs(part, given)
    alone = len(part.rows) == 1
    drawn = [
        [
            _cell(name if alone else "", (i, j) in computed, (i, j) in (mine or ()))
            for j, name in enumerate(part.options)
        ]
        for i in range(len(part.rows))
    ]
    picture = f"<ul class='lab-over-entries'>{_wrapped('li', drawn[0])}</ul>" if alone else _grid(part, drawn)
    return picture + (f"<p>{_cells_in_words(part, computed, mine)}</p>" if mine is not None else "")


def _grid(part: Part, drawn: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th scope='col'>{safe(name)}</th>" for name in part.options)
    rows = "".join(
        f"<tr><th scope='row'>{safe(name)}</th>{_wrapped('td', cells)}</tr>"
        for name, cells in zip(part.rows, drawn, strict=True)
    )
    return (
        "<div class='lab-scroll' tabindex='0' role='region' aria-label='Cells, computed and predicted'>"
        "<table class='lab-over-grid'><caption>keys →</caption>"
        f"<tr><td>queries ↓</td>{head}</tr>{rows}</table></div>"
    )


def _cell(name: str, computed: bool, mine: bool) -> str:
    sign = {(True, True): "✓", (False, True): "×"}.get((computed, mine), "")
    told = [word for word, holds in (("computed", computed), ("you picked it", mine)) if holds]
    ring = "<i></i>" if mine else ""
    unseen = f"<span class='lab-unseen'>{', '.join(told) or 'neither'}</span>"
    kind = "lab-over-cell lab-got" if computed else "lab-over-cell"
    return f"<div class='{kind}'>{safe(name)} <span aria-hidden='true'>{sign}</span>{ring}{unseen}</div>"


def _wrapped(tag: str, pieces: Iterable[str]) -> str:
    return "".join(f"<{tag}>{piece}</{tag}>" for piece in pieces)


def _cells_in_words(
    part: Part, computed: frozenset[tuple[int, int]], mine: frozenset[tuple[int, int]]
) -> str:
    if computed == mine:
        return "Exactly these."
    missed, extra = sorted(computed - mine), sorted(mine - computed)
    said = [f"You missed {_named(part, missed)}."] if missed else []
    if extra:
        said.append(f"{_named(part, extra)} {'does' if len(extra) == 1 else 'do'} not belong here.")
    return " ".join(said)


def _named(part: Part, cells: Sequence[tuple[int, int]]) -> str:
    if len(cells) > _MANY:
        return f"{len(cells)} of {len(part.rows) * len(part.options)} cells"
    alone = len(part.rows) == 1
    return listed(part.options[j] if alone else f"({part.rows[i]}, {part.options[j]})" for i, j in cells)


def _pairs(part: Part, answer: Answer) -> Cells:
    known = {(i, j) for i in range(len(part.rows)) for j in range(len(part.options))}
    return frozenset(known & answer) if isinstance(answer, frozenset) else frozenset()
