"""Exercises on the order of the steps, and on padding that nobody hides."""

from itertools import product

import numpy as np

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import out_of_order, pick
from core.numbers import Numbers
from core.settings import STAGES, AttentionSettings
from core.trace import trace_attention

_MASKS = ("future", "keys outside the window")
_TEXTS = (
    "the cat sat on the mat", "the dog bit the man", "birds fly south in autumn", "she reads old letters",
)  # fmt: skip


def _swapped(order: tuple[str, ...], one: str, other: str) -> tuple[str, ...]:
    turn = {one: other, other: one}
    return tuple(turn.get(card, card) for card in order)


def _moved(order: tuple[str, ...], card: str, behind: str) -> tuple[str, ...]:
    rest = [each for each in order if each != card]
    rest.insert(rest.index(behind) + 1, card)
    return tuple(rest)


def _order_of_the_steps(seed: int) -> Task:
    """The steps of one head as cards. Twins draw the text and what is hidden."""
    text, hidden = pick(seed, (_TEXTS[0], _MASKS[0]), tuple(product(_TEXTS, _MASKS)))
    hide = f"hide {hidden}"
    names = {"scores": "dot products", "scaled": "scale", "masked": hide, "weights": "softmax"}
    answer = ("project", *(names[stage] for stage in STAGES), "mix values")
    # Dividing every score commutes with hiding some, and with the dot products: q may be divided first.
    also = (_swapped(answer, "scale", hide), _swapped(answer, "scale", "dot products"))
    settings = AttentionSettings(
        text=text, causal=hidden == _MASKS[0], window=None if hidden == _MASKS[0] else 2, stage="masked"
    )
    return Task(
        setup=f"A head with a mask reads “{text}”. Each card is one of its steps; “project” makes Q, K and "
        f"V, “scale” divides by $\\sqrt{{d_k}}$, and “{hide}” is what the mask does.",
        question="Put the cards in an order in which the head can work.",
        parts=(Part("order", answer, options=out_of_order(seed, answer), also=also),),
        wrong=(
            Wrong((_moved(answer, hide, "softmax"),), "masking after softmax",
                  "Taking weights away after softmax leaves "
                  "a row that no longer adds up to 1."),
            Wrong((_moved(_moved(answer, "scale", "softmax"), hide, "scale"),), "scaling after softmax",
                  "The division is there to shrink the gaps between scores. It has to come before softmax."),
        ),
        explain="Q and K must exist before they meet. Scores are scaled, hidden ones become −∞, softmax "
        "turns what is left into weights that sum to 1, and these mix the values. Scaling may stand anywhere "
        "between “project” and “softmax”: −∞ stays −∞, and a divided query gives divided scores.",
        link=settings.to_query(),
    )  # fmt: skip


def _padding_that_is_not_hidden(seed: int) -> Task:
    """Equal real keys and one zero key. Twins draw how many, and their score."""
    twins = ((2, 1.0), (2, 0.5), (2, 1.5), (3, 0.5), (3, 2.0), (4, 0.5), (5, 0.5), (5, 1.0))
    n, score = pick(seed, (3, 1.0), twins)
    keys = (score,) * n + (0.0,)
    numbers = Numbers(q=((1.0,),), k=tuple((key,) for key in keys), v=((1.0,),) * n + ((0.0,),))
    settings = AttentionSettings(source="custom", numbers=numbers, cell=(0, 0, n))
    trace = trace_attention(settings)
    leak, real = float(trace.weights[0, 0, -1]), float(trace.weights[0, 0, 0])
    e = float(np.exp(trace.scaled[0, 0, -1]))
    return Task(
        setup=f"A query has the scaled score {score:g} with each of {n} real keys. One more key is padding: "
        "its vector is all zeros. The padding mask was forgotten.",
        question="What weight does the padding key get?",
        parts=(Part("number", leak, tolerance=0.015),),
        wrong=(
            Wrong((0.0,), "a score of 0 means a weight of 0",
                  f"A zero key has the score 0, and $e^0 = {e:g}$. It "
                  "takes its share."),
            Wrong((1 / (n + 1),), "attention is a plain average", "Its score lies below the others, so it "
                  f"gets less than 1/{n + 1}."),
        ),
        explain=f"$e^0 = {e:g}$ against {n} times $e^{{{score:g}}}$: the padding takes {leak:.4f} and leaves "
        f"{real:.4f} for each real key. With the mask each of them would get 1/{n}.",
        link=settings.to_query(),
    )  # fmt: skip


PIPELINE = (
    Exercise(
        "X24",
        "The steps in their order",
        "soft lookup",
        "intro",
        "playground",
        ("lesson B, Steps: from scores to output", "lesson A, step 2: the mask comes before softmax"),
        _order_of_the_steps,
    ),
    Exercise(
        "X31",
        "Padding without a mask",
        "masks",
        "core",
        "playground",
        ("lesson A, Watch out: padding", "question B08: is a zero embedding harmless?"),
        _padding_that_is_not_hidden,
    ),
)
