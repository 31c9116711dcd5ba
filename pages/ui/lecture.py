"""Lecture mode: one panel of the page at a time, for a projector.

A panel is a title and the parts of the page that it shows, as CSS selectors. The page runs as always;
the browser hides the rest. Which panel is shown is in the link, as ``lecture=3``.
"""

from dataclasses import asdict, dataclass

import streamlit as st

from core.lecture.stops import EXERCISES
from pages.ui import share, state
from pages.ui.live import component, reported

KEY = "lecture"
_HEARD, _AGAIN = "_lecture_heard", "_lecture_again"


@dataclass(frozen=True)
class Panel:
    """What is projected at once."""

    title: str  # plain text, short: it has one line
    parts: tuple[str, ...]  # CSS selectors; where the last finds nothing, the panel is passed over
    tile: int | None = None  # of a picture with several matrices, the one that is shown
    aside: bool = False  # controls stand beside the picture, which is about square, and not above it
    reveals: bool = False  # shows what the page's script sends only for it
    name: str = ""  # by which lecture.css knows it, where the same parts look otherwise in another panel


def button() -> None:
    """Offer to project the page."""
    if KEY not in state.hidden():
        st.button(
            "Lecture mode", key="lecture_button", icon=":material/present_to_all:", width="stretch",
            help="One panel at a time, in large type. Key: L", on_click=state.show_panel, args=(1,),
        )  # fmt: skip


def reveals() -> bool:
    """Return whether the panel that is projected shows what is hidden before it."""
    panels, number = _panels(), state.lecture()
    return bool(number and panels) and panels[min(number, len(panels)) - 1].reveals


def _panels() -> tuple[Panel, ...]:
    from pages.ui.lecture_panels import panels

    return panels()


@st.fragment  # runs alone when the panel changes: the page stays as it is
def stage() -> None:
    """Let the browser show a panel of the page, where the link asks for one, and hear which it shows."""
    if st.session_state.pop(_AGAIN, False):
        st.rerun()  # the page is another one; the browser is not told before all of it has run
    panels = _panels()
    data = {
        "of": _shown_thing(),
        "panel": min(state.lecture(), len(panels)),
        "panels": [asdict(panel) for panel in panels],
        "heard": st.session_state.get(_HEARD, 0),
        "code": share.code_of_state()._asdict() if state.lecture() else None,
    }
    component("lecture")(key=KEY, data=data, on_shown_change=_told)


def _shown_thing() -> str:
    """Return what the panels are of, where a page has more than one such thing: an exercise."""
    if state.page() != EXERCISES:
        return ""
    return f"{state.settings().id}:{state.settings().seed}"


def _told() -> None:
    shown = reported(KEY, "shown")
    if not isinstance(shown, dict):
        return
    st.session_state[_HEARD] = shown["serial"]
    if shown.get("of") != _shown_thing():  # late: its panel would reveal what nobody has predicted yet
        return
    before = bool(state.lecture()), reveals()
    state.show_panel(shown["panel"])
    # A lecture asks for no predictions, and shows no answer before its panel.
    st.session_state[_AGAIN] = (bool(state.lecture()), reveals()) != before
