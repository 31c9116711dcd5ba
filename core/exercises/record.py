"""What somebody has answered: kept as a file of JSON, counted by misconception."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from core.errors import NumbersError

CONFIDENCE = ("a guess", "fairly sure", "certain")
LONGEST = 200_000  # characters of a file


@dataclass(frozen=True)
class Record:
    """One answer, after its reveal."""

    id: str
    seed: int
    right: bool
    confidence: int  # 0..2, of CONFIDENCE; -1: "I don't know"
    misconception: str = ""  # behind a wrong answer, where it is known


def written(records: Iterable[Record]) -> str:
    """Return records as the text of a file."""
    return json.dumps({"attention-lab-progress": 1, "answers": [asdict(each) for each in records]})


def read(text: str) -> tuple[Record, ...]:
    """Return the records of a file.

    Raises:
        NumbersError: a sentence that says what is wrong with the file.
    """
    wrong = "This is no progress file of Attention Lab; choose one that was saved here."
    if len(text) > LONGEST:
        raise NumbersError(wrong)
    try:
        found = json.loads(text)
        records = tuple(Record(**each) for each in found["answers"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise NumbersError(wrong) from None
    kinds = {"id": str, "seed": int, "right": bool, "confidence": int, "misconception": str}
    if not all(type(getattr(each, name)) is kind for each in records for name, kind in kinds.items()):
        raise NumbersError(wrong)
    return records


def misconceptions(records: Iterable[Record]) -> list[tuple[str, int]]:
    """Return how often each misconception was met, the commonest first."""
    return Counter(each.misconception for each in records if each.misconception).most_common()


def to_ask_again(records: Iterable[Record]) -> tuple[str, ...]:
    """Return the exercises whose last answer was wrong and given with confidence."""
    last = {each.id: each for each in records}
    return tuple(name for name, each in last.items() if not each.right and each.confidence >= 1)
