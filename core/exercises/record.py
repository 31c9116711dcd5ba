"""What somebody has answered: kept as a file of JSON, and put together from several."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, astuple, dataclass

from core.errors import NumbersError

CONFIDENCE = ("a guess", "fairly sure", "certain")
MOST = 1000  # answers that are kept, the newest; it bounds what travels with each answer
LONGEST = 500_000  # characters of a file
_LARGEST = 10**9
_KINDS = {"id": str, "seed": int, "right": bool, "confidence": int, "misconception": str}


@dataclass(frozen=True)
class Record:
    """One answer, after its reveal."""

    id: str
    seed: int
    right: bool
    confidence: int  # 0..2, of CONFIDENCE; -1: "I don't know"
    misconception: str = ""  # behind a wrong answer, where it is known
    at: int = 0  # counted up with each answer; two windows of a browser may use the same number


def written(records: Iterable[Record], era: int = 0) -> str:
    """Return records as the text of a file, the newest ``MOST`` of them.

    Args:
        records: in order.
        era: how often all was forgotten: what comes from an older era is not taken up again.
    """
    kept = list(records)[-MOST:]
    answers = [{name: value for name, value in asdict(each).items() if name in _KINDS} for each in kept]
    counts = [each.at for each in kept]
    return json.dumps({"attention-lab-progress": 1, "era": era, "answers": answers, "at": counts})


def read(text: str) -> tuple[Record, ...]:
    """Return the records of a file.

    Raises:
        NumbersError: a sentence that says what is wrong with the file.
    """
    return read_with_era(text)[0]


def read_with_era(text: str) -> tuple[tuple[Record, ...], int]:
    """Return the records of a file and their era; both are as ``written`` was given them.

    A file of the first form has neither eras nor counts.

    Raises:
        NumbersError: a sentence that says what is wrong with the file.
    """
    try:
        if len(text) > LONGEST:
            raise ValueError
        found = json.loads(text)
        answers, era = found["answers"], found.get("era", 0)
        counts = found.get("at", range(len(answers)))
        records = tuple(
            Record(**{**each, "at": at}) for each, at in zip(answers, counts, strict=True) if _is_sound(each)
        )
        if len(records) < len(answers) or not all(map(_is_count, (era, *counts))):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise NumbersError(
            "This is no progress file of Attention Lab; choose one that was saved here."
        ) from None
    return records, era


def _is_sound(answer: dict[str, object]) -> bool:
    """Return whether an answer of a file is one that could have been given here."""
    record = Record(**answer)  # type: ignore[arg-type]
    texts = (record.id, record.misconception)
    for text in texts:
        text.encode()  # half a character cannot be shown
    return (
        answer.keys() <= _KINDS.keys()
        and all(type(getattr(record, name)) is kind for name, kind in _KINDS.items())
        and max(map(len, texts)) <= 200
        and _is_count(record.seed)
        and -1 <= record.confidence < len(CONFIDENCE)
    )


def _is_count(x: object) -> bool:
    return type(x) is int and 0 <= x <= _LARGEST


def merged(*several: Iterable[Record]) -> tuple[Record, ...]:
    """Return all records of several sources in order, each once, the newest ``MOST``."""
    everything = {each for records in several for each in records}
    return tuple(sorted(everything, key=lambda each: (each.at, astuple(each)))[-MOST:])


def misconceptions(records: Iterable[Record]) -> list[tuple[str, int]]:
    """Return how often each misconception was met, the commonest first."""
    return Counter(each.misconception for each in records if each.misconception).most_common()


def to_ask_again(records: Iterable[Record]) -> tuple[str, ...]:
    """Return the exercises whose last answer was wrong and given with confidence."""
    last = {each.id: each for each in records}
    return tuple(name for name, each in last.items() if not each.right and each.confidence >= 1)
