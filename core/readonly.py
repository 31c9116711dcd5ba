"""Traces are shared between pages and threads, so nobody may write to their arrays."""

from dataclasses import fields
from typing import Any

import numpy as np


class ReadOnly:
    """A frozen dataclass whose arrays, also those in a dict, become read-only."""

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            for each in value.values() if isinstance(value, dict) else (value,):
                _lock(each)


def _lock(value: Any) -> None:
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
