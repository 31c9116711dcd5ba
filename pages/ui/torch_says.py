"""PyTorch's answers on a page: asked for when the page has been on the screen for a second."""

import time
from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.ui import judge
from pages.ui.html import show
from pages.ui.judge import Question

_STILL = 0.5  # seconds; importing PyTorch waits until the pictures are on the screen
UNABLE = "PyTorch could not be asked; install it with <code>pip install -r requirements.txt</code>"


def torch_says(question: Question, draw: Callable[[Any], str]) -> None:
    """Show what PyTorch answers.

    Args:
        question: what it is asked.
        draw: makes HTML of its answer.
    """
    if judge.has_answered():
        judge.ask(question)
    future = judge.answer(question)
    if future is None or not future.done():
        show("<div class='lab-panel lab-torch'><p class='lab-dim'>PyTorch is being asked …</p></div>")
    elif future.exception() is not None:
        show(f"<div class='lab-panel lab-torch'><p>{UNABLE}</p></div>")
    else:
        show("<div class='lab-panel lab-torch'>", draw(future.result()), "</div>")
    wait_for(question)


def wait_for(question: Question) -> None:
    """Ask PyTorch soon, and run the page once more when it has answered."""
    future = judge.answer(question)
    if future is None or not future.done():
        _look_again(question, time.monotonic())


@st.fragment(run_every=1.0)
def _look_again(question: Question, drawn_at: float) -> None:
    """Run each second until PyTorch has answered; then the page runs once more and this ends."""
    if time.monotonic() - drawn_at > _STILL and judge.ask(question).done():
        st.rerun()
