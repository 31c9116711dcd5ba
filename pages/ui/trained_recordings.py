"""Where a page's recording comes from: the gallery, or a model that reads a sentence now."""

import time

import streamlit as st

from core.lessons.trained_heads import OWN, TrainedHeadsSettings
from core.models import files
from core.models.gallery import recorded
from core.models.recording import Recording, RecordingError
from pages.ui import model_desk, state

_STILL = 0.5  # seconds until the first look


def recording_of(settings: TrainedHeadsSettings) -> Recording | str:
    """Return the recording of the settings' model and sentence, or a sentence that says why there is none."""
    if settings.sentence != OWN:
        try:
            return recorded(settings.model, settings.sentence)
        except RecordingError as error:
            return f"The recording cannot be read, so there is no picture. {error}"
    future = model_desk.answer(_question(settings))
    if future is not None and future.done():
        failed = future.exception()
        return str(failed) if failed else future.result()
    missing = files.missing(settings.model)
    if missing:
        return f"For a sentence of your own the app needs the model: {', '.join(missing)}. {files.HOW}"
    title = settings.spec.title
    return f"{title} reads the sentence … The first one takes longest: the weights are read too."


def wait_for(settings: TrainedHeadsSettings) -> None:
    """Have the sentence read if it was typed; run the page once more when that is done."""
    if settings.sentence != OWN:
        return
    question = _question(settings)
    future = model_desk.answer(question)
    if future is None:
        if files.missing(settings.model):
            return
        if model_desk.ask(question) is None:
            st.warning("Other sentences are being read. Yours is next in a moment.")
        _look_again(question, time.monotonic())
    elif not future.done():
        _look_again(question, time.monotonic())
    elif future.exception():
        st.button("Try again", on_click=model_desk.forget, args=(question,))
    elif future.result().n_all > future.result().n_tokens:
        recording = future.result()
        st.warning(
            f"The text has {recording.n_all} tokens of this model; {recording.n_tokens} are read. "
            "Shorten it to choose which."
        )


@st.fragment(run_every=1.0)
def _look_again(question: model_desk.Question, drawn_at: float) -> None:
    """Run each second until the sentence is read; then the page runs once more and this ends."""
    if time.monotonic() - drawn_at < _STILL:
        return
    future = model_desk.ask(question)
    if future is not None and future.done():
        state.moved()
        st.rerun()


def _question(settings: TrainedHeadsSettings) -> model_desk.Question:
    return settings.model, settings.text
