"""Trainings in processes of their own, a bounded number at a time; the others wait in a visible line.

A process gives way to all other work, has one thread, and hard limits of memory and seconds. One that
dies costs its own training and nothing else. What nobody looks at any more is cancelled.
"""

import os
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import PoolError
from core.training.course import Course, course_of
from core.training.moment import Moment
from core.training.runs import Run

_ROOT = Path(__file__).parents[2]
_TICK = 0.2  # seconds between two looks at what runs
OVER = ("done", "cancelled", "failed")


@dataclass(frozen=True)
class Limits:
    """What trainings may take."""

    at_once: int = 1  # processes
    waiting: int = 24  # trainings in line
    cpu_seconds: int = 240  # of a core, for one training
    seconds: float = 600.0  # from its start on, pauses left out: a busy machine is slower
    memory: int = 1_000_000_000  # bytes of one process
    paused: float = 120.0  # seconds, after which a pause ends by itself: others are waiting
    alone: float = 10.0  # seconds without its owner, after which a training is cancelled
    kept: int = 40  # trainings that are over and can still be looked at


@dataclass(eq=False)
class Job:
    """One training that somebody has asked for. Only its pool changes it."""

    run: Run
    seed: int
    owner: str
    watched: Callable[[], bool]  # whether the owner is still there
    id: str = field(default_factory=lambda: secrets.token_hex(8))  # nobody can guess another's
    state: str = "waiting"  # then "running" or "paused", and at last one of OVER
    words: str = ""  # why it is over, where that needs a sentence
    moments: list[Moment] = field(default_factory=list)
    process: subprocess.Popen[str] | None = None
    used: float = 0.0  # seconds of running
    paused_for: float = 0.0
    alone_for: float = 0.0

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return self.state in OVER

    @property
    def progress(self) -> float:
        """The share of its steps that is done, 0..1."""
        return self.moments[-1].step / self.run.steps if self.moments else 0.0

    @property
    def course(self) -> Course:
        """What it has measured so far."""
        return course_of(self.run, (self.seed,), [list(self.moments)])


Command = Callable[[Job, Limits], Sequence[str]]


def training_command(job: Job, limits: Limits) -> Sequence[str]:
    """Return how a training is started."""
    numbers = (job.seed, limits.memory, limits.cpu_seconds)
    return [sys.executable, "-m", "core.training", job.run.name, *map(str, numbers)]


class Pool:
    """The line of trainings. Every method may be called from any thread."""

    def __init__(self, limits: Limits | None = None, command: Command = training_command) -> None:
        self.limits = limits or Limits()
        self._command = command
        self._jobs: dict[str, Job] = {}  # in the order in which they came
        self._lock = threading.RLock()
        self._closed = False
        self._watch: threading.Thread | None = None

    def submit(self, run: Run, seed: int, owner: str, watched: Callable[[], bool] = lambda: True) -> Job:
        """Put a training in line and return it at once.

        Args:
            run: to be trained.
            seed: any whole number >= 0.
            owner: who asks; everybody has one training at a time.
            watched: says whether the owner is still there. Called often, from another thread.

        Raises:
            PoolError: the owner has one already, or the line is full; a sentence.
        """
        with self._lock:
            if self._closed:
                raise PoolError("The server is about to end; start the training when it is back.")
            if self.active(owner) is not None:
                raise PoolError("You have a training already; cancel it, or let it finish first.")
            if len(self._line()) >= self.limits.waiting:
                raise PoolError(f"{self.limits.waiting} trainings are waiting, as many as may. Try later.")
            job = Job(run, seed, owner, watched)
            self._jobs[job.id] = job
            self._forget()
            self._advance()
            if self._watch is None:
                self._watch = threading.Thread(target=self._look_after, daemon=True, name="trainings")
                self._watch.start()
            return job

    def find(self, job_id: str) -> Job | None:
        """Return the training of that name while it is kept, else None."""
        with self._lock:
            return self._jobs.get(job_id)

    def active(self, owner: str) -> Job | None:
        """Return the training of an owner that is not over, else None."""
        with self._lock:
            return next((job for job in self._jobs.values() if job.owner == owner and not job.over), None)

    def place(self, job: Job) -> int:
        """Return how many come before it in the line, those that run included; 0 once it runs."""
        with self._lock:
            line = self._line()
            return line.index(job) + len(self._running()) if job in line else 0

    def pause(self, job: Job) -> None:
        """Let a running training rest; it goes on by itself when the longest pause is over."""
        with self._lock:
            if job.state == "running" and self._order(job, "pause"):
                job.state, job.paused_for = "paused", 0.0

    def go_on(self, job: Job) -> None:
        """Let a paused training go on."""
        with self._lock:
            if job.state == "paused" and self._order(job, "go"):
                job.state = "running"

    def cancel(self, job: Job, words: str = "") -> None:
        """End a training, whatever it does; what it has measured stays.

        Args:
            job: any; one that is over stays as it is.
            words: why, if it was not its owner.
        """
        self._end(job, "cancelled", words)

    def close(self) -> None:
        """End everything, for ever."""
        with self._lock:
            self._closed = True
            jobs = list(self._jobs.values())
        for job in jobs:
            self._end(job, "cancelled", "The server has ended.")
        for job in jobs:
            if job.process is not None:
                job.process.wait()

    # --- behind it --------------------------------------------------------------------------------

    def _line(self) -> list[Job]:
        return [job for job in self._jobs.values() if job.state == "waiting"]

    def _running(self) -> list[Job]:
        return [job for job in self._jobs.values() if job.process is not None and not job.over]

    def _forget(self) -> None:
        over = [job for job in self._jobs.values() if job.over]
        for job in over[: max(0, len(over) - self.limits.kept)]:
            del self._jobs[job.id]

    def _advance(self) -> None:
        """Start what comes next, if there is room."""
        while not self._closed and (line := self._line()) and len(self._running()) < self.limits.at_once:
            self._start(line[0])

    def _start(self, job: Job) -> None:
        pipe = subprocess.PIPE
        # One thread each: NumPy's and PyTorch's wait for one another in loops.
        one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")
        try:
            job.process = subprocess.Popen(
                self._command(job, self.limits),
                cwd=_ROOT,
                stdin=pipe,
                stdout=pipe,
                text=True,
                env=os.environ | one,
                creationflags=getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0),  # on Windows
            )
        except OSError as error:
            job.state, job.words = "failed", f"The process could not be started: {error.strerror}."
            return
        job.state = "running"
        threading.Thread(target=self._listen, args=(job,), daemon=True, name=f"training {job.id}").start()

    def _listen(self, job: Job) -> None:
        """Take in what a process tells until it ends; then say how it ended, and start the next."""
        process = job.process
        assert process is not None
        assert process.stdout is not None
        words = ""
        try:
            for line in process.stdout:
                job.moments.append(Moment.of(line))
                if job.moments[-1].step >= job.run.steps:
                    break  # an interpreter with PyTorch in it takes a second to end
        except ValueError as error:
            words = f"The training told something that cannot be read: {error}."
        finished = bool(job.moments) and job.moments[-1].step >= job.run.steps
        if finished or words:
            process.kill()
        code = process.wait()
        process.stdout.close()
        with self._lock:
            if not job.over:
                job.state = "done" if finished else "failed"
                job.words = words or ("" if finished else _ended(code))
            self._advance()

    def _order(self, job: Job, word: str) -> bool:
        """Tell a process something; False if it is not there to hear it."""
        assert job.process is not None
        assert job.process.stdin is not None
        try:
            job.process.stdin.write(word + "\n")
            job.process.stdin.flush()
        except OSError:
            return False
        return True

    def _end(self, job: Job, state: str, words: str) -> None:
        with self._lock:
            if job.over:
                return
            job.state, job.words = state, words
            if job.process is not None:
                job.process.kill()
            self._advance()

    def _look_after(self) -> None:
        """Watch the clock and the owners until there is nothing left to do."""
        then = time.monotonic()
        while True:
            time.sleep(_TICK)
            passed, then = time.monotonic() - then, time.monotonic()
            with self._lock:
                if not (active := [job for job in self._jobs.values() if not job.over]):
                    self._watch = None
                    return
            for job in active:
                self._check(job, passed)

    def _check(self, job: Job, passed: float) -> None:
        job.alone_for = 0.0 if job.watched() else job.alone_for + passed
        if job.alone_for > self.limits.alone:
            self._end(job, "cancelled", "Nobody was looking any more.")
        elif job.state == "paused":
            job.paused_for += passed
            if job.paused_for > self.limits.paused:
                self.go_on(job)
        elif job.state == "running":
            job.used += passed
            if job.used > self.limits.seconds:
                self._end(
                    job, "failed", f"It took longer than {self.limits.seconds:g} seconds and was ended."
                )


def _ended(code: int) -> str:
    """Why a process ended before its time, as far as its exit code tells."""
    if code < 0:
        return f"Its process was ended from outside or went beyond a limit (signal {-code})."
    return f"Its process ended before it had finished, perhaps for want of memory (exit code {code})."
