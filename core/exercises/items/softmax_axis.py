"""Exercises on the rows and columns of a grid of weights."""

from functools import cache
from itertools import permutations

import numpy as np

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import apart, four_digits, listed, pick, shuffled, vector
from core.lessons.soft_lookup import (
    SoftLookupSettings,
    softmax_over_queries,
    trace_soft_lookup,
)
from core.numbers import Numbers
from core.settings import AttentionSettings
from core.trace import AttentionTrace, trace_attention

_CORNERS = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0))
_VALUES = ((1.0, 0.0), (0.0, 10.0), (5.0, 5.0))
_ROWS = (*_CORNERS, (2.0, 0.0), (0.0, 2.0), (2.0, 1.0), (1.0, 2.0))
_UNKNOWN = "it cannot be known"


def _hidden_cell(seed: int) -> Task:
    """One cell of a row is covered. Twins draw rows of three to five keys."""
    twins = [
        ((0.42, 0.17, 0.41), 1), ((0.12, 0.35, 0.19, 0.34), 0), ((0.05, 0.61, 0.23, 0.11), 1),
        ((0.28, 0.07, 0.33, 0.16, 0.16), 2), ((0.52, 0.09, 0.39), 2), ((0.14, 0.46, 0.08, 0.32), 2),
    ]  # fmt: skip
    cells, hidden = pick(seed, ((0.31, 0.22, 0.29, 0.18), 2), twins)
    keys = tuple((float(np.log(cell)),) for cell in cells)  # scores whose softmax is this row
    numbers = Numbers(q=((1.0,),), k=keys, v=tuple((float(j),) for j in range(len(cells))))
    settings = AttentionSettings(source="custom", numbers=numbers, cell=(0, 0, hidden))
    row = trace_attention(settings).weights[0, 0]
    shown = [float(round(w, 4)) for j, w in enumerate(row) if j != hidden]
    return Task(
        setup=f"A heatmap of attention weights, one row for each query. One row reads "
        f"{listed('?' if j == hidden else f'{w:.2f}' for j, w in enumerate(row))}.",
        question="Which number belongs in the covered cell?",
        parts=(Part("number", round(float(row[hidden]), 9), words=(_UNKNOWN,), tolerance=0.005),),
        wrong=(
            Wrong((1 / len(cells),), "attention is a plain average",
                  f"The cells of a row differ. Those in view add up to {sum(shown):.2f}, and the whole row "
                  "has a fixed total."),
            Wrong((_UNKNOWN,), "a row need not sum to 1",
                  "Neither Q nor K is needed: softmax makes every row sum to exactly 1."),
        ),
        explain=f"1 − {' − '.join(f'{w:.2f}' for w in shown)} = {row[hidden]:.2f}.",
        link=settings.to_query(),
    )  # fmt: skip


def _column_total(seed: int) -> Task:
    """The total of a column. Twins draw other rows of Q = K and another column."""
    settings, trace, column, other = _columns_apart(seed)
    weights, totals = trace.weights[0], trace.weights[0].sum(axis=0)
    rows = ", ".join(map(vector, trace.q[0]))
    return Task(
        setup=f"Three tokens, each a query and a key. The rows of $Q$ and of $K$ are {rows}. $d_k = 2$, no "
        "mask. In the grid of weights a row is a query and a column a key.",
        question=f"What is the total of the column of key {column}?",
        parts=(Part("number", float(totals[column]), tolerance=0.03),),
        wrong=(
            Wrong((float(weights[column].sum()),), "columns sum to 1",
                  "Softmax runs along a row, so only rows are sure to sum to 1. A column's total says how "
                  "much all queries together read its token."),
            Wrong((float(totals[other]),), "the wrong column read",
                  f"That is the total of key {other}. Keys are counted from 0, from left to right."),
        ),
        explain=f"The weights on key {column} are {four_digits(weights[:, column])}, one a query. They "
        f"sum to {totals[column]:.4f}.",
        link=settings.to_query(),
    )  # fmt: skip


def _columns_apart(seed: int) -> tuple[AttentionSettings, AttentionTrace, int, int]:
    """A grid whose asked column, another column and 1 lie well apart."""
    if seed == 0:
        settings = AttentionSettings(source="three-tokens")
        return settings, trace_attention(settings), 2, 0
    draw = np.random.default_rng(seed)
    while True:
        rows = tuple(_ROWS[int(i)] for i in draw.choice(len(_ROWS), 3, replace=False))
        settings = AttentionSettings(source="custom", numbers=Numbers(rows, rows, _VALUES))
        trace = trace_attention(settings)
        column, other = (int(j) for j in draw.choice(3, 2, replace=False))
        totals = trace.weights[0].sum(axis=0)
        if apart([1.0, totals[column], totals[other]], 0.037):
            return settings, trace, column, other


def _two_grids(seed: int) -> Task:
    """Rows against columns. Twins draw other queries and swap the two grids."""
    q = pick(seed, ((2.0, 0.0), (0.0, 1.0), (1.0, 1.0)), _telling_queries())
    wrong_name, right_name = shuffled(seed, ("B", "A")) if seed else ("B", "A")
    settings = _grid_settings(q)
    down = softmax_over_queries(settings)
    along = np.stack([trace_soft_lookup(_grid_settings(q, i)).weights for i in range(3)])
    grids = {right_name: along, wrong_name: down}
    queries, keys = ", ".join(map(vector, q)), ", ".join(map(vector, _CORNERS))
    rows, columns = four_digits(down.sum(axis=1)), four_digits(along.sum(axis=0))
    right, wrong = f"grid {right_name}", f"grid {wrong_name}"
    return Task(
        setup=f"The rows of $Q$ are {queries}, the rows of $K$ are {keys}, $d_k = 2$. Two grids of weights "
        "were made from the same scores, a row for each query and a column for each key.\n\n"
        f"Grid A: ${_matrix(grids['A'])}$\n\nGrid B: ${_matrix(grids['B'])}$",
        question="In which grid was softmax taken along the wrong axis?",
        parts=(Part("choose", wrong, options=("grid A", "grid B", "neither")),),
        wrong=(
            Wrong((right,), "columns sum to 1",
                  f"Each query has a weight of 1 to give away, so rows must sum to 1. In {right} they do. "
                  f"That its columns sum to {columns} is fine."),
            Wrong(("neither",), "any numbers from 0 to 1 are weights",
                  f"Add up the rows. Those of {wrong} come to {rows}."),
        ),
        explain=f"In {right} every row sums to 1. In {wrong} every column does, and the rows sum to {rows}. "
        "With $Q = K$ one grid would be the other one mirrored at the diagonal, and the mistake would be "
        "harder to see.",
        link=AttentionSettings(source="custom", numbers=settings.numbers).to_query(),
    )  # fmt: skip


@cache
def _telling_queries() -> tuple[tuple[tuple[float, float], ...], ...]:
    """Queries for which every row of the wrong grid is visibly off."""
    return tuple(q for q in permutations(_ROWS, 3) if _off_by(_grid_settings(q)) > 0.1)


def _grid_settings(q: tuple[tuple[float, float], ...], query: int = 0) -> SoftLookupSettings:
    numbers = Numbers(q, _CORNERS, _VALUES)
    return SoftLookupSettings(source="custom", numbers=numbers, query=query, step=3)


def _off_by(settings: SoftLookupSettings) -> float:
    """How far each row of the wrong grid is from 1, at least; 0 where Q = K up to order."""
    if sorted(settings.numbers.q) == sorted(_CORNERS):
        return 0.0
    return float(np.abs(softmax_over_queries(settings).sum(axis=1) - 1).min())


def _matrix(grid: np.ndarray) -> str:
    rows = r" \\ ".join(" & ".join(f"{x:.4f}" for x in row) for row in grid)
    return rf"\begin{{pmatrix}} {rows} \end{{pmatrix}}"


SOFTMAX_AXIS = (
    Exercise(
        "X07",
        "The covered cell",
        "reading heatmaps",
        "intro",
        "playground",
        ("lesson A, Notice: each row sums to 1",),
        _hidden_cell,
    ),
    Exercise(
        "X08",
        "What a column adds up to",
        "reading heatmaps",
        "core",
        "playground",
        ("lesson B, Visualization: rows sum to 1, columns need not", "question B25: rows or columns?"),
        _column_total,
    ),
    Exercise(
        "X09",
        "Two grids of weights",
        "softmax",
        "core",
        "playground",
        ("lesson A, Common mistake: softmax along the wrong axis",),
        _two_grids,
    ),
)
