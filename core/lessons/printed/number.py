"""One number of the source lessons, and how it is computed here."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Values = float | int | np.ndarray | tuple | bool | str


@dataclass(frozen=True)
class Printed:
    """One number, or a few that belong together."""

    id: str  # the lesson (A, B or C) and a name
    page: str  # the address of the page that shows it
    what: str
    printed: str  # as the lesson has it; "" where it asks and leaves the answer open
    values: Callable[[], Values]
    right: bool = True  # whether what is printed agrees, as far as its digits go
    remark: str = ""
    digits: int = 4

    def computed(self) -> str:
        """The values as text."""
        return _text(self.values(), self.digits)


def _text(value: Values, digits: int) -> str:
    if isinstance(value, str | bool | int):
        return f"{value:,}" if type(value) is int else str(value)
    if isinstance(value, float):
        if value and (abs(value) < 10**-digits or abs(value) >= 1e6):
            return f"{value:.4g}".replace("-", "−").replace("inf", "∞")
        return f"{value + 0.0:.{digits}f}".replace("-", "−")
    inner = [_text(each.item() if isinstance(each, np.generic) else each, digits) for each in value]
    return f"({', '.join(inner)})"
