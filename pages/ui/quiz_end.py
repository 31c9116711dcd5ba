"""The end of a quiz: what it showed, by misconception. There is no mark."""

from collections.abc import Sequence

import streamlit as st

from core.exercises.place import BY_ID, MAX_SEED, Entry, PlaceSettings, position
from core.exercises.record import Record, to_ask_again
from pages.ui import progress, state, style


def quiz_end(settings: PlaceSettings, shown: Sequence[Entry], *, links: bool) -> None:
    """Show the summary below the last exercise, once that is answered.

    Args:
        settings: which quiz.
        shown: its exercises.
        links: whether it leads on to other sets.
    """
    last = {(each.id, each.seed): each for each in progress.records()}
    answers = tuple(last[entry] for entry in shown if entry in last)
    if position(settings, tuple(shown)) != len(shown) - 1 or shown[-1] not in last:
        return
    with st.container(border=True, key="quiz_end"):
        st.markdown("#### What this quiz showed")
        _left_open([i + 1 for i, entry in enumerate(shown) if entry not in last])
        _listed("As you predicted", [each for each in answers if each.right])
        _listed("You did not know", [each for each in answers if each.confidence < 0])
        progress.met(answers, links=links)
        other = [each for each in answers if not (each.right or each.misconception) and each.confidence >= 0]
        _listed("Wrong in a way of your own", other)
        if links and to_ask_again(answers):
            progress.again_link()
        if state.hidden().isdisjoint({"seed", "numbers"}):  # else somebody has chosen this very quiz
            st.button(
                "Another quiz", key="another",
                on_click=lambda: state.change(numbers=(settings.numbers + 1) % (MAX_SEED + 1)),
            )  # fmt: skip


def _left_open(numbers: Sequence[int]) -> None:
    if numbers:
        st.markdown(f"Still open: {', '.join(map(str, numbers))}.")


def _listed(what: str, answers: Sequence[Record]) -> None:
    if answers:
        titles = ", ".join(f"{each.id} {BY_ID[each.id].title}" for each in answers)
        st.markdown(f"**{what}:** {style.literal(titles)}")
