"""The questions that are put to training: which runs answer each, and which curves tell."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.query import Linked, Parameter, Reading, choice, integer, number_in, repaired, shown
from core.training.runs import MAX_STEPS, RUNS, Run

MAX_TRAINING_SEED = 9999


@dataclass(frozen=True)
class Experiment:
    """Runs that are compared."""

    name: str
    title: str
    question: str
    runs: tuple[str, ...]
    left: tuple[str, ...]  # measures of the left picture; all but the first are dotted
    right: str  # the measure of the right one, which tells
    exercise: str  # that asks for a prediction before anything is shown


_ALL = (
    Experiment(
        "layers",
        "Induction heads",
        "A sequence repeats itself. How many layers does it take to copy what followed last time?",
        ("two-layers", "one-layer"),
        ("loss",),
        "accuracy",
        "T01",
    ),
    Experiment(
        "period",
        "A trap: fixed period",
        "The same task, but every training sequence repeats after exactly 16 tokens. What is learned?",
        ("fixed-period", "two-layers"),
        ("loss",),
        "accuracy",
        "T02",
    ),
    Experiment(
        "mask",
        "No causal mask",
        "A model of Shakespeare's characters is trained without a causal mask. Which number shows it?",
        ("text-open", "text-causal"),
        ("loss", "held_out"),
        "last",
        "T03",
    ),
    Experiment(
        "scale",
        "No 1/√d_k",
        "One head on the repeating task, its scores not divided by √d_k. What does training do?",
        ("unscaled-64", "scaled-64", "unscaled-16", "scaled-16"),
        ("loss",),
        "accuracy",
        "T04",
    ),
    Experiment(
        "positions",
        "No positions",
        "Say which token stands before you: can two layers do it with no positions at all?",
        ("causal-none", "open-none", "causal-rope", "open-rope"),
        ("loss",),
        "accuracy",
        "T05",
    ),
)
EXPERIMENTS: Mapping[str, Experiment] = {each.name: each for each in _ALL}
ENDED = MAX_STEPS  # a step that no run goes beyond: its end, whatever its length


@dataclass(frozen=True)
class TrainingSettings(Linked):
    """What is looked at in the training lab. Illegal values raise ``SettingError``."""

    experiment: str = "layers"
    run: str = "two-layers"  # whose heads are drawn, and which would be trained
    seed: int = 3  # of a training of one's own; 0, 1 and 2 are recorded
    head: int | None = None  # the only one that is drawn; None = all
    step: int = ENDED  # the moment in view; beyond the end is the end
    mine: str = ""  # the training in the server's memory that is shown; "" = the recorded one

    @property
    def chosen(self) -> Experiment:
        """The experiment."""
        return EXPERIMENTS[self.experiment]

    @property
    def plan(self) -> Run:
        """The run."""
        return RUNS[self.run]


def _read_run(text: str, so_far: Any) -> Reading:
    runs = EXPERIMENTS[so_far.experiment].runs
    if text in runs:
        return text, ""
    return runs[0], repaired("run", text, runs[0], ", ".join(runs))


def _read_head(text: str, so_far: Any) -> Reading:
    build = RUNS[so_far.run].build
    n_heads = build.n_layers * build.n_heads
    x = number_in(text)
    if text == "all" or (x is not None and 0 <= x < n_heads and x == int(x)):
        return None if x is None else int(x), ""
    return None, repaired("head", text, "all", f"all, or 0 to {n_heads - 1}")


def _read_mine(text: str, _: Any) -> Reading:
    if not text or (len(text) == 16 and not text.strip("0123456789abcdef")):
        return text, ""
    return "", f"mine = {shown(text)} names no training; the recorded one is shown."


TrainingSettings.PARAMETERS = {
    "experiment": choice("experiment", tuple(EXPERIMENTS)),
    "run": Parameter(_read_run),
    "head": Parameter(_read_head, lambda head: "all" if head is None else str(head)),
    "seed": integer("seed", 0, MAX_TRAINING_SEED),
    "step": integer("step", 0, MAX_STEPS),
    "mine": Parameter(_read_mine),
}
TrainingSettings.SILENT = frozenset({"run", "mine", "head"})
