"""Exercises on what pictures of heads do not say."""

from itertools import product

import numpy as np

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import pick, shuffled
from core.lessons.heads_wrong import two_heads
from core.numbers import Numbers
from core.settings import AttentionSettings

_PAIRS = (("cat", "mat"), ("dog", "bone"), ("bird", "nest"), ("key", "lock"))


def _average_of_two_heads(seed: int) -> Task:
    """Two heads that look at opposite keys, averaged. Twins draw how sure they are."""
    weights = two_heads().weights[:, 0]  # [H, Tk]
    cases = tuple(product(_PAIRS, (0.95, 0.9, 0.85, 0.8, 0.7)))
    (one, other), sure = pick(seed, (_PAIRS[0], 0.9), cases)
    if seed:
        weights = np.array([[sure, 1 - sure], [1 - sure, sure]])
    mean, largest = weights.mean(axis=0), weights.max(axis=0)
    right = f"{mean[0]:g} and {mean[1]:g}: two heads with opposite habits look undecided"
    equal = f"{mean[0]:g} and {mean[1]:g}: the model attends to both keys equally"
    maximum = f"{largest[0]:g} and {largest[1]:g}: each key shows the head that likes it most"
    return Task(
        setup=f"For one query, head A puts {weights[0, 0]:g} on “{one}” and {weights[0, 1]:.2g} on "
        f"“{other}”. Head B puts {weights[1, 0]:.2g} on “{one}” and {weights[1, 1]:g} on “{other}”. A viewer "
        "draws one picture for the layer: the average of its heads.",
        question="What does the picture show, and how should it be read?",
        parts=(Part("choose", right, options=shuffled(seed, (right, equal, maximum))),),
        wrong=(
            Wrong((equal,), "the average of the heads is what each head does",
                  "No head does that. The layer lays the heads' "
                  "outputs side by side and mixes them with $W_O$; it never averages weights."),
            Wrong((maximum,), "a picture of several heads shows their maximum",
                  "An average lies between the two, and a row has to sum to "
                  "1. The usual default of libraries is the mean."),
        ),
        explain=f"Each key's average is {mean[0]:g}, as if no head preferred anything. The choices of "
        "both heads are lost. `nn.MultiheadAttention` returns this average unless told otherwise.",
    )  # fmt: skip


def _weight_on_the_first_token(seed: int) -> Task:
    """Most rows put much on the first token. Twins draw the share, the text and the first word."""
    texts = ("the cat sat on the mat", "once upon a time there was a fox", "dear all please find the minutes")
    text, share = pick(seed, (texts[0], 0.65), tuple(product(texts, (0.55, 0.6, 0.7, 0.75))))
    first = text.split()[0]
    right = "often unused attention rests there; values and other layers decide what it does"
    important = f"“{first}” is the word that matters most"
    bug = "something is broken: a good head looks at its own position"
    return Task(
        setup=f"A trained causal decoder reads “{text}”. In most rows of one head about {share:g} of the "
        f"weight lies on the first token, “{first}”.",
        question="Which reading is the safest?",
        parts=(Part("choose", right, options=shuffled(seed, (right, important, bug))),),
        wrong=(
            Wrong((important,), "weight equals importance", "What arrives is weight times value, and the "
                  "value can be tiny. A row has to spend its 1 somewhere."),
            Wrong((bug,), "a good head looks at its own position",
                  "Causal models that work well often show this."),
        ),
        explain=f"A row cannot spend less than 1, so a head with nothing to fetch puts {share:g} where it "
        "does little harm. To see what a key brings, compare the sizes of weight times value.",
        link=_resting(len(text.split()), share).to_query(),
    )  # fmt: skip


def _resting(n: int, share: float) -> AttentionSettings:
    """A causal head whose rows 1 to n - 1 put this share on key 0, which has a small value."""
    odds = share / (1 - share)  # against i other keys with a score of 0
    queries = (0.0, *(float(np.log(odds * i)) for i in range(1, n)))
    zeros, ones = (0.0,) * (n - 1), (1.0,) * (n - 1)
    columns = (queries, (1.0, *zeros), (0.1, *ones))
    q, k, v = (tuple((x,) for x in column) for column in columns)
    return AttentionSettings(source="custom", numbers=Numbers(q, k, v), causal=True, cell=(0, n - 1, 0))


HEAD_PICTURES = (
    Exercise(
        "X29",
        "One picture for two heads",
        "reading heatmaps",
        "core",
        "heads",
        (
            "lesson B, Multi-head: heads with different patterns",
            "question B38: may heads be averaged for a picture?",
        ),
        _average_of_two_heads,
    ),
    Exercise(
        "X30",
        "Much weight on the first token",
        "reading heatmaps",
        "core",
        "playground",
        (
            "lesson A, Common mistake: one head as the model's thought",
            "lesson A, Interpreting attention: values and other layers",
            "question B61: mostly the first token",
        ),
        _weight_on_the_first_token,
    ),
)
