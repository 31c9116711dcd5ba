"""PyTorch judges from a process of its own: it answers, it is not asked twice, it comes back."""

import dataclasses
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from core.numbers import Numbers
from core.settings import AttentionSettings

ROOT = Path(__file__).parents[2]
SETTINGS = AttentionSettings()
BLIND = Numbers(((1, 0), (0, 1), (1, 1), (2, 0)), ((1, 0), (0, 1)), ((10, 0), (0, 6)))


@pytest.fixture(scope="module")
def started():
    """The processes that the judge has started."""
    return []


@pytest.fixture(scope="module")
def judge(started):
    """A judge that nobody has asked yet: a copy of the module, so that the pages' own is left alone."""
    spec = importlib.util.spec_from_file_location("judge_alone", ROOT / "pages" / "ui" / "judge.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    start = subprocess.Popen

    def popen(*args, **options):
        started.append(start(*args, **options))
        return started[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess, "Popen", popen)
        yield module
    for process in started:
        process.kill()
        process.wait()


def test_pytorch_agrees_with_the_default_settings(judge):
    assert judge.answer(judge.about_attention(SETTINGS)) is None  # nobody has asked
    assert judge.ask(judge.about_attention(SETTINGS)).result(60) < 1e-12


@pytest.mark.parametrize(
    "values",
    [
        {"text": "שלום 🙂 <b>x</b>", "causal": True, "rope": True},
        {"heads": 8, "kv_heads": 2, "window": 3, "scale": "none"},
        {"source": "custom", "numbers": BLIND, "causal": True},
    ],
    ids=["words", "grouped", "rows without keys"],
)
def test_pytorch_agrees_with_other_settings(values, judge):
    assert judge.ask(judge.about_attention(AttentionSettings(**values))).result(60) < 1e-12


def test_the_same_numbers_are_judged_once(judge):
    first = judge.ask(judge.about_attention(SETTINGS))
    looked_at = dataclasses.replace(SETTINGS, stage="scores", head=1, cell=(1, 2, 3), panel="saturation")
    assert judge.ask(judge.about_attention(looked_at)) is first
    assert judge.answer(judge.about_attention(looked_at)) is first
    assert judge.ask(judge.about_attention(dataclasses.replace(SETTINGS, seed=1))) is not first


def test_one_process_answers_all(judge, started):
    for seed in range(2, 6):
        judge.ask(judge.about_attention(dataclasses.replace(SETTINGS, seed=seed))).result(60)
    assert len(started) == 1


def test_the_judge_comes_back_after_its_process_has_ended(judge, started):
    judge.ask(judge.about_attention(SETTINGS)).result(60)
    started[-1].kill()
    started[-1].wait()
    question = dataclasses.replace(SETTINGS, seed=99)
    for _ in range(3):  # the first answer may be that it could not be asked, the next must be there
        try:
            assert judge.ask(judge.about_attention(question)).result(60) < 1e-12
        except (OSError, ValueError):
            continue
        break
    else:
        pytest.fail("a question that failed once is never asked again")
    assert len(started) == 2


SERVER = """
import sys
from tests.pages.conftest import Page
home = Page("home.py", {})
page = Page("playground.py", {"panel": "saturation"})
page.set("panel", "cell").set("causal", True).change("sliders", d_k=32)
from core.settings import AttentionSettings
from pages.ui import judge
difference = judge.ask(judge.about_attention(AttentionSettings.from_query(page.query)[0])).result(60)
assert f"<b>{difference:.1e}</b>" in page.run().html, "the strip does not show what PyTorch said"
print("torch" in sys.modules)
"""


def test_the_server_shows_the_verdict_and_never_imports_pytorch_itself():
    ran = subprocess.run(
        [sys.executable, "-c", SERVER], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == "False"
