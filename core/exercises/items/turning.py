"""Exercises on what RoPE turns, and where a turned pair comes to lie."""

from itertools import product

import numpy as np

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import apart, pick, shuffled, vector
from core.ops.rope import apply_rope
from core.settings import AttentionSettings

Pair = tuple[float, float]
_DEGREES = {90: np.pi / 2, 180: np.pi, 270: 3 * np.pi / 2}


def _turned(pair: Pair, degrees: int, pairing: str = "interleaved") -> Pair:
    a, b = apply_rope(np.array([pair]), np.array([_DEGREES[degrees]]), pairing=pairing)[0].round(12) + 0.0
    return float(a), float(b)


def _by_mistake(pair: Pair, degrees: int) -> tuple[Pair, Pair, Pair]:
    """Turned; turned the other way; turned by twice the angle."""
    a, b = pair
    clockwise = (b, -a) if degrees == 90 else (-b, a)
    return _turned(pair, degrees), (clockwise[0] + 0.0, clockwise[1] + 0.0), (-a + 0.0, -b + 0.0)


_TURNS = tuple(
    (pair, degrees)
    for pair, degrees in product(((1.0, 0.0), (0.0, 1.0), (2.0, 1.0), (3.0, 4.0), (1.0, -2.0)), (90, 270))
    if apart(_by_mistake(pair, degrees), 0.01) and (pair, degrees) != ((1.0, 0.0), 90)
)


def _where_it_lies(seed: int) -> Task:
    """A pair turned by quarter circles. Twins draw the pair and the angle."""
    pair, degrees = pick(seed, ((1.0, 0.0), 90), _TURNS)
    right, clockwise, half = _by_mistake(pair, degrees)
    cos, sin = round(np.cos(_DEGREES[degrees])), round(np.sin(_DEGREES[degrees]))
    return Task(
        setup="RoPE turns a pair $(x_0, x_1)$ by an angle $\\varphi$ into "
        "$(x_0 \\cos\\varphi - x_1 \\sin\\varphi,\\; x_0 \\sin\\varphi + x_1 \\cos\\varphi)$. "
        f"The pair is ${vector(pair)}$, and $\\varphi = {degrees}°$.",
        question="Which pair comes out?",
        parts=(Part("numbers", right, names=("first number", "second number"), tolerance=0.01),),
        wrong=(
            Wrong((clockwise,), "a rotation runs clockwise", "The formula turns counter-clockwise: "
                  f"$\\cos {degrees}° = {cos}$ and $\\sin {degrees}° = {sin}$."),
            Wrong((half,), "a quarter turn taken for a half turn", "That is the pair after 180°, where it "
                  "points the opposite way."),
        ),
        explain=f"$\\cos {degrees}° = {cos}$ and $\\sin {degrees}° = {sin}$, so the pair becomes "
        f"${vector(right)}$. It is as long as before: only its direction has changed.",
    )  # fmt: skip


_PLACES = tuple(
    (text, i)
    for text in ("dog bites man", "the cat sat on the mat", "we all like tea")
    for i in range(1, len(text.split()))
    if (text, i) != ("dog bites man", 2)
)


def _what_is_turned(seed: int) -> Task:
    """Queries and keys, not values. Twins draw the text and the token."""
    text, token = pick(seed, ("dog bites man", 2), _PLACES)
    word = text.split()[token]
    right, values, queries = "its query and its key", "its query, its key and its value", "its query alone"
    embedding = "its embedding, before the first layer"
    return Task(
        setup=f"A model with RoPE reads “{text}”. In each layer “{word}” gets a query, a key and a value. "
        f"It stands at position {token}.",
        question=f"What does RoPE turn by the angles of position {token}?",
        parts=(Part("choose", right, options=shuffled(seed, (right, values, queries, embedding))),),
        wrong=(
            Wrong((values,), "values are rotated too", "A value is what is passed on. Only the score has to "
                  "know how far apart two tokens stand."),
            Wrong((queries,), "only queries are rotated", "The score would then depend on the query's own "
                  "position. Turning the key as well leaves only the difference."),
            Wrong((embedding,), "RoPE is added to the embeddings", "Waves and learned positions go in there. "
                  "RoPE works inside attention, in every layer."),
        ),
        explain="Queries and keys are turned, each by its own position, so their dot product depends on the "
        "difference. Values stay as they are, and nothing is added to them.",
        link=AttentionSettings(text=text, rope=True, causal=True, cell=(0, token, 0)).to_query(),
    )  # fmt: skip


TURNING = (
    Exercise("N11", "A quarter turn", "positions", "intro", "positions",
             ("lesson C, RoPE: a pair turned by 90°",), _where_it_lies),
    Exercise("N12", "What RoPE turns", "positions", "intro", "playground",
             ("lesson C, RoPE: nothing is added to values",
              "lesson A, Position information: RoPE on Q and K",
              "question B49: values rotated too"), _what_is_turned),
)  # fmt: skip
