"""Training while somebody watches: the buttons, the line, and the pictures that follow."""

import streamlit as st

from core.errors import PoolError
from core.training.pool import Job
from pages.ui import state, style, training_pool
from pages.ui.live import live_plot
from pages.ui.pictures.training import training

_REFUSED = "_training_refused"
_EVERY, _IN_LINE = 1.0, 2.0  # seconds between two looks while it runs, and while it waits


def shown_job() -> Job | None:
    """Return the training that the page's settings name, while the server keeps it, or the one under way."""
    settings = state.settings()
    return (training_pool.pool().find(settings.mine) if settings.mine else None) or training_pool.ours()


def buttons() -> None:
    """Offer to train, to pause and to cancel."""
    job = training_pool.ours()
    paused = job is not None and job.state == "paused"
    word, sign = ("Continue", "resume") if paused else ("Pause", "pause")
    rests = job is None or job.state == "waiting"
    st.button(
        "Train it now",
        type="primary",
        icon=":material/play_arrow:",
        disabled=job is not None,
        on_click=_start,
        key="train",
    )
    st.button(word, icon=f":material/{sign}:", disabled=rests, on_click=_pause_or_go_on, key="pause_training")
    st.button("Cancel", icon=":material/stop:", disabled=job is None, on_click=_cancel, key="cancel_training")


def pictures() -> None:
    """Show how far it is, the curves and the heads; every second anew while a training runs."""
    if refused := st.session_state.pop(_REFUSED, ""):
        st.warning(style.literal(refused))
    job = shown_job()
    every = None
    if job is not None and not job.over:
        every = _IN_LINE if job.state == "waiting" else _EVERY
    st.fragment(_pictures, run_every=every)(job.state if job else "")


def _pictures(drawn_state: str) -> None:
    job = shown_job()
    if job is not None and job.state != drawn_state and drawn_state:
        state.moved()
        st.rerun()  # the whole page: its buttons change too, and at the end this stops running by itself
    _how_far(job)
    drawn = training(state.settings())
    left, right = st.columns([2, 3])
    with left:
        live_plot(drawn["curves"], key="curves")
    with right:
        live_plot(drawn["heads"], key="heads")


def _how_far(job: Job | None) -> None:
    """One line and a bar, always as tall, so that nothing below them moves."""
    share, words = 0.0, "The recorded course. Train the model yourself, and watch."
    if job is not None:
        share, words = job.progress, _words(job)
    elif state.settings().mine:
        words = "That training is no longer kept; this is the recorded course."
    st.progress(share, text=style.literal(words))


def _words(job: Job) -> str:
    done = f"step {job.moments[-1].step:,} of {job.run.steps:,}" if job.moments else "starting PyTorch"
    match job.state:
        case "waiting":
            ahead = training_pool.pool().place(job)
            return f"In line: {ahead} {'training comes' if ahead == 1 else 'trainings come'} first."
        case "running":
            return f"Training {job.run.title}, seed {job.seed}: {done}."
        case "paused":
            return f"Paused at {done}; it goes on by itself after two minutes."
        case "done":
            return f"Trained: {job.run.title}, seed {job.seed}, {job.run.steps:,} steps."
        case "cancelled":
            return f"Cancelled at {done}. {job.words}".strip()
    return f"It did not finish ({done}). {job.words}"


def _start() -> None:
    settings = state.settings()
    try:
        job = training_pool.start(settings.plan, settings.seed)
    except PoolError as error:
        st.session_state[_REFUSED] = str(error)
        state.moved()
        return
    state.change(mine=job.id, step=settings.default("step"))


def _pause_or_go_on() -> None:
    if (job := training_pool.ours()) is not None:
        (training_pool.pool().go_on if job.state == "paused" else training_pool.pool().pause)(job)
    state.moved()


def _cancel() -> None:
    if (job := training_pool.ours()) is not None:
        training_pool.pool().cancel(job)
    state.moved()
