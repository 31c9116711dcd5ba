"""Trained models at work, in a process of their own: importing PyTorch there makes no slider stutter.

One sentence is read at a time, a few may wait, and the latest recordings are kept. A process that takes too
long is ended, and so is one that nobody asks; the next question starts another. It reads its questions from
a pipe, so it ends when the server does.
"""

import io
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path

from core.models.recording import Recording

_ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "core.models")
KEPT = 8  # recordings, up to 20 MB each
MOST_WAITING = 4
IDLE = 900.0  # seconds
LONGEST = 120.0  # seconds; the first sentence takes ten to twenty, while the weights are read

Question = tuple[str, str]  # model, text
_asked: dict[Question, "Future[Recording]"] = {}
_lock = threading.Lock()
_resting: list[threading.Timer] = []  # one at most
_one_at_a_time = ThreadPoolExecutor(1, thread_name_prefix="models")


class DeskError(RuntimeError):
    """No recording could be made; the message is a sentence for a person."""


def ask(question: Question) -> "Future[Recording] | None":
    """Return the future recording; None if too many are waiting already."""
    with _lock:
        known = _asked.get(question)
        if known is not None:
            return known
        if sum(not future.done() for future in _asked.values()) >= MOST_WAITING:
            return None
        too_many = max(0, len(_asked) + 1 - KEPT)
        for old in [old for old, future in _asked.items() if future.done()][:too_many]:
            del _asked[old]
        _asked[question] = _one_at_a_time.submit(_answer, question)
        return _asked[question]


def answer(question: Question) -> "Future[Recording] | None":
    """Return the future if somebody has asked, without asking."""
    return _asked.get(question)


def forget(question: Question) -> None:
    """Let a question be asked anew."""
    with _lock:
        _asked.pop(question, None)


def _answer(question: Question) -> Recording:
    process = _process()
    assert process.stdin is not None
    assert process.stdout is not None
    too_long = threading.Timer(LONGEST, process.kill)
    too_long.start()
    try:
        model, text = question
        process.stdin.write(json.dumps({"model": model, "text": text}).encode() + b"\n")
        process.stdin.flush()
        head = json.loads(process.stdout.readline())
        if "error" in head:
            raise DeskError(head["error"])
        return Recording.read(io.BytesIO(process.stdout.read(head["bytes"])))
    except (OSError, ValueError):  # it has ended: the next question starts another
        process.kill()
        _process.cache_clear()
        raise DeskError("The model’s process has ended before it had read the sentence. Try again.") from None
    finally:
        too_long.cancel()
        _rest_later()


def _rest_later() -> None:
    """End the process when nobody has asked for a while: it holds a gigabyte."""
    while _resting:
        _resting.pop().cancel()
    timer = threading.Timer(IDLE, _one_at_a_time.submit, (_rest,))
    timer.daemon = True
    timer.start()
    _resting.append(timer)


def _rest() -> None:
    if _process.cache_info().currsize:
        _process().kill()
        _process().wait()
        _process.cache_clear()


@cache
def _process() -> "subprocess.Popen[bytes]":
    pipe = subprocess.PIPE
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    return subprocess.Popen(COMMAND, cwd=_ROOT, stdin=pipe, stdout=pipe, env=environment)
