"""What somebody's answers show: which misconceptions were met, which were put right since, and where."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.exercises import EXERCISES
from core.exercises.exercise import TOPICS
from core.exercises.misconceptions import FAMILY_OF, Family, can_be_met
from core.exercises.record import Record, misconceptions


@dataclass(frozen=True)
class Met:
    """A misconception that was met."""

    name: str
    count: int
    put_right: bool  # an exercise in which it can be met was answered right since


def by_family(records: Sequence[Record]) -> list[tuple[Family | None, tuple[Met, ...]]]:
    """Return the misconceptions met, the commonest first, each under its family.

    Args:
        records: in the order of the answers.

    Returns:
        A pair for each family; None for names of an older version that no family holds.
    """
    found: dict[Family | None, list[Met]] = {}
    for name, count in misconceptions(records):
        met = Met(name, count, _is_put_right(name, records))
        found.setdefault(FAMILY_OF.get(name), []).append(met)
    return [(family, tuple(each)) for family, each in found.items()]


def topics_met(records: Iterable[Record]) -> list[tuple[str, int, int]]:
    """Return each topic met, how many of its exercises were answered, and how many there are."""
    answered = {each.id for each in records}
    counts = []
    for topic in TOPICS:
        of_topic = {exercise.id for exercise in EXERCISES if exercise.topic == topic}
        if of_topic & answered:
            counts.append((topic, len(of_topic & answered), len(of_topic)))
    return counts


def _is_put_right(name: str, records: Sequence[Record]) -> bool:
    last = max(i for i, each in enumerate(records) if each.misconception == name)
    here = records[last].id  # counts even if nobody can meet it there any more
    return any(
        each.right and (each.id == here or name in can_be_met().get(each.id, ()))
        for each in records[last + 1 :]
    )
