"""The line of trainings: one at a time, places, pause, cancel, a killed process, and every limit.

Most processes here are fakes that obey as a training does, so that nothing depends on how fast PyTorch is.
"""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import PoolError
from core.training.pool import Limits, Pool, training_command
from core.training.runs import RUNS

RUN = replace(RUNS["causal-rope"], steps=100)
# Writes a moment every 20 ms, pauses and goes on as told; ends when its orders do.
FAKE = """
import json, os, sys, threading, time
going = threading.Event(); going.set()
def obey():
    for order in sys.stdin:
        going.clear() if order.strip() == "pause" else going.set()
    os._exit(0)
threading.Thread(target=obey, daemon=True).start()
for step in range(0, 101, 2):
    print(json.dumps({"step": step, "values": [1.0, 0.5], "text": ""}), flush=True)
    time.sleep(0.02)
    going.wait()
"""
FOREVER = FAKE.replace("range(0, 101, 2)", "iter(lambda: 0, 1)")
BAD = "print('torch says hello', flush=True); import time; time.sleep(60)"
POSIX = pytest.mark.skipif(os.name != "posix", reason="signals and limits of POSIX")


def wait_for(holds, seconds=20):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


@pytest.fixture
def pool_of():
    """A function that makes a pool whose trainings run this script."""
    pools = []

    def make(script=FAKE, **limits):
        pools.append(Pool(Limits(**limits), lambda job, _: [sys.executable, "-c", script]))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")  # one that nobody has buried is dead all the same
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_training_runs_to_its_end_and_tells_every_moment(pool_of):
    pool = pool_of()
    job = pool.submit(RUN, 3, "me")
    wait_for(lambda: job.over)
    assert (job.state, job.words, job.progress) == ("done", "", 1.0)
    course = job.course
    assert course.steps.tolist() == list(range(0, 101, 2))
    assert (course.of("loss") == 1.0).all()
    assert course.seeds == (3,)


def test_one_runs_the_others_wait_and_see_their_place(pool_of):
    pool = pool_of()
    jobs = [pool.submit(RUN, 0, name) for name in ("a", "b", "c")]
    assert [job.state for job in jobs] == ["running", "waiting", "waiting"]
    assert [pool.place(job) for job in jobs] == [0, 1, 2]
    pool.cancel(jobs[0])
    assert [job.state for job in jobs] == ["cancelled", "running", "waiting"]
    assert [pool.place(job) for job in jobs] == [0, 0, 1]
    pool.cancel(jobs[2])
    wait_for(lambda: jobs[1].over)
    assert [job.state for job in jobs] == ["cancelled", "done", "cancelled"]


def test_nobody_has_two_and_the_line_has_an_end(pool_of):
    pool = pool_of(FOREVER, waiting=2)
    first = pool.submit(RUN, 0, "me")
    with pytest.raises(PoolError, match="You have a training already"):
        pool.submit(RUN, 1, "me")
    for name in ("b", "c"):
        pool.submit(RUN, 0, name)
    with pytest.raises(PoolError, match="2 trainings are waiting"):
        pool.submit(RUN, 0, "d")
    pool.cancel(first)
    assert pool.submit(RUN, 1, "me").state == "waiting"


def test_a_pause_holds_until_it_goes_on(pool_of):
    pool = pool_of()
    job = pool.submit(RUN, 0, "me")
    wait_for(lambda: len(job.moments) > 2)
    pool.pause(job)
    assert job.state == "paused"
    time.sleep(0.2)  # what was on its way has arrived
    before = len(job.moments)
    time.sleep(0.4)
    assert len(job.moments) == before
    pool.go_on(job)
    wait_for(lambda: job.over)
    assert job.state == "done"


def test_a_pause_ends_by_itself(pool_of):
    pool = pool_of(paused=0.5)
    job = pool.submit(RUN, 0, "me")
    wait_for(lambda: job.moments)
    pool.pause(job)
    wait_for(lambda: job.over)
    assert job.state == "done"


def test_cancelling_ends_the_process_and_keeps_what_was_measured(pool_of):
    pool = pool_of(FOREVER)
    job = pool.submit(RUN, 0, "me")
    wait_for(lambda: job.moments)
    pool.cancel(job)
    assert job.state == "cancelled"
    wait_for(lambda: job.process.poll() is not None, 5)
    assert len(job.course.steps) >= 1
    pool.cancel(job, "again")
    assert job.words == ""  # one that is over stays as it is


def test_who_is_gone_has_their_training_cancelled(pool_of):
    pool = pool_of(FOREVER, alone=0.5)
    there = {"me": True}
    job = pool.submit(RUN, 0, "me", lambda: there["me"])
    waiting = pool.submit(RUN, 0, "you", lambda: False)
    wait_for(lambda: waiting.over)
    assert not job.over
    there["me"] = False
    wait_for(lambda: job.over)
    assert (job.state, job.words) == ("cancelled", "Nobody was looking any more.")


def test_a_short_absence_is_forgiven(pool_of):
    pool = pool_of(FOREVER, alone=1.0)
    answers = iter([False, False])
    job = pool.submit(RUN, 0, "me", lambda: next(answers, True))
    time.sleep(1.6)
    assert job.state == "running"


@POSIX
def test_a_killed_process_is_a_sentence_and_the_next_one_runs(pool_of):
    pool = pool_of()
    job, following = pool.submit(RUN, 0, "me"), pool.submit(RUN, 0, "you")
    wait_for(lambda: job.moments)
    os.kill(job.process.pid, signal.SIGKILL)
    wait_for(lambda: following.over)
    assert job.state == "failed"
    assert "signal 9" in job.words
    assert following.state == "done"


def test_a_process_that_breaks_or_talks_nonsense_is_a_sentence(pool_of):
    for script, words in (("import sys; sys.exit(3)", "exit code 3"), (BAD, "cannot be read")):
        job = pool_of(script).submit(RUN, 0, "me")
        wait_for(lambda job=job: job.over)
        assert job.state == "failed"
        assert words in job.words
        assert job.course.steps.size == 0


def test_a_command_that_does_not_exist_is_a_sentence():
    pool = Pool(Limits(), lambda job, limits: ["/no/such/program"])
    job = pool.submit(RUN, 0, "me")
    assert job.state == "failed"
    assert "could not be started" in job.words
    pool.close()


def test_seconds_are_a_hard_limit_and_pauses_do_not_count(pool_of):
    pool = pool_of(FOREVER, seconds=1.0)
    job = pool.submit(RUN, 0, "me")
    wait_for(lambda: job.moments)
    pool.pause(job)
    time.sleep(1.5)
    assert job.state == "paused"
    pool.go_on(job)
    wait_for(lambda: job.over)
    assert (job.state, job.words) == ("failed", "It took longer than 1 seconds and was ended.")


def test_what_is_over_is_kept_for_a_while(pool_of):
    pool = pool_of("", kept=2)
    jobs = []
    for i in range(5):
        jobs.append(pool.submit(RUN, 0, f"{i}"))
        wait_for(lambda: jobs[-1].over)
    assert [pool.find(job.id) is job for job in jobs] == [False, False, True, True, True]
    assert pool.find("0" * 16) is None


def test_closing_ends_everything_for_ever(pool_of):
    pool = pool_of(FOREVER)
    jobs = [pool.submit(RUN, 0, name) for name in ("a", "b")]
    wait_for(lambda: jobs[0].moments)
    pool.close()
    assert [job.state for job in jobs] == ["cancelled", "cancelled"]
    assert jobs[0].process.poll() is not None
    assert jobs[1].process is None
    with pytest.raises(PoolError, match="about to end"):
        pool.submit(RUN, 0, "c")


# --- real processes -----------------------------------------------------------------------------


@POSIX
def test_a_real_process_trains_apart_and_gives_way():
    pool = Pool(Limits())
    job = pool.submit(RUNS["causal-rope"], 3, "me")
    try:
        wait_for(lambda: job.moments, 120)
        assert os.getpriority(os.PRIO_PROCESS, job.process.pid) >= 15
        first = job.moments[0]
        assert first.step == 0
        assert first.heads.shape == (6, 16, 16)
    finally:
        pool.close()
    assert not is_alive(job.process.pid)


@POSIX
def test_too_little_memory_is_a_sentence():
    pool = Pool(Limits(memory=60_000_000))
    job = pool.submit(RUNS["causal-rope"], 3, "me")
    try:
        wait_for(lambda: job.over, 120)
    finally:
        pool.close()
    assert job.state == "failed"
    assert job.words.startswith("Its process")


@POSIX
def test_a_process_ends_with_the_server_that_started_it():
    """However the server ends, the pipe to its trainings closes."""
    script = (
        "import sys, time\n"
        "from core.training.pool import Pool\n"
        "from core.training.runs import RUNS\n"
        "job = Pool().submit(RUNS['text-causal'], 3, 'me')\n"
        "print(job.process.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    server = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    pid = int(server.stdout.readline())
    assert is_alive(pid)
    server.kill()
    server.wait()
    wait_for(lambda: not is_alive(pid), 60)


def test_the_command_holds_the_limits():
    job = Pool(Limits(at_once=0)).submit(RUNS["causal-rope"], 3, "me")
    command = training_command(job, Limits(memory=5, cpu_seconds=7))
    assert command[1:] == ["-m", "core.training", "causal-rope", "3", "5", "7"]
