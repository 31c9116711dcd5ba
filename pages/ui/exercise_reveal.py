"""What follows the reveal: prediction and result in one picture, what is seen, why, and a twin."""

from dataclasses import replace

import streamlit as st

from core.exercises.exercise import Exercise, Task
from core.exercises.in_lessons import picture_of
from core.exercises.notice import notice
from pages.ui import state, style
from pages.ui.attempts import Attempt
from pages.ui.exercise_inputs import as_text
from pages.ui.exercise_pictures import overlay
from pages.ui.html import show
from pages.ui.live import live_plot
from pages.ui.pictures import VIEWS


def revealed(exercise: Exercise, task: Task, attempt: Attempt, key: str, shows_below: bool) -> None:
    """Show the result of an exercise as far as somebody has come with it.

    Args:
        exercise: what was asked.
        task: the exercise with its numbers.
        attempt: how far they have come.
        key: unlike that of any other attempt.
        shows_below: whether the page itself shows the result, below the exercise.
    """
    given = attempt.given or (None,) * len(task.parts)
    unsaid = "" if attempt.explained else " lab-unsaid"  # to look comes before to be told
    show(
        f"<section class='lab-panel{unsaid}'>",
        *(overlay(part, answer) for part, answer in zip(task.parts, given, strict=True)),
        "</section>",
    )
    if attempt.given is not None:
        _notice(task, attempt, key)
    if attempt.explained:
        _explain(task, attempt)
        if not shows_below:
            on_its_page(exercise, task)


def _notice(task: Task, attempt: Attempt, key: str) -> None:
    asked = notice(task, attempt.given or ())

    def told() -> None:
        attempt.noticed = st.session_state[f"{key}_notice"] or attempt.noticed
        state.moved()

    question = f"**What do you see?** {style.literal(asked.question)}"
    if not attempt.noticed:
        st.pills(question, asked.options, key=f"{key}_notice", on_change=told, format_func=style.literal)
        return
    st.markdown(f"{question} {style.literal(attempt.noticed)}.")
    if not attempt.saw(task):
        there = " or ".join(f"“{each}”" for each in sorted(asked.seen))
        st.info(f"Look again. What is there: {style.literal(there)}.")


def _explain(task: Task, attempt: Attempt) -> None:
    found = attempt.judged(task)
    if found is None:
        st.info("You did not know: here is why.")
    elif found.right:
        st.success("As you predicted.")
    else:
        st.warning(found.wrong.feedback if found.wrong else _unknown(task, attempt))
    if attempt.reason:
        st.markdown(f"You wrote: *{style.literal(attempt.reason)}*. Does it still hold?")
    answers = " · ".join(as_text(part, part.answer) for part in task.parts)
    st.markdown(f"**Computed: {answers}.** {task.explain}")


def _unknown(task: Task, attempt: Attempt) -> str:
    """Return what can be said of a wrong answer that is none of the likely ones."""
    for part, answer in zip(task.parts, attempt.given or (), strict=True):
        if part.kind == "row" and isinstance(answer, tuple):
            total = sum(map(float, answer))
            if abs(total - 1) > part.tolerance:
                return f"Your row sums to {total:.2f}. Softmax shares out exactly 1."
    return "Not what comes out, and no error that we know. Compare the two, then read why."


def on_its_page(exercise: Exercise, task: Task) -> None:
    """Show the very picture of the page that shows it, in the state of the task."""
    view, name = VIEWS.get(exercise.page), picture_of(exercise)
    if view and name and task.link:
        settings, _ = view.kind.from_query(task.link)
        picture = view.pictures(settings)[name]
        if exercise.page == "playground":  # its checks by PyTorch are asked for by that page alone
            picture = replace(picture, below="")
        live_plot(picture, key=f"shown_{exercise.id}")
    st.page_link(
        f"{exercise.page.replace('-', '_')}.py", label="Play with it on its page",
        icon=":material/visibility:", query_params=dict(task.link),
    )  # fmt: skip
