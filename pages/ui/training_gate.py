"""Predict first: what a run shows stays shut until somebody has committed to an answer."""

import streamlit as st

from core.errors import NumbersError
from core.exercises.exercise import Answer, Task
from core.exercises.place import BY_ID
from core.exercises.verdict import verdict
from pages.ui import state, style
from pages.ui.exercise_inputs import as_text, field

_COMMITTED = "_training_predictions"


def predicted(name: str) -> bool:
    """Show an exercise; return whether it has been answered, so that the result may be seen.

    Args:
        name: of the exercise.
    """
    task = BY_ID[name].make(0)
    committed = st.session_state.setdefault(_COMMITTED, {})
    if name in committed:
        _compare(task, committed[name])
        return True
    with st.container(border=True):
        st.markdown(task.setup)
        st.markdown(f"#### {task.question}")
        given: list[Answer | None] = []
        try:
            given = [field(part, f"predict_{name}_{i}") for i, part in enumerate(task.parts)]
            fault = ""
        except NumbersError as error:
            fault = str(error)
        left, right = st.columns(2)
        commit = left.button("Commit", type="primary", width="stretch", key=f"commit_{name}")
        unknown = right.button("I don't know", width="stretch", key=f"unknown_{name}")
        if unknown or (commit and not fault and None not in given):
            committed[name] = None if unknown else tuple(each for each in given if each is not None)
            state.moved()
            st.rerun()
        if commit:
            st.warning(style.literal(fault or "Choose an answer first, or say that you do not know."))
    return False


def _compare(task: Task, given: tuple[Answer, ...] | None) -> None:
    """What was predicted and what was recorded, on one line; why, for who opens it."""
    right = " · ".join(as_text(part, part.answer) for part in task.parts)
    found = None if given is None else verdict(task, given)
    said = "you did not know"
    if given is not None:
        said = "you said " + " · ".join(as_text(p, each) for p, each in zip(task.parts, given, strict=True))
    sign = ":material/check:" if found and found.right else ":material/compare_arrows:"
    with st.expander(f"Recorded: **{right}**; {said}. Why?", icon=sign):
        st.markdown(f"{task.setup} *{task.question}*")
        if found and found.wrong:
            st.markdown(found.wrong.feedback)
        st.markdown(task.explain)
