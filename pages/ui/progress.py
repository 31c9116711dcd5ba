"""The answers of this session, and their copy in the browser."""

import streamlit as st

from core.errors import NumbersError
from core.exercises import record
from core.exercises.record import Record
from pages.ui import state, style
from pages.ui.live import component

_RECORDS, _FRESH = "_records", "_records_fresh"


def records() -> tuple[Record, ...]:
    """Return all answers so far, in the order in which they were revealed."""
    return st.session_state.get(_RECORDS, ())


def add(new: Record) -> None:
    """Add an answer."""
    _hold((*records(), new))


def keep() -> None:
    """Let the browser keep the answers; a new session gets them back."""

    def told() -> None:
        kept = dict(st.session_state.get("progress") or {}).get("kept")
        try:
            found = record.read(kept) if isinstance(kept, str) else ()
        except NumbersError:  # not ours, or of another version: the next answer replaces it
            found = ()
        state.moved()
        _hold((*found, *records()))

    data = {"saved": record.written(records()), "fresh": st.session_state.get(_FRESH, True)}
    component("progress")(key="progress", data=data, on_kept_change=told)


def summary() -> None:
    """Show what has been met, and offer to save, to load and to forget it."""
    answers = records()
    right = sum(each.right for each in answers)
    met = record.misconceptions(answers)
    noun = "answer" if len(answers) == 1 else "answers"
    with st.expander(f"Progress: {len(answers)} {noun}, {right} right", key="progress_box"):
        if met:
            st.markdown("\n".join(f"- {style.literal(name)}: {count}" for name, count in met))
        else:
            st.caption("No misconception met so far. Wrong predictions are useful: they show up here.")
        save, load, forget = st.columns(3, vertical_alignment="bottom")
        save.download_button(
            "Save as a file", record.written(answers), "attention-lab-progress.json", "application/json",
            on_click="ignore", width="stretch",
        )  # fmt: skip
        with load:
            file = st.file_uploader("Load a file", "json", key="progress_file", on_change=state.moved)
        if file is not None:
            _load(file.getvalue())
        with forget, st.popover("Forget all", width="stretch"):
            st.markdown("All answers in this browser will be gone.")
            st.button("Yes, forget them", on_click=lambda: _hold(()))


def _load(raw: bytes) -> None:
    try:
        found = record.read(raw.decode("utf-8", errors="replace"))
    except NumbersError as error:
        st.warning(style.literal(str(error)))
        return
    new = [each for each in found if each not in records()]
    if new:
        _hold((*records(), *new))
        state.moved()
        st.rerun()


def _hold(answers: tuple[Record, ...]) -> None:
    st.session_state[_RECORDS] = answers
    st.session_state[_FRESH] = False
