"""The looks that all pages share, and the two buttons for links."""

import re

import streamlit as st

from pages.ui import assets, state


def page() -> None:
    """Load our stylesheet into the page."""
    st.html(f"<style>{assets.text('page.css')}</style>")


def literal(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|$~:<>])", r"\\\1", text)


def link_buttons() -> None:
    """Offer a copy of the present link, and the way back to the first settings."""
    _copy_button()(key="copy_link", data={"query": state.settings().to_query()})
    st.button("Reset", on_click=state.reset, width="stretch", icon=":material/restart_alt:")


def _copy_button():
    return st.components.v2.component(
        "copy_link",
        js="export default async function (component) {\n"
        f"  const address = new URL('{assets.path('copy_link.js')}', document.baseURI)\n"
        "  return (await import(address.href)).default(component)\n}",
        isolate_styles=False,
    )
