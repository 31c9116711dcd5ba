"""The answers of this session, and their copy in the browser."""

from dataclasses import replace

import streamlit as st

from core.errors import NumbersError
from core.exercises import record
from core.exercises.met import by_family, topics_met
from core.exercises.record import Record
from pages.ui import state, style
from pages.ui.live import kept

_RECORDS, _ERA, _HEARD = "_records", "_era", "_records_heard"
_UNREAD, _FAULT, _ASKED = "_records_unread", "_progress_fault", "_forget_asked"


def records() -> tuple[Record, ...]:
    """Return all answers so far, in the order in which they were revealed."""
    return st.session_state.get(_RECORDS, ())


def add(new: Record) -> None:
    """Add an answer; when it was given is counted here."""
    _hold(record.merged(records(), [replace(new, at=_after(records()))]))


def keep() -> None:
    """Let the browser keep the answers; a new session gets them back, and so do its other windows."""
    data = {
        "saved": record.written(records(), _era()),
        "fresh": _RECORDS not in st.session_state,
        "heard": st.session_state.get(_HEARD, 0),  # so that every report is answered
        "unread": st.session_state.get(_UNREAD, False),
    }
    kept("progress", data, _take, anew=data["fresh"])


def summary() -> None:
    """Show what has been met and put right, and offer to save, to load and to forget it."""
    answers = records()
    right = sum(each.right for each in answers)
    noun = "answer" if len(answers) == 1 else "answers"
    if st.session_state.get(_UNREAD):
        st.warning(
            "The answers that this browser had kept cannot be read. They are put aside in its storage, as "
            "attention-lab-progress-unread. New answers are kept as always."
        )
    with st.expander(f"Progress: {len(answers)} {noun}, {right} right", key="progress_box"):
        if not record.misconceptions(answers):
            st.caption("No misconception met so far. Wrong predictions are useful: they show up here.")
        met(answers)
        _again(answers)
        topics = [f"{topic} {done} of {total}" for topic, done, total in topics_met(answers)]
        if topics:
            st.caption(f"Exercises met, by topic: {', '.join(topics)}.")
        _file(answers)


def again_link() -> None:
    """Offer to ask confident errors again."""
    st.page_link(
        "exercises.py", label="Ask me again what was wrong, though sure", icon=":material/replay:",
        query_params={"set": "again"},
    )  # fmt: skip


def met(answers: tuple[Record, ...], *, links: bool = True) -> None:
    """Show the misconceptions of some answers, by family.

    Args:
        answers: in order.
        links: whether each family has a link to its set.
    """
    for family, found in by_family(answers):
        title = f"About {family.title}" if family else "Other"
        lines = [
            f"- {style.literal(each.name)}: {each.count}{', put right since' if each.put_right else ''}"
            for each in found
        ]
        st.markdown("\n".join([f"**{title}**", "", *lines]))
        if family and links:
            st.page_link(
                "exercises.py", label=f"Practise {family.title}", icon=":material/exercise:",
                query_params={"set": family.key},
            )  # fmt: skip


def _again(answers: tuple[Record, ...]) -> None:
    names = record.to_ask_again(answers)
    if names:
        st.markdown(f"**Wrong, though sure:** {style.literal(', '.join(names))}")
        again_link()


def _file(answers: tuple[Record, ...]) -> None:
    era = _era()
    save, load, forget = st.columns(3, vertical_alignment="bottom")
    save.download_button(
        "Save as a file", lambda: record.written(answers, era), "attention-lab-progress.json",
        "application/json", on_click="ignore", width="stretch",
    )  # fmt: skip
    with load:
        st.file_uploader("Load a file", "json", key="progress_file", on_change=_load, max_upload_size=1)
    forget.button("Forget all", width="stretch", on_click=_ask, args=(True,))
    if st.session_state.get(_ASKED):
        st.markdown("All answers in this browser will be gone. Forget them?")
        with st.container(horizontal=True):
            st.button("Yes, forget them", on_click=_forget)
            st.button("No, keep them", on_click=_ask, args=(False,))
    if fault := st.session_state.get(_FAULT):
        st.warning(style.literal(fault))


def _ask(asked: bool) -> None:
    st.session_state[_ASKED] = asked
    state.moved()


def _forget() -> None:
    _hold((), _era() + 1)
    _ask(False)


def _load() -> None:
    """Add the answers of a file to those that are here."""
    state.moved()
    file = st.session_state.get("progress_file")
    st.session_state[_FAULT] = ""
    if file is None:
        return
    try:
        found = record.read(file.getvalue().decode("utf-8-sig", errors="replace"))
    except NumbersError as error:
        st.session_state[_FAULT] = str(error)
        return
    _hold(record.merged(records(), found))


def _take(kept: str) -> None:
    """Take up what the browser has kept: at the start, or when another of its windows has written."""
    st.session_state[_HEARD] = st.session_state.get(_HEARD, 0) + 1
    try:
        found, era = record.read_with_era(kept)
    except NumbersError:
        st.session_state[_UNREAD] = True
        _hold(records(), _era())
        return
    if _ERA not in st.session_state:  # what was answered before the browser had spoken comes after it
        new = [each for each in records() if each not in found]
        own = tuple(replace(each, at=_after(found) + i) for i, each in enumerate(new))
        _hold(record.merged(found, own), era)
    elif era == _era():
        _hold(record.merged(found, records()))
    elif era > _era():  # another window has forgotten all
        _hold(found, era)


def _after(answers: tuple[Record, ...]) -> int:
    return max((each.at for each in answers), default=-1) + 1


def _era() -> int:
    return st.session_state.get(_ERA, 0)


def _hold(answers: tuple[Record, ...], era: int | None = None) -> None:
    st.session_state[_RECORDS] = answers
    if era is not None:
        st.session_state[_ERA] = era
