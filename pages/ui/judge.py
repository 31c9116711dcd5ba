"""PyTorch as the judge, in a process of its own.

Importing PyTorch takes about two seconds and holds Python's lock for most of them: in this process
every slider of every student would stutter. A second process imports it, once, when the first
picture is on the screen, and answers with one number for each trace. It reads its questions from a
pipe, so it ends when the server does.
"""

import dataclasses
import json
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import IO

from core.settings import AttentionSettings

_ROOT = Path(__file__).parents[2]
_KEPT = 256
_asked: dict[AttentionSettings, "Future[float | None]"] = {}
_one_at_a_time = ThreadPoolExecutor(1, thread_name_prefix="judge")


def ask(settings: AttentionSettings) -> "Future[float | None]":
    """Return the future largest difference between our output and PyTorch's."""
    question = _question(settings)
    known = _asked.get(question)
    if known is None or _failed(known):
        while len(_asked) >= _KEPT:
            _asked.pop(next(iter(_asked)), None)
        _asked[question] = _one_at_a_time.submit(_answer, question)
    return _asked[question]


def answer(settings: AttentionSettings) -> "Future[float | None] | None":
    """Return the future if somebody has asked, without asking."""
    return _asked.get(_question(settings))


def has_answered() -> bool:
    """Whether PyTorch has been imported and answers in milliseconds from now on."""
    return any(future.done() and not _failed(future) for future in list(_asked.values()))


def _failed(future: "Future[float | None]") -> bool:
    return future.done() and future.exception() is not None


def _question(settings: AttentionSettings) -> AttentionSettings:
    """The settings without what is only looked at: it does not change the numbers."""
    return dataclasses.replace(settings, stage="weights", head=None, cell=None, panel="cell", compare="")


def _answer(question: AttentionSettings) -> float | None:
    questions, answers = _process()
    try:
        questions.write(json.dumps(question.to_query()) + "\n")
        questions.flush()
        return json.loads(answers.readline())
    except (OSError, ValueError):  # it has ended: the next question starts another
        _process.cache_clear()
        raise


@cache
def _process() -> tuple[IO[str], IO[str]]:
    """Start the second process; return where questions go and where answers come from."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-m", "core.reference"], cwd=_ROOT, stdin=pipe, stdout=pipe, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout
