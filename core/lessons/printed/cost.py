"""The numbers of the lessons that /cost shows."""

from core.lessons.cost_counts import Cost
from core.lessons.printed.number import Printed


def _ratio(part: str) -> float:
    one, two = (Cost(n, d_k=64, heads=8, kv_heads=8) for n in (1000, 2000))
    return getattr(two, part) / getattr(one, part)


NUMBERS: tuple[Printed, ...] = (
    Printed(
        "A-quad",
        "cost",
        "from 1,000 to 2,000 tokens, the score matrix grows by",
        "4",
        lambda: _ratio("entries"),
        remark=f"The score matrix only: projections and MLP grow by {_ratio('linear'):g}.",
    ),
)
