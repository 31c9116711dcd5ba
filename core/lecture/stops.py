"""Where a lecture can stop: the pages, and how each reads its link."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from core.exercises.place import BY_ID, PlaceSettings
from core.glossary import GlossarySettings
from core.lessons.block import BlockLessonSettings
from core.lessons.cost import CostSettings
from core.lessons.heads import HeadsSettings
from core.lessons.kv_cache import KVCacheSettings
from core.lessons.masking import MaskingSettings
from core.lessons.positions import PositionsSettings
from core.lessons.scaling import ScalingSettings
from core.lessons.soft_lookup import SoftLookupSettings
from core.lessons.trained_heads import TrainedHeadsSettings
from core.query import Linked, shown
from core.settings import AttentionSettings
from core.training.experiments import TrainingSettings

EXERCISES = "exercises"
MOST_PANELS = 999
_LONGEST_HIDE = 200

Query = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class NoSettings(Linked):
    """A page without settings."""


NoSettings.PARAMETERS = {}


class Stop(NamedTuple):
    """A page: its title, and the settings that its link holds."""

    title: str
    kind: type[Linked]


STOPS = {
    "": Stop("Attention Lab", NoSettings),
    "playground": Stop("Playground", AttentionSettings),
    "soft-lookup": Stop("Soft lookup", SoftLookupSettings),
    "scaling": Stop("Why √d_k", ScalingSettings),
    "masking": Stop("Masks", MaskingSettings),
    "heads": Stop("Heads", HeadsSettings),
    "positions": Stop("Positions", PositionsSettings),
    "kv-cache": Stop("KV cache", KVCacheSettings),
    "cost": Stop("Cost", CostSettings),
    "block": Stop("Block", BlockLessonSettings),
    "trained-heads": Stop("Trained heads", TrainedHeadsSettings),
    "training": Stop("Training lab", TrainingSettings),
    EXERCISES: Stop("Exercises", PlaceSettings),
    "glossary": Stop("Glossary", GlossarySettings),
}


def state_at(page: str, query: Mapping[str, Any]) -> tuple[Query, list[str]]:
    """Return the whole state that a link to a page means, and a note for each value that was repaired.

    Args:
        page: an address of ``STOPS``.
        query: the link's parameters, in any condition. Of the page's own, "lecture" (the panel that opens, or
            from which to which, as "2-4") and "hide" are kept.
    """
    texts = {clean(name): clean(value) for name, value in query.items() if isinstance(value, str)}
    settings, notes = STOPS[page].kind.from_query(texts)
    own = {}
    panels, hide = panels_in(texts.get("lecture", "")), texts.get("hide", "")
    if panels:
        own["lecture"] = _written(*panels)
    if hide and len(hide) <= _LONGEST_HIDE:
        own["hide"] = hide
    elif hide:
        notes.append(f"hide = {shown(hide)} is too long ({_LONGEST_HIDE} characters); nothing is hidden.")
    if len(texts) < len(query):
        notes.append("A setting that is no text is left out.")
    return tuple({**settings.lasting_query(), **own}.items()), notes


def panels_of(query: Query) -> tuple[int, int]:
    """Return the first and the last panel that a state shows; one that names no last one shows them all."""
    return panels_in(dict(query).get("lecture", "")) or (1, MOST_PANELS)


def with_panels(query: Query, first: int, last: int) -> Query:
    """Return a state that shows panels from a first to a last one; with ``MOST_PANELS``, to the end."""
    others = {name: value for name, value in query if name != "lecture"}
    return tuple({**others, "lecture": _written(first, last)}.items())


def panels_in(text: str) -> tuple[int, int] | None:
    """Return the first and the last panel of a link's text; None where it says neither.

    Args:
        text: "2" (from the second panel on) or "2-4"; a number without end is the last that there can be.
    """
    found = re.fullmatch(r"(\d+)(?:-(\d+))?", text, re.ASCII)
    if not found:
        return None
    first, last = (
        min(int(number.lstrip("0")[:4] or 0), MOST_PANELS) for number in found.groups(str(MOST_PANELS))
    )
    return (first, last) if 1 <= first <= last else None


def _written(first: int, last: int) -> str:
    return f"{first}-{last}" if last < MOST_PANELS else str(first)


def name_of(page: str, query: Query) -> str:
    """Return what a state is called while nobody has given it a name."""
    if page == EXERCISES:
        id = dict(query).get("id", "")
        return f"{id}: {BY_ID[id].title}" if id in BY_ID else STOPS[page].title
    return STOPS[page].title


def clean(text: str) -> str:
    """Return text that can be written anywhere: half a character becomes a question mark."""
    return text.encode("utf-8", "replace").decode()
