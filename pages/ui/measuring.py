"""Time and memory of attention on this machine: measured when somebody asks, in the second process."""

import streamlit as st

from core.lessons.cost_measured import Measured
from pages.ui import judge, state
from pages.ui.html import show
from pages.ui.judge import Question
from pages.ui.live import live_plot
from pages.ui.pictures.cost import measured_picture

_asked: list[Question] = []  # the newest that has been answered counts, for everybody on this machine


def measured_here() -> None:
    """Show a button that measures, and what was measured."""
    found = newest()
    busy = running()
    st.button(
        "Measure again" if found else "Measure on this machine",
        on_click=_start,
        disabled=busy,
        icon=":material/timer:",
        key="measure",
    )
    if busy:
        _say("Measuring: 64 to 2,048 tokens, some seconds …")
        _look_again()
    elif not found:
        _say("Takes some seconds, from 64 to 2,048 tokens. Its time and its memory are then drawn here.")
    if found:
        live_plot(measured_picture(found), key="measured")


def _say(words: str) -> None:
    show(f"<p class='lab-dim lab-measuring' role='status'>{words}</p>")


def newest() -> Measured | None:
    """Return the newest measurement; None if there is none yet."""
    for question in reversed(_asked):
        future = judge.answer(question)
        if future is not None and future.done() and future.exception() is None:
            return Measured.of(future.result())
    return None


def running() -> bool:
    """Whether it is being measured now."""
    future = judge.answer(_asked[-1]) if _asked else None
    return future is not None and not future.done()


def _start() -> None:
    state.moved()
    if not running():
        _asked.append(Question("cost.measured", (("run", str(len(_asked))),)))
        judge.ask(_asked[-1])


@st.fragment(run_every=0.5)
def _look_again() -> None:
    """Run twice a second until it is measured; then the page runs once more and this ends."""
    if not running():
        state.moved()
        st.rerun()
