"""The glossary: every symbol and term of the app, once, from ``glossary.toml``."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from core.query import Linked, Parameter, Reading, repaired

MAX_FIND = 60  # characters


@dataclass(frozen=True)
class Term:
    """One entry."""

    symbol: str  # as the formulas have it, or the term itself
    name: str  # in a few words
    meaning: str
    shape: str = ""  # of an array, or the range of a number
    unit: str = ""  # what a number counts or measures
    elsewhere: str = ""  # the names that other libraries use
    page: str = ""  # the address of the page that shows it


def _read() -> dict[str, Term]:
    with Path(__file__).with_suffix(".toml").open("rb") as file:
        return {key: Term(**fields) for key, fields in tomllib.load(file).items()}


TERMS = _read()


def found(text: str) -> dict[str, Term]:
    """Return the entries that contain a text anywhere, all of them for an empty one.

    Args:
        text: compared without regard to case.
    """
    wanted = text.casefold()
    return {
        key: term
        for key, term in TERMS.items()
        if any(wanted in part.casefold() for part in (key, *vars(term).values()))
    }


@dataclass(frozen=True)
class GlossarySettings(Linked):
    """What is looked up. Illegal values raise ``SettingError``."""

    term: str = ""  # a key of TERMS, shown first
    find: str = ""  # shows the entries that contain it


def _read_term(text: str, _: object) -> Reading:
    if not text or text in TERMS:
        return text, ""
    return "", f"The glossary has no entry {text[:40]!r}; all entries are shown."


def _read_find(text: str, _: object) -> Reading:
    short = " ".join(text.split())[:MAX_FIND].strip()
    kept = " ".join(text.split())
    return short, "" if short == kept else repaired("find", text, short, f"at most {MAX_FIND} characters")


GlossarySettings.PARAMETERS = {"term": Parameter(_read_term), "find": Parameter(_read_find)}
