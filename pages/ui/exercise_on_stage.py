"""An exercise before a room: set-up, hold, hands, talk and hands again, reveal, notice, explain.

``lecture_panels`` says what of it each panel shows. What comes after the reveal is made and sent only when a
panel asks for it; to go back takes it away again.
"""

from collections.abc import Callable

import streamlit as st

from core.exercises import hands
from core.exercises.exercise import Part, Task
from core.exercises.notice import compared, notice
from core.exercises.place import BY_ID, PlaceSettings, entries, position
from core.exercises.verdict import verdict
from pages.ui import lecture, progress, state, style
from pages.ui.attempts import task_of
from pages.ui.exercise_pictures import overlay
from pages.ui.exercise_reveal import on_its_page
from pages.ui.hands import option_text, show_of_hands
from pages.ui.html import safe, show

_SHORT = 60  # characters of an answer that is repeated; a longer one stands in the picture above
_WRITE = {
    "number": "Write a number down.",
    "numbers": "Write the numbers down.",
    "row": "Draw a bar for each, from 0 to 1:",
    "cells": "Write down which of these:",
    "order": "Write down an order of these:",
    "choose": "",
}


def exercise_on_stage(settings: PlaceSettings) -> None:
    """Show what the panel of an exercise needs, and no more."""
    exercise = BY_ID[settings.id]
    task = task_of(exercise, settings.seed)
    revealed = lecture.reveals()
    with st.container(key="staged"):
        with st.container(key="staged_setup"):
            st.markdown(task.setup)
        with st.container(key="staged_question"):
            st.markdown(f"**{task.question}**")
        _hold(task)
        if revealed:
            _result(task, settings)
        with st.container(key="staged_options" if _is_choice(task) else "staged_votes"):
            show_of_hands(
                task, settings.seed, (settings.hands, settings.again), state.change,
                name=f"{settings.id}:{settings.seed}", revealed=revealed, on=_way_on(settings),
            )  # fmt: skip
        if revealed:
            _notice_and_why(task, settings)
            with st.container(key="staged_page"):
                on_its_page(exercise, task)


def _hold(task: Task) -> None:
    parts = "".join(_asked(part, _is_choice(task)) for part in task.parts)
    show(f"<section class='lab-hold'><p>Alone and in writing. Nobody speaks yet.</p>{parts}</section>")


def _asked(part: Part, lettered: bool) -> str:
    """Return what a room sees of a part before answering: its options, and nothing of the answer.

    Args:
        part: what is asked.
        lettered: whether the hands are counted for these very options.
    """
    options = [*part.options, *part.words] if part.kind == "choose" else list(part.options)
    if part.kind == "cells" and len(part.rows) > 1:
        options = [f"({row}, {column})" for row in part.rows for column in part.options]
    items = "".join(f"<li>{safe(option)}</li>" for option in options)
    said = f"{safe(part.label[:1].upper() + part.label[1:])}: " if part.label else ""
    words = f"<p>Or: {safe(' / '.join(part.words))}.</p>" if part.words and part.kind != "choose" else ""
    letters = " class='lab-letters'" if lettered else ""
    listed = f"<ul{letters}>{items}</ul>" if items else ""
    return f"<p>{said}{_WRITE[part.kind]}</p>{listed}{words}"


def _is_choice(task: Task) -> bool:
    return len(task.parts) == 1 and task.parts[0].kind == "choose"


def _said(task: Task, settings: PlaceSettings) -> hands.Answers | None:
    return hands.commonest(task, settings.seed, settings.hands, settings.again)


def _result(task: Task, settings: PlaceSettings) -> None:
    said = _said(task, settings)
    asked = compared(task, said) if said else 0  # the part that the question after it is about
    drawn = [
        f"<div{' class=lab-asked' if i == asked else ''}>{overlay(part, said[i] if said else None)}</div>"
        for i, part in enumerate(task.parts)
    ]
    with st.container(key="staged_result"):
        # Of a choice, the hands show it already.
        show("<section class='lab-panel lab-results'>", *([] if _is_choice(task) else drawn), "</section>")


def _notice_and_why(task: Task, settings: PlaceSettings) -> None:
    said = _said(task, settings)
    with st.container(key="staged_notice"):
        if said is None:
            st.markdown("Compare it with what you wrote down. **Where do the two differ most?**")
        else:
            asked = notice(task, said)
            most = option_text(task, said)
            named = f"Most hands: **{style.literal(most)}**. " if len(most) <= _SHORT else ""
            st.markdown(named + style.literal(asked.question))
            show(f"<ul class='lab-see'>{''.join(f'<li>{safe(each)}</li>' for each in asked.options)}</ul>")
    with st.container(key="staged_why"):
        wrong = verdict(task, said).wrong if said is not None else None
        if said is not None and wrong:
            st.markdown(f"If you said {style.literal(option_text(task, said))}: {wrong.feedback}")
        right = option_text(task, tuple(part.answer for part in task.parts))
        st.markdown(f"**Computed: {style.literal(right)}.** {task.explain}")


def _way_on(settings: PlaceSettings) -> Callable[[], None] | None:
    """Return what leads to the next exercise of the set, before a room again from its set-up on."""
    shown = entries(settings, progress.records())
    at = position(settings, shown) + 1
    if at == len(shown):
        return None

    def go() -> None:
        state.change(id=shown[at].id, seed=shown[at].seed)
        state.show_panel(1)

    return go
