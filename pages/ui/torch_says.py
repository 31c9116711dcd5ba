"""PyTorch's answers on a page: asked for when the page has been on the screen for a second."""

import time
from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.ui import judge, state
from pages.ui.html import show
from pages.ui.judge import Question

_STILL = 0.5  # seconds; importing PyTorch waits until the pictures are on the screen
_GLANCE = 0.1
_SAID = "_torch_said"  # by name of the question
WAITING = "PyTorch is being asked …"
UNABLE = "PyTorch could not be asked; install it with <code>pip install -r requirements.txt</code>"


def torch_says(
    question: Question, draw: Callable[[Any], str], *, room: str = "9rem", waiting: str = WAITING
) -> None:
    """Show what PyTorch answers; until it does, what it said before, paler, so that nothing jumps.

    Args:
        question: what it is asked.
        draw: makes HTML of its answer.
        room: the height that is kept for the first answer, as CSS.
        waiting: what stands there until then.
    """
    if state.lecture():  # its tables are not projected
        return
    said = st.session_state.setdefault(_SAID, {})
    if judge.has_answered():
        judge.ask(question)
    future = judge.answer(question)
    words, look = said.get(question.name, f"<p class='lab-dim'>{waiting}</p>"), "lab-stale"
    if future is not None and future.done():
        words, look = draw(future.result()) if future.exception() is None else f"<p>{UNABLE}</p>", ""
        said[question.name] = words
    show(f"<div class='lab-panel lab-torch {look}' style='min-height:{room}'>{words}</div>")
    wait_for(question)


def wait_for(question: Question) -> None:
    """Ask PyTorch soon, and run the page once more when it has answered."""
    future = judge.answer(question)
    if future is not None and future.done():
        return
    if state.lecture():
        _wait_here(question)
    else:
        _look_again(question, time.monotonic())


def _wait_here(question: Question) -> None:
    """Wait at the end of a page, without a message from the browser: a lecture's page is still at rest."""
    asked = judge.ask(question)
    while not asked.done():
        time.sleep(_GLANCE)
        st.session_state.get(_SAID)  # here Streamlit lets a newer run take over
    state.moved()
    st.rerun()


@st.fragment(run_every=1.0)
def _look_again(question: Question, drawn_at: float) -> None:
    """Run each second until PyTorch has answered; then the page runs once more and this ends."""
    if time.monotonic() - drawn_at > _STILL and judge.ask(question).done():
        state.moved()
        st.rerun()
