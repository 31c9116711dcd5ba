"""Exercises on axes: which ones a transpose turns, and the way into heads and back."""

from itertools import product

import numpy as np

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import out_of_order, pick, shuffled
from core.lessons.heads import HeadsSettings, trace_heads
from core.lessons.road import SENTENCE

_SIZES = tuple(
    (heads, n, d_k)
    for (heads, d_k), n in product(((2, 4), (4, 2), (2, 8), (4, 4), (4, 8), (8, 4)), (3, 5, 6, 7))
    if (heads, n, d_k) != (2, 6, 4)
)


def _shape(*axes: int) -> str:
    return f"[{', '.join(map(str, axes))}]"


def _multiplies(shape: tuple[int, ...], *axes: int) -> bool:
    """Whether queries of a shape can be multiplied by keys of that shape with their axes so ordered."""
    x = np.zeros(shape)
    try:
        return bool((x @ x.transpose(axes)).size)
    except ValueError:
        return False


def _which_axes(seed: int) -> Task:
    """Scores of many heads at once. Twins draw all three sizes."""
    heads, n, d_k = pick(seed, (2, 6, 4), _SIZES)
    settings = HeadsSettings(text=" ".join(SENTENCE[:n]), d_model=heads * d_k, heads=heads, step=3)
    shape = tuple(map(float, trace_heads(settings).weights.shape))
    outcome = {True: "the same scores", False: "an error"}
    answer = outcome[_multiplies((heads, n, d_k), 2, 1, 0)]
    other = outcome[answer != outcome[True]]
    swapped = "scores with the heads last"
    return Task(
        setup=f"Queries and keys of all heads lie in arrays $[h, n, d_k] = {_shape(heads, n, d_k)}$. "
        "`Q @ np.swapaxes(K, -1, -2)` gives the dot products. Somebody writes `Q @ K.T`, and in NumPy `.T` "
        "turns the order of all axes round.",
        question="What is the shape with `swapaxes`, and what does `Q @ K.T` give?",
        parts=(
            Part("numbers", shape, "with swapaxes", names=("first axis", "second axis", "third axis")),
            Part("choose", answer, "with K.T", options=shuffled(seed, (answer, other, swapped))),
        ),
        wrong=(
            Wrong(((shape[0], float(d_k), float(d_k)), None), "the grid's size follows d_k",
                  "The width is summed away. Each head has a score for each pair of tokens."),
            Wrong((None, other), "a transpose always swaps the last two axes", f"`K.T` is "
                  f"{_shape(d_k, n, heads)}. A query of {d_k} numbers would have to meet a key of {n}."),
            Wrong((None, swapped), "a wrong transpose still multiplies", f"{_shape(heads, n, d_k)} times "
                  f"{_shape(d_k, n, heads)}: {d_k} and {n} do not fit together."),
        ),
        explain=f"`np.swapaxes(K, -1, -2)` is {_shape(heads, d_k, n)}, and each head gets its own $[{n}, "
        f"{n}]$. It works for one head as for many, with a batch in front or without.",
        link=settings.to_query(),
    )  # fmt: skip


_LAYERS = tuple(
    sizes for sizes in product((3, 5, 6), (8, 16, 32), (2, 4)) if sizes != (6, 8, 2)
)  # fmt: skip


def _no_loop(seed: int) -> Task:
    """The way into heads and back. Twins draw the sizes."""
    n, width, heads = pick(seed, (6, 8, 2), _LAYERS)
    settings = HeadsSettings(text=" ".join(SENTENCE[:n]), d_model=width, heads=heads, step=2)
    trace = trace_heads(settings)
    cut, flat = _shape(n, heads, settings.d_k), _shape(*trace.q.shape)
    project, into, swap = (
        f"project to {flat}",
        f"cut into {cut}",
        f"swap axes: {_shape(*trace.q_heads.shape)}",
    )
    attend, back = "attend in all heads", f"swap axes back: {cut}"
    join, mix = f"join into {flat}", f"multiply by W_O: {_shape(*trace.output.shape)}"
    right = (project, into, swap, attend, back, join, mix)
    return Task(
        setup=f"{n} tokens of width {width} go through {heads} heads at once, without a loop over heads. "
        "“cut” and “join” only reshape: they keep the order in memory.",
        question="Put the cards in their order.",
        parts=(Part("order", right, options=out_of_order(seed, right)),),
        wrong=(
            Wrong(((project, into, attend, swap, back, join, mix),),
                  "attention works before the heads are apart",
                  f"In {cut} the last two axes are head and number. Then heads would attend to heads; the "
                  "last two axes have to be token and number."),
            Wrong(((project, into, swap, attend, join, back, mix),), "a reshape moves heads to their tokens",
                  "Swap the axes back first. Joined before that, a row would hold numbers of other tokens."),
            Wrong(((into, swap, project, attend, back, join, mix),), "the input is cut, not the query",
                  "Project first: each head's columns of $W_Q$ read the whole vector of a token."),
        ),
        explain="First the projections, then the cut, then heads in front so that they act like a batch. "
        "Afterwards the same way back, and $W_O$ mixes the heads.",
        link=settings.to_query(),
    )  # fmt: skip


AXES = (
    Exercise("N07", "Which axes a transpose turns", "heads", "advanced", "heads",
             ("lesson A, step 2: only the last two axes", "lesson B, Code: keys with a head axis"),
             _which_axes),
    Exercise("N09", "Into heads and back", "heads", "core", "heads",
             ("lesson A, step 4: without the loop", "lesson B, Multi-head: split and concatenate",
              "lesson C, Multi-head: no loop over heads"), _no_loop),
)  # fmt: skip
