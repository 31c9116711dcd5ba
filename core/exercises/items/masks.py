"""Exercises on masks in use: when to hide a score, and what goes wrong without a mask."""

from dataclasses import replace

import numpy as np

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import apart, floats, four_digits, listed, pick, shuffled
from core.lessons.masking import MaskingSettings, trace_masking
from core.lessons.masking_cases import LESSON_SCORES, row_by_ways
from core.numbers import Numbers
from core.settings import AttentionSettings

_TEXTS = ("The cat sat on", "We all like strong tea", "Birds fly south in autumn", "My dog ran home")
_VISIBLE = np.arange(4) <= 2


def _hidden_before_softmax(seed: int) -> Task:
    """A score is hidden, then softmax. Twins draw four other scores and the key that is asked for."""
    scores, key = _scores_apart(seed)
    row = row_by_ways(np.array(scores), _VISIBLE)
    right, after, zeroed = (float(row[way][key]) for way in ("before", "after", "zeroed"))
    return Task(
        setup=f"The query at position 2 has the scaled scores {listed(scores)} for keys 0 to 3. Key 3 comes "
        "later and is masked.",
        question=f"What weight does key {key} get?",
        parts=(Part("number", right, tolerance=0.015),),
        wrong=(
            Wrong((after,), "masking after softmax",
                  f"A row made in that way sums to only {row['after'].sum():.4f}. Take the score out before "
                  "softmax, so that the visible keys share all of the weight."),
            Wrong((zeroed,), "a score of 0 means a weight of 0",
                  "A score of 0 is not out of the game: $e^0 = 1$, and the hidden key would get "
                  f"{row['zeroed'][3]:.4f}."),
            Wrong((_share(scores, key),), "scores divided by their sum",
                  "Softmax first takes the exponential of each score, and only then divides by the sum."),
        ),
        explain=f"The hidden score counts as −∞, and $e^{{-\\infty}} = 0$. Softmax of "
        f"{listed(scores[:3])} is {four_digits(row['before'][:3])}.",
        link=_as_grid(scores, key).to_query(),
    )  # fmt: skip


def _as_grid(scores: tuple[float, ...], key: int) -> AttentionSettings:
    """A causal grid whose row 2 has these scores: all queries 1, the keys are the scores, d_k is 1."""
    numbers = Numbers(((1.0,),) * 4, tuple((s,) for s in scores), ((0.0,), (1.0,), (2.0,), (3.0,)))
    return AttentionSettings(source="custom", numbers=numbers, causal=True, cell=(0, 2, key))


def _scores_apart(seed: int) -> tuple[tuple[float, ...], int]:
    """Four scores and a key for which every mistake gives a weight of its own."""
    if seed == 0:
        return LESSON_SCORES, 1
    draw = np.random.default_rng(seed)
    while True:
        scores = floats(np.round(draw.choice(np.arange(1, 16), 4, replace=False) / 10, 1))
        key = int(draw.integers(3))
        row = row_by_ways(np.array(scores), _VISIBLE)
        weights = [float(row[way][key]) for way in ("before", "after", "zeroed")]
        if apart([*weights, _share(scores, key)], 0.016):
            return scores, key


def _share(scores: tuple[float, ...], key: int) -> float:
    return scores[key] / sum(scores[:3])


def _trained_without(seed: int) -> Task:
    """A model that sees the future in training. Twins draw another text."""
    text = pick(seed, "", (*_TEXTS, "Rain fell over night", "She reads one page each day"))
    bare = MaskingSettings(mask="none")
    settings = replace(bare, text=text) if text else replace(bare, source="three-tokens")
    trace = trace_masking(settings)
    token = len(trace.tokens) - 2
    leak = float(trace.unmasked_weights[token, token + 1])
    given = (
        f"The tokens are {listed(trace.tokens)}, with random vectors for $Q$ and $K$."
        if text
        else "The tokens are t0, t1, t2. $Q$ and $K$ have the rows $(1, 0)$, $(0, 1)$, $(1, 1)$; $d_k = 2$."
    )
    poor, high = "training loss very low, written text poor", "training loss stays high"
    error, same = "an error message", "no difference"
    return Task(
        setup=f"A model is trained to predict the next token at every position. {given} Somebody forgot "
        "the causal mask.",
        question="What will they notice?",
        parts=(Part("choose", poor, options=shuffled(seed + 2, (poor, high, error, same))),),
        wrong=(
            Wrong((high,), "more in view makes learning harder",
                  "The task becomes easier, not harder: the token to be predicted can simply be read."),
            Wrong((error,), "a mask changes shapes",
                  "A mask only changes numbers. All shapes are the same with it and without it."),
            Wrong((same,), "a mask only saves time",
                  f"“{trace.tokens[token]}” gives a weight of {leak:.4f} to “{trace.tokens[token + 1]}”, the "
                  "token it is to predict. A mask would make that 0."),
        ),
        explain="In training the model learns to copy the next token from where it stands. When it "
        f"writes by itself, that token is not there yet, and copying does not help. Here the leak is "
        f"{leak:.4f}, from “{trace.tokens[token]}” to “{trace.tokens[token + 1]}”.",
        link=settings.to_query(),
    )  # fmt: skip


def _own_input(seed: int) -> Task:
    """Seeing oneself is no leak. Twins draw another sentence and position."""
    cases = [(text, i) for text in _TEXTS for i in range(1, len(text.split()) - 1)][1:]
    text, position = pick(seed, (_TEXTS[0], 1), cases)
    words = text.split()
    inputs, targets = words[:-1], words[1:]
    settings = MaskingSettings(text=" ".join(inputs))
    seen = trace_masking(settings).visible[position]
    own, target = inputs[position], targets[position]
    no, diagonal = f"no: the target at position {position} is “{target}”", "yes: hide the diagonal"
    first = "yes, but only in row 0"
    return Task(
        setup=f"A causal model is trained on the inputs “{' '.join(inputs)}” and the targets "
        f"“{' '.join(targets)}”. At position {position} it reads its own input, “{own}”.",
        question="Does it see there the word that it has to predict?",
        parts=(Part("choose", no, options=shuffled(seed + 1, (no, diagonal, first))),),
        wrong=(
            Wrong((diagonal,), "a token predicts itself",
                  "Targets stand one place further on, so a token may read its own word. With the diagonal "
                  "hidden, row 0 would have no key at all, and a plain softmax would give NaN."),
            Wrong((first,), "a token predicts itself",
                  f"Row 0 reads “{inputs[0]}”, and its target is the next word, “{targets[0]}”."),
        ),
        explain=f"Position {position} sees {int(seen.sum())} inputs: {listed(inputs[: int(seen.sum())])}. "
        f"Its target “{target}” comes after them.",
        link=settings.to_query(),
    )  # fmt: skip


MASKS = (
    Exercise(
        "X13",
        "A score behind the mask",
        "masks",
        "core",
        "playground",
        (
            "lesson A, step 2: the mask comes before softmax",
            "lesson B, Causal masking: the hidden score",
            "question B01: why not multiply the score by 0?",
        ),
        _hidden_before_softmax,
    ),
    Exercise(
        "X15",
        "A forgotten mask",
        "masks",
        "core",
        "masking",
        ("lesson A, Watch out: the causal mask forgotten", "question B12: high accuracy, nonsense output"),
        _trained_without,
    ),
    Exercise(
        "X16",
        "Reading its own word",
        "masks",
        "core",
        "masking",
        (
            "lesson B, Causal masking: seeing the target would be cheating",
            "question B15: is the answer in the input?",
            "question B10: does triu leave the diagonal out?",
        ),
        _own_input,
    ),
)
