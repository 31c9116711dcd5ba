"""The running order of a lecture: its items one after another, and how it is changed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any
from urllib.parse import urlencode

from core.errors import SettingError, require
from core.lecture.stops import STOPS, Query, clean, name_of, state_at
from core.query import shown

MOST_ITEMS = 60
MOST_MINUTES = 180  # of one item
LONGEST_NAME = 100
LONGEST_NOTES = 2000
UNTITLED = "My lecture"


@dataclass(frozen=True)
class Item:
    """A page in an exact state. Texts are put into one form; illegal values raise ``SettingError``."""

    page: str  # its address, of STOPS
    query: Query = ()  # every setting, as the page writes it
    name: str = ""  # one line; empty: what the page is called
    notes: str = ""  # for the one who speaks
    minutes: int = 5

    def __post_init__(self) -> None:
        require(
            self.page in STOPS,
            f"expected the address of a page: {', '.join(filter(None, STOPS))}; got {shown(self.page)}.",
            SettingError,
        )
        query, notes = state_at(self.page, dict(self.query))
        require(not notes, " ".join(notes), SettingError)
        _set(self, "query", query)
        _set(self, "name", " ".join(clean(self.name).split()) or name_of(self.page, query))
        _set(self, "notes", "\n".join(clean(self.notes).strip().splitlines()))
        for what, text, longest in (("name", self.name, LONGEST_NAME), ("notes", self.notes, LONGEST_NOTES)):
            message = (
                f"The {what} may have {longest:,} characters; these are {len(text):,}. Shorten the text."
            )
            require(len(text) <= longest, message, SettingError)
        require(
            type(self.minutes) is int and 0 <= self.minutes <= MOST_MINUTES,
            f"expected whole minutes from 0 to {MOST_MINUTES}, got {self.minutes}.",
            SettingError,
        )

    @property
    def link(self) -> str:
        """The address, from the root of the app, of the page as it is projected."""
        return f"{self.page}?{urlencode({'lecture': '1', **dict(self.query)})}"


def item_at(page: str, query: Mapping[str, Any], name: str = "", notes: str = "", minutes: int = 5) -> Item:
    """Return an item for a link in any condition; what is not possible in it is repaired."""
    return Item(page, state_at(page, query)[0], name, notes, minutes)


@dataclass(frozen=True)
class RunningOrder:
    """The items of a lecture in order. Illegal values raise ``SettingError``."""

    title: str = UNTITLED
    items: tuple[Item, ...] = ()

    def __post_init__(self) -> None:
        _set(self, "title", " ".join(clean(self.title).split()) or UNTITLED)
        message = f"The title may have {LONGEST_NAME} characters; these are {len(self.title):,}. Shorten it."
        require(len(self.title) <= LONGEST_NAME, message, SettingError)
        message = f"A running order holds at most {MOST_ITEMS} items; take one out first."
        require(len(self.items) <= MOST_ITEMS, message, SettingError)

    @property
    def minutes(self) -> int:
        """How long all items take together."""
        return sum(item.minutes for item in self.items)

    @property
    def starts(self) -> tuple[int, ...]:
        """The minute at which each item is planned to begin."""
        return tuple(accumulate((item.minutes for item in self.items), initial=0))[:-1]

    def added(self, *items: Item) -> "RunningOrder":
        """Return the order with further items at its end."""
        return replace(self, items=(*self.items, *items))

    def changed(self, at: int, **values: Any) -> "RunningOrder":
        """Return the order with an item that has other values."""
        return replace(
            self, items=(*self.items[:at], replace(self.items[at], **values), *self.items[at + 1 :])
        )

    def moved(self, at: int, to: int) -> "RunningOrder":
        """Return the order with an item in another place."""
        items = [*self.items[:at], *self.items[at + 1 :]]
        items.insert(to, self.items[at])
        return replace(self, items=tuple(items))

    def without(self, at: int) -> "RunningOrder":
        """Return the order without an item."""
        return replace(self, items=(*self.items[:at], *self.items[at + 1 :]))


def _set(thing: Any, name: str, value: Any) -> None:
    object.__setattr__(thing, name, value)
