"""What the page of the lecture shows: a setting with a link of its own."""

from dataclasses import dataclass
from typing import Any

from core.errors import NumbersError
from core.lecture.forms import from_link
from core.lecture.order import MOST_ITEMS, RunningOrder
from core.query import Linked, Parameter, Reading, boolean, integer


@dataclass(frozen=True)
class LectureSettings(Linked):
    """The item in view, who looks at it, and a running order that a link brings."""

    order: str = ""  # as core.lecture.forms writes it; empty: the one that the browser keeps
    presenter: bool = False
    item: int = 1


def index_in_view(order: RunningOrder, settings: LectureSettings) -> int:
    """Return which item is in view, counted from 0; another window may have taken the last ones out.

    Args:
        order: as it is now.
        settings: of the page.
    """
    return max(0, min(settings.item, len(order.items)) - 1)


def _read_order(text: str, _: Any) -> Reading:
    try:
        if text:
            from_link(text)
    except NumbersError as error:
        return "", str(error)
    return text, ""


LectureSettings.PARAMETERS = {
    "order": Parameter(_read_order),
    "presenter": boolean("presenter"),
    "item": integer("item", 1, MOST_ITEMS),
}
