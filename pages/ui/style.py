"""The looks that all pages share, and the two buttons for links."""

import re

import streamlit as st

from pages.ui import assets, state
from pages.ui.live import component


def page() -> None:
    """Load our stylesheet into the page, and let a phone's menu close behind who has chosen a page."""
    st.html(f"<style>{assets.text('page.css')}</style>")
    component("menu")(key="menu", data={"visit": state.visit()})


def unseen_title(text: str) -> None:
    """Give the page its heading for screen readers; on the screen the navigation shows it."""
    st.html(f"<h1 class='lab-unseen'>{text}</h1>")


def literal(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|$~:<>])", r"\\\1", text)


def link_buttons() -> None:
    """Offer a copy of the present link, and the way back to the first settings."""
    left, right = st.columns(2)
    with left:
        component("copy_link")(key="copy_link", data={"query": state.settings().to_query()})
    right.button("Reset", on_click=state.reset, width="stretch")
