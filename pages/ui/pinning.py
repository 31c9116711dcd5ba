"""Pin the present controls as A; whatever is changed after that is B."""

import streamlit as st

from core.settings import PINNED, AttentionSettings
from pages.ui import state


def pin_controls() -> None:
    """Offer to pin, or say what is pinned and offer to let it go."""
    if "compare" in state.hidden():
        return
    pinned = state.settings().pinned()
    if pinned is None:
        st.button("Pin as A and compare", on_click=_pin, width="stretch", icon=":material/push_pin:")
        return
    st.markdown(f"**A** is pinned. {_difference(pinned, state.settings())}")
    left, right = st.columns(2)
    left.button("Pin anew", on_click=_pin, width="stretch")
    right.button("Unpin", on_click=lambda: state.change(compare=""), width="stretch")


def _pin() -> None:
    state.change(compare=state.settings().pin())


def _difference(a: AttentionSettings, b: AttentionSettings) -> str:
    before, after = a.to_query(), b.to_query()
    changed = [f"`{name}` {before[name]} → {after[name]}" for name in PINNED if before[name] != after[name]]
    return "B differs by " + ", ".join(changed) + "." if changed else "Change any control: that is B."
