"""One field of the running order's editor: it shows a value of the order, and changes it when it is left.

Each item has a name of its own in this session, and the keys of its fields have that name: what the browser
still holds of another item's field, or of an item that has been taken out, can change nothing.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.errors import SettingError
from core.lecture.order import Item, RunningOrder
from pages.ui import running_order, state, style

_KNOWN, _LAST, _REFUSED = "_order_known", "_order_last_name", "_order_refused"


def names() -> tuple[int, ...]:
    """Return the names of the present items in order; one that is moved or edited keeps its own."""
    before, known = st.session_state.get(_KNOWN, ((), ()))
    items = running_order.order().items
    if items != before:
        known = _followed(before, known, items)
        st.session_state[_KNOWN] = items, known
    return known


def _followed(before: tuple[Item, ...], known: tuple[int, ...], items: tuple[Item, ...]) -> tuple[int, ...]:
    edited = [(a.page, b.page) for a, b in zip(before, items, strict=False) if a != b]
    if len(before) == len(items) and len(edited) == 1 and edited[0][0] == edited[0][1]:
        return known
    left = list(zip(before, known, strict=True))
    found = []
    for item in items:
        at = next((at for at, (each, _) in enumerate(left) if each == item), None)
        found.append(_new_name() if at is None else left.pop(at)[1])
    return tuple(found)


def _new_name() -> int:
    st.session_state[_LAST] = st.session_state.get(_LAST, 0) + 1
    return st.session_state[_LAST]


def item_field(
    name: int, of: str, value: Any, change: Callable[[Any], Any], build: Callable[..., Any]
) -> None:
    """Build a widget for a value of one item.

    Args:
        name: of the item, one of ``names()``.
        of: which value it is: a word for the widget's key.
        value: that the order has.
        change: takes a new value, and returns what changes in the item, by the names of its fields.
        build: builds the widget.
    """

    def changed(new: Any) -> RunningOrder:
        order = running_order.order()
        return order.changed(names().index(name), **change(new)) if name in names() else order

    field(f"item_{of}_{name}", value, changed, build)


def field(key: str, value: Any, change: Callable[[Any], RunningOrder], build: Callable[..., Any]) -> None:
    """Build a widget for a value of the order; what the order cannot take stays in it, with a sentence."""
    refused = st.session_state.setdefault(_REFUSED, {})
    shown, sentence = refused.get(key, (value, ""))
    if st.session_state.get(key) != shown:
        st.session_state[key] = shown

    def left() -> None:
        given = st.session_state[key]
        if type(given) is not type(
            value
        ):  # emptied, or a choice that is not offered any more: its bare label
            return
        refused.pop(key, None)
        try:
            running_order.hold(change(given))
        except SettingError as error:
            refused[key] = given, str(error)
            state.moved()

    build(key=key, value=shown, on_change=left)
    if sentence:
        st.warning(style.literal(sentence))
