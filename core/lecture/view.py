"""What the page of the lecture shows: a setting with a link of its own."""

from dataclasses import dataclass
from typing import Any

from core.errors import NumbersError
from core.lecture.forms import from_link
from core.lecture.order import MOST_ITEMS, RunningOrder
from core.query import Linked, Parameter, Reading, boolean, number_in, shown


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


def _read_item(text: str, _: Any) -> Reading:
    """Beyond the last item is the last one, as ``index_in_view`` has it: nothing that needs a word."""
    number = number_in(text)
    if number is None:
        return 1, f"item = {shown(text)} is not a whole number; 1 is used."
    return round(min(max(number, 1), MOST_ITEMS)), ""


LectureSettings.PARAMETERS = {
    "order": Parameter(_read_order),
    "presenter": boolean("presenter"),
    "item": Parameter(_read_item),
}
