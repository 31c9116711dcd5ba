"""The recordings that come with the app, read without PyTorch."""

from functools import lru_cache
from pathlib import Path

from core.models.recording import Recording

FOLDER = Path(__file__).parents[2] / "assets" / "gallery"


def name_of(model: str, sentence: str) -> str:
    """Return the name of a recording's file."""
    return f"{model}_{sentence}.npz"


@lru_cache(maxsize=32)  # all of them
def recorded(model: str, sentence: str) -> Recording:
    """Return a recording. It is read once and cannot be written to.

    Args:
        model: a key of MODELS.
        sentence: a key of SENTENCES.

    Raises:
        RecordingError: the file is missing or damaged.
    """
    return Recording.read(str(FOLDER / name_of(model, sentence)))
