"""The process in which models read: questions, failures, a killed or a stuck process, the queue."""

import io
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

from core.models import __main__ as worker
from core.models.gallery import recorded
from core.models.minilm import _LAYER as BERT_NAMES
from core.models.minilm import MiniLM
from core.models.recording import Recording
from pages.ui import model_desk

# A process that speaks as ours, but answers from the gallery; what it is asked decides what it does.
STAND_IN = """
import json, os, sys, time
from core.models.gallery import recorded
for line in sys.stdin.buffer:
    question = json.loads(line)
    if question["text"] == "die":
        os._exit(3)
    if question["text"] == "sleep":
        time.sleep(600)
    if question["text"] == "fail":
        answer, packed = {"error": "A sentence."}, b""
    else:
        packed = recorded(question["model"], "tired").packed()
        answer = {"bytes": len(packed)}
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\\n" + packed)
    sys.stdout.buffer.flush()
"""


@pytest.fixture
def desk(monkeypatch):
    """The desk with a stand-in for its process, and nothing asked yet."""
    monkeypatch.setattr(model_desk, "COMMAND", (sys.executable, "-c", STAND_IN))
    monkeypatch.setattr(model_desk, "_asked", {})
    executor = ThreadPoolExecutor(1)
    monkeypatch.setattr(model_desk, "_one_at_a_time", executor)
    model_desk._process.cache_clear()
    yield model_desk
    if model_desk._process.cache_info().currsize:
        model_desk._process().kill()  # whoever waits for it goes on
    executor.shutdown(cancel_futures=True)
    while model_desk._resting:
        model_desk._resting.pop().cancel()
    model_desk._rest()


def test_a_sentence_is_read_once(desk):
    future = desk.ask(("minilm", "a"))
    recording = future.result(30)
    np.testing.assert_array_equal(recording.weights, recorded("minilm", "tired").weights)
    assert desk.ask(("minilm", "a")) is future
    assert desk.answer(("minilm", "a")) is future
    assert desk.answer(("smollm2", "a")) is None


def test_a_failure_is_a_sentence_and_can_be_tried_again(desk):
    future = desk.ask(("minilm", "fail"))
    with pytest.raises(desk.DeskError, match=r"^A sentence\.$"):
        future.result(30)
    assert desk.ask(("minilm", "fail")) is future
    desk.forget(("minilm", "fail"))
    assert desk.ask(("minilm", "fail")) is not future


def test_a_process_that_dies_is_a_sentence_and_the_next_question_starts_another(desk):
    with pytest.raises(desk.DeskError, match="has ended before"):
        desk.ask(("minilm", "die")).result(30)
    assert isinstance(desk.ask(("minilm", "b")).result(30), Recording)


def test_a_process_that_was_killed_between_questions(desk):
    desk.ask(("minilm", "a")).result(30)
    desk._process().kill()
    desk._process().wait()
    with pytest.raises(desk.DeskError, match="Try again"):
        desk.ask(("minilm", "b")).result(30)
    desk.forget(("minilm", "b"))
    assert isinstance(desk.ask(("minilm", "b")).result(30), Recording)


def test_a_process_that_takes_too_long_is_ended(desk, monkeypatch):
    monkeypatch.setattr(desk, "LONGEST", 0.2)
    started = time.monotonic()
    with pytest.raises(desk.DeskError, match="has ended before"):
        desk.ask(("minilm", "sleep")).result(30)
    assert time.monotonic() - started < 20


def test_a_process_that_nobody_asks_is_ended_and_comes_back(desk, monkeypatch):
    monkeypatch.setattr(desk, "IDLE", 0.2)
    desk.ask(("minilm", "a")).result(30)
    first = desk._process()
    assert first.wait(20) is not None
    assert isinstance(desk.ask(("minilm", "b")).result(30), Recording)
    assert desk._process().pid != first.pid


def test_only_a_few_may_wait(desk):
    for i in range(desk.MOST_WAITING):
        assert desk.ask(("minilm", "sleep" if i == 0 else f"w{i}")) is not None
    assert desk.ask(("minilm", "one too many")) is None
    assert desk.answer(("minilm", "one too many")) is None
    assert desk.ask(("minilm", "w1")) is not None  # that one waits already


def test_the_latest_few_are_kept(desk):
    for i in range(desk.KEPT + 3):
        desk.ask(("minilm", f"w{i}")).result(30)
    assert len(desk._asked) == desk.KEPT
    assert desk.answer(("minilm", f"w{desk.KEPT + 2}")) is not None
    assert desk.answer(("minilm", "w0")) is None


def test_the_real_process_says_what_is_missing(desk, monkeypatch, tmp_path):
    monkeypatch.setattr(desk, "COMMAND", (sys.executable, "-m", "core.models"))
    monkeypatch.setitem(os.environ, "LAB_MODELS", str(tmp_path))
    with pytest.raises(desk.DeskError, match=r"model\.safetensors is not here\. .*make models"):
        desk.ask(("minilm", "a")).result(120)


def test_the_process_answers_with_a_recording_and_then_with_a_sentence(monkeypatch):
    torch = pytest.importorskip("torch")
    model = object.__new__(MiniLM)
    spec = model.spec
    torch.manual_seed(0)
    model.tensors = {
        f"embeddings.{name}.weight": torch.randn(shape)
        for name, shape in (
            ("word_embeddings", (3, spec.d_model)),
            ("position_embeddings", (8, spec.d_model)),
            ("token_type_embeddings", (2, spec.d_model)),
            ("LayerNorm", (spec.d_model,)),
        )
    }
    model.tensors["embeddings.LayerNorm.bias"] = torch.zeros(spec.d_model)
    for i in range(spec.n_layers):
        for ours, theirs in BERT_NAMES.items():
            wide, narrow = (1536 if ours == part else spec.d_model for part in ("wide", "narrow"))
            name = f"encoder.layer.{i}.{theirs}"
            shape = (spec.d_model,) if ours.startswith("norm") else (wide, narrow)
            model.tensors[name + ".weight"] = torch.randn(shape) * 0.05
            model.tensors[name + ".bias"] = torch.zeros(shape[0])
    model.tokenizer = SimpleNamespace(
        encode=lambda text: SimpleNamespace(ids=[len(w) % 3 for w in text.split()], tokens=text.split())
    )
    monkeypatch.setattr(worker, "_loaded", lambda key: model)
    questions = [{"model": "minilm", "text": "one two three"}, {"model": "minilm", "text": " "}]
    answers = io.BytesIO()
    lines = b"".join(json.dumps(each).encode() + b"\n" for each in questions)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(lines)))
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=answers))
    threads = torch.get_num_threads()
    try:
        worker.main()
    finally:
        torch.set_num_threads(threads)
    answers.seek(0)
    n_bytes = json.loads(answers.readline())["bytes"]
    recording = Recording.read(io.BytesIO(answers.read(n_bytes)))
    assert recording.tokens == ("one", "two", "three")
    assert recording.q.shape == (72, 3, 32)  # of every head
    assert recording.removed.size == 0
    assert "no token for this text" in json.loads(answers.readline())["error"]
