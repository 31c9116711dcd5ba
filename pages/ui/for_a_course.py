"""For a course or slides: a list with a link of its own, and the same on paper."""

import streamlit as st

from core.exercises import place as places
from core.exercises.place import BY_ID, LIST, MAX_LIST, MAX_SEED, QUIZ, Entry, PlaceSettings
from core.export.worksheet import answer_sheet, worksheet
from pages.ui import progress, state
from pages.ui.exercise_sets import set_name
from pages.ui.live import component

HIDABLE = {
    "set": "choice of the set", "id": "choice of the exercise", "seed": "numbers",
    "length": "length of a quiz", "twin": "twins", "nav": "next and before", "progress": "progress",
    "course": "this box", "link": "link and reset",
}  # fmt: skip


def box(settings: PlaceSettings) -> None:
    """Offer a link, a frame for a page of a course, and sheets to print. Files are made when asked for."""
    opened = st.expander(
        "For a course or slides: a list by link, a worksheet", key="course", on_change=state.moved
    )
    if not opened.open:
        return
    with opened:
        place = _place(settings)
        chosen = st.multiselect(
            "Hide", list(HIDABLE), ["set", "id", "seed", "length", "course"], format_func=HIDABLE.__getitem__,
            key="course_hide",
        )  # fmt: skip
        hide = [name for name in chosen if name != "length" or place.set == QUIZ]
        query = places.short_query(place) | ({"hide": ",".join(hide)} if hide else {})
        component("share_link")(key="share_link", data={"query": query})
        _sheets(place)


def _place(settings: PlaceSettings) -> PlaceSettings:
    """Return the set that is meant: the exercises picked, or the one in view."""
    picked = st.multiselect(
        "Exercises, in this order (none: the set above)", list(BY_ID),
        list(dict.fromkeys(name for name, _ in settings.list)), max_selections=MAX_LIST, key="course_list",
        format_func=lambda name: f"{name}  {BY_ID[name].title}",
    )  # fmt: skip
    numbers = st.number_input(
        "Numbers (0: the lesson's)", 0, MAX_SEED, settings.numbers, 1, key="course_numbers"
    )
    if not picked:
        return settings.changed(numbers=numbers)[0]
    items = []
    for name in picked:  # an exercise may bring its own numbers, and stand there with several
        items += [each for each in settings.list if each.id == name] or [Entry.plain(name)]
    return PlaceSettings(list=tuple(items), set=LIST, numbers=numbers)


def _sheets(place: PlaceSettings) -> None:
    records = progress.records()
    title = "Attention: predict, then check"
    if place.set not in ("all", LIST, QUIZ):
        title = f"Attention: {set_name(place.set)}"

    def items() -> list[tuple]:
        return [(BY_ID[each.id], each.seed) for each in places.entries(place, records)]

    with st.container(horizontal=True):
        st.download_button(
            "Worksheet to print", lambda: worksheet(items(), title), f"worksheet-{place.numbers}.html",
            "text/html", on_click="ignore",
        )  # fmt: skip
        st.download_button(
            "Answer sheet", lambda: answer_sheet(items(), title), f"answers-{place.numbers}.html",
            "text/html", on_click="ignore",
        )  # fmt: skip
    st.caption("Both open in a browser without a network. Print them from there.")
