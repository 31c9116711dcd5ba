"""The running order of this session, and its copy in the browser, which all windows share.

The browser's copy is the one that counts: *Add to lecture* on any page writes to it alone. Each change has
a higher revision; a window takes up what is newer than its own.
"""

from typing import Any

import streamlit as st

from core.errors import NumbersError, SettingError
from core.lecture import forms
from core.lecture.order import Item, RunningOrder, item_at
from core.lecture.stops import STOPS
from pages.ui import state
from pages.ui.live import component, kept, reported

NAME = "attention-lab-lecture"  # in the browser's storage
_ORDER, _REVISION, _ANSWERED = "_order", "_order_revision", "_order_answered"
_HEARD, _UNREAD, _OFFER, _BEFORE, _SAID = (
    "_order_heard", "_order_unread", "_order_offer", "_order_before", "_order_said",
)  # fmt: skip
_ADD = "add_state"


def order() -> RunningOrder:
    """Return the running order as this session knows it."""
    return st.session_state.get(_ORDER, RunningOrder())


def known() -> bool:
    """Return whether the browser has said what it keeps."""
    return bool(st.session_state.get(_HEARD))


def hold(new: RunningOrder, *, undo: bool = False) -> None:
    """Put a changed order in place of the present one.

    Args:
        new: the order.
        undo: whether the way back is offered, for something was taken away.
    """
    st.session_state[_BEFORE] = order() if undo else None
    st.session_state[_ORDER] = new
    st.session_state[_REVISION] = st.session_state.get(_REVISION, 0) + 1
    st.session_state[_SAID] = []
    state.moved()


def attempt(change: Any, *args: Any, **values: Any) -> None:
    """Hold what a change of the order returns; where it is not possible, say why and keep the present one."""
    try:
        hold(change(*args, **values))
    except SettingError as error:
        say(str(error))


def say(*sentences: str) -> None:
    """Keep sentences to be shown once, until the next change."""
    st.session_state[_SAID] = list(sentences)
    state.moved()


def said() -> list[str]:
    """Return what there is to tell."""
    told = [
        "The running order that this browser had kept cannot be read. It is put aside in its storage, as "
        f"{NAME}-unread."
    ]
    return (told if st.session_state.get(_UNREAD) else []) + st.session_state.get(_SAID, [])


def before() -> RunningOrder | None:
    """Return the order that the last change took something from."""
    return st.session_state.get(_BEFORE)


def offer(new: RunningOrder, notes: list[str]) -> None:
    """Bring an order from elsewhere: it is taken where there is none, else somebody is asked."""
    st.session_state[_OFFER] = (new, notes)
    state.moved()


def offered() -> tuple[RunningOrder, list[str]] | None:
    """Return the order that waits for a decision, with its notes."""
    found = st.session_state.get(_OFFER)
    if found and known() and not order().items:
        decide(found[0])
        return None
    return found if known() else None


def decide(new: RunningOrder | None) -> None:
    """End the waiting with the order that is to hold; None keeps the present one."""
    _, notes = st.session_state.pop(_OFFER, (None, []))
    state.moved()
    if new is not None:
        hold(new, undo=bool(order().items))
        say(*notes)


def keep() -> None:
    """Let the browser keep the order; a new session gets it back, and so do the other windows."""
    revision = st.session_state.get(_REVISION, 0)
    data = {
        "name": NAME,
        "saved": forms.written(order(), revision),
        "revision": revision,
        "fresh": not known() and _ORDER not in st.session_state,
        "unread": st.session_state.get(_UNREAD, False),
        "heard": st.session_state.get(_HEARD, 0),  # so that every report is answered
        "longest": forms.LONGEST + 1,
    }
    kept("order_keeper", data, _take, anew=not known())


def add_button() -> None:
    """Offer to add the page's state to the running order; the browser does it by itself."""
    page = state.page()
    if page not in STOPS or "add" in state.hidden() or st.context.is_embedded:
        return
    item = item_at(page, _present())
    data = {"name": NAME, "page": page, "query": dict(item.query), "title": item.name}

    def added() -> None:  # the browser can keep nothing new, so the session has to
        told = reported(_ADD, "added")
        kept = told.get("kept") if isinstance(told, dict) else ""
        if isinstance(kept, str) and kept:
            _take(kept)
        attempt(order().added, Item(page, item.query))

    component("add_state")(key=_ADD, data=data, on_added_change=added)


def _present() -> dict[str, str]:
    own = {name: st.query_params[name] for name in ("lecture", "hide") if name in st.query_params}
    return {**state.settings().lasting_query(), **own}


def _take(kept: str) -> None:
    """Take up what the browser has kept: at the start, or when another of its windows has written."""
    st.session_state[_HEARD] = st.session_state.get(_HEARD, 0) + 1
    if not kept:
        return
    try:
        found, notes = forms.read(kept)
    except NumbersError:
        st.session_state[_UNREAD] = True
        st.session_state.setdefault(_ORDER, RunningOrder())
        return
    revision = forms.revision_of(kept)
    if _ORDER not in st.session_state or revision >= st.session_state.get(_REVISION, 0):
        st.session_state[_ORDER], st.session_state[_REVISION] = found, revision
        st.session_state[_BEFORE] = None
        st.session_state[_SAID] = notes
