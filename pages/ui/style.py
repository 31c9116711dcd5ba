"""The looks that all pages share, and the row of buttons for a page's state."""

import re

import streamlit as st

from pages.ui import assets, lecture, running_order, share, state
from pages.ui.live import component


def page() -> None:
    """Load our stylesheet and what every page needs: for a phone's menu, a lost connection, a lecture."""
    st.html(f"<style>{assets.text('page.css')}</style>")
    component("menu")(key="menu", data={"visit": state.visit()})
    component("awake")(key="awake")
    lecture.stage()
    if st.context.is_embedded:
        st.html("<i class='lab-framed' hidden></i>")  # page.css leaves the way to other pages out
    if "lecture" in st.query_params:
        component("projected")(key="projected")  # goes where the presenter's window says


def unseen_title(text: str) -> None:
    """Give the page its heading for screen readers; on the screen the navigation shows it."""
    st.html(f"<h1 class='lab-unseen'>{text}</h1>")


def literal(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|$~:<>])", r"\\\1", text)


def link_buttons() -> None:
    """Offer to copy the link of the present state, to add it to a lecture, to share and to reset it."""
    with st.container(horizontal=True, key="lab_links"):
        component("copy_link")(key="copy_link", data={"query": state.settings().to_query()})
        running_order.add_button()
        if "share" not in state.hidden():
            share.box()
        st.button("Reset", on_click=state.reset, width="stretch")
    lecture.button()
