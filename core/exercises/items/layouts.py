"""Exercises on how heads and projections lie in memory."""

from itertools import product

import numpy as np

from core.exercises.exercise import Cells, Exercise, Part, Task, Wrong
from core.exercises.items.twins import out_of_order, pick, shuffled
from core.lessons.heads import HeadsSettings
from core.ops.heads import split_heads

_LAYERS = tuple(
    (width, heads) for width, heads in product((4, 8, 16, 32), (1, 2, 4)) if (width, heads) != (8, 2)
)


def _copy_a_layer(seed: int) -> Task:
    """Twins are of another size."""
    width, heads = pick(seed, (8, 2), _LAYERS)
    right = ("W_Q", "W_K", "W_V")
    keys_first = (right[1], right[0], right[2])
    turned, as_is = "transposed", "as it is"
    return Task(
        setup=f"Your own layer, $D = {width}$ with {heads} head{'s' if heads > 1 else ''}, computes X @ W_Q, "
        f"X @ W_K and X @ W_V. To check it, you copy the three matrices into one [{3 * width}, {width}] "
        "array, nn.MultiheadAttention's in_proj_weight, one below the other. Its rows are output features.",
        question="How does each matrix go in, and in which order, from the top?",
        parts=(
            Part("choose", turned, label="each matrix goes in", options=shuffled(seed, (turned, as_is))),
            Part("order", right, label="from the top", options=out_of_order(seed, right)),
        ),
        wrong=(
            Wrong((as_is, None), "weights have the same layout everywhere",
                  "The library multiplies by the transpose, "
                  "$xW^\\top$. A matrix made for $xW$ has to be turned; being square, it fits both ways."),
            Wrong((None, keys_first), "keys stand before queries",
                  "Its first rows make queries, the next keys, the "
                  "last values."),
        ),
        explain=f"Rows 0 to {width - 1} are W_Q transposed, then come W_K and W_V, transposed too. Set "
        "bias=False or the biases to 0, batch_first=True, and compare head by head with "
        "average_attn_weights=False.",
        link=HeadsSettings(d_model=width, heads=heads).to_query(),
    )  # fmt: skip


_SLICES = tuple(
    (width, heads, head)
    for width, heads in ((4, 2), (8, 2), (8, 4), (16, 2), (16, 4), (16, 8))
    for head in range(1, heads)
    if (width, heads, head) != (8, 2, 1)
)


def _entries(numbers: np.ndarray) -> Cells:
    return frozenset((0, int(j)) for j in numbers.ravel())


def _which_entries(seed: int) -> Task:
    """Twins are of another size, and ask for another head."""
    width, heads, head = pick(seed, (8, 2, 1), _SLICES)
    names = np.arange(width)
    pieces = split_heads(names[None], heads)  # [H, 1, d_k]
    dealt = names.reshape(-1, heads).T  # every H-th entry
    first, last = pieces[head].min(), pieces[head].max()
    settings = HeadsSettings(d_model=width, heads=heads, head=head, step=2)
    return Task(
        setup=f"$d_{{model}} = {width}$ and {heads} heads, numbered from 0. A token's query $xW_Q$ has the "
        f"entries 0 to {width - 1}, and each head scores with a part of it.",
        question=f"Which entries of the query does head {head} use?",
        parts=(Part("cells", _entries(pieces[head]), rows=("",), options=tuple(map(str, names.tolist()))),),
        wrong=(
            Wrong((_entries(dealt[head]),), "heads take turns with the entries", "Entries are not dealt out "
                  f"in turn. A head takes {width // heads} neighbours."),
            Wrong((_entries(names),), "each head uses the whole query", "Through its columns of $W_Q$ a head "
                  f"does see all of $x$. But of the query it owns only {width // heads} numbers."),
            Wrong((_entries(pieces[head - 1]),), "counting from 1", f"That slice is head {head - 1}'s. The "
                  "first head is head 0."),
        ),
        explain=f"Each head has {width}/{heads} = {width // heads} entries in a row: head {head} has {first} "
        f"to {last}. It is the projected query that is cut, not the input $x$.",
        link=settings.to_query(),
    )  # fmt: skip


LAYOUTS = (
    Exercise("X55", "Check your own layer", "heads", "advanced", "heads",
             ("lesson A, Knowledge check: implementation challenge",
              "jsbaan/transformer-from-scratch #1"), _copy_a_layer),
    Exercise("X58", "The entries of one head", "heads", "core", "heads",
             ("lesson C, Multi-head: D = 8, H = 2", "lesson B, Multi-head: 128 = 4 × 32"), _which_entries),
)  # fmt: skip
