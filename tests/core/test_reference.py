"""PyTorch as a judge: it agrees, it could disagree, and it is not loaded before it is asked."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core import reference
from core.numbers import Numbers
from core.settings import AttentionSettings
from core.trace import trace_attention

ROOT = Path(__file__).parents[2]
FOUR_QUERIES = Numbers(((1, 0), (0, 1), (1, 1), (2, 0)), ((1, 0), (0, 1)), ((10, 0), (0, 6)))


def trace_of(**values):
    return trace_attention(AttentionSettings(**values))


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"causal": True},
        {"window": 2},
        {"scale": "none"},
        {"scale": "d_k", "d_k": 7},
        {"rope": True, "rope_offset": 99, "pairing": "half"},
        {"heads": 8, "kv_heads": 2, "causal": True},
        {"source": "patterns", "rope": True},
        {"source": "two-keys", "causal": True},
        {"source": "cat-sat-mat"},
        {"source": "custom", "numbers": FOUR_QUERIES, "causal": True},
    ],
    ids=str,
)
def test_torch_agrees(values):
    assert reference.difference_from_torch(trace_of(**values)) < 1e-12


def test_the_judge_sees_a_wrong_number():
    trace = trace_of(causal=True)
    context = trace.context.copy()
    context[1, 2, 3] += 1e-3
    wrong = dataclasses.replace(trace, context=context)
    assert reference.difference_from_torch(wrong) == pytest.approx(1e-3, rel=1e-6)


def test_rows_without_any_key_are_left_out(monkeypatch):
    trace = trace_of(source="custom", numbers=FOUR_QUERIES, causal=True)
    theirs = trace.context.copy()
    theirs[:, :2] = np.nan
    monkeypatch.setattr(reference, "torch_attention", lambda *_, **__: theirs)
    assert reference.difference_from_torch(trace) == 0


def test_without_any_visible_key_there_is_nothing_to_compare():
    trace = trace_of()
    hidden = dataclasses.replace(trace, mask=np.zeros_like(trace.mask))
    assert reference.difference_from_torch(hidden) is None


def test_the_mask_and_the_scale_are_those_that_are_passed():
    q, k, v = np.array([[[2.0]]]), np.array([[[1.0], [3.0], [9.0]]]), np.eye(3)[None]
    mask = np.array([[True, True, False]])
    output = reference.torch_attention(q, k, v, mask=mask, scale=0.5)
    expected = np.exp([1, 3]) / np.exp([1, 3]).sum()
    np.testing.assert_allclose(output, [[[*expected, 0]]], rtol=1e-12)


@pytest.mark.parametrize("module", ["core.trace", "core.reference"])
def test_importing_the_core_loads_neither_torch_nor_the_app(module):
    """PyTorch takes seconds to import; no picture may wait for it."""
    program = f"import sys, {module}; print(*{{name.split('.')[0] for name in sys.modules}})"
    loaded = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "core" in loaded
    assert not {"torch", "streamlit", "plotly"} & set(loaded)
