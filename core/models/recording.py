"""What one model did on one sentence, as arrays; how it is packed into a small file and read again.

Half precision keeps three decimals of a weight, and makes the files a quarter as large.
"""

import io
import zipfile
import zlib
from dataclasses import dataclass, fields
from functools import cached_property
from typing import IO, Any

import numpy as np

from core.errors import require
from core.models.specs import MODELS, ModelSpec
from core.readonly import ReadOnly


class RecordingError(ValueError):
    """A file does not hold a recording."""


@dataclass(frozen=True, eq=False)  # each equals itself alone, and so can be a key of caches
class Recording(ReadOnly):
    """One model on one sentence. Arrays are read-only; T tokens, L layers, H heads, d of a head."""

    model: str  # a key of MODELS
    text: str
    n_all: int  # tokens of the whole text; more than T where it was cut
    tokens: tuple[str, ...]  # T names
    weights: np.ndarray  # [L, H, T, T] float16
    written: np.ndarray  # [L, H, T] float16, the length of each value after its head's part of W_O
    telling: np.ndarray  # [N, 2] the (layer, head) of each of the next three
    q: np.ndarray  # [N, T, d] float16, before rotation
    k: np.ndarray  # [N, T, d] of the KV head that the head reads, before rotation
    v: np.ndarray  # [N, T, d]
    next_tokens: tuple[str, ...]  # the likeliest next tokens, best first; none for an encoder
    next_p: np.ndarray  # [n] their probabilities, float32
    removed: np.ndarray  # [L, H] float32: how far the result moves without the head; [0, 0] if not measured
    removed_p: np.ndarray  # [L, H] float32: the likeliest token's probability then; [0, 0] if there is none

    @property
    def spec(self) -> ModelSpec:
        """The model."""
        return MODELS[self.model]

    @property
    def n_tokens(self) -> int:
        """T."""
        return len(self.tokens)

    @cached_property
    def whole_weights(self) -> np.ndarray:
        """The weights as float64, each row divided by its sum, which rounding had left at 1 +- 0.001."""
        weights = self.weights.astype(np.float64)
        weights /= weights.sum(axis=-1, keepdims=True)
        weights.setflags(write=False)
        return weights

    @property
    def visible(self) -> np.ndarray:
        """Bool ``[T, T]``, True = may attend: what the model itself lets a query see."""
        visible = np.ones((self.n_tokens, self.n_tokens), dtype=bool)
        return np.tril(visible) if self.spec.is_causal else visible

    def place_of(self, layer: int, head: int) -> int | None:
        """The index of a head in q, k and v; None if they are not kept."""
        found = np.flatnonzero((self.telling == (layer, head)).all(axis=-1))
        return int(found[0]) if found.size else None

    def write(self, file: IO[bytes] | str) -> None:
        """Write the recording as a compressed .npz."""
        np.savez_compressed(file, **self._arrays())

    def packed(self) -> bytes:
        """Return the recording as an .npz that is not compressed: larger, and ready sooner."""
        buffer = io.BytesIO()
        np.savez(buffer, **self._arrays())
        return buffer.getvalue()

    def _arrays(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def read(cls, file: IO[bytes] | str) -> "Recording":
        """Read what :meth:`write` or :meth:`packed` has made.

        Raises:
            RecordingError: it is no such file, or its shapes do not fit.
        """
        try:
            with np.load(file, allow_pickle=False) as arrays:
                values = {field.name: arrays[field.name] for field in fields(cls)}
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise RecordingError(f"This is no recording of a model: {error}") from None
        for name in ("model", "text"):
            values[name] = str(values[name])
        values["n_all"] = int(values["n_all"])
        for name in ("tokens", "next_tokens"):
            values[name] = tuple(str(token) for token in values[name])
        recording = cls(**values)
        spec = MODELS.get(recording.model)
        shape = (spec.n_layers, spec.n_heads, recording.n_tokens, recording.n_tokens) if spec else None
        require(
            recording.weights.shape == shape,
            f"expected weights {shape} of {recording.model}, got {recording.weights.shape}.",
            RecordingError,
        )
        return recording
