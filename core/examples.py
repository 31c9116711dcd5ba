"""The numeric examples of the three lessons, with their scores computed, not copied."""

from dataclasses import dataclass

from core.numbers import Matrix, Numbers


@dataclass(frozen=True)
class WorkedExample:
    """Named queries and keys with the numbers they carry."""

    title: str
    query_tokens: tuple[str, ...]
    key_tokens: tuple[str, ...]
    numbers: Numbers
    remark: str


_CAT_SAT_MAT: Matrix = ((1.0, 0.5, 0.2, 0.8), (0.3, 0.9, 0.1, 0.4), (0.6, 0.2, 0.7, 0.3))
_CORNERS: Matrix = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0))

WORKED_EXAMPLES = {
    "two-keys": WorkedExample(
        "Two keys",
        ("q",),
        ("k0", "k1"),
        Numbers(q=((1.0, 0.0),), k=((1.0, 0.0), (0.0, 1.0)), v=((10.0, 0.0), (0.0, 6.0))),
        "One query, two keys. The query equals the first key, and still a third of the weight "
        "goes to the second.",
    ),
    "cat-sat-mat": WorkedExample(
        "cat sat mat",
        ("cat", "sat", "mat"),
        ("cat", "sat", "mat"),
        Numbers(q=_CAT_SAT_MAT, k=_CAT_SAT_MAT, v=_CAT_SAT_MAT),
        "Q = K = V. The score of sat and mat is 0.55 (0.18 + 0.18 + 0.07 + 0.12); "
        "some printed copies of this example say 0.65.",
    ),
    "three-tokens": WorkedExample(
        "Three tokens",
        ("t0", "t1", "t2"),
        ("t0", "t1", "t2"),
        Numbers(q=_CORNERS, k=_CORNERS, v=((1.0, 0.0), (0.0, 10.0), (5.0, 5.0))),
        "Queries equal keys: (1, 0), (0, 1) and (1, 1).",
    ),
}
