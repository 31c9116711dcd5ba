"""A person's own Q, K and V: from typed or pasted text to matrices, and to a compact link."""

import math
import re
from dataclasses import dataclass

from core.errors import NumbersError
from core.tokens import MAX_TOKENS

LARGEST = 1e6  # so that a dot product of 512 terms stays far from overflow
MAX_WIDTH = 64
MAX_COMPACT = 10_000  # characters; servers refuse addresses of more than about 64,000 bytes
Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Numbers:
    """Three matrices: q [Tq, d_k], k [Tk, d_k], v [Tk, d_v]. Finite, and they fit together."""

    q: Matrix
    k: Matrix
    v: Matrix

    def __post_init__(self) -> None:
        for name, matrix in (("Q", self.q), ("K", self.k), ("V", self.v)):
            _check_matrix(name, matrix)
        if len(self.q[0]) != len(self.k[0]):
            raise NumbersError(
                f"Q has {len(self.q[0])} columns and K has {len(self.k[0])}; give both the same "
                "number, d_k: a dot product pairs their entries."
            )
        if len(self.k) != len(self.v):
            raise NumbersError(f"K has {len(self.k)} rows and V has {len(self.v)}; give each key one value.")
        length = len(self.compact())
        if length > MAX_COMPACT:
            raise NumbersError(
                f"These numbers take {length:,} characters in a link, which holds {MAX_COMPACT:,}; "
                "use fewer rows, columns or digits."
            )

    def compact(self) -> str:
        """The three matrices as text that :func:`parse_compact` reads back to the same numbers."""
        return "|".join(
            ";".join(",".join(_shortest(x) for x in row) for row in matrix)
            for matrix in (self.q, self.k, self.v)
        )


def parse_compact(text: str) -> Numbers:
    """Return the numbers of a link: "1,0;0,1|1,0;0,1|10,0;0,6" is Q|K|V, ; between rows.

    Raises:
        NumbersError: a sentence about the first thing that cannot be read.
    """
    parts = text.split("|")
    if len(parts) != 3:
        raise NumbersError(f"Expected three matrices Q|K|V, got {len(parts)}; put | between them.")
    cells = [[row.split(",") for row in part.split(";")] for part in parts]
    return parse_cells(*cells)


def parse_cells(q: list[list], k: list[list], v: list[list]) -> Numbers:
    """Return the numbers of three tables of text cells, rows of only blanks at the end left out.

    Raises:
        NumbersError: a sentence that names the table, row and column of the first bad cell.
    """
    return Numbers(*(_parse_table(name, table) for name, table in zip("QKV", (q, k, v), strict=True)))


def parse_number(text: object, largest: float = LARGEST) -> float:
    """Return a number typed by a person: "0.5", "0,5", "1/3", "-2e-3", "1,048,576" or " 7 ".

    Args:
        text: what was typed.
        largest: how large it may be, either way.

    Raises:
        NumbersError: it is not a finite number within that, or could be read in two ways.
    """
    if re.fullmatch(r"\s*[+-]?[1-9]\d{0,2}(,\d{3}){2,}\s*", str(text)):  # two commas can only part thousands
        text = str(text).replace(",", "")
    if re.fullmatch(r"\s*[+-]?[1-9]\d{0,2}(,\d{3})+\s*", str(text)):
        raise NumbersError(f"{str(text)[:40]!r} can be read in two ways; write it without the comma")
    cleaned = str(text).strip().replace("\u2212", "-").replace(",", ".")
    try:
        above, _, below = cleaned.partition("/")
        parts = (float(above), float(below)) if below else (float(cleaned), 1.0)
        number = parts[0] / parts[1] if all(map(math.isfinite, parts)) else math.nan
    except (ValueError, ZeroDivisionError):
        raise NumbersError(f"{str(text)[:40]!r} is not a number; write it as 0.5 or 1/3") from None
    if not math.isfinite(number):
        raise NumbersError(f"{str(text)[:40]!r} is not finite; write an ordinary number")
    if abs(number) > largest:
        raise NumbersError(f"{str(text)[:40]!r} is too large; stay within {largest:,.0f} either way")
    return number + 0.0  # -0.0 becomes 0.0


def _parse_table(name: str, table: list[list]) -> Matrix:
    rows = [list(row) for row in table]
    while rows and all(_is_blank(cell) for cell in rows[-1]):
        rows.pop()
    if not rows:
        raise NumbersError(f"{name} is empty; fill in at least one row.")
    return tuple(
        tuple(_parse_cell(name, i, j, cell) for j, cell in enumerate(row)) for i, row in enumerate(rows)
    )


def _parse_cell(name: str, i: int, j: int, cell: object) -> float:
    where = f"{name}, row {i}, column {j}"
    if _is_blank(cell):
        raise NumbersError(f"{where} is blank; fill it in, or clear the whole row.")
    try:
        return parse_number(cell)
    except NumbersError as error:
        raise NumbersError(f"{where}: {error}.") from None


def _is_blank(cell: object) -> bool:
    return cell is None or not str(cell).strip()


def _check_matrix(name: str, matrix: Matrix) -> None:
    if not 1 <= len(matrix) <= MAX_TOKENS:
        raise NumbersError(f"{name} has {len(matrix)} rows; give it 1 to {MAX_TOKENS}.")
    if not all(abs(x) <= LARGEST for row in matrix for x in row):  # NaN is not <= either
        raise NumbersError(f"{name} holds a number that is not within +-1,000,000.")
    widths = sorted({len(row) for row in matrix})
    if len(widths) > 1:
        raise NumbersError(
            f"The rows of {name} have {widths[0]} to {widths[-1]} columns; give all the same number."
        )
    if not 1 <= widths[0] <= MAX_WIDTH:
        raise NumbersError(f"{name} has {widths[0]} columns; give it 1 to {MAX_WIDTH}.")


def _shortest(x: float) -> str:
    return str(int(x)) if x == int(x) else repr(x)
