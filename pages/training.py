"""The training lab: small models learn while one watches, and the usual claims are put to the test."""

from functools import partial

import streamlit as st

from core.figures.training import head_names
from core.training.experiments import EXPERIMENTS, MAX_TRAINING_SEED, TrainingSettings
from core.training.measures import loss_of
from core.training.model import attention, logits_and_weights, parameters_of
from core.training.runs import RUNS
from core.training.tasks import induction_batch, previous_batch, text_batch
from core.training.train import train
from pages.ui import lesson, predict, state, training_panel
from pages.ui.live import Slider, live_sliders
from pages.ui.training_words import FORMULA, found
from pages.ui.widgets import bare_row, choice, number

box = partial(st.selectbox, width=220)
settings = state.open_link(TrainingSettings)
experiment, heads = settings.chosen, dict(enumerate(head_names(settings.plan.build)))
lesson.opening("Training lab", experiment.question, FORMULA, "induction", "causal mask", "d_k", "RoPE")
choice("experiment", "Experiment", {name: each.title for name, each in EXPERIMENTS.items()}, bare_row)

predict.first(settings.experiment)

with st.container(horizontal=True, vertical_alignment="bottom", key="training_controls"):
    choice("run", "Model", {name: RUNS[name].title for name in experiment.runs}, box)
    choice("head", "Heads", {"all": "all", **heads}, box, none="all")
    number("seed", "Seed", 0, MAX_TRAINING_SEED, width=150)
    training_panel.buttons()
stops = settings.plan.drawn_at
step = max(stop for stop in stops if stop <= settings.step)
scrubber = Slider("step", "step: look at any moment", stops, step, 0, settings.plan.steps)
live_sliders([scrubber], key="scrubber", view="training", settings=settings, on_change=state.merge)
training_panel.pictures()
lesson.notice(*found(experiment.name))
lesson.source(
    train,
    logits_and_weights,
    attention,
    parameters_of,
    loss_of,
    induction_batch,
    text_batch,
    previous_batch,
)
lesson.following(
    ("heads.py", "How are heads built, array by array?"),
    ("exercises.py", "More predictions"),
)
state.write_link()
