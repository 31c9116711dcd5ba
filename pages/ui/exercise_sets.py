"""Choosing a set and an exercise of it, and going from one exercise to the next."""

from collections.abc import Sequence

import streamlit as st

from core.exercises import draw
from core.exercises.exercise import TOPICS
from core.exercises.misconceptions import FAMILIES
from core.exercises.place import (
    AGAIN,
    BY_ID,
    INTERVIEW,
    LIST,
    MAX_SEED,
    QUIZ,
    Entry,
    PlaceSettings,
    position,
)  # fmt: skip
from pages.ui import progress, state
from pages.ui.widgets import choice, number

_NAMES = {
    "all": "all topics",
    **{topic: topic for topic in TOPICS},
    INTERVIEW: "interview questions",
    QUIZ: "a mixed quiz",
    AGAIN: "wrong, though sure: ask me again",
    LIST: "a list in order",
    **{key: f"about {family.title}" for key, family in FAMILIES.items()},
}


def controls(settings: PlaceSettings, shown: Sequence[Entry]) -> None:
    """Show what chooses the set, the exercise and its numbers, as far as the link does not hide it."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="lab_sets"):
        choice("set", "Exercises", _set_names(settings), st.selectbox)
        if settings.set == QUIZ:
            number("length", "How many", draw.SHORTEST, draw.LONGEST, step=1)
        elif settings.id:
            choice("id", "Exercise", _titles(settings, shown), st.selectbox)
        if settings.set != AGAIN and "seed" not in state.hidden():
            number(
                "numbers", "Numbers", 0, MAX_SEED, step=1,
                help="0: the numbers of the lesson. Any other: others, the same for all who type it.",
            )  # fmt: skip


def empty(settings: PlaceSettings) -> None:
    """Say why a set holds nothing."""
    if settings.set == AGAIN:
        st.info("Nothing to ask again: no exercise was last answered wrong and with confidence.")
    else:
        st.info("There is nothing in this set yet.")


def before_and_next(settings: PlaceSettings, shown: Sequence[Entry]) -> None:
    """Show where the exercise stands in its set, and the ways to its neighbours."""
    at, last = position(settings, tuple(shown)), len(shown) - 1
    if last < 0 or "nav" in state.hidden():
        return

    def go(to: int) -> None:
        state.change(id=shown[to].id, seed=shown[to].seed)

    where = f"{at + 1} of {last + 1}" if at >= 0 else f"{last + 1} in this set"
    if (settings.id, settings.seed) in {(each.id, each.seed) for each in progress.records()}:
        where += ", answered"
    with st.container(horizontal=True, vertical_alignment="center", key="lab_nav"):
        st.button("‹ Exercise before", disabled=at < 1, on_click=go, args=(at - 1,), key="before")
        st.button("Next exercise ›", disabled=at >= last, on_click=go, args=(at + 1,), key="next")
        st.markdown(where, width="content")


def set_name(key: str) -> str:
    """Return what a set is called."""
    return _NAMES[key]


def _set_names(settings: PlaceSettings) -> dict[str, str]:
    """Names of the sets that can be chosen: a list only where the link brings one."""
    return {key: name for key, name in _NAMES.items() if key != LIST or settings.list}


def _titles(settings: PlaceSettings, shown: Sequence[Entry]) -> dict[str, str]:
    ids = [each.id for each in shown]
    if settings.id not in ids:  # looked at beside its set
        ids = [settings.id, *ids]
    return {name: f"{name}  {BY_ID[name].title}" for name in ids}
