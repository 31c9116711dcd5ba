"""The arrays of a trace as files: NPZ with all of them, CSV with every number in a row of its own."""

import csv
import io

import numpy as np

from core.trace import AttentionTrace

ARRAYS = (
    "q", "k", "v", "q_rotated", "k_rotated", "mask", "scores", "scaled", "masked", "weights",
    "context", "output", "query_positions", "key_positions",
)  # fmt: skip
_AXES = {
    "scores": ("head", "query", "key"),
    "scaled": ("head", "query", "key"),
    "masked": ("head", "query", "key"),
    "weights": ("head", "query", "key"),
    "mask": ("query", "key"),
    "q": ("head", "query", "column"),
    "q_rotated": ("head", "query", "column"),
    "context": ("head", "query", "column"),
    "output": ("query", "column"),
    "k": ("head", "key", "column"),
    "k_rotated": ("head", "key", "column"),
    "v": ("head", "key", "column"),
    "query_positions": ("query",),
    "key_positions": ("key",),
}


def npz(trace: AttentionTrace) -> bytes:
    """Return an NPZ file with every array of the trace under its own name, and the tokens."""
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        **{name: getattr(trace, name) for name in ARRAYS},
        query_tokens=np.array(trace.query_tokens),
        key_tokens=np.array(trace.key_tokens),
    )
    return buffer.getvalue()


def csv_table(trace: AttentionTrace) -> str:
    """Return every number of every array: array, head, query, key, column, value.

    A spreadsheet would run a token that starts with = as a formula, so tokens are not written; the
    NPZ holds them. Numbers keep all their digits; a hidden score is -inf.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("array", "head", "query", "key", "column", "value"))
    for name in ARRAYS:
        axes, array = _AXES[name], getattr(trace, name)
        places = [axes.index(axis) if axis in axes else None for axis in ("head", "query", "key", "column")]
        for index, value in zip(np.ndindex(array.shape), array.ravel().tolist(), strict=True):
            where = ("" if place is None else index[place] for place in places)
            writer.writerow((name, *where, int(value) if isinstance(value, bool) else repr(value)))
    return buffer.getvalue()
