"""What the page of the lecture shows: a setting with a link of its own."""

from dataclasses import dataclass
from typing import Any

from core.errors import NumbersError
from core.lecture.forms import from_link
from core.lecture.order import MOST_ITEMS
from core.query import Linked, Parameter, Reading, boolean, integer


@dataclass(frozen=True)
class LectureSettings(Linked):
    """The item in view, who looks at it, and a running order that a link brings."""

    order: str = ""  # as core.lecture.forms writes it; empty: the one that the browser keeps
    presenter: bool = False
    item: int = 1


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
