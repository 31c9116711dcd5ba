"""How a running order is made: its list, one item's fields, and what is added."""

import streamlit as st

from core.exercises.place import BY_ID
from core.lecture.order import MOST_MINUTES, Item, RunningOrder
from core.lecture.ready import READY
from core.lecture.stops import EXERCISES, MOST_PANELS, STOPS, Query, panels_of, with_panels
from pages.ui import running_order, state, style
from pages.ui.lecture_panels import PANELS
from pages.ui.live import component
from pages.ui.order_field import field, item_field, names


def head(order: RunningOrder, at: int) -> None:
    """Show the title, how long it all takes, and the ways into the lecture."""
    title, start = st.columns([3, 2], vertical_alignment="bottom")
    with title:
        field(
            "order_title", order.title, lambda text: RunningOrder(text, running_order.order().items),
            lambda **w: st.text_input("Title of the lecture", **w),
        )  # fmt: skip
    if not order.items:
        return
    data = {
        "links": [item.link for item in order.items],
        "at": at,
        "label": "Start" if at == 0 else f"Start at item {at + 1}",
        "presenter": f"lecture?v=1&presenter=true&item={at + 1}",
    }
    with start:
        component("start_lecture")(key="start_lecture", data=data)


def items(order: RunningOrder, at: int) -> None:
    """Show the list, and beside it the fields of the item that is chosen in it, and what can be added."""
    if not order.items:
        if running_order.known():
            st.info("Nothing here yet. Choose *Add to lecture* on any page, or begin here.")
            ready()
            _add_box()
        return
    chosen, fields = st.columns([2, 3], gap="large")
    with chosen:
        choose(order, at)
    with fields:
        with st.container(border=True):
            _fields(order, at)
        _add_box()


def choose(order: RunningOrder, at: int, *, brief: bool = False) -> None:
    """Show the items, one of which is chosen; brief: their names alone."""
    # The labels are the options: one that another window has just changed comes as its text, and the number
    # in it is right all the same.
    labels = [f"{i}. {style.literal(item.name)}" for i, item in enumerate(order.items, 1)]

    def chosen() -> None:
        state.change(item=int(st.session_state["order_item"].partition(".")[0]))

    if st.session_state.get("order_item") != labels[at]:
        st.session_state["order_item"] = labels[at]
    captions = [
        f"{STOPS[item.page].title} · minute {start} to {start + item.minutes}"
        for item, start in zip(order.items, order.starts, strict=True)
    ]
    st.radio(
        f"{len(order.items)} items, {order.minutes} minutes", labels, at,
        captions=None if brief else captions, key="order_item", on_change=chosen,
    )  # fmt: skip


def _fields(order: RunningOrder, at: int) -> None:
    item, own = order.items[at], names()[at]
    name, minutes = st.columns([3, 1], vertical_alignment="bottom")
    # No text is cut by the browser: one that is too long gets a sentence, and stays to be shortened.
    with name:
        item_field(
            own, "name", item.name, lambda text: {"name": text},
            lambda **w: st.text_input(f"Name of item {at + 1}", **w),
        )  # fmt: skip
    with minutes:
        item_field(
            own, "minutes", item.minutes, lambda minutes: {"minutes": minutes},
            lambda value, **w: st.number_input("Minutes", 0, MOST_MINUTES, value, 1, **w),
        )  # fmt: skip
    item_field(
        own, "notes", item.notes, lambda text: {"notes": text},
        lambda **w: st.text_area("Notes, for you alone", height=170, **w),
    )  # fmt: skip
    _panel_fields(item, own)
    with st.container(horizontal=True, vertical_alignment="center", key="lab_item"):
        st.button("↑ Up", key="item_up", disabled=at == 0, on_click=_move, args=(own, -1))
        last = len(order.items) - 1
        st.button("↓ Down", key="item_down", disabled=at == last, on_click=_move, args=(own, 1))
        st.button("Remove", key="item_remove", on_click=_remove, args=(own,))
        file = f"{item.page.replace('-', '_') or 'home'}.py"
        st.page_link(file, label="Open it", query_params=dict(item.query), width="content")


def _panel_fields(item: Item, own: int) -> None:
    """Offer with which panel of the page the item opens, and with which it ends."""
    titles = [panel.title for panel in PANELS.get(item.page, ())]
    if len(titles) < 2:
        return
    at, to = panels_of(item.query)
    at, to = min(at, len(titles)), min(to, len(titles))
    labels = {n: f"{n}. {title}" for n, title in enumerate(titles, 1)}

    def moved(first: int, last: int) -> dict[str, Query]:
        return {"query": with_panels(item.query, first, last if last < len(titles) else MOST_PANELS)}

    opens, ends = st.columns(2)
    with opens:
        item_field(
            own, "opens", at, lambda first: moved(first, max(first, to)),
            lambda value, **w: st.selectbox("Opens with", labels, format_func=labels.__getitem__, **w),
        )  # fmt: skip
    with ends:
        later = [n for n in labels if n >= at]
        item_field(
            own, "ends", to, lambda last: moved(at, last),
            lambda value, **w: st.selectbox("Goes on to", later, format_func=labels.__getitem__, **w),
        )  # fmt: skip


def ready() -> None:
    """Offer the lectures that ship."""
    with st.container(horizontal=True, vertical_alignment="center", key="lab_ready"):
        for key, each in READY.items():
            label = f"{each.title}, {each.minutes} min"
            st.button(label, key=f"ready_{key}", on_click=running_order.offer, args=(each, []))


def _add_box() -> None:
    """Offer every page and every exercise, to be added in its first state."""
    pages = {page: stop.title for page, stop in STOPS.items() if page != EXERCISES}
    names = {**pages, **{id: f"Exercise {id}: {each.title}" for id, each in BY_ID.items()}}
    with st.container(horizontal=True, vertical_alignment="bottom", key="lab_add_item"):
        picked = st.selectbox(
            "Add a page or an exercise", list(names), None, format_func=names.__getitem__, key="order_pick",
            placeholder="Choose, or type to search",
        )  # fmt: skip
        st.button("Add", key="order_add", disabled=picked is None, on_click=_add, args=(picked,))


def _add(picked: str) -> None:
    item = Item(EXERCISES, (("id", picked),)) if picked in BY_ID else Item(picked)
    running_order.attempt(running_order.order().added, item)
    state.change(item=max(1, len(running_order.order().items)))


def _move(own: int, by: int) -> None:
    """Move an item; a second press may come before the buttons of its new place are there."""
    if own in names():
        at = names().index(own)
        to = min(max(at + by, 0), len(names()) - 1)
        running_order.hold(running_order.order().moved(at, to))
        state.change(item=to + 1)


def _remove(own: int) -> None:
    if own in names():
        at = names().index(own)
        running_order.hold(running_order.order().without(at), undo=True)
        state.change(item=min(at + 1, max(1, len(running_order.order().items))))
