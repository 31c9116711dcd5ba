"""A running order as a file of JSON and as the text of a link.

Both may come from anywhere. What is no running order gets a sentence; in one that is, what cannot be used is
repaired or left out, each with a note.
"""

import base64
import json
import zlib
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, urlencode

from core.errors import NumbersError, SettingError, require
from core.lecture.order import (
    LONGEST_NAME,
    LONGEST_NOTES,
    MOST_ITEMS,
    MOST_MINUTES,
    UNTITLED,
    Item,
    RunningOrder,
)
from core.lecture.stops import STOPS, clean, state_at
from core.query import shown

KIND = "attention-lab-lecture"
LONGEST = 1_000_000  # characters of a file
LONGEST_LINK = 6_000  # of the text of a link: with more, servers and mail programs begin to refuse it
LONGEST_PACKED = 200_000  # of what that text unpacks to: to read more would take a server too long
LONGEST_STATE = 20_000  # of the settings of an item; numbers of one's own may have 10,000
_MOST_NOTES = 6
_NO_FILE = "This is no running order of Attention Lab; choose a file that was saved here."
_NO_LINK = "The running order in this link cannot be read; it may have been cut. Ask for it as a file."

Found = tuple[RunningOrder, list[str]]


def written(order: RunningOrder, revision: int = 0) -> str:
    """Return a running order as the text of a file.

    Args:
        order: to be written.
        revision: how often it has been changed; the windows of a browser tell the newer one by it.
    """
    items = [
        {"page": each.page, "query": dict(each.query), "name": each.name, "notes": each.notes}
        | {"minutes": each.minutes}
        for each in order.items
    ]
    found = {KIND: 1, "revision": revision, "title": order.title, "items": items}
    return json.dumps(found, ensure_ascii=False, indent=1)


def read(text: str) -> Found:
    """Return the running order of a file, and notes on what could not be taken as it is.

    Raises:
        NumbersError: a sentence, if the text is no running order.
    """
    found = _parsed(text, _NO_FILE)
    if not isinstance(found, dict) or KIND not in found or not isinstance(found.get("items"), list):
        raise NumbersError(_NO_FILE)
    fields = ("page", "query", "name", "notes", "minutes")
    rows = [tuple(map(each.get, fields)) if isinstance(each, dict) else () for each in found["items"]]
    return _order(found.get("title"), rows)


def revision_of(text: str) -> int:
    """Return the revision of a text that can be read; 0 where it has none."""
    revision = json.loads(text).get("revision")
    return revision if type(revision) is int and 0 <= revision <= 10**9 else 0


def as_link(order: RunningOrder) -> str:
    """Return a running order as a text that a link can hold.

    Raises:
        SettingError: if that would be too long.
    """
    rows = [[each.page, urlencode(each.query), each.name, each.notes, each.minutes] for each in order.items]
    plain = json.dumps([1, order.title, rows], ensure_ascii=False).encode()
    text = base64.urlsafe_b64encode(zlib.compress(plain, 9)).decode().rstrip("=")
    for length, longest in ((len(plain), LONGEST_PACKED), (len(text), LONGEST_LINK)):
        require(
            length <= longest,
            f"This order is too long for a link: {length:,} characters, and {longest:,} are safe. "
            "Save it as a file, or shorten the notes.",
            SettingError,
        )
    return text


def from_link(text: str) -> Found:
    """Return the running order of a link's text, and notes on what could not be taken as it is.

    Raises:
        NumbersError: a sentence, if the text is no running order.
    """
    order, notes = _from_link(text)
    return order, list(notes)


@lru_cache(maxsize=16)  # a page asks for it several times
def _from_link(text: str) -> tuple[RunningOrder, tuple[str, ...]]:
    try:
        require(len(text) <= LONGEST_LINK, _NO_LINK, NumbersError)
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        unpacker = zlib.decompressobj()
        plain = unpacker.decompress(packed, LONGEST_PACKED + 1)  # a short text can unpack to gigabytes
        require(unpacker.eof, _NO_LINK, NumbersError)
        found = _parsed(plain.decode(), _NO_LINK)
        _, title, rows = found
        queried = [_with_query(row) for row in rows]
    except (ValueError, TypeError, zlib.error):
        raise NumbersError(_NO_LINK) from None
    order, notes = _order(title, queried)
    return order, tuple(notes)


def _with_query(row: Any) -> tuple:
    page, query, name, notes, minutes = row
    settings = dict(parse_qsl(query, keep_blank_values=True)) if isinstance(query, str) else None
    return page, settings, name, notes, minutes


def _parsed(text: str, fault: str) -> Any:
    try:
        require(len(text) <= LONGEST, fault, NumbersError)
        return json.loads(text)
    except (ValueError, RecursionError):
        raise NumbersError(fault) from None


def _order(title: Any, rows: list[tuple]) -> Found:
    notes: list[str] = []
    items = []
    for number, row in enumerate(rows[:MOST_ITEMS], 1):
        found, faults = _item(row)
        notes += [f"Item {number}: {fault}" for fault in faults]
        items += [found] if found else []
    if len(rows) > MOST_ITEMS:
        notes.append(
            f"A running order holds {MOST_ITEMS} items; the last {len(rows) - MOST_ITEMS} are left out."
        )
    order = RunningOrder(_line(title, "title", notes) or UNTITLED, tuple(items))
    if len(notes) > _MOST_NOTES:
        notes[_MOST_NOTES:] = [f"There are {len(notes) - _MOST_NOTES} more notes of this kind."]
    return order, notes


def _item(row: tuple) -> tuple[Item | None, list[str]]:
    page, query, name, notes, minutes = row or (None,) * 5
    if not isinstance(page, str) or page not in STOPS:
        return None, [f"there is no page {shown(clean(str(page)))} here; it is left out."]
    faults = []
    if not isinstance(query, dict):
        query, faults = {}, ["its settings cannot be read; the page opens with its first ones."]
    elif sum(len(text) for pair in query.items() for text in pair if isinstance(text, str)) > LONGEST_STATE:
        query, faults = (
            {},
            [f"its settings have more than {LONGEST_STATE:,} characters; its first are used."],
        )
    state, repairs = state_at(page, query)
    faults += repairs
    if type(minutes) is not int or not 0 <= minutes <= MOST_MINUTES:
        minutes = min(max(round(minutes), 0), MOST_MINUTES) if _is_number(minutes) else Item(page).minutes
        faults.append(f"its minutes are not whole, from 0 to {MOST_MINUTES}; {minutes} is used.")
    name = _line(name, "name", faults)
    speaker = clean(notes) if isinstance(notes, str) else ""
    if len(speaker) > LONGEST_NOTES:
        faults.append(f"its notes are cut after {LONGEST_NOTES:,} characters.")
    return Item(page, state, name, speaker[:LONGEST_NOTES], minutes), faults


def _line(text: Any, what: str, faults: list[str]) -> str:
    """Return a text as one line that is not too long."""
    line = " ".join(clean(text).split()) if isinstance(text, str) else ""
    if len(line) > LONGEST_NAME:
        faults.append(f"The {what} is cut after {LONGEST_NAME} characters.")
    return line[:LONGEST_NAME]


def _is_number(x: Any) -> bool:
    return type(x) in (int, float) and abs(x) < 1e9  # neither NaN nor infinite
