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

from core.settings import AttentionSettings

_ROOT = Path(__file__).parents[2]
_KEPT = 256
_asked: dict[AttentionSettings, "Future[float | None]"] = {}
_one_at_a_time = ThreadPoolExecutor(1, thread_name_prefix="judge")


def ask(settings: AttentionSettings) -> "Future[float | None]":
    """Return the future largest difference between our output and PyTorch's."""
    question = _question(settings)
    if question not in _asked:
        while len(_asked) >= _KEPT:
            _asked.pop(next(iter(_asked)), None)
        _asked[question] = _one_at_a_time.submit(_answer, question)
    return _asked[question]


def answer(settings: AttentionSettings) -> "Future[float | None] | None":
    """Return the future if somebody has asked, without asking."""
    return _asked.get(_question(settings))


def _question(settings: AttentionSettings) -> AttentionSettings:
    """The settings without what is only looked at: it does not change the numbers."""
    return dataclasses.replace(settings, stage="weights", head=None, cell=None, panel="cell", compare="")


def _answer(question: AttentionSettings) -> float | None:
    process = _process()
    try:
        process.stdin.write(json.dumps(question.to_query()) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())
    except (OSError, ValueError):  # it has ended: the next question starts another
        _process.cache_clear()
        raise


@cache
def _process() -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "core.reference"],
        cwd=_ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
