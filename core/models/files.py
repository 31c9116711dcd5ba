"""The weight files on this machine: where they are, whether they are what they should be, how they come."""

import hashlib
import os
from pathlib import Path
from typing import Any

from core.models.specs import MODELS, WeightFile

FOLDER = Path(__file__).parents[2] / "models"  # git ignores it
HOW = "Type make models in the folder of the app (it fetches 190 MB), then reload this page."
_BLOCK = 1 << 20


class ModelFileError(ValueError):
    """A weight file is missing, or not the one that it should be."""


def folder() -> Path:
    """Return where the files are; the environment variable LAB_MODELS can name another folder."""
    return Path(os.environ.get("LAB_MODELS", FOLDER))


def sha256_of(path: Path) -> str:
    """Return the hash of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def missing(model: str) -> list[str]:
    """Return the names of a model's files that are not here."""
    return [file.name for file in MODELS[model].files if not (folder() / file.name).is_file()]


def checked(file: WeightFile) -> Path:
    """Return the path of a file whose hash is right.

    Raises:
        ModelFileError: it is missing or another, with what to do.
    """
    path = folder() / file.name
    if not path.is_file():
        raise ModelFileError(f"The file {file.name} is not here. {HOW}")
    if sha256_of(path) != file.sha256:
        raise ModelFileError(
            f"The file {file.name} is damaged or another one: its SHA-256 is not the expected one. "
            "Delete it and type make models."
        )
    return path


def load(model: str) -> Any:
    """Return a model, ready to record.

    Args:
        model: a key of MODELS.

    Raises:
        ModelFileError: a file is missing or damaged, or a package to read it with is not installed.
    """
    paths = [checked(file) for file in MODELS[model].files]
    try:
        if model == "minilm":
            from core.models.minilm import MiniLM

            return MiniLM(*paths)
        from core.models.smollm2 import SmolLM2

        return SmolLM2(*paths)
    except ImportError as error:
        raise ModelFileError(f"The package {error.name} is not installed. {HOW}") from None
