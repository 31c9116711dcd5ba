"""Exercises on RoPE's scores and speeds."""

from itertools import product

import numpy as np

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import apart, pick
from core.lessons.positions import (
    LESSON_K,
    LESSON_Q,
    LESSON_SPEED,
    PositionsSettings,
    rope_scores,
    trace_rope,
)
from core.ops.rope import rope_angles


def _lesson(m: int, n: int, offset: int = 0) -> PositionsSettings:
    return PositionsSettings(example="lesson", m=m, n=n, rope_offset=offset)


def _said(values: tuple[float, ...]) -> str:
    return "(" + ", ".join(f"{x:g}" for x in values) + ")"


def _given(q: tuple[float, ...] = LESSON_Q, k: tuple[float, ...] = LESSON_K) -> str:
    return (
        f"A query $q = {_said(q)}$ and a key $k = {_said(k)}$ form one pair each. RoPE turns each by its "
        f"position times $\\theta = {LESSON_SPEED:g}$ before they are multiplied."
    )


def _both_moved(seed: int) -> Task:
    """Both positions move by the same amount. Twins draw positions and move."""
    draw = np.random.default_rng(seed)
    m, n, move = 3, 1, 4
    while True:
        if seed:
            n, move = int(draw.integers(1, 5)), int(draw.integers(2, 9))
            m = n + int(draw.integers(1, 6))
        settings = _lesson(m, n, move)
        before, after = trace_rope(_lesson(m, n)), trace_rope(settings)
        grown = before.score * settings.positions[0] / m
        turned_round = trace_rope(_lesson(n, m, move)).score
        if apart((after.score, after.unrotated, grown, turned_round), 0.03):
            break
    query_at, key_at = settings.positions
    return Task(
        setup=f"{_given()} With $q$ at position {m} and $k$ at position {n} the score is "
        f"${before.score:.2f}$. Both move forward by {move}.",
        question=f"What is the score with $q$ at {query_at} and $k$ at {key_at}?",
        parts=(Part("number", after.score, tolerance=0.03),),
        wrong=(
            Wrong((after.unrotated,), "rotations always cancel",
                  "That is the plain $q \\cdot k$. The two rotations "
                  "cancel only where both stand at the same position."),
            Wrong((grown,), "scores grow with the positions",
                  "Larger positions turn both further and make nothing "
                  "larger. Only their difference counts."),
            Wrong((turned_round,), "query and key swapped", f"That is the score with $q$ {settings.distance} "
                  f"before $k$. Query minus key is +{settings.distance} both times."),
        ),
        explain=f"{m} − {n} and {query_at} − {key_at} are both {settings.distance}. The distance is the "
        f"same, so the score is too: ${after.score:.4f}$.",
        link=settings.to_query(),
    )  # fmt: skip


def _key_ahead(seed: int) -> Task:
    """The key stands after the query. Twins draw both positions."""
    gaps = filter(_tells_ahead, range(1, 6))
    m, n = pick(seed, (5, 7), [(m, m + gap) for m, gap in product(range(1, 10), gaps)])
    settings = _lesson(m, n)
    trace, mirrored = trace_rope(settings), trace_rope(_lesson(n, m)).score
    gap = n - m
    return Task(
        setup=f"{_given()} With the query {gap} place{'s' if gap > 1 else ''} after the key the score is "
        f"${mirrored:.2f}$. Now the query stands at {m} and the key at {n}.",
        question="What is the score?",
        parts=(Part("number", trace.score, tolerance=0.05),),
        wrong=(
            Wrong((mirrored,), "distance has no sign", f"+{gap} and −{gap} turn $q$ against $k$ in opposite "
                  "senses. The scores are equal only if $q$ and $k$ lie on one line."),
            Wrong((-mirrored,), "the opposite distance flips the sign of the score",
                  "The angle changes its sign, and the score does not follow: "
                  "its cosine part stays as it is."),
            Wrong((trace.unrotated,), "future keys are not rotated", "That is $q \\cdot k$ without any "
                  "rotation. Both are turned, wherever they stand."),
        ),
        explain=f"The score is ${trace.unrotated:g}$ at distance 0, ${mirrored:.4f}$ at +{gap} and "
        f"${trace.score:.4f}$ at −{gap}.",
        link=settings.to_query(),
    )  # fmt: skip


def _tells_ahead(gap: int) -> bool:
    """Whether every mistake gives a score of its own; positions themselves do not count."""
    score, mirrored = (trace_rope(_lesson(m, n)).score for m, n in ((0, gap), (gap, 0)))
    return apart((score, mirrored, -mirrored, float(np.dot(LESSON_Q, LESSON_K))), 0.05)


def _same_position(seed: int) -> Task:
    """Both at one place. Twins draw q, k and the place."""
    draw = np.random.default_rng(seed)
    q, k, place = LESSON_Q, LESSON_K, 12
    while True:
        if seed:
            q, k = ((float(a), float(b)) for a, b in draw.integers(1, 5, (2, 2)))
            place = int(draw.integers(3, 21))
        at = np.array([LESSON_SPEED * place])
        score = float(rope_scores(np.array(q), np.array(k), at, at)[0])
        turned = float(rope_angles(at, 2)[0, 0])
        still_turned = float(np.dot(q, k) * np.cos(turned))
        if apart((score, 0.0, still_turned), 0.01) and abs(score - still_turned) > 0.1:
            break
    return Task(
        setup=f"{_given(q, k)} Both stand at position {place}.",
        question="What is their score?",
        parts=(Part("number", score, tolerance=0.01),),
        wrong=(
            Wrong((0.0,), "no distance, no score", "The angle between them is as if nothing had been turned, "
                  "and the plain dot product remains."),
            Wrong((still_turned,), "rotations at one position do not cancel",
                  f"That takes the cosine of {turned:g} "
                  "radians. Both are turned by the same angle, and no angle is left between them."),
        ),
        explain=f"${q[0]:g} \\cdot {k[0]:g} + {q[1]:g} \\cdot {k[1]:g} = {score:g}$, at position {place} as "
        "at any.",
        link=_lesson(place, place).to_query() if (q, k) == (LESSON_Q, LESSON_K) else {},
    )  # fmt: skip


def _slowest_pair(seed: int) -> Task:
    """The angle of the last pair. Twins draw the position and the base."""
    width = 8
    cases = (*product((16.0, 256.0), (8, 16, 32, 64)), *product((10000.0,), (20, 30, 40, 50)))
    base, position = pick(seed, (10000.0, 10), cases)
    angles, speeds = (rope_angles(np.array([at]), width, base)[0] for at in (position, 1.0))
    last = width // 2 - 1
    return Task(
        setup=f"A head has $d = {width}$ entries, so {last + 1} pairs, counted from 0. Pair $i$ turns by "
        f"$\\theta_i = {base:g}^{{-2i/d}}$ radians a position. At position {position} pair 0 has turned by "
        f"{angles[0]:g}.",
        question="By how many radians has the last pair turned?",
        parts=(Part("number", float(angles[last]), tolerance=0.001),),
        wrong=(
            Wrong((float(angles[0]),), "all pairs turn alike", "Only pair 0 turns by 1 radian a position. "
                  f"Pair $i$ turns by ${base:g}^{{-2i/d}}$."),
            Wrong((float(angles[last - 1]),), "counting from 1", f"That is pair {last - 1}. Counted "
                  f"from 0, the last of {last + 1} is pair {last}."),
            Wrong((position / base,), "the slowest speed is 1 over the base", f"The exponent goes to "
                  f"−{2 * last}/{width} and never to −1."),
        ),
        explain=f"The speeds are {', '.join(f'{x:g}' for x in speeds)}. {position} times the last is "
        f"{angles[last]:g}.",
        link=PositionsSettings(d_k=width, rope_base=base, m=position).to_query(),
    )  # fmt: skip


ROPE = (
    Exercise(
        "X34",
        "Both moved together",
        "positions",
        "core",
        "positions",
        ("lesson C, RoPE: the example at distance 2", "lesson C, RoPE: only the difference counts"),
        _both_moved,
    ),
    Exercise(
        "X35",
        "A key after its query",
        "positions",
        "core",
        "positions",
        ("lesson C, RoPE: the example at distance -2",),
        _key_ahead,
    ),
    Exercise(
        "X36",
        "Both at one position",
        "positions",
        "intro",
        "positions",
        ("lesson C, RoPE: only the difference counts",),
        _same_position,
    ),
    Exercise(
        "X37",
        "The last pair",
        "positions",
        "core",
        "positions",
        ("lesson C, RoPE: the speeds",),
        _slowest_pair,
    ),
)
