"""Traces are shared between pages and threads, so nobody may write to their arrays."""

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


class ReadOnly:
    """A frozen dataclass whose arrays become read-only, also those in its dicts, tuples and dataclasses."""

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            if field.name != "settings":  # they hold no array
                _lock(getattr(self, field.name))


def _lock(value: Any) -> None:
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    elif isinstance(value, dict):
        for each in value.values():
            _lock(each)
    elif isinstance(value, tuple):
        for each in value:
            _lock(each)
    elif is_dataclass(value):
        for field in fields(value):
            _lock(getattr(value, field.name))
