"""What is known of a model at one moment of its training, and as a line of text between processes."""

import json
import zlib
from base64 import b64decode, b64encode
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Moment:
    """What is known of a model after some steps."""

    step: int
    values: tuple[float, ...]  # in the order of ``measures.names_of``
    heads: np.ndarray | None = None  # [L * H, T, T] in 1/255; None where they are not drawn
    text: str = ""  # what a model of text writes, where heads are drawn

    def line(self) -> str:
        """Return the moment as JSON on one line."""
        plain = {"step": self.step, "values": self.values, "text": self.text}
        if self.heads is not None:
            plain["shape"] = self.heads.shape
            plain["heads"] = b64encode(zlib.compress(self.heads.tobytes())).decode()
        return json.dumps(plain)

    @classmethod
    def of(cls, line: str) -> "Moment":
        """Return the moment that :meth:`line` wrote.

        Args:
            line: of JSON.

        Raises:
            ValueError: it is none.
        """
        try:
            plain = json.loads(line)
            heads = None
            if "heads" in plain:
                raw = zlib.decompress(b64decode(plain["heads"]))
                heads = np.frombuffer(raw, dtype=np.uint8).reshape(plain["shape"])
            return cls(int(plain["step"]), tuple(map(float, plain["values"])), heads, str(plain["text"]))
        except (KeyError, TypeError, zlib.error) as error:
            raise ValueError(f"this is no moment of a training: {line[:40]!r}") from error
