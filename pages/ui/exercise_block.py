"""One exercise: predict, commit, reveal, explain, twin.

Nothing of the answer leaves the server before the reveal: the task is made here, and only its set-up and
question are sent.
"""

from dataclasses import dataclass

import streamlit as st

from core.errors import NumbersError
from core.exercises.exercise import Answer, Exercise, Part, Task
from core.exercises.record import CONFIDENCE, Record
from core.exercises.verdict import Verdict, verdict
from pages.ui import progress, state, style
from pages.ui.exercise_inputs import as_text, field
from pages.ui.html import bar, safe, show, table

_ATTEMPTS = "_attempts"


@dataclass
class Attempt:
    """How far somebody has come with one exercise and its numbers."""

    given: tuple[Answer, ...] | None = None  # None: "I don't know"
    confidence: int = -1
    reason: str = ""
    committed: bool = False
    revealed: bool = False


def exercise_block(exercise: Exercise, seed: int) -> None:
    """Show an exercise in the state that it is in."""
    task, attempt = exercise.make(seed), _attempt(exercise, seed)
    st.markdown(task.setup)
    st.markdown(f"#### {task.question}")
    if attempt.revealed:
        _reveal(exercise, task, attempt)
    else:
        _predict(exercise, task, attempt, f"{exercise.id}_{seed}")


def _predict(exercise: Exercise, task: Task, attempt: Attempt, key: str) -> None:
    given: list[Answer | None] = []
    fault = ""
    for i, part in enumerate(task.parts):
        try:
            given.append(field(part, f"{key}_{i}"))
        except NumbersError as error:
            given.append(None)
            fault = fault or str(error)
    sure = st.radio(
        "How sure are you?",
        range(3),
        0,
        key=f"{key}_sure",
        horizontal=True,
        format_func=CONFIDENCE.__getitem__,
    )
    reason = st.text_input("Why? (one line, if you like)", key=f"{key}_why", max_chars=200)
    commit, unknown, reveal = st.columns([1, 1, 1])
    if commit.button("Commit", type="primary", width="stretch"):
        if fault or any(each is None for each in given):
            attempt.committed = False
            st.warning(style.literal(fault or "Answer every part first, or say that you do not know."))
        else:
            attempt.given = tuple(each for each in given if each is not None)
            attempt.confidence, attempt.reason, attempt.committed = sure, reason, True
    if unknown.button("I don't know", width="stretch"):
        attempt.given, attempt.confidence, attempt.reason, attempt.committed = None, -1, reason, True
    if attempt.committed:
        st.markdown(f"Committed: **{_given(task, attempt)}**. You can change it until the reveal.")
    shut, told = not attempt.committed, (exercise, task, attempt)
    reveal.button("Reveal", width="stretch", disabled=shut, on_click=_open, args=told)


def _open(exercise: Exercise, task: Task, attempt: Attempt) -> None:
    attempt.revealed = True
    found = _judged(task, attempt)
    name = found.wrong.misconception if found and found.wrong else ""
    seed = state.settings().seed
    progress.add(Record(exercise.id, seed, bool(found and found.right), attempt.confidence, name))
    state.moved()


def _reveal(exercise: Exercise, task: Task, attempt: Attempt) -> None:
    found = _judged(task, attempt)
    right = " · ".join(as_text(part, part.answer) for part in task.parts)
    mine, theirs = st.columns(2)
    mine.markdown(f"**You predicted**\n\n### {_given(task, attempt)}")
    theirs.markdown(f"**Computed**\n\n### {right}")
    for i, part in enumerate(task.parts):
        if part.kind == "row":
            show(
                "<section class='lab-panel'>",
                _rows(part, attempt.given[i] if attempt.given else None),
                "</section>",
            )
    if attempt.reason:
        st.markdown(f"You wrote: *{style.literal(attempt.reason)}*")
    if found is None:
        st.info("You did not know: here is why.")
    elif found.right:
        st.success("As you predicted.")
    else:
        st.warning(
            found.wrong.feedback if found.wrong else "Not what comes out. Compare the two, then read why."
        )
    st.markdown(task.explain)
    see, twin = st.columns(2)
    with see:
        st.page_link(
            f"{exercise.page.replace('-', '_')}.py", label="See it on the page", icon=":material/visibility:",
            query_params=dict(task.link),
        )  # fmt: skip
    twin.button(
        "A twin: the same idea, other numbers", width="stretch",
        on_click=lambda: state.change(seed=state.settings().seed + 1),
    )  # fmt: skip


def _rows(part: Part, given: Answer | None) -> str:
    """The row that was drawn, and over it the one that comes out."""
    drawn = given if isinstance(given, tuple) else ()
    rows = []
    for i, (name, weight) in enumerate(zip(part.options, _floats(part.answer), strict=True)):
        mine = _floats(drawn)[i] if drawn else None
        predicted = "—" if mine is None else f"{bar(mine)} {mine:.2f}"
        rows.append([safe(name), predicted, f"{bar(weight)} {weight:.4f}"])
    return table("Predicted and computed", ["", "you drew", "computed"], rows)


def _floats(answer: Answer | tuple[()]) -> list[float]:
    return [float(x) for x in answer] if isinstance(answer, tuple) else []


def _judged(task: Task, attempt: Attempt) -> Verdict | None:
    return None if attempt.given is None else verdict(task, attempt.given)


def _given(task: Task, attempt: Attempt) -> str:
    if attempt.given is None:
        return "I don't know"
    return " · ".join(as_text(part, answer) for part, answer in zip(task.parts, attempt.given, strict=True))


def _attempt(exercise: Exercise, seed: int) -> Attempt:
    attempts = st.session_state.setdefault(_ATTEMPTS, {})
    return attempts.setdefault((exercise.id, seed), Attempt())
