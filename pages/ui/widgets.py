"""One control: it shows one setting of the page under its own name as key, and changes it when moved."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from pages.ui import state


def widget(name: str, build: Callable[..., Any], *, may_be_blank: bool = False, none: Any = None) -> None:
    """Build a widget under the setting's name, showing what holds, unless the link hides it.

    Args:
        name: of the setting.
        build: makes the widget from the keywords key, on_change and value.
        may_be_blank: whether a field that was cleared sets None; else it keeps the setting's value.
        none: what the widget shows for None, where it has no blank.
    """
    if name in state.hidden():
        return
    value = getattr(state.settings(), name)
    if value is None:
        value = none
    # One that may be blank has no default to fall back on (see below): it is told in every run.
    if may_be_blank or name not in st.session_state or st.session_state[name] != value:
        st.session_state[name] = value

    def moved() -> None:
        chosen = st.session_state[name]
        if chosen is not None or may_be_blank:
            state.change(**{name: None if chosen == none else chosen})

    # The value is given as the default too: what the session holds is sent with one run only, and a
    # browser that is still loading the control when the next one comes would show it blank.
    build(key=name, on_change=moved, value=value)


def choice(
    name: str, label: str, names: Mapping[Any, str], build: Callable[..., Any], *, none: Any = None
) -> None:
    """One of several options, each under the name that it has for a person."""
    options = list(names)

    def choose(value: Any, **w: Any) -> None:
        build(label, options, index=options.index(value), format_func=names.__getitem__, **w)

    widget(name, choose, none=none)


def toggle(name: str, label: str, help: str) -> None:
    """A switch."""
    widget(name, lambda **w: st.toggle(label, help=help, **w))


def number(
    name: str, label: str, low: float, high: float, *, may_be_blank: bool = False, **options: Any
) -> None:
    """A field for a number."""

    def build(value: Any, **w: Any) -> None:
        default = None if may_be_blank else value  # with a default it could not be cleared
        st.number_input(label, low, high, default, **{**options, **w})

    widget(name, build, may_be_blank=may_be_blank)


def row(label: str, options: Sequence[Any], **w: Any) -> None:
    """Options side by side."""
    st.radio(label, options, horizontal=True, **w)


def bare_row(label: str, options: Sequence[Any], **w: Any) -> None:
    """A row of options that say by themselves what they choose."""
    row(label, options, label_visibility="collapsed", **w)


def bare_box(label: str, options: Sequence[Any], **w: Any) -> None:
    """A select box whose options say by themselves what they choose."""
    st.selectbox(label, options, label_visibility="collapsed", **w)
