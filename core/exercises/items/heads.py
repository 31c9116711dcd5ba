"""Exercises on heads: their width, their parameters, their merge."""

import numpy as np

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import pick
from core.lessons.head_counts import LayerCount
from core.lessons.heads import HeadsSettings
from core.lessons.heads_wrong import without_transpose
from core.ops.heads import merge_heads

_ENTRIES = ("first", "second", "third", "fourth")


def _divisor_of_a_head(seed: int) -> Task:
    """The divisor follows the head's width. Twins draw the width and the heads."""
    twins = ((8, 4), (16, 2), (16, 8), (16, 16), (32, 2), (32, 4), (32, 8), (32, 16), (32, 32))
    d_model, heads = pick(seed, (8, 8), twins)
    settings = HeadsSettings(d_model=d_model, heads=heads)
    layer, whole = LayerCount(d_model, heads), LayerCount(d_model, 1)
    alone = " Scaling does nothing then, and a head can compare only one number." if layer.d_k == 1 else ""
    return Task(
        setup=f"A layer of width $d_{{model}} = {d_model}$ has $h = {heads}$ heads of equal width.",
        question="By what number does each head divide its scores?",
        parts=(Part("number", 1 / layer.scale, tolerance=0.01),),
        wrong=(
            Wrong((1 / whole.scale,), "the model's width in the scale", f"That is √{d_model}. A head's "
                  f"queries and keys have only {d_model}/{heads} = {layer.d_k} entries."),
            Wrong((float(heads),), "divided by the number of heads", "The divisor is $\\sqrt{d_k}$; the "
                  "number of heads only decides how large $d_k$ is."),
        ),
        explain=f"$d_k = {d_model}/{heads} = {layer.d_k}$, and its root is {1 / layer.scale:.5g}.{alone}",
        link=settings.to_query(),
    )  # fmt: skip


def _parameters_with_more_heads(seed: int) -> Task:
    """More heads, the same matrices. Twins draw the width and the heads."""
    draw = np.random.default_rng(seed)
    d_model, few, many = 512, 8, 16
    if seed:
        d_model = int(draw.choice([64, 128, 192, 256, 320, 384, 448]))
        few, many = [(4, 8), (8, 16), (2, 8), (8, 32), (16, 32)][int(draw.integers(5))]
    settings = HeadsSettings(wide=d_model, wide_heads=many)
    before, after = LayerCount(d_model, few), LayerCount(d_model, many)
    own = "each head has full-width matrices"
    return Task(
        setup=f"A multi-head layer of width $d_{{model}} = {d_model}$ has matrices for Q, K, V and the "
        f"output, and no biases. Its heads go from {few} to {many}.",
        question=f"How many parameters does it have with {many} heads?",
        parts=(Part("number", float(after.weights)),),
        wrong=(
            Wrong((float(before.weights * many // few),), "more heads mean more parameters",
                  "Heads are slices of "
                  "the same matrices. More slices make each narrower and add nothing."),
            Wrong((float(3 * after.n_heads * after.one_head),), "the output matrix forgotten",
                  "That is Q, K and V. The "
                  "output matrix is the fourth."),
            Wrong((float(before.full_width_heads),), own, f"That is {few} heads of full width. "
                  f"A head owns only $d_{{model}}/h$ columns, so {few} heads share one width."),
            Wrong((float(after.full_width_heads),), own, f"That is {many} heads of full width. "
                  f"A head owns only {after.d_k} of the {d_model} columns."),
        ),
        explain=f"$4 \\cdot {d_model}^2$ = {after.weights:,}, with {few} heads, with {many}, and with any "
        "other number that divides the width.",
        link=settings.to_query(),
    )  # fmt: skip


def _merge_without_transpose(seed: int) -> Task:
    """Heads laid side by side by a reshape alone. Twins draw the numbers and the token."""
    draw = np.random.default_rng(seed)
    numbers = np.arange(1.0, 9.0) if seed == 0 else 1.0 + draw.permutation(9)[:8]
    token = 0 if seed == 0 else int(draw.integers(2))
    context = numbers.reshape(2, 2, 2)  # [H, T, d_k]
    wrong_merge, right_merge = without_transpose(context), merge_heads(context)
    swapped = without_transpose(context[::-1])

    def row(values: np.ndarray) -> tuple[float, ...]:
        return tuple(values.tolist())

    def said(values: np.ndarray) -> str:
        return "(" + ", ".join(f"{x:g}" for x in values) + ")"

    return Task(
        setup="Two heads, two tokens, two numbers each. "
        + " ".join(
            f"Head {h} gives {said(context[h, 0])} for token 0 and {said(context[h, 1])} for token 1."
            for h in (0, 1)
        )
        + " The array is stored as [head, token, number], head 0 first. Somebody reshapes it to [token, 4] "
        "and forgets to swap the first two axes before.",
        question=f"Does this fail? If not, which row comes out for token {token}?",
        parts=(Part("numbers", row(wrong_merge[token]), words=("error",), names=_ENTRIES),),
        wrong=(
            Wrong((row(right_merge[token]),), "a reshape moves heads to their tokens",
                  "That is the merge as it should be. "
                  "A reshape alone keeps the order in memory."),
            Wrong(("error",), "a wrong merge raises an error",
                  "2 × 2 × 2 numbers fill 2 × 4 either way. There is no error, "
                  "only wrong numbers."),
            Wrong((row(swapped[token]),), "the last head lies first in memory",
                  "In memory head 0 stands before head 1."),
        ),
        explain=f"Memory is cut into two rows as it stands, so row {token} is {said(wrong_merge[token])}: "
        f"both tokens of head {token}. The right row for token {token} would be {said(right_merge[token])}. "
        "Half of the row belongs to the other token.",
    )  # fmt: skip


HEADS = (
    Exercise(
        "X26",
        "What a narrow head divides by",
        "heads",
        "core",
        "heads",
        ("lesson A, Predict: as many heads as columns",),
        _divisor_of_a_head,
    ),
    Exercise(
        "X27",
        "Parameters of more heads",
        "heads",
        "core",
        "heads",
        (
            "lesson A, Multi-head: parameters",
            "question B34: should the width be 3 d h?",
            "question B35: do heads change the parameter count?",
        ),
        _parameters_with_more_heads,
    ),
    Exercise(
        "X28",
        "A merge without its transpose",
        "heads",
        "core",
        "heads",
        ("lesson A, Predict: the forgotten transpose", "question B37: a missing permute before the merge"),
        _merge_without_transpose,
    ),
)
