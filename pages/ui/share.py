"""The present state for others: a link, a frame for their page, and a QR code for a phone."""

from urllib.parse import urlencode, urlsplit

import streamlit as st

from core.errors import SettingError
from core.export.qr import qr_code
from pages.ui import state
from pages.ui.html import safe, show
from pages.ui.live import component

_LOCAL = ("localhost", "127.", "0.0.0.0", "[::1]", "::1")


def box() -> None:
    """Offer all of it in a box that is filled when it is opened."""
    opened = st.popover("Share", key="share", width="stretch", on_change=state.moved)
    if not opened.open:
        return
    with opened:
        query = _short_query()
        component("share_link")(
            key="share_state", data={"query": query, "fields": ["link", "frame", "slide"]}
        )
        _code(query)


def _short_query() -> dict[str, str]:
    hide = st.query_params.get("hide", "")
    return {**state.settings().short_query(), **({"hide": hide} if hide else {})}


def _code(query: dict[str, str]) -> None:
    root = _root()
    host = urlsplit(root).hostname or ""
    if not host:
        return
    if host.startswith(_LOCAL):
        st.caption(
            f"A phone cannot reach {host}: that is this computer itself. Open the app by this computer's "
            "address in your network, then share again."
        )
        return
    address = f"{root}?{urlencode(query, safe=',:')}"
    try:
        code = qr_code(address)
    except SettingError as error:
        st.caption(str(error))
        return
    image = f'<img src="{code}" alt="QR code of the address below it">'
    show(f"<figure class='lab-code'>{image}<figcaption>{safe(address)}</figcaption></figure>")


def _root() -> str:
    """Return the page's address without parameters, as the browser knows it; "" if it said nothing."""
    url = st.context.url or ""
    return url if url.startswith(("http://", "https://")) else ""
