"""A picture with the words around it, and what answers while a slider of its page is dragged."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from core.query import Linked


@dataclass(frozen=True)
class Picture:
    """A figure, its text alternative, and the HTML that stands with it and changes with it."""

    figure: go.Figure | None  # None where the words are the picture
    alt: str = ""
    file_name: str = "picture"  # of the PNG that the plot's own button saves, without its ending
    beside: str = ""
    below: str = ""
    even: bool = False  # whether figure and words share the width evenly, or the figure has more

    def data(self) -> dict[str, str | bool]:
        """Return what the browser gets. The figure is JSON already."""
        return {
            "figure": self.figure.to_json() if self.figure else "",
            "alt": self.alt,
            "fileName": self.file_name,
            "beside": self.beside,
            "below": self.below,
            "even": self.even,
        }


@dataclass(frozen=True)
class View:
    """All live pictures of a page: which settings they need, and what draws them."""

    kind: type[Linked]
    pictures: Callable[[Any], dict[str, Picture]]
