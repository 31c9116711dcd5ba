"""Exercises on the causal mask: which cells it hides, and what it does to the others."""

import numpy as np

from core.exercises.exercise import Cells, Exercise, Part, Task, Wrong
from core.exercises.items.twins import floats, four_digits, listed, pick
from core.lessons.kv_cache import KVCacheSettings
from core.lessons.masking import MaskingSettings, MaskingTrace, trace_masking
from core.ops.masks import causal_mask

_TEXTS = (
    "my dog ran",
    "we all like tea",
    "rain fell over night",
    "the sun sets in june",
    "she reads one page each day",
    "birds fly south when it gets cold",
    "a cold wind blew from the far north",
)
_STORY = "every cold winter morning our old cat slept by the warm stove until noon"
_DEPENDS = "it depends on Q and K"


def _first_row(seed: int) -> Task:
    """Row 0 under the causal mask. Twins draw other texts, of other lengths."""
    text = pick(seed, MaskingSettings.default("text"), _TEXTS)
    settings = MaskingSettings(text=text)
    trace = trace_masking(settings)
    n = len(trace.tokens)
    no_key = np.zeros(n)  # a mask that hides the diagonal too leaves row 0 nothing
    spread = np.full(n, 1 / n)
    return Task(
        setup=f"{n} tokens ({listed(trace.tokens)}) with the causal mask on. You are not told anything about "
        "$Q$ and $K$.",
        question="How does the first token, row 0, spread its weight? Draw the bars.",
        parts=(
            Part("row", floats(trace.weights[0]), options=_numbered(trace.tokens), words=(_DEPENDS,),
                 tolerance=0.02),
        ),
        wrong=(
            Wrong((floats(spread),), "the mask does not touch token 0",
                  "Token 0 has no past, but it has a future, and all of that is hidden from it."),
            Wrong((floats(no_key),), "a token may not see itself",
                  "The mask hides what comes later. A token's own cell, on the diagonal, stays open."),
            Wrong((_DEPENDS,), "weights always depend on the scores",
                  "With a single key in sight there is nothing to choose: whatever its score, softmax gives "
                  "it 1."),
        ),
        explain=f"Token 0 sees {int(trace.visible[0].sum())} key, itself, and softmax of one number is "
        f"{trace.weights[0, 0]:g}.",
        link=settings.to_query(),
    )  # fmt: skip


def _changed_cells(seed: int) -> Task:
    """Which weights a causal mask changes. Twins draw other texts with random vectors."""
    text = pick(seed, "", _TEXTS[:4])
    settings = MaskingSettings(text=text) if text else MaskingSettings(source="three-tokens")
    trace = trace_masking(settings)
    names, n = trace.tokens, len(trace.tokens)
    changed = _cells(np.abs(trace.difference) > 1e-9)
    hidden, lower, everything = (
        _cells(each) for each in (~trace.visible, np.tri(n, k=-1) > 0, np.ones((n, n)) > 0)
    )
    row = n - 2  # the last row that changes
    return Task(
        setup=_what_is_given(trace) + " You look at the grid of weights, a row for each query and a column "
        "for each key, twice: first with the causal mask, then without it.",
        question="Which cells show another number without the mask than with it? Mark them all.",
        parts=(Part("cells", changed, rows=_numbered(names), options=_numbered(names)),),
        wrong=(
            Wrong((hidden,), "only hidden cells change",
                  f"A row sums to 1 both times. What the hidden cells of rows 0 to {row} gain, the cells in "
                  "view must lose."),
            Wrong((everything,), "the last row changes too",
                  f"Row {n - 1} sees every key even with the mask. Nothing changes there."),
            Wrong((lower,), "the mask hides the past",
                  "A row is the token that reads, a column the token that is read. The future lies to the "
                  "right of the diagonal."),
        ),
        explain=f"Row 0 goes from {four_digits(trace.weights[0])} with the mask to "
        f"{four_digits(trace.unmasked_weights[0])} without it. So all of rows 0 to {row} change: "
        f"{len(changed)} cells. Without the mask token 0 also gives "
        f"{trace.unmasked_weights[0, 1]:.4f} to the very token that it is to predict.",
        link=settings.to_query(),
    )  # fmt: skip


def _what_is_given(trace: MaskingTrace) -> str:
    if trace.settings.source == "three-tokens":
        return "Three tokens. The rows of $Q$ and of $K$ are $(1, 0)$, $(0, 1)$ and $(1, 1)$; $d_k = 2$."
    return f"{len(trace.tokens)} tokens ({listed(trace.tokens)}) with random vectors for $Q$ and $K$."


def _zero_cells(seed: int) -> Task:
    """How many cells the causal mask empties. Twins draw the size of the grid."""
    n = pick(seed, 6, (4, 8, 10, 12, 16, 20))
    visible = causal_mask(n)
    hidden, seen = int((~visible).sum()), int(visible.sum())
    settings = MaskingSettings(text=" ".join(f"{_STORY} {_STORY}".split()[:n])) if seed else MaskingSettings()
    return Task(
        setup=f"A grid of attention weights for {n} tokens, {n} rows and {n} columns. A causal mask "
        "is on.",
        question="How many of its cells are exactly 0?",
        parts=(Part("number", float(hidden)),),
        wrong=(
            Wrong((visible.size / 2,), "half of the cells are hidden",
                  f"The diagonal is not hidden. {seen} cells of {visible.size} stay in view."),
            Wrong((float(seen),), "visible cells counted, not hidden ones",
                  f"{seen} is how many can be seen. The question is about the others."),
            Wrong((float((~np.eye(n, dtype=bool)).sum()),), "only the diagonal is visible",
                  "A token sees itself and everything before it, not itself alone."),
        ),
        explain=f"Row 0 hides {n - 1} cells, row 1 hides {n - 2}, and so on down to none: "
        f"{n} · {n - 1} / 2 = {hidden}.",
        link=settings.to_query(),
    )  # fmt: skip


def _keys_of_a_new_token(seed: int) -> Task:
    """How many keys the newest token sees. Twins draw how many are in the cache."""
    cached = pick(seed, 4, (2, 3, 5, 6, 7, 9, 11))
    words = _STORY.split()[: cached + 1]
    from_the_left, without_itself = (causal_mask(1, cached + 1, offset=at) for at in (0, cached - 1))
    right = int(causal_mask(1, cached + 1).sum())
    settings = KVCacheSettings(text=" ".join(words), step=cached)
    return Task(
        setup=f"A causal model writes with a KV cache. The cache holds the keys of {cached} tokens: "
        f"{listed(words[:-1])}. Now the next one, “{words[-1]}”, comes in with one query, one key and one "
        "value of its own.",
        question="How many keys may this query see?",
        parts=(Part("number", float(right)),),
        wrong=(
            Wrong((float(from_the_left.sum()),), "the mask starts at the top left",
                  f"A mask of 1 row and {cached + 1} columns that is laid at the top left hides the whole "
                  "history. It belongs at the bottom right: the newest query stands at the newest key."),
            Wrong((float(without_itself.sum()),), "a token may not see itself",
                  "Its own key goes into the cache first, and a token always sees itself."),
        ),
        explain=f"It sees positions 0 to {cached}: {cached} from the cache and its own, {right} in all.",
        link=settings.to_query(),
    )  # fmt: skip


def _cells(where: np.ndarray) -> Cells:
    return frozenset((int(i), int(j)) for i, j in np.argwhere(where))


def _numbered(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Names that differ even where a word comes twice."""
    if tokens == ("t0", "t1", "t2"):
        return tokens
    return tuple(f"{i} {token}" for i, token in enumerate(tokens))


CAUSAL = (
    Exercise(
        "X10",
        "The first row",
        "masks",
        "intro",
        "masking",
        ("lesson A, Predict: row 0 under the mask", "lesson A, Notice: the first token's weight is 1"),
        _first_row,
    ),
    Exercise(
        "X11",
        "With the mask and without",
        "masks",
        "core",
        "masking",
        (
            "lesson A, Try it 2: which cells change without the mask",
            "lesson C, Causal masking: the last token sees everything, as before",
        ),
        _changed_cells,
    ),
    Exercise(
        "X12",
        "Counting zeros",
        "masks",
        "intro",
        "masking",
        ("lesson A, Notice: zeros to the right of column i", "lesson B, Notice: the upper triangle is zero"),
        _zero_cells,
    ),
    Exercise(
        "X17",
        "The newest token's view",
        "masks",
        "core",
        "kv-cache",
        ("question B56: a causal flag with one query", "question B57: several new tokens and the cache"),
        _keys_of_a_new_token,
    ),
)
