"""One exercise: set-up, predict, commit, reveal, notice, explain, twin.

Nothing of the answer leaves the server before the reveal: the task is made here, and only its set-up and
its question are sent.
"""

from collections.abc import Callable

import streamlit as st

from core.errors import NumbersError
from core.exercises.exercise import Answer, Exercise, Task
from core.exercises.record import CONFIDENCE
from pages.ui import state, style
from pages.ui.attempts import Attempt, attempt_at, reveal, task_of
from pages.ui.exercise_inputs import answered, as_text, field
from pages.ui.exercise_reveal import revealed


def _nothing() -> None:
    """Leave everything as it is."""


def exercise_block(
    exercise: Exercise,
    seed: int,
    *,
    twin: Callable[[int], None] = lambda seed: state.change(seed=seed),
    at_reveal: Callable[[], None] = _nothing,
    actions: Callable[[], None] = _nothing,
    shows_below: bool = False,
) -> Attempt:
    """Show an exercise in the state that it is in, and return that state.

    Args:
        exercise: what is asked.
        seed: of its numbers.
        twin: called with the next seed when somebody wants other numbers.
        at_reveal: called when the result opens.
        actions: draws further buttons in the last row.
        shows_below: whether the page itself shows the result, below the exercise.
    """
    task, attempt, key = task_of(exercise, seed), attempt_at(exercise, seed), f"{exercise.id}_{seed}"
    with st.container(key=f"{key}_asked"):
        st.markdown(task.setup)
        st.markdown(f"#### {task.question}")
    if attempt.revealed:
        revealed(exercise, task, attempt, key, shows_below)
    else:
        _predict(task, attempt, key)
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_actions"):
        if not attempt.revealed:
            st.button(
                "Reveal", key=f"{key}_reveal", type="primary", disabled=not attempt.committed,
                on_click=_reveal, args=(exercise, seed, task, at_reveal),
            )  # fmt: skip
        elif attempt.explained and "twin" not in state.hidden():
            st.button(
                "A twin: the same idea, other numbers", key=f"{key}_twin", on_click=twin, args=(seed + 1,)
            )
        actions()
    return attempt


def _reveal(exercise: Exercise, seed: int, task: Task, at_reveal: Callable[[], None]) -> None:
    """Reveal, unless the fields hold another answer than the committed one: then ask once which is meant."""
    attempt, key = attempt_at(exercise, seed), f"{exercise.id}_{seed}"
    now = tuple(answered(part, f"{key}_{i}") for i, part in enumerate(task.parts))
    if attempt.given is not None and None not in now and now not in (attempt.given, attempt.warned_of):
        attempt.warned_of = now  # type: ignore[assignment]
        state.moved()
        return
    reveal(exercise, seed, task, at_reveal)


def _predict(task: Task, attempt: Attempt, key: str) -> None:
    given, fault = _fields(task, key)
    commit, why = st.columns([3, 2], vertical_alignment="center")
    with commit, st.container(horizontal=True, vertical_alignment="center", key=f"{key}_commit"):
        st.markdown("Commit:", width="content")
        sure = [st.button(words.capitalize(), key=f"{key}_sure_{i}") for i, words in enumerate(CONFIDENCE)]
        unknown = st.button("I don't know", key=f"{key}_unknown")
    reason = why.text_input(
        "Why? (one line, if you like)", attempt.reason, key=f"{key}_why", max_chars=200,
        label_visibility="collapsed", placeholder="Why? (one line, if you like)",
    )  # fmt: skip
    if any(sure):
        if given is None:
            st.warning(style.literal(fault or "Answer every part first, or say that you do not know."))
        else:
            attempt.commit(given, sure.index(True), reason)
    if unknown:
        attempt.commit(None, -1, reason)
    if attempt.committed:
        st.markdown(_committed(task, attempt, given))
        if given is not None and given == attempt.warned_of != attempt.given:
            st.warning(
                f"You committed {said_of(task, attempt.given)}, and above stands {said_of(task, given)}. "
                "Commit that, or press Reveal once more to keep what you committed."
            )


def _fields(task: Task, key: str) -> tuple[tuple[Answer, ...] | None, str]:
    """Show the fields, and return the answer to every part, or None and what is wrong with it."""
    given, fault = [], ""
    for i, part in enumerate(task.parts):
        try:
            given.append(field(part, f"{key}_{i}"))
        except NumbersError as error:
            given.append(None)
            fault = fault or str(error)
    answers = tuple(each for each in given if each is not None)
    return (answers if len(answers) == len(given) else None), fault


def _committed(task: Task, attempt: Attempt, given: tuple[Answer, ...] | None) -> str:
    said = f"Committed: **{said_of(task, attempt.given)}**{f', {attempt.sure}' if attempt.sure else ''}."
    if given is not None and attempt.given is not None and given != attempt.given:
        return f"{said} Your answer above is another one: commit again if you mean it."
    return f"{said} You can change it until the reveal."


def said_of(task: Task, given: tuple[Answer, ...] | None) -> str:
    """Return an answer as Markdown."""
    if given is None:
        return "I don't know"
    return " · ".join(as_text(part, answer) for part, answer in zip(task.parts, given, strict=True))
