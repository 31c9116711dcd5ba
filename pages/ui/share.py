"""The present state for others: a link, a frame for their page, and a QR code for a phone."""

from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

import streamlit as st

from core.errors import SettingError
from core.export.qr import qr_code
from pages.ui import state
from pages.ui.html import safe, show
from pages.ui.live import component

_LOCAL = ("localhost", "127.", "0.0.0.0", "::1")


def box() -> None:
    """Offer all of it in a box that is filled when it is opened."""
    opened = st.popover("Share", key="share", width="stretch", on_change=state.moved)
    if not opened.open:
        return
    with opened:
        component("share_link")(
            key="share_state", data={"query": _short_query(), "fields": ["link", "frame", "slide"]}
        )
        code = code_of_state()
        if code.image:
            image = f'<img src="{code.image}" alt="QR code of the address below it">'
            show(f"<figure class='lab-code'>{image}<figcaption>{safe(code.address)}</figcaption></figure>")
        elif code.why_not:
            st.caption(code.why_not)


class Code(NamedTuple):
    """The present state for a phone: as a picture, and as an address that can be typed."""

    address: str = ""
    image: str = ""  # a data URI; empty where there is no code
    why_not: str = ""


def code_of_state() -> Code:
    """Return the QR code of the page's state, or why there is none."""
    root = _root()
    host = urlsplit(root).hostname or ""
    if not host:
        return Code()
    if host.startswith(_LOCAL):
        why_not = (
            f"A phone cannot reach {host}: that is this computer itself. Open the app by this computer's "
            "address in your network, then share again."
        )
        return Code(why_not=why_not)
    query = _short_query()
    address = f"{root}?{urlencode(query, safe=',:')}" if query else root
    try:
        return Code(address, qr_code(address))
    except SettingError as error:
        return Code(address, why_not=str(error))


def _short_query() -> dict[str, str]:
    """Return what of the state differs from the first one, and the version; the home page has no state."""
    if not state.page():
        return {}
    hide = st.query_params.get("hide", "")
    return {**state.settings().short_query(), **({"hide": hide} if hide else {})}


def _root() -> str:
    """Return the page's address without parameters, as the browser knows it; "" if it said nothing."""
    url = st.context.url or ""
    return url if url.startswith(("http://", "https://")) else ""
