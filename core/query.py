"""Settings as URL parameters: how a value is read from text, repaired, and written.

A link can never raise: a bad value becomes the nearest legal one or the default, and a note says so.
Each kind of settings has one table, ``PARAMETERS``, which says how each parameter is read and written.
"""

import dataclasses
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from core.errors import SettingError

VERSION = "1"
# Parameters of a page, not of a picture: read elsewhere, so no surprise here.
PAGE_PARAMETERS = ("embed", "embed_options", "lecture", "hide", "predict")

Reading = tuple[Any, str]  # the value, and a note or ""


@dataclass(frozen=True)
class Parameter:
    """How a parameter is read, given what was read before it, and how it is written."""

    read: Callable[[str, Any], Reading]
    write: Callable[[Any], str] = str
    follows: str = ""  # the parameter whose value it takes where a link does not name it


class Linked:
    """A frozen dataclass of settings with a form as URL parameters. Illegal values raise ``SettingError``.

    A subclass lists its fields in ``PARAMETERS``, in the order in which they are read: the reader of
    one sees the values (and properties) of those before it.
    """

    PARAMETERS: ClassVar[Mapping[str, Parameter]]
    SILENT: ClassVar[frozenset[str]] = frozenset()  # let go without a note when another setting changes
    PASSING: ClassVar[frozenset[str]] = frozenset()  # of this showing alone: not shared, not kept

    def __post_init__(self) -> None:
        for name, parameter in self.PARAMETERS.items():
            value, note = parameter.read(parameter.write(getattr(self, name)), self)
            if note:
                raise SettingError(note)
            object.__setattr__(self, name, value)  # the canonical form, such as single spaces

    def to_query(self) -> dict[str, str]:
        """Every parameter as text, and the version, so that a link keeps its meaning for ever."""
        values = {name: p.write(getattr(self, name)) for name, p in self.PARAMETERS.items()}
        return {"v": VERSION, **values}

    def short_query(self) -> dict[str, str]:
        """Return the parameters that a link needs to mean these settings today, and the version.

        For a slide or a QR code. A default that changes later changes what such a link means.
        """
        query = self.lasting_query()
        meant = self._read(query)
        for name in self.PARAMETERS:
            fewer = {each: value for each, value in query.items() if each != name}
            if self._read(fewer) == meant:
                query = fewer
        return query

    def lasting_query(self) -> dict[str, str]:
        """Return every parameter but those of this showing alone (``PASSING``), and the version."""
        return {name: text for name, text in self.to_query().items() if name not in self.PASSING}

    @classmethod
    def from_query(cls, query: Mapping[str, Any]) -> tuple[Self, list[str]]:
        """Return the settings of URL parameters and a note for each value that was repaired.

        Args:
            query: name -> text, or name -> list of texts where a parameter may be given twice.
        """
        settings, notes = cls._read(query)
        return settings, list(notes.values())

    def changed(self, **values: Any) -> tuple[Self, list[str]]:
        """Return the settings with some values replaced, repaired where need be, and notes."""
        written = {name: self.PARAMETERS[name].write(value) for name, value in values.items()}
        return self.merged({**self.to_query(), **written}, written)

    @classmethod
    def merged(cls, query: Mapping[str, str], changed: Collection[str]) -> tuple[Self, list[str]]:
        """Return the settings of a query in which a person has just changed some parameters, and notes.

        What a new picture no longer has (``SILENT``) is let go without a note.
        """
        settings, notes = cls._read(query)
        silent = cls.SILENT.difference(changed)
        return settings, [note for name, note in notes.items() if name not in silent]

    @classmethod
    def default(cls, name: str) -> Any:
        """The value of a setting that nobody has changed."""
        return cls.__dataclass_fields__[name].default  # type: ignore[attr-defined]

    @classmethod
    def _read(cls, query: Mapping[str, Any]) -> tuple[Self, dict[str, str]]:
        given, notes = cls._given(query)
        so_far = object.__new__(cls)  # has the properties of settings, and the values read so far
        values = so_far.__dict__
        values |= {field.name: field.default for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
        for name, parameter in cls.PARAMETERS.items():
            text = given.get(name, parameter.write(values[parameter.follows or name]))
            values[name], note = parameter.read(text, so_far)
            if note and name in given:
                notes[name] = note
        return cls(**values), notes

    @classmethod
    def _given(cls, query: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
        """Return the text of each known parameter, and notes about the others."""
        given: dict[str, str] = {}
        notes: dict[str, str] = {}
        for name, value in query.items():
            texts = [value] if isinstance(value, str) else [str(text) for text in value]
            if not texts:
                continue
            if len(texts) > 1 and name not in PAGE_PARAMETERS:
                notes[f"{name} twice"] = f"{name} is given {len(texts)} times; the last one counts."
            if name in cls.PARAMETERS:
                given[name] = texts[-1]
            elif name == "v" and texts != [VERSION]:
                notes[name] = f"This link is of version {shown(texts[-1])}; it is read as {VERSION}."
            elif name not in ("v", *PAGE_PARAMETERS):
                notes[name] = f"The link names {shown(name)}, which does not exist here; it is ignored."
        return given, notes


# --- readers ------------------------------------------------------------------------------------


def integer(name: str, low: int, high: int) -> Parameter:
    """A whole number within limits."""

    def read(text: str, so_far: Any) -> Reading:
        x = number_in(text)
        if x is None:
            value = so_far.default(name)
            return value, f"{name} = {shown(text)} is not a whole number; {value} is used."
        value = round(min(max(x, low), high))
        return value, "" if value == x else repaired(name, text, value, f"{low} to {high}")

    return Parameter(read)


def decimal(name: str, low: float, high: float) -> Parameter:
    """A number within limits."""

    def read(text: str, so_far: Any) -> Reading:
        x = number_in(text)
        if x is None:
            value = so_far.default(name)
            return value, f"{name} = {shown(text)} is not a number; {value:g} is used."
        value = min(max(x, low), high)
        return value, "" if value == x else repaired(name, text, f"{value:g}", f"{low:g} to {high:g}")

    return Parameter(read, write_float)


def choice(name: str, options: tuple[str, ...]) -> Parameter:
    """One of several words."""

    def read(text: str, so_far: Any) -> Reading:
        if text in options:
            return text, ""
        value = so_far.default(name)
        return value, repaired(name, text, value, ", ".join(options))

    return Parameter(read)


def one_of(name: str, options: Callable[[Any], Iterable[int]], why: str) -> Parameter:
    """One of the whole numbers that the settings before it leave; the nearest, a tie takes the smaller."""

    def read(text: str, so_far: Any) -> Reading:
        legal = list(options(so_far))
        x = number_in(text)
        wanted = so_far.default(name) if x is None else min(max(x, legal[0]), legal[-1])
        value = nearest(wanted, legal)
        if value == x:
            return value, ""
        return value, repaired(name, text, value, f"{why}: {', '.join(map(str, legal))}")

    return Parameter(read)


def boolean(name: str) -> Parameter:
    """Yes or no, as the words true and false."""

    def read(text: str, so_far: Any) -> Reading:
        if text in ("true", "false"):
            return text == "true", ""
        value = so_far.default(name)
        return value, repaired(name, text, str(value).lower(), "true or false")

    return Parameter(read, lambda value: str(value).lower())


def number_list(name: str, length: Callable[[Any], int], limit: float = 1e6) -> Parameter:
    """As many numbers as the settings before it need, or none: "0.5,1"."""

    def read(text: str, so_far: Any) -> Reading:
        if not text:
            return (), ""
        numbers = [number_in(part) for part in text.split(",")]
        legal = [x for x in numbers if x is not None and abs(x) <= limit]
        n = length(so_far)
        if len(legal) == len(numbers) == n:
            return tuple(x + 0.0 for x in legal), ""  # -0.0 becomes 0.0
        return (), repaired(name, text, "none", f"{n} numbers within ±{limit:g}, with commas between")

    return Parameter(read, lambda values: ",".join(map(write_float, values)))


def number_in(text: str) -> float | None:
    """The finite or huge number that the text is, else None. Only plain digits are numbers."""
    return float(text) if re.fullmatch(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?", text, re.ASCII) else None


def nearest(x: float, legal: Iterable[int]) -> int:
    """The legal value nearest to x; a tie takes the smaller."""
    return min(legal, key=lambda value: (abs(value - x), value))


def repaired(name: str, text: str, value: Any, legal: str) -> str:
    """The note about a value that was replaced."""
    return f"{name} = {shown(text)} is not possible ({legal}); {value} is used."


def shown(text: str) -> str:
    """A text of a link in quotes, cut where it is long."""
    return repr(text if len(text) <= 24 else text[:24] + "…")


def write_float(x: float) -> str:
    """The shortest text that reads back as the same number."""
    return str(int(x)) if math.isfinite(x) and x == int(x) else repr(x)
