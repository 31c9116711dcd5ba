"""The frame of a lesson, the same on every page.

The question, the formula, controls, the picture, what to notice, the usual mistakes, the lessons'
numbers, the source that ran, and where to go next.
"""

import inspect
import textwrap
from collections.abc import Callable
from typing import Any

import streamlit as st

from core.lessons.printed import PRINTED, Printed
from pages.ui import kept_attempts, predict, progress, state, style
from pages.ui.html import safe, show, table
from pages.ui.terms import symbols


def opening(title: str, question: str, formula: str, *keys: str) -> None:
    """Load the looks and open the page; say what a link got wrong; ask the first prediction.

    Args:
        title: of the page.
        question: that it answers.
        formula: LaTeX of what is computed, with the numbers that hold now.
        keys: the formula's symbols in the glossary, each shown as a link to it.
    """
    style.page()
    locked = predict.is_locked()  # then symbols and formula would tell what is to be predicted
    terms = "" if locked else symbols(*keys)
    header = f"<header class='lab-opening'><h1>{title}</h1><p>{question}</p>{terms}</header>"
    if locked or not formula:
        st.html(header)
    else:
        left, right = st.columns([3, 2], vertical_alignment="center")
        left.html(header)
        right.latex(formula)
    for note in state.notes():
        st.warning(style.literal(note))
    progress.keep()
    kept_attempts.keep()
    predict.first()


def section(title: str, words: str = "", *, place: str = "") -> None:
    """Open another part of the page.

    Args:
        title: of the part.
        words: a line or two in Markdown.
        place: where predictions are asked before the part is shown, as in ``core.exercises.in_lessons``.
    """
    st.html(f"<h2 class='lab-section'>{title}</h2>")
    if words:
        st.markdown(words)
    if place:
        predict.first(place)


def notice(*points: str) -> None:
    """Say what there is to see, in Markdown, in few words, once the predictions at the top are done."""
    if predict.is_open():
        section("What to notice", "It stands here when you are done with the predictions above.")
        return
    with st.container(key="notice"):
        section("What to notice", "\n".join(f"- {point}" for point in points))


def printed_numbers(page: str) -> None:
    """Offer every number of the source lessons that belongs here, computed now."""
    with st.expander(
        "Every number of the lessons, computed here", key="printed", on_change=state.moved
    ) as box:
        if not box.open:
            return
        rows = [_printed_row(each) for each in PRINTED if each.page == page]
        header = ["what", "computed now", "printed", ""]
        show(
            "<section class='lab-panel lab-wrap'>",
            table("Numbers of the lessons", header, rows),
            "</section>",
        )


def source(*functions: Callable[..., Any]) -> None:
    """Show the code of the functions that ran, from the files themselves."""
    with st.expander("The source of what ran", key="source_code", on_change=state.moved) as box:
        if not box.open:
            return
        for function in functions:
            st.caption(f"`{function.__module__.replace('.', '/')}.py`")
            st.code(textwrap.dedent(inspect.getsource(function)), language="python")  # methods stand inside


def following(*pages: tuple[str, str]) -> None:
    """Say where to go next: (file of the page, its question)."""
    section("Next")
    for file, label in pages:
        st.page_link(file, label=label, icon=":material/arrow_forward:")
    style.link_buttons()


def _printed_row(each: Printed) -> list[str]:
    wrong = each.printed if each.right else f"<s>{safe(each.printed)}</s> wrong"
    return [
        f"{safe(each.what)}",
        f"<b>{safe(each.computed())}</b>",
        safe(each.printed) if each.right else wrong,
        safe(each.remark),
    ]
