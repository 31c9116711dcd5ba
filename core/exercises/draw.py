"""A mixed quiz: exercises drawn by a seed, across topics and kinds of answers."""

from collections import Counter
from functools import cache, lru_cache
from hashlib import sha256

from core.exercises import EXERCISES

SHORTEST, LONGEST = 3, 12  # exercises of a quiz


@lru_cache(256)
def quiz(seed: int, length: int) -> tuple[str, ...]:
    """Return the ids of a quiz.

    The topic used least comes next, and a kind not used twice; chance decides the rest. Neighbours differ in
    topic. Interview questions have a set of their own.

    Args:
        seed: the same seed gives the same quiz.
        length: how many exercises.
    """
    left = sorted(
        (exercise for exercise in EXERCISES if not exercise.interview),
        key=lambda exercise: sha256(f"{seed} {exercise.id}".encode()).digest(),
    )
    topics: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    drawn: list[str] = []
    before = ""
    while left and len(drawn) < length:
        found = min(
            left, key=lambda each: (each.topic == before, topics[each.topic], kinds[_kinds()[each.id]] // 2)
        )
        left.remove(found)
        drawn.append(found.id)
        topics[found.topic] += 1
        kinds[_kinds()[found.id]] += 1
        before = found.topic
    return tuple(drawn)


@cache
def _kinds() -> dict[str, str]:
    return {exercise.id: exercise.make(0).parts[0].kind for exercise in EXERCISES}
