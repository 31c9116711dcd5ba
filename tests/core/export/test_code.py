"""The code that a person takes away is run here, and gives the numbers on the screen."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core.export.arrays import npz
from core.export.code import numpy_code, torch_code
from core.numbers import Numbers
from core.settings import AttentionSettings
from core.trace import trace_attention

SMALL = {"text": "a b a", "heads": 2, "d_k": 4}
MORE_QUERIES = Numbers(((1, 0), (0, 1), (1, 1), (2, 0)), ((1, 0.5), (0, 1 / 3)), ((10, 0, 1), (0, 6, -2.5)))
MORE_KEYS = Numbers(((1, 0.25), (0.1, 1)), ((1, 0), (0, 1), (1, 1), (2, 0)), ((1,), (2,), (3,), (4,)))
ONE_COLUMN = Numbers(((2.0,),), ((0.5,), (-0.5,)), ((1.0,), (3.0,)))
TURNED = {"rope": True, "rope_offset": 100, "query_shift": -3}

CASES = {
    "random, large": {},
    "random, small": SMALL,
    "one token": {"text": "a", "heads": 1, "d_k": 2},
    "two-keys": {"source": "two-keys"},
    "cat-sat-mat": {"source": "cat-sat-mat", "causal": True},
    "three-tokens": {"source": "three-tokens", "scale": "none"},
    "patterns": {"source": "patterns", "rope": True},
    "causal": {**SMALL, "causal": True},
    "causal, large": {"causal": True},
    "window": {**SMALL, "window": 2},
    "window and causal": {**SMALL, "window": 1, "causal": True},
    "no scale": {**SMALL, "scale": "none"},
    "scale d_k": {**SMALL, "scale": "d_k"},
    "odd d_k": {**SMALL, "d_k": 5},
    "no scale, saturated": {"scale": "none", "d_k": 512},
    "rope, interleaved": {**SMALL, "rope": True},
    "rope, half": {**SMALL, "rope": True, "pairing": "half"},
    "rope, moved": {**SMALL, **TURNED},
    "rope, half, moved": {**SMALL, **TURNED, "pairing": "half"},
    "rope, moved back": {**SMALL, "rope": True, "rope_offset": -13, "query_shift": 7},
    "rope, far away": {**SMALL, "rope": True, "rope_offset": 10**6, "query_shift": -(10**6)},
    "rope, base 7.5": {**SMALL, "rope": True, "rope_base": 7.5},
    "rope, base 1": {**SMALL, "rope": True, "rope_base": 1.0},
    "rope, large": {**TURNED, "rope_base": 500000.0, "pairing": "half", "causal": True},
    "grouped": {**SMALL, "heads": 4, "kv_heads": 2},
    "grouped, large": {"heads": 4, "kv_heads": 2, "rope": True, "window": 3},
    "more queries than keys": {"source": "custom", "numbers": MORE_QUERIES},
    "rows without keys": {"source": "custom", "numbers": MORE_QUERIES, "causal": True},
    "rows without keys, window": {"source": "custom", "numbers": MORE_QUERIES, "window": 1, **TURNED},
    "more keys than queries": {"source": "custom", "numbers": MORE_KEYS, "causal": True},
    "more keys, rope": {"source": "custom", "numbers": MORE_KEYS, "rope": True, "window": 2},
    "one column": {"source": "custom", "numbers": ONE_COLUMN},
}
PROGRAMS = {"numpy": numpy_code, "torch": torch_code}

# One process runs all programs, each in a folder of its own: importing PyTorch takes seconds. A
# warning is a fault: a person who runs this code should see its numbers and nothing else.
RUN_ALL = """
import json, os, runpy, sys, traceback, warnings
import torch
warnings.simplefilter("error")
faults = {}
for program in sys.argv[1:]:
    os.chdir(os.path.dirname(program))
    try:
        runpy.run_path(program)
    except BaseException:
        faults[program] = traceback.format_exc()
print("FAULTS" + json.dumps(faults))
"""


def trace_of(case):
    return trace_attention(AttentionSettings(**CASES[case]))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """(case, library) -> the arrays that the program left, or what went wrong."""
    places = {}
    for case in CASES:
        trace, folder = trace_of(case), tmp_path_factory.mktemp("case")
        for library, code in PROGRAMS.items():
            text = code(trace) + f'np.savez("{library}.npz", weights=weights, output=output)\n'
            places[case, library] = folder / f"with_{library}.py"
            places[case, library].write_text(text, encoding="utf-8")
            if "attention.npz" in text:
                (folder / "attention.npz").write_bytes(npz(trace))
    command = [sys.executable, "-c", RUN_ALL, *map(str, places.values())]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    faults = json.loads(ran.stdout.rpartition("FAULTS")[2])
    return {
        (case, library): faults.get(str(path)) or np.load(path.with_name(f"{library}.npz"))
        for (case, library), path in places.items()
    }


@pytest.mark.parametrize("library", PROGRAMS)
@pytest.mark.parametrize("case", CASES)
def test_the_program_gives_the_numbers_on_the_screen(case, library, results):
    found, trace = results[case, library], trace_of(case)
    assert not isinstance(found, str), found
    np.testing.assert_allclose(found["weights"], trace.weights, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["output"], trace.output, rtol=0, atol=1e-12)


@pytest.mark.parametrize("code", PROGRAMS.values(), ids=PROGRAMS)
def test_few_numbers_stand_in_the_code_and_many_in_the_file_beside_it(code):
    assert "np.load" not in code(trace_of("random, small"))
    assert 'np.load("attention.npz")' in code(trace_of("random, large"))


@pytest.mark.parametrize("code", PROGRAMS.values(), ids=PROGRAMS)
def test_no_token_can_become_code(code):
    trace = trace_attention(AttentionSettings(text="'''\"\"\"+exit() \\ __import__('os')"))
    assert "exit" not in code(trace)
    assert "__import__" not in code(trace)


def test_the_numpy_program_alone_needs_no_pytorch_and_prints_the_lesson(tmp_path):
    program = tmp_path / "two_keys.py"
    program.write_text(numpy_code(trace_of("two-keys")) + 'import sys\nassert "torch" not in sys.modules\n')
    ran = subprocess.run(
        [sys.executable, "-W", "error", program.name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "0.6698 0.3302" in ran.stdout  # A-we-w
    assert "6.6976 1.9814" in ran.stdout  # A-we-out
    assert [path.name for path in Path(tmp_path).iterdir()] == ["two_keys.py"]
