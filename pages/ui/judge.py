"""PyTorch as the judge, in a process of its own.

Importing PyTorch takes about two seconds and holds Python's lock for most of them: in this process
every slider of every student would stutter. A second process imports it, once, when the first
picture is on the screen, and answers the questions of ``core.reference.questions``. It reads them from
a pipe, so it ends when the server does.
"""

import dataclasses
import json
import os
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

from core.query import Linked
from core.settings import AttentionSettings

_ROOT = Path(__file__).parents[2]
_KEPT = 256
_asked: dict["Question", "Future[Any]"] = {}
_one_at_a_time = ThreadPoolExecutor(1, thread_name_prefix="judge")


@dataclass(frozen=True)
class Question:
    """What PyTorch is asked: a name in ``core.reference.questions``, and the settings it is about."""

    name: str
    query: tuple[tuple[str, str], ...]

    @classmethod
    def about(cls, name: str, settings: Linked) -> "Question":
        """Return the question; take out of the settings what does not change the answer."""
        return cls(name, tuple(settings.to_query().items()))


def about_attention(settings: AttentionSettings) -> Question:
    """Return the question of a truth strip: what is only looked at does not change the numbers."""
    seen = dataclasses.replace(settings, stage="weights", head=None, cell=None, panel="cell", compare="")
    return Question.about("attention", seen)


def ask(question: Question) -> "Future[Any]":
    """Return PyTorch's future answer."""
    known = _asked.get(question)
    if known is None or _failed(known):
        while len(_asked) >= _KEPT:
            _asked.pop(next(iter(_asked)), None)
        _asked[question] = _one_at_a_time.submit(_answer, question)
    return _asked[question]


def answer(question: Question) -> "Future[Any] | None":
    """Return the future if somebody has asked, without asking."""
    return _asked.get(question)


def has_answered() -> bool:
    """Whether PyTorch has been imported and answers in milliseconds from now on."""
    return any(future.done() and not _failed(future) for future in list(_asked.values()))


def _failed(future: "Future[Any]") -> bool:
    return future.done() and future.exception() is not None


def _answer(question: Question) -> Any:
    questions, answers = _process()
    try:
        questions.write(json.dumps([question.name, dict(question.query)]) + "\n")
        questions.flush()
        return json.loads(answers.readline())
    except (OSError, ValueError):  # it has ended: the next question starts another
        _process.cache_clear()
        raise


@cache
def _process() -> tuple[IO[str], IO[str]]:
    """Start the second process; return where questions go and where answers come from."""
    pipe = subprocess.PIPE
    # NumPy's threads wait for each other in a loop: with the server beside them, a product that takes
    # 0.1 ms takes up to 50, and what is timed there says nothing.
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "core.reference"],
        cwd=_ROOT,
        stdin=pipe,
        stdout=pipe,
        text=True,
        env=environment,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout
