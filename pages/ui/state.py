"""The one place that reads and writes the page's settings and its link.

The settings in the session are what holds. Controls show them and, when moved, replace them; a
link replaces them; the address bar follows them when a control has come to rest.
"""

from typing import Any, TypeVar, cast
from uuid import uuid4

import streamlit as st

from core.lecture.stops import panels_in
from core.query import PAGE_PARAMETERS, Linked

_SETTINGS, _KIND, _NOTES, _LINK, _PAGE, _VISIT = "_settings", "_kind", "_notes", "_link", "_page", "_visit"
_ASKS = "_asks"  # whether the page was opened to be predicted first
_GOES_ON = "_goes_on_asking"  # after a reload
_MOVED = "_moved"  # something on the page has been moved, so this run is no step in the history
Kind = TypeVar("Kind", bound=Linked)
_SESSION = "_session"
_PANEL = "_panel"  # that a lecture shows; the browser's link may not know it yet
_LECTURE, _HIDE, _ASKING = "lecture", "hide", "predict"  # the page's own; Streamlit keeps "embed" itself


def enter(page: str) -> None:
    """Note which page runs, so that coming back to one is told from a step back in history."""
    if st.session_state.get(_PAGE) != page:
        st.session_state[_PAGE] = page
        st.session_state[_VISIT] = visit() + 1
        for name in (_LINK, _NOTES, _MOVED, _ASKS, _GOES_ON):
            st.session_state.pop(name, None)
    if not st.session_state.get(_MOVED):  # else the link is older than what is shown
        st.session_state[_PANEL] = _panel_of_link()


def session() -> str:
    """Return the name of this session; a browser sees another one when the server has forgotten the last."""
    return st.session_state.setdefault(_SESSION, uuid4().hex[:12])


def visit() -> int:
    """Return a number that changes whenever another page is opened."""
    return st.session_state.get(_VISIT, 0)


def open_link(kind: type[Kind]) -> Kind:
    """Return this page's settings, from the link if it has changed since it was last read or written.

    Each kind of settings is kept for the session, so that a page is found as it was left.
    """
    st.session_state[_KIND] = kind
    link = _present_link()
    bare = link.keys() <= set(PAGE_PARAMETERS)
    st.session_state.setdefault(_ASKS, bare or link.get(_ASKING, [""])[-1] == "true")
    if st.session_state.pop(_MOVED, False):  # the address bar may not show the last link yet: it is older
        st.session_state[_LINK] = link
    if link != st.session_state.get(_LINK):
        if link or _LINK in st.session_state or kind not in _all():
            _hold(kind.from_query(link))
        st.session_state[_LINK] = link
    return cast(Kind, settings())


def page() -> str:
    """Return the address of the page that runs; "" for Home."""
    return st.session_state.get(_PAGE, "")


def asks_first() -> bool:
    """Return whether the page was opened by its address alone, or by a link that says predict=true.

    Any other link shows the very picture that somebody has sent.
    """
    return st.session_state.get(_ASKS, True)


def go_on_asking(asks: bool) -> None:
    """Let the link say whether the page asks for predictions, so that a reload changes nothing of that."""
    st.session_state[_GOES_ON] = asks


def settings() -> Any:
    """Return the settings that hold now on the page that runs."""
    return _all()[st.session_state[_KIND]]


def notes() -> list[str]:
    """Return what had to be repaired in the last link or change, in plain words."""
    return st.session_state.get(_NOTES, [])


def change(**values: Any) -> None:
    """Replace some settings; what does not fit any more is repaired with a note."""
    _hold(settings().changed(**values))
    moved()


def merge(texts: dict[str, Any]) -> None:
    """Replace settings by what a live component has sent: values as a link would hold them."""
    query = {**settings().to_query(), **{name: str(value) for name, value in texts.items()}}
    _hold(settings().merged(query, texts))
    moved()


def moved() -> None:
    """Note that the coming run was brought about by something on the page, not by another link."""
    st.session_state[_MOVED] = True


def reset() -> None:
    """Go back to the first settings."""
    _hold((st.session_state[_KIND](), []))
    moved()


def write_link() -> None:
    """Put the settings into the address bar, unless it says the same already.

    Each write is an entry in the browser's history, so call it when a control has come to rest.
    """
    if settings().from_query(_present_link())[0] == settings():
        return
    kept = {_HIDE: st.query_params[_HIDE]} if _HIDE in st.query_params else {}
    if lecture():
        kept[_LECTURE] = str(lecture())
    elif st.session_state.get(_GOES_ON):
        kept[_ASKING] = "true"
    st.query_params.from_dict({**settings().to_query(), **kept})
    st.session_state[_LINK] = _present_link()


def hidden() -> set[str]:
    """Return the keys of the controls that the link hides."""
    return {name.strip() for name in st.query_params.get(_HIDE, "").split(",")}


def lecture() -> int:
    """Return which panel of the page is projected, counted from 1; 0 if the page is read as always."""
    return st.session_state.get(_PANEL, 0)


def show_panel(panel: int) -> None:
    """Project a panel of the page, and say so in the link; 0 ends the lecture."""
    st.session_state[_PANEL] = panel
    # The browser may not know the last link yet, and would lose the settings in it.
    known = st.session_state.get(_LINK, _present_link())
    link = {name: texts[-1] for name, texts in known.items() if texts and name != _LECTURE}
    st.query_params.from_dict({**link, **({_LECTURE: str(panel)} if panel else {})})
    st.session_state[_LINK] = _present_link()


def _panel_of_link() -> int:
    text = st.query_params.get(_LECTURE, "")
    panels = panels_in(text)
    return panels[0] if panels else int(text == "true")


def _present_link() -> dict[str, list[str]]:
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _all() -> dict[type[Linked], Linked]:
    return st.session_state.setdefault(_SETTINGS, {})


def _hold(settings_and_notes: tuple[Linked, list[str]]) -> None:
    _all()[st.session_state[_KIND]], st.session_state[_NOTES] = settings_and_notes
