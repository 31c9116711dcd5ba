"""Predictions inside a lesson: the page stops at a place until what it shows has been predicted.

Nothing below a place that is open is computed or sent, so nothing there can give the answer away. A page
that was opened by a link with settings shows the picture that somebody sent, and asks only who wants to be
asked; one whose link hides the control "predict" does not ask at all, and no more does a lecture: there the
whole room is asked, on /exercises.
"""

from dataclasses import dataclass

import streamlit as st

from core.exercises.exercise import Exercise
from core.exercises.in_lessons import LESSONS, TOP
from core.exercises.place import BY_ID
from pages.ui import progress, state
from pages.ui.attempts import attempt_at, task_of
from pages.ui.exercise_block import exercise_block

NAME = "predict"  # among the controls that a link can hide
_PLACES, LOOKING = "_places", "_looking"


@dataclass
class _Asked:
    """What is asked at a place now."""

    at: int = 0  # of the place's exercises
    seed: int = 0
    open: bool | None = None  # None: nobody has touched it


def is_locked(place: str = TOP) -> bool:
    """Return whether the result at a place of this page waits for a prediction.

    Args:
        place: its name in ``LESSONS``.
    """
    page = state.page()
    if not is_open(place):
        return False
    asked = _asked(page, place)
    return not attempt_at(_exercise(page, place, asked), asked.seed).revealed


def is_open(place: str = TOP) -> bool:
    """Return whether a place is asking: before the reveal, and after it until somebody is done.

    Args:
        place: its name in ``LESSONS``.
    """
    page = state.page()
    if not _asks(page, place):
        return False
    return _is_open(page, place, _asked(page, place))


def first(place: str = TOP) -> None:
    """Ask for the predictions of a place of this page; stop the page here while its result is locked.

    Args:
        place: its name in ``LESSONS``; nothing is asked at a place that is not there.
    """
    page = state.page()
    if not _asks(page, place):
        return
    asked = _asked(page, place)
    state.go_on_asking(state.asks_first() and page not in st.session_state.get(LOOKING, ()))
    if _is_open(page, place, asked):
        _ask(page, place, asked)
    else:
        _offer(page, place, asked)
    if is_locked(place):
        st.caption("The page goes on here after the reveal.")
        state.write_link()
        st.stop()


def _asks(page: str, place: str) -> bool:
    return place in LESSONS.get(page, {}) and NAME not in state.hidden() and not state.lecture()


def _ask(page: str, place: str, asked: _Asked) -> None:
    ids, exercise = LESSONS[page][place].exercises, _exercise(page, place, asked)
    link = task_of(exercise, asked.seed).link if exercise.page == page else {}
    shows_below = bool(link and LESSONS[page][place].picture)

    def twin(seed: int) -> None:
        asked.seed = seed
        state.moved()

    def at_reveal() -> None:
        asked.open = True  # or its own answer, now in the progress, would close it
        state.merge({name: link[name] for name in LESSONS[page][place].moves if name in link})

    with st.container(border=True, key=f"predict_{place}"):
        count = f" · {asked.at + 1} of {len(ids)}" if len(ids) > 1 else ""
        st.html(f"<p class='lab-predict'>Predict first{count}</p>")
        exercise_block(
            exercise, asked.seed, twin=twin, at_reveal=at_reveal, shows_below=shows_below,
            actions=lambda: _actions(page, place, asked),
        )  # fmt: skip


def _actions(page: str, place: str, asked: _Asked) -> None:
    attempt = attempt_at(_exercise(page, place, asked), asked.seed)
    if not attempt.revealed:
        look = f"look_{place}"
        st.button("Look without predicting", key=look, type="tertiary", on_click=_look, args=(page,))
    elif attempt.explained:
        further = asked.at + 1
        if further < len(LESSONS[page][place].exercises):
            st.button("Next prediction", key=f"next_{place}", on_click=_go_on, args=(asked, further))
        st.button("Done", key=f"done_{place}", on_click=_close, args=(asked,))


def _offer(page: str, place: str, asked: _Asked) -> None:
    ids = LESSONS[page][place].exercises
    seen = {each.id for each in progress.records()}
    ahead = [i for i, name in enumerate(ids) if name not in seen] or [0]
    words = "Predict first" if len(ids) == 1 else f"Predict first: {len(ids)} questions"
    st.button(
        words, key=f"open_{place}", icon=":material/quiz:", type="tertiary",
        help="Locks what follows until you have committed to an answer.",
        on_click=_go_on, args=(asked, ahead[0]),
    )  # fmt: skip


def _is_open(page: str, place: str, asked: _Asked) -> bool:
    if asked.open is not None:
        return asked.open
    first_one = LESSONS[page][place].exercises[0]
    known = any(each.id == first_one for each in progress.records())
    return state.asks_first() and not known and page not in st.session_state.get(LOOKING, ())


def _look(page: str) -> None:
    """Open the whole page."""
    st.session_state[LOOKING] = {*st.session_state.get(LOOKING, ()), page}
    for (where, _), asked in st.session_state[_PLACES].items():
        if where == page:
            asked.open = False
    state.moved()


def _go_on(asked: _Asked, at: int) -> None:
    # Beside the picture that the first has opened, the lesson's own numbers would stand answered.
    asked.at, asked.seed, asked.open = at, min(at, 1), True
    state.moved()


def _close(asked: _Asked) -> None:
    asked.open = False
    state.moved()


def _asked(page: str, place: str) -> _Asked:
    return st.session_state.setdefault(_PLACES, {}).setdefault((page, place), _Asked())


def _exercise(page: str, place: str, asked: _Asked) -> Exercise:
    return BY_ID[LESSONS[page][place].exercises[asked.at]]
