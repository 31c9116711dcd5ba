"""Where a running order comes from and goes to: the ready ones, a file, a link, and what is decided then."""

import streamlit as st

from core.errors import NumbersError, SettingError
from core.lecture import forms
from core.lecture.order import RunningOrder
from pages.ui import order_editor, running_order, state, style
from pages.ui.live import component


def offered() -> None:
    """Ask about an order that came by a link, from a file or as a ready one, where there is one already."""
    found = running_order.offered()
    if found is None:
        return
    new, notes = found
    mine = running_order.order()
    st.info(
        f"**{style.literal(new.title)}**: {len(new.items)} items, {new.minutes} minutes. "
        f"Yours is **{style.literal(mine.title)}**: {len(mine.items)} items."
    )
    for note in notes:
        st.warning(style.literal(note))
    with st.container(horizontal=True):
        st.button("Take it in place of mine", on_click=running_order.decide, args=(new,))
        st.button("Add its items to mine", on_click=_join, args=(new,))
        st.button("Leave mine as it is", on_click=running_order.decide, args=(None,))


def told() -> None:
    """Show what there is to tell, and the way back after something was taken away."""
    for sentence in running_order.said():
        st.warning(style.literal(sentence))
    before = running_order.before()
    if before is not None:
        label = f"Undo: bring back “{style.literal(before.title)}” with {len(before.items)} items"
        st.button(label, key="order_undo", icon=":material/undo:", type="tertiary",
                  on_click=running_order.hold, args=(before,))  # fmt: skip


def box(order: RunningOrder) -> None:
    """Offer to save, to load, to share and to empty the order."""
    with st.expander("Files, a link, ready lectures", key="order_box"):
        if order.items:
            order_editor.ready()
        load, save = st.columns(2, vertical_alignment="bottom")
        with load:
            st.file_uploader("Load a file", "json", key="order_file", on_change=_load, max_upload_size=1)
        if not order.items:
            return
        save.download_button(
            "Save as a file", lambda: forms.written(order), "attention-lab-lecture.json", "application/json",
            on_click="ignore", width="stretch",
        )  # fmt: skip
        try:
            query = {"order": forms.as_link(order)}
        except SettingError as error:
            st.caption(str(error))
        else:
            data = {"query": query, "fields": ["link"]}
            component("share_link")(key="order_link", data=data)
            st.caption("The link holds the whole order, with your notes.")
        _empty()


def _empty() -> None:
    st.button("Empty the order", key="order_empty", on_click=_ask, args=(True,))
    if st.session_state.get("_order_asked"):
        st.markdown("All items and notes will be taken out. Empty it?")
        with st.container(horizontal=True):
            st.button("Yes, empty it", on_click=_emptied)
            st.button("No, keep it", on_click=_ask, args=(False,))


def _ask(asked: bool) -> None:
    st.session_state["_order_asked"] = asked
    state.moved()


def _emptied() -> None:
    running_order.hold(RunningOrder(), undo=True)
    _ask(False)


def _join(new: RunningOrder) -> None:
    running_order.decide(None)
    running_order.attempt(running_order.order().added, *new.items)


def _load() -> None:
    file = st.session_state.get("order_file")
    if file is None:
        return
    try:
        running_order.offer(*forms.read(file.getvalue().decode("utf-8-sig", errors="replace")))
    except NumbersError as error:
        running_order.say(str(error))
