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
    panel, hide = _panels(texts.get("lecture", "")), texts.get("hide", "")
    if panel:
        own["lecture"] = panel
    if hide and len(hide) <= _LONGEST_HIDE:
        own["hide"] = hide
    elif hide:
        notes.append(f"hide = {shown(hide)} is too long ({_LONGEST_HIDE} characters); nothing is hidden.")
    if len(texts) < len(query):
        notes.append("A setting that is no text is left out.")
    return tuple({**settings.lasting_query(), **own}.items()), notes


def panels_of(query: Query) -> tuple[int, int]:
    """Return the first and the last panel that a state shows; one that names no last one shows them all."""
    first, _, last = dict(query).get("lecture", "1").partition("-")
    return int(first), int(last or MOST_PANELS)


def with_panels(query: Query, first: int, last: int) -> Query:
    """Return a state that shows panels from a first to a last one; with ``MOST_PANELS``, to the end."""
    others = {name: value for name, value in query if name != "lecture"}
    return tuple({**others, "lecture": f"{first}-{last}" if last < MOST_PANELS else str(first)}.items())


def _panels(text: str) -> str:
    """Return "2" (from the second panel on) or "2-4" as the link writes it; "" where a text says neither."""
    found = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", text, re.ASCII)
    if not found:
        return ""
    first, last = int(found[1]), int(found[2] or MOST_PANELS)
    if not 1 <= first <= last:
        return ""
    return f"{first}-{last}" if found[2] else str(first)


def name_of(page: str, query: Query) -> str:
    """Return what a state is called while nobody has given it a name."""
    if page == EXERCISES:
        id = dict(query).get("id", "")
        return f"{id}: {BY_ID[id].title}" if id in BY_ID else STOPS[page].title
    return STOPS[page].title


def clean(text: str) -> str:
    """Return text that can be written anywhere: half a character becomes a question mark."""
    return text.encode("utf-8", "replace").decode()
