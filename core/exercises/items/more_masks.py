"""Exercises on masks at the edge: no key left, half precision, a window."""

import numpy as np

from core.exercises.exercise import Cells, Exercise, Part, Task, Wrong
from core.exercises.items.twins import pick, shuffled
from core.lessons.masking import PAD, MaskingSettings, trace_masking
from core.lessons.masking_cases import empty_row, unguarded_softmax
from core.ops.attention import softmax
from core.ops.masks import causal_mask, sliding_window_mask

_SHORT = (("we won", 2), ("she reads books", 1), ("rain falls", 3), ("birds sing at dawn", 1), ("go home", 4),
          ("it was late", 2))  # fmt: skip


def _nothing_to_see(seed: int) -> Task:
    """Twins draw other words, and another number of padding tokens."""
    text, padding = pick(seed, ("the cat", 1), _SHORT)
    settings = MaskingSettings(text=text, mask="causal-padding", side="left", padding=padding, cell=(1, 0, 0))
    trace = trace_masking(settings)
    n = len(trace.tokens)
    assert 0 in trace.hidden_queries
    assert not trace.weights[0].any()
    assert np.isnan(unguarded_softmax(np.full(n, -np.inf))).all()
    average = float(softmax(np.full(n, -1e9))[0])
    right, nan, uniform = (
        "no visible key, and an output of 0",
        "NaN",
        f"a weight of 1/{round(1 / average)} for each key",
    )
    return Task(
        setup=f"A batch pads on the left: {PAD} × {padding}, then “{text}”, {n} tokens in all. The causal "
        f"mask and the padding mask are both on, so the row of token 0 has each of its {n} keys hidden.",
        question="What should a display show for that row?",
        parts=(Part("choose", right, options=shuffled(seed, (right, nan, uniform))),),
        wrong=(
            Wrong((nan,), "a row without a key has to be NaN",
                  "Softmax of −∞ alone is 0/0. A program has to catch that, or "
                  "NaN spreads to all that follows."),
            Wrong((uniform,), "a finite fill hides a whole row",
                  f"A fill of −1e9 leaves {n} equal scores, so "
                  "“nothing” turns into the average of values that are hidden."),
        ),
        explain=f"There is nothing to choose from, so all {n} weights are {empty_row().ours[0]:g}, the row "
        "sums to 0 and the output is 0; the display should say so. PyTorch's scaled_dot_product_attention "
        "now returns zeros too.",
        link=settings.to_query(),
    )  # fmt: skip


_FILLS = ((-1e6, -8.0, 12, 4), (-1e8, -5.0, 20, 10), (-1e5, -9.0, 9, 3), (-1e9, -7.0, 40, 30),
          (-1e6, -6.0, 16, 15), (-1e5, -12.0, 100, 60))  # fmt: skip


def _a_safe_fill(seed: int) -> Task:
    """Twins draw other fills and other counts of keys."""
    huge, small, n, hidden = pick(seed, (-1e9, -10.0, 8, 3), _FILLS)
    scores = np.where(np.arange(n) < n - hidden, 0.0, small)
    weights = softmax(scores)
    largest = float(np.finfo(np.float16).max)
    exponent = round(np.log10(-huge))
    right, stored = "−∞, by the framework's own mask", f"−1e{exponent}"
    mild, zero = f"−{-small:g}", "0"
    return Task(
        setup=f"Scores are kept in float16, whose largest number is {largest:.0f}. A row has {n} keys, and "
        f"{hidden} of them are to be hidden. Their scores are filled in before softmax.",
        question="Which fill is safe?",
        parts=(Part("choose", right, options=shuffled(seed, (right, stored, mild, zero))),),
        wrong=(
            Wrong((stored,), "a larger negative fill is always safer",
                  f"float16 ends at −{largest:.0f}, so −1e{exponent} does not "
                  "fit: you get an error, or −∞ by luck."),
            Wrong((mild,), "any negative fill hides", f"It leaks. Beside equal scores of 0, a hidden key "
                  f"keeps $e^{{{small:g}}}$ = {np.exp(small):.5f} of a visible key's weight, and many hidden "
                  "keys add up."),
            Wrong((zero,), "a score of 0 means a weight of 0",
                  "$e^0 = 1$, so a score of 0 takes as much weight as "
                  "any other score of 0."),
        ),
        explain=f"float16 has −∞, and $e^{{-\\infty}} = 0$. A fill of −{-small:g} would leave "
        f"{weights[n - hidden :].sum():.5f} of the weight to hidden keys even if all scores were 0. And "
        f"adding −{largest:.0f} instead of filling it in overflows as soon as the score is −16.",
        link={},
    )  # fmt: skip


_WINDOWS = tuple(
    (text, window, token)
    for text in (
        "the dog ran home fast",
        "she reads an old book by the fire",
        "rain fell on us all day and night",
    )
    for window in (2, 3, 4)
    for token in range(window + 1, len(text.split()))
)


def _row(visible: np.ndarray) -> Cells:
    return frozenset((0, int(j)) for j in np.flatnonzero(visible))


def _a_window(seed: int) -> Task:
    """Twins draw another text, window and token."""
    text, window, token = pick(seed, ("the cat sat on the mat", 3, 5), _WINDOWS)
    words = text.split()
    n, names = len(words), tuple(f"{j} {word}" for j, word in enumerate(words))
    visible = sliding_window_mask(n, window)[token]
    settings = MaskingSettings(text=text, mask="window", window=window, cell=(1, token, token))
    return Task(
        setup=f"{n} tokens, numbered from 0: “{text}”. A causal sliding window of {window} is on, and it "
        "counts the current token.",
        question=f"Which keys can token {token}, “{words[token]}”, see?",
        parts=(Part("cells", _row(visible), rows=("",), options=names),),
        wrong=(
            Wrong((_row(sliding_window_mask(n, window + 1)[token]),), "the window counts earlier tokens only",
                  f"That is one key too many: the {window} include token {token} itself."),
            Wrong((_row(causal_mask(n)[token]),), "the window forgotten", "That is the causal mask alone. "
                  f"The window hides whatever lies {window} or more positions back."),
        ),
        explain=f"Token {token} sees {int(visible.sum())} keys, {np.flatnonzero(visible)[0]} to {token}. If "
        f"all scores were equal, each would get {softmax(np.where(visible, 0.0, -np.inf))[token]:.4f}.",
        link=settings.to_query(),
    )  # fmt: skip


MORE_MASKS = (
    Exercise("X53", "A row with no key left", "masks", "advanced", "masking", ("pytorch #103963",),
             _nothing_to_see),
    Exercise("X54", "A fill for half precision", "masks", "advanced", "masking",
             ("lesson A, Common mistake: a large negative number in half precision",
              "lesson B, Code: a fill of -1e9",
              "apex #93"), _a_safe_fill),
    Exercise("X56", "A sliding window", "masks", "advanced", "masking",
             ("lesson A, Cost: sliding windows",
              "transformers #39408"), _a_window),
)  # fmt: skip
