"""Which exercise is shown: a setting with a link of its own."""

from dataclasses import dataclass
from typing import Any

from core.exercises import EXERCISES
from core.exercises.exercise import TOPICS
from core.query import Linked, Parameter, Reading, choice, integer, repaired

BY_ID = {exercise.id: exercise for exercise in EXERCISES}
SETS = ("all", *TOPICS, "again")  # "again": what was wrong with confidence
MAX_SEED = 9999


@dataclass(frozen=True)
class PlaceSettings(Linked):
    """One exercise of a set, with the numbers of a seed. Illegal values raise ``SettingError``."""

    id: str = "X01"
    seed: int = 0  # 0: the lessons' numbers; others: twins
    set: str = "all"


def _read_id(text: str, so_far: Any) -> Reading:
    if text in BY_ID:
        return text, ""
    first = so_far.default("id")
    return first, repaired("id", text, first, f"{EXERCISES[0].id} to {EXERCISES[-1].id}")


PlaceSettings.PARAMETERS = {
    "id": Parameter(_read_id),
    "seed": integer("seed", 0, MAX_SEED),
    "set": choice("set", SETS),
}
