"""The recorded runs: their shapes, and what the page claims of them, against what an earlier trial found.

The trial was other code with the same recipes (two layers of width 64, AdamW at 3e-3, three seeds); its
results are written here as bounds.
"""

import numpy as np
import pytest

from core.exercises.place import BY_ID
from core.training import tasks
from core.training.course import FOLDER, recorded
from core.training.experiments import EXPERIMENTS
from core.training.measures import names_of
from core.training.runs import MAX_STEPS, RUNS, SEEDS


def ends(name, measure):
    return recorded(name).of(measure)[:, -1]


def reached(name, share):
    """The step at which each seed first got more than a share right; infinity for never."""
    course = recorded(name)
    return [course.steps[row > share].min(initial=10**9) for row in course.of("accuracy")]


@pytest.mark.parametrize("name", RUNS)
def test_a_record_has_every_moment_of_three_seeds(name):
    run, course = RUNS[name], recorded(name)
    n = len(tasks.probe(run))
    assert course.seeds == SEEDS
    assert course.steps.tolist() == list(run.measured_at)
    assert course.values.shape == (3, len(names_of(run)), len(run.measured_at))
    assert np.isfinite(course.values).all()
    assert (course.values >= 0).all()
    assert course.drawn_at.tolist() == list(run.drawn_at)
    assert course.heads.shape == (len(run.drawn_at), run.build.n_layers * run.build.n_heads, n, n)
    assert len(course.texts) == len(run.drawn_at)
    assert all(course.texts) == (run.task == "text")
    sums = course.heads.sum(axis=-1, dtype=int)
    assert np.abs(sums - 255).max() <= n / 2  # each weight is rounded by half a step at most
    if run.build.is_causal:
        assert (course.heads[..., *np.triu_indices(n, 1)] == 0).all()
    assert run.steps <= MAX_STEPS


def test_all_records_together_are_small():
    assert sum(path.stat().st_size for path in FOLDER.glob("*.npz")) < 1_500_000
    assert {path.stem for path in FOLDER.glob("*.npz")} == set(RUNS)


def test_every_untrained_model_knows_nothing():
    for name, run in RUNS.items():
        chance = np.log(run.build.n_symbols)
        assert (recorded(name).of("loss")[:, 0] > chance - 0.1).all()


def test_two_layers_learn_to_copy_and_one_does_not():
    assert max(reached("two-layers", 0.95)) <= 200  # the trial: 150
    assert (ends("two-layers", "accuracy") > 0.99).all()
    assert (ends("one-layer", "accuracy") < 0.2).all()  # the trial: 0.14
    assert (ends("two-layers", "induction") > 0.5).all()
    assert (ends("one-layer", "induction") < 0.15).all()


def test_the_heads_of_the_record_are_the_ones_it_speaks_of():
    """After training, on the probe of period 12: a stripe 11 back in layer 2, one 1 back in layer 1."""
    weights = recorded("two-layers").weights(-1)
    queries = np.arange(12, 24)
    assert weights[4:, queries, queries - 11].mean(axis=-1).max() > 0.6
    assert weights[:4, queries, queries - 1].mean(axis=-1).max() > 0.4
    first = recorded("two-layers").weights(0)
    assert first[:, queries, queries - 11].mean(axis=-1).max() < 0.2


def test_a_fixed_period_gives_a_tiny_loss_and_no_induction_head():
    assert (ends("fixed-period", "loss") < 0.01).all()
    assert (ends("fixed-period", "accuracy") < 0.15).all()
    assert (ends("fixed-period", "induction") < 0.15).all()  # the trial: 0.11


def test_no_mask_is_excellent_in_training_and_held_out_and_bad_at_the_last_position():
    for measure in ("loss", "held_out"):
        assert (ends("text-open", measure) < 0.1).all()  # the trial: 0.06
        assert (ends("text-causal", measure) > 1.5).all()  # the trial: 1.6 to 1.9
    assert (ends("text-open", "last") > 2.4).all()  # the trial: 2.8 to 3.0
    assert (ends("text-causal", "last") < 2.0).all()  # the trial: 1.9


def test_without_the_scale_there_is_a_plateau_that_is_longer_at_64():
    assert max(reached("scaled-64", 0.95)) <= 200  # the trial: 150
    assert min(reached("unscaled-64", 0.5)) == 10**9
    assert max(reached("scaled-16", 0.9)) < min(reached("unscaled-16", 0.9)) / 2
    assert sum(step < 10**9 for step in reached("unscaled-16", 0.5)) == 3  # all leave the plateau
    assert max(reached("easy-unscaled", 0.9)) <= 100


def test_order_comes_from_positions_or_from_the_mask():
    assert (ends("open-none", "accuracy") < 0.25).all()  # the trial: 0.166
    assert (ends("causal-none", "accuracy") > 0.9).all()  # the trial: 0.913 to 0.917 of 0.959
    for name in ("open-rope", "causal-rope"):
        assert max(reached(name, 0.99)) <= 100
    assert (ends("no-positions", "accuracy") < 0.8).all()  # the trial: 0.69


def test_an_experiment_compares_runs_of_one_task_by_measures_that_they_have():
    for experiment in EXPERIMENTS.values():
        runs = [RUNS[name] for name in experiment.runs]
        assert len({run.task for run in runs}) == 1
        assert {*experiment.left, experiment.right} <= set(names_of(runs[0]))
        assert BY_ID[experiment.exercise].page == "training"


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("T01", "the one with two layers"),
        ("T02", "fewer than 2 in 10"),
        ("T03", "only the loss at the last position"),
        ("T04", frozenset({(0, 0), (0, 2)})),  # the two that divide
        ("T05", frozenset({(0, 1), (0, 2), (0, 3)})),  # all but no mask, no positions
    ],
)
def test_the_answers_are_what_the_trial_found(name, answer):
    (part,) = BY_ID[name].make(0).parts
    assert part.answer == answer
