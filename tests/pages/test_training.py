"""The training lab: shut until somebody has predicted; then buttons, progress and the recorded course."""

import json
import re
import sys
import time
from html import escape

import pytest

from core.training.course import recorded
from core.training.experiments import EXPERIMENTS, TrainingSettings
from core.training.pool import Limits, Pool
from core.training.runs import RUNS
from pages.ui import training_pool
from tests.pages.test_routes import ask

# A training that is over in no time: moments of the right shape, the loss falling to 0.25.
FAKE = """
import sys, numpy as np
from core.training.moment import Moment
from core.training.runs import RUNS
from core.training import tasks
run = RUNS[sys.argv[1]]
n, heads = len(tasks.probe(run)), run.build.n_layers * run.build.n_heads
for step in run.measured_at:
    drawn = np.full((heads, n, n), 51, np.uint8) if step in run.drawn_at else None
    print(Moment(step, (1 - 0.75 * step / run.steps, 0.125, 0.5, 0.5), drawn).line(), flush=True)
    if step >= int(sys.argv[2]):
        sys.stdin.read()
"""


@pytest.fixture
def pool(monkeypatch):
    """The server's line of trainings, with processes that only pretend; ``pool.until`` is where they stop."""
    made = Pool(Limits(), lambda job, _: [sys.executable, "-c", FAKE, job.run.name, str(made.until)])
    made.until = 10**6
    monkeypatch.setattr(training_pool, "pool", lambda: made)
    yield made
    made.close()


@pytest.fixture
def lab(open_page):
    """A function that opens the page by a link."""
    return lambda **link: open_page("training.py", link)


def page_click(page, key):
    page.app.get_by_key(key).click()
    return page.run()


def progress(page):
    (bar,) = page.app.get("progress")
    return re.sub(r"\\([^a-zA-Z0-9\s])", r"\1", bar.proto.text)


def until(page, words):
    end = time.monotonic() + 60
    while words not in progress(page.run()):
        assert time.monotonic() < end, progress(page)
        time.sleep(0.05)
    return page


def disabled(page):
    keys = ("train", "pause_training", "cancel_training")
    return [page.app.get_by_key(key).disabled for key in keys]


# --- predict first ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_nothing_of_a_result_is_there_before_its_own_prediction(name, open_page, pool):
    page = open_page("training.py", {}, asking=True)
    if name != "layers":
        page.set("experiment", name)
    assert page.warnings == []
    assert {"plot_curves", "plot_heads", "train", "scrubber"}.isdisjoint(page.keys)
    assert not page.app.get("progress")
    exercise = EXPERIMENTS[name].exercise
    page_click(page, f"{exercise}_0_unknown")
    assert "plot_curves" not in page.keys  # a commit alone opens nothing
    page_click(page, f"{exercise}_0_reveal")
    assert {"plot_curves", "plot_heads", "train", "scrubber"} <= page.keys
    assert page.link["experiment"] == name
    page.set("experiment", next(each for each in EXPERIMENTS if each != name))
    assert "plot_curves" not in page.keys


# --- the recorded course ----------------------------------------------------------------------


def test_the_recorded_course_is_there_with_no_training(lab, pool):
    page = lab()
    assert disabled(page) == [False, True, True]
    figure = json.loads(page.data("plot_curves")["figure"])
    assert len(figure["data"]) == 2 * 2 * 2  # two runs, a band and a line, two pictures
    words = page.data("plot_heads")["below"]
    assert "<b>step 300</b> of 300 (recorded, seed 0)" in words
    assert f"right answers: <b>{recorded('two-layers').of('accuracy')[0, -1]:.3f}</b>" in words


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_and_run_can_be_looked_at(name, lab, pool):
    page = lab(experiment=name, run=EXPERIMENTS[name].runs[0])
    for run in EXPERIMENTS[name].runs:
        page.set("run", run)
        assert page.warnings == []
        assert f"of {RUNS[run].steps:,} (recorded, seed 0)" in page.data("plot_heads")["below"]
        assert "NaN" not in page.data("plot_curves")["figure"]


def test_the_step_is_a_link_and_shows_that_moment(lab, pool):
    page = lab(step="120")
    words = page.data("plot_heads")["below"]
    course = recorded("two-layers")
    at = course.steps.tolist().index(120)
    assert f"right answers: <b>{course.of('accuracy')[0, at]:.3f}</b>" in words
    page.change("scrubber", step=60)
    assert page.link["step"] == "60"
    assert "<b>step 60</b>" in page.data("plot_heads")["below"]


def test_the_route_answers_with_the_same_pictures(lab, pool):
    settings = TrainingSettings(experiment="layers", run="one-layer", step=60)
    page = lab(**settings.to_query())
    for key, picture in json.loads(ask("training", settings.to_query()).body).items():
        for part in ("figure", "below", "alt"):
            assert page.data(f"plot_{key}")[part] == picture[part]


def test_what_a_model_of_characters_writes_is_shown_literally(lab, pool):
    page = lab(experiment="mask", run="text-causal")
    below = page.data("plot_heads")["below"]
    start, written = re.search("<p class='lab-written'>(.*?)<b>(.*?)</b></p>", below).groups()
    assert start == "Come, come, have with yo"
    text = recorded("text-causal").texts[-1]
    assert written == escape(text.replace("\n", "⏎"))
    assert len(text) == 48


def test_a_bad_link_is_repaired_with_a_sentence(lab, pool):
    page = lab(experiment="layers", run="text-open", step="-3", seed="x", mine="../../etc")
    assert len(page.warnings) == 4
    assert any("mine" in each for each in page.warnings)


# --- training ---------------------------------------------------------------------------------


def test_a_training_from_its_start_to_its_end(lab, pool):
    page = lab()
    page_click(page, "train")
    until(page, "Trained: two layers, seed 3, 300 steps.")
    assert disabled(page) == [False, True, True]
    figure = json.loads(page.data("plot_curves")["figure"])
    assert len(figure["data"]) == 10  # and my own line in both pictures
    assert "training loss: <b>0.250</b>" in page.data("plot_heads")["below"]
    assert "(trained here, seed 3)" in page.data("plot_heads")["below"]
    page.change("scrubber", step=0)
    assert "training loss: <b>1.000</b>" in page.data("plot_heads")["below"]
    page.set("run", "one-layer")  # another run: the one that was trained is not it, and stays a line
    assert "(recorded, seed 0)" in page.data("plot_heads")["below"]


def test_while_it_trains_it_can_be_paused_and_cancelled(lab, pool):
    pool.until = 60
    page = lab()
    page_click(page, "train")
    until(page, "step 60 of 300")
    assert disabled(page) == [True, False, False]
    assert "<b>step 60</b> of 300 (trained here, seed 3)" in page.data("plot_heads")["below"]
    page_click(page, "pause_training")
    assert "Paused at step 60 of 300" in progress(page)
    assert page.app.get_by_key("pause_training").label == "Continue"
    page_click(page, "pause_training")
    assert "Training two layers" in progress(page)
    page_click(page, "cancel_training")
    assert "Cancelled at step 60 of 300." in progress(page)
    assert disabled(page) == [False, True, True]
    assert "(trained here, seed 3)" in page.data("plot_heads")["below"]  # what it measured stays


def test_who_waits_sees_the_place_in_line(lab, pool):
    pool.until = 0
    others = [pool.submit(RUNS["causal-rope"], 0, name) for name in ("a", "b")]
    page = page_click(lab(), "train")
    assert progress(page) == "In line: 2 trainings come first."
    pool.cancel(others[0])
    assert progress(page.run()) == "In line: 1 training comes first."
    page_click(page, "cancel_training")
    assert "Cancelled" in progress(page)


def test_a_full_line_is_a_sentence(lab, pool, monkeypatch):
    pool.until = 0
    monkeypatch.setattr(pool, "limits", Limits(waiting=2))
    for name in ("a", "b", "c"):
        pool.submit(RUNS["causal-rope"], 0, name)
    page = page_click(lab(), "train")
    assert page.warnings == ["2 trainings are waiting, as many as may. Try later."]
    assert page.run().warnings == []


def test_a_killed_process_is_a_sentence_and_the_page_lives(lab, pool):
    pool.until = 60
    page = page_click(lab(), "train")
    until(page, "step 60 of 300")
    pool.find(page.link["mine"]).process.kill()
    until(page, "It did not finish")
    assert disabled(page) == [False, True, True]
    assert "plot_curves" in page.keys


def test_somebody_elses_training_can_be_looked_at_and_not_ended(lab, pool):
    pool.until = 60
    job = pool.submit(RUNS["two-layers"], 5, "somebody else")
    page = lab(mine=job.id)
    until(page, "step 60 of 300")
    assert "(trained here, seed 5)" in page.data("plot_heads")["below"]
    assert disabled(page) == [False, True, True]


def test_a_training_that_was_lost_from_sight_can_still_be_cancelled(lab, pool):
    pool.until = 60
    page = page_click(lab(), "train")
    until(page, "step 60 of 300")
    page.click("Reset")
    assert page.link["mine"] == ""
    assert disabled(page) == [True, False, False]
    page_click(page, "cancel_training")
    assert disabled(page) == [False, True, True]
    assert [job.state for job in pool._jobs.values()] == ["cancelled"]


def test_a_training_that_is_no_longer_kept_is_told(lab, pool):
    page = lab(mine="0123456789abcdef")
    assert "no longer kept" in progress(page)
    assert "(recorded, seed 0)" in page.data("plot_heads")["below"]
