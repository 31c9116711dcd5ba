"""Medians, percentiles and aligned tables."""

from collections.abc import Sequence
from statistics import median

__all__ = ["judged", "median", "p95", "table"]


def p95(values: Sequence[float]) -> float:
    """Return the smallest value that at least 95 in 100 do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-95 * len(ordered) // 100) - 1)]


def judged(target: str, met: bool) -> str:
    return f"{target}: {'met' if met else 'MISSED'}"


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; columns of numbers to the right, of words to the left."""
    columns = list(zip(header, *rows, strict=True))
    padded = [_padded(column) for column in columns]
    print(f"\n{title}")
    for line in zip(*padded, strict=True):
        print("  " + "  ".join(line).rstrip(), flush=True)


def _padded(column: Sequence[str]) -> list[str]:
    width = max(map(len, column))
    numbers = all(not cell or cell[0].isdigit() for cell in column[1:]) and not column[1][-1:].isalpha()
    lines = [cell.rjust(width) if numbers else cell.ljust(width) for cell in column]
    return [lines[0], "-" * width, *lines[1:]]
