"""Which exercise of which set is shown: a setting with a link of its own."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from core.errors import NumbersError
from core.exercises import EXERCISES, draw
from core.exercises.exercise import TOPICS
from core.exercises.hands import in_one_form
from core.exercises.misconceptions import FAMILIES, exercises_of
from core.exercises.record import Record, to_ask_again
from core.query import Linked, Parameter, Reading, integer, number_in, repaired, shown

BY_ID = {exercise.id: exercise for exercise in EXERCISES}
INTERVIEW, QUIZ, AGAIN, LIST = "interview", "quiz", "again", "list"
SETS = ("all", *TOPICS, INTERVIEW, QUIZ, AGAIN, LIST, *FAMILIES)
MAX_SEED = 9999
MAX_LIST = 30
_Notes = list[str]  # below, "list" is a setting
_OWN = -1  # of a seed: the one that belongs to the exercise in its set


class Entry(NamedTuple):
    """An exercise of a set, and the seed of its numbers."""

    id: str
    seed: int  # in a list it may be left to the numbers of the whole

    @classmethod
    def plain(cls, id: str) -> Self:
        """Return an entry with the numbers of the whole list."""
        return cls(id, _OWN)


@dataclass(frozen=True)
class PlaceSettings(Linked):
    """One exercise of a set, with the numbers of a seed. Illegal values raise ``SettingError``.

    ``id`` is empty where a set is empty, and in "again" until the answers are known. In a list, an entry's
    own seed comes before ``numbers``.
    """

    list: tuple[Entry, ...] = ()  # in order; the seed of an entry may be ``_OWN``
    set: str = "all"
    length: int = 6  # of a quiz
    numbers: int = 0  # the seed for the whole set; 0: the lessons' numbers, others: twins
    id: str = ""
    seed: int = _OWN  # of the exercise shown: a twin has another
    hands: str = ""  # how a room voted on it, as core.exercises.hands writes it
    again: str = ""  # and after it had talked it over

    def changed(self, **values: Any) -> tuple[Self, _Notes]:
        """Return the settings with some values replaced.

        Another set begins with its first exercise, and another exercise comes with the numbers of its set.
        """
        if values.keys() & {"list", "set", "length"} or ("numbers" in values and self.set == QUIZ):
            values.setdefault("id", "")
        if values.keys() & {"id", "numbers"}:
            values.setdefault("seed", _OWN)
        if values.keys() - {"hands", "again"}:  # nobody has voted on the next one
            values = {"hands": "", "again": "", **values}
        return super().changed(**values)

    @classmethod
    def _given(cls, query: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
        given, notes = super()._given(query)
        if "set" not in given and _read_list(given.get("list", ""), cls)[0]:
            given["set"] = LIST
        of_one_entry = "list" in given and "id" in given
        if "numbers" not in given and not of_one_entry and not _SEED.read(given.get("seed", "x"), cls)[1]:
            given["numbers"] = given["seed"]  # an older link, or one by hand
        return given, notes


def short_query(place: PlaceSettings) -> dict[str, str]:
    """Return the parameters of a link to a set, from its first exercise on: short enough for a slide."""
    query = place.to_query()
    names = {QUIZ: ["set", "length"], LIST: ["list"]}.get(place.set, ["set"])
    return {name: query[name] for name in (*names, *(["numbers"] if place.numbers else []))}


def entries(place: PlaceSettings, records: Iterable[Record] = ()) -> tuple[Entry, ...]:
    """Return the exercises of the set, each with the seed of its numbers.

    Args:
        place: which set.
        records: the answers so far, in order: what was wrong with confidence comes again, as a twin.
    """
    if place.set == AGAIN:
        last = {each.id: each.seed for each in records}
        return tuple(
            Entry(name, (last[name] + 1) % (MAX_SEED + 1)) for name in to_ask_again(records) if name in BY_ID
        )
    if place.set == LIST:
        found = (Entry(id, place.numbers if seed == _OWN else seed) for id, seed in place.list)
        return tuple(dict.fromkeys(found))
    return tuple(Entry(name, place.numbers) for name in _ids(place))


def position(place: PlaceSettings, shown: tuple[Entry, ...]) -> int:
    """Return where in its set the exercise stands, a twin where its original does; -1: not in it."""
    ids = [name for name, _ in shown]
    if (place.id, place.seed) in shown:
        return shown.index(Entry(place.id, place.seed))
    return ids.index(place.id) if place.id in ids else -1


def _ids(place: PlaceSettings) -> tuple[str, ...]:
    if place.set == QUIZ:
        return draw.quiz(place.numbers, place.length)
    if place.set in FAMILIES:
        return exercises_of(place.set)
    return tuple(
        each.id
        for each in EXERCISES
        if place.set in ("all", each.topic) or (place.set == INTERVIEW and each.interview)
    )


def _read_list(text: str, _: Any) -> Reading:
    found: dict[Entry, None] = {}  # in order, and each looked up at once: a text from anywhere may be long
    unknown, twice, faults = [], [], []
    for item in text.split(",") if text else ():
        name, colon, seed = item.strip().partition(":")
        name = _known(name)
        own = number_in(seed)
        if colon and not (own is not None and own == int(own) and 0 <= own <= MAX_SEED):
            faults.append(f"The numbers of {shown(item)} are not a whole number from 0 to {MAX_SEED}.")
            own = None
        entry = Entry(name, _OWN if own is None else int(own))
        if name not in BY_ID:
            unknown.append(name)
        elif entry in found:
            twice.append(f"{name}{colon}{seed}")
        else:
            found[entry] = None
    if twice:
        names = list(map(shown, dict.fromkeys(twice)))
        verb = "stands" if len(names) == 1 else "stand"
        faults.append(f"{', '.join(names)} {verb} more than once in the list; once counts.")
    if unknown:
        more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
        faults.append(f"Not known and left out of the list: {', '.join(map(shown, unknown[:3]))}{more}.")
    if len(found) > MAX_LIST:
        faults.append(
            f"A list holds at most {MAX_LIST} exercises; the last {len(found) - MAX_LIST} are left out."
        )
    return tuple(found)[:MAX_LIST], " ".join(faults[:4])


def _known(name: str) -> str:
    """An id as it is written here, from "x01" too; what is no id, as it was typed."""
    return name.upper() if name.upper() in BY_ID else name


def _write_list(items: Iterable[Entry]) -> str:
    return ",".join(name if seed == _OWN else f"{name}:{seed}" for name, seed in items)


def _read_set(text: str, so_far: Any) -> Reading:
    if text == LIST and not so_far.list:
        return "all", "set = 'list' needs a list of exercises, as list=X01,X10; all are shown."
    return (text, "") if text in SETS else ("all", f"set = {shown(text)} does not exist here; all are shown.")


def _read_id(text: str, so_far: Any) -> Reading:
    text, members = _known(text), [each.id for each in entries(so_far)]
    first = members[0] if members else ""
    if not text:
        return first, ""
    closed = so_far.set in (QUIZ, LIST)  # elsewhere an exercise may be looked at beside its set
    if text in BY_ID and (text in members or not closed):
        return text, ""
    first = first or EXERCISES[0].id
    legal = f"one of {', '.join(members)}" if closed else f"{EXERCISES[0].id} to {EXERCISES[-1].id}"
    return first, repaired("id", text, first, legal)


def _read_seed(text: str, so_far: Any) -> Reading:
    own = next((each.seed for each in entries(so_far) if each.id == so_far.id), so_far.numbers)
    if not text or number_in(text) is None:
        return own, f"seed = {shown(text)} is not a whole number; {own} is used." if text else ""
    return _SEED.read(text, so_far)


def _read_hands(name: str) -> Parameter:
    def read(text: str, so_far: Any) -> Reading:
        if not text or not so_far.id:
            return "", ""
        try:
            return in_one_form(text, BY_ID[so_far.id].make(so_far.seed), so_far.seed), ""
        except NumbersError as error:
            return "", f"{name}: {error}"

    return Parameter(read)


_SEED = integer("seed", 0, MAX_SEED)
PlaceSettings.PASSING = frozenset({"hands", "again"})
PlaceSettings.PARAMETERS = {
    "list": Parameter(_read_list, _write_list),
    "set": Parameter(_read_set),
    "length": integer("length", draw.SHORTEST, draw.LONGEST),
    "numbers": integer("numbers", 0, MAX_SEED),
    "id": Parameter(_read_id),
    "seed": Parameter(_read_seed, lambda seed: "" if seed == _OWN else str(seed)),
    "hands": _read_hands("hands"),
    "again": _read_hands("again"),
}
