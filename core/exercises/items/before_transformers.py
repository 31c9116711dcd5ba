"""Exercises on the road to the transformer: a score by a small network, and the way back to a word."""

import numpy as np

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import apart, pick
from core.lessons.road import SENTENCE, SUBJECT, recurrent_steps
from core.lessons.soft_lookup import SoftLookupSettings
from core.ops.attention import additive_attention, softmax


def _scored(q: float, k0: float, k1: float, v: float) -> tuple[float, float, float, float]:
    """The weight of key 0: by the small network; by a dot product; without tanh; a plain half."""
    one = np.ones((1, 1))
    keys = np.array([[k0], [k1]])
    weights = additive_attention(np.array([[q]]), keys, np.zeros((2, 1)), one, one, np.array([v]))[1]
    dot, linear = softmax(q * keys[:, 0]), softmax(v * (q + keys[:, 0]))
    return float(weights[0, 0]), float(dot[0]), float(linear[0]), 0.5


_NETWORKS = tuple(
    (q, k0, k1, v)
    for q in (0.5, 1.0, 1.5)
    for k0, k1 in ((1.0, -1.0), (2.0, 0.0), (1.5, -0.5), (1.0, 0.0))
    for v in (2.0, 3.0)
    if apart(_scored(q, k0, k1, v), 0.02) and (q, k0, k1, v) != (1, 2, 0, 2)
)


def _additive_score(seed: int) -> Task:
    """The score of 2014. Twins draw the numbers."""
    q, k0, k1, v = pick(seed, (1.0, 2.0, 0.0, 2.0), _NETWORKS)
    right, dot, linear, half = _scored(q, k0, k1, v)
    bent = [float(np.tanh(q + k)) for k in (k0, k1)]
    return Task(
        setup="Before the transformer, attention scored with a small network: "
        "$v \\cdot \\tanh(q\\,w_q + k\\,w_k)$. Here every vector is one number, $w_q = w_k = 1$, and "
        f"$v = {v:g}$. The query is {q:g}, the keys are {k0:g} and {k1:g}. "
        f"$\\tanh({q + k0:g}) = {bent[0]:.4f}$ and $\\tanh({q + k1:g}) = {bent[1]:.4f}$. Nothing is scaled.",
        question="What weight does softmax give the first key?",
        parts=(Part("number", right, tolerance=0.02),),
        wrong=(
            Wrong((dot,), "every score is a dot product", f"Those are the scores {q:g} · {k0:g} and {q:g} · "
                  f"{k1:g}. Dot products took over later. Here a small network scores."),
            Wrong((linear,), "tanh left out", "Without tanh the sums would go straight into softmax. Take "
                  f"{v:g} · {bent[0]:.4f} and {v:g} · {bent[1]:.4f}."),
            Wrong((half,), "attention is a plain average", "The two scores differ, so the weights do."),
        ),
        explain=f"The scores are {v * bent[0]:.4f} and {v * bent[1]:.4f}, and softmax makes {right:.4f} of "
        "the first. Softmax and the weighted average are as in the transformer. It kept them, took the "
        "cheaper dot product, added $1/\\sqrt{d_k}$ and dropped the recurrence.",
    )  # fmt: skip


def _steps_back(seed: int) -> Task:
    """From a word back to "animal". Twins draw the word."""
    reader = pick(seed, 7, (4, 5, 6, 8, 9, 10))
    updates = recurrent_steps(SUBJECT, reader)
    right = (float(updates), 1.0)
    subject, word = SENTENCE[SUBJECT], SENTENCE[reader]
    return Task(
        setup=f"“{' '.join(SENTENCE)}”. A recurrent network reads from left to right and updates its one "
        "state at each word. In self-attention each word reads all the words itself.",
        question=f"How many updates does the state go through after “{subject}”, up to and with “{word}”? "
        f"And how many steps of attention lead from “{word}” to “{subject}”?",
        parts=(Part("numbers", right, names=("updates", "steps of attention")),),
        wrong=(
            Wrong(((right[0], right[0]),), "attention walks word by word", f"The query of “{word}” meets "
                  f"the key of “{subject}” directly, however far apart they stand."),
            Wrong(((1.0, 1.0),), "a recurrent network reaches back in one step", f"It has only its state. "
                  f"Each word from “{SENTENCE[SUBJECT + 1]}” to “{word}” rewrites it."),
            Wrong(((right[0] - 1, 1.0),), "words between counted, not updates", f"The update at “{word}” "
                  "counts too."),
        ),
        explain=f"“{subject}” is word {SUBJECT}, “{word}” is word {reader}, counted from 0: {reader} − "
        f"{SUBJECT} = {updates} updates. In attention it is 1 step, for any two words.",
        link=SoftLookupSettings(reader=reader).to_query(),
    )  # fmt: skip


BEFORE_TRANSFORMERS = (
    Exercise("N16", "A score before the dot product", "soft lookup", "advanced", "soft-lookup",
             ("lesson A, Note: additive scores came first",
              "lesson C, Remark: attention began in translation"),
             _additive_score),
    Exercise("N17", "The way back to a word", "soft lookup", "intro", "soft-lookup",
             ("lesson A, Intuition: one step however far", "lesson B, What attention is: one step"),
             _steps_back),
)  # fmt: skip
