"""Exercises on the size of the score matrix."""

from itertools import product

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import pick, shuffled
from core.lessons.cost import CostSettings
from core.settings import AttentionSettings
from core.trace import trace_attention

_WORDS = ("the", "cat", "sat", "on", "the", "mat", "and", "slept")


def _grid(rows: int, columns: int) -> str:
    return f"{rows} × {columns}"


def _wider_keys(seed: int) -> Task:
    """d_k grows, the tokens stay. Twins draw the number of tokens and both widths."""
    n, narrow, wide = pick(seed, (6, 4, 64), tuple(product((3, 4, 5, 7, 8), (2, 6), (32, 64, 128))))
    text = " ".join(_WORDS[:n])
    settings = AttentionSettings(text=text, d_k=wide)
    after = trace_attention(settings).weights.shape[-2:]
    before = trace_attention(AttentionSettings(text=text, d_k=narrow)).weights.shape[-2:]
    right, square, mixed, both = (
        _grid(*after), _grid(wide, wide), _grid(n, wide), _grid(n * narrow, n * narrow)
    )  # fmt: skip
    return Task(
        setup=f"A head reads the {n} tokens “{text}”. Its queries and keys are made wider: $d_k$ goes from "
        f"{narrow} to {wide}. Then its attention weights are drawn as a grid.",
        question=f"How large is the grid with $d_k = {wide}$?",
        parts=(Part("choose", right, options=shuffled(seed, (right, square, mixed, both))),),
        wrong=(
            Wrong((square,), "the grid's size follows d_k",
                  "Each dot product sums over the $d_k$ entries. One number "
                  "is left for a pair of tokens, whatever the width."),
            Wrong((mixed,), "the grid's size follows d_k", "That is the shape of Q. The grid has tokens on "
                  "both sides."),
            Wrong((both,), "the grid's size follows d_k",
                  "$QK^T$ keeps no axis of features, so nothing is "
                  "multiplied by $d_k$."),
        ),
        explain=f"$[n, d_k] \\times [d_k, n] = [n, n]$: {_grid(*before)} at $d_k = {narrow}$ and {right} at "
        f"$d_k = {wide}$. The width is summed away.",
        link=settings.to_query(),
    )  # fmt: skip


def _longer_context(seed: int) -> Task:
    """The context grows. Twins draw from where and by how much."""
    short, growth = pick(seed, (2048, 2), tuple(product((2**i for i in range(6, 14)), (2, 4, 8))))
    settings = CostSettings(n=short, heads=1, kv_heads=1)
    before, after = settings.cost, settings.cost.at(n=short * growth)
    factor = after.entries / before.entries
    cube = after.at(d_k=after.d_k * growth).scores / before.scores
    return Task(
        setup=f"A model's context grows from {short:,} to {short * growth:,} tokens. Nothing else changes. "
        "Each head scores every token against every token.",
        question="By what factor does the number of scores in one head grow?",
        parts=(Part("number", factor),),
        wrong=(
            Wrong((after.n / before.n,), "attention cost grows in proportion to n",
                  f"There are {growth} times as "
                  f"many rows and {growth} times as many columns."),
            Wrong((cube,), "d_k grows with the context",
                  "Only the two axes of tokens grow. $d_k$ stays as it is, and "
                  "a score is one number."),
        ),
        explain=f"{before.entries:,} scores become {after.entries:,}: ${growth}^2 = {factor:g}$ times as "
        "many.",
        link=settings.to_query(),
    )  # fmt: skip


COST = (
    Exercise(
        "X23",
        "A grid and the width of its keys",
        "cost",
        "intro",
        "playground",
        ("lesson A, Common mistake: the grid's size and d_k",),
        _wider_keys,
    ),
    Exercise(
        "X25",
        "A longer context",
        "cost",
        "intro",
        "cost",
        ("lesson A, Watch out: memory grows with the square", "lesson A, Cost: twice the context"),
        _longer_context,
    ),
)
