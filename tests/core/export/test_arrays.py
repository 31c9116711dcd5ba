"""The files: every number of every array, and the same one when it is read back."""

import csv
import io

import numpy as np
import pytest

from core.export.arrays import ARRAYS, csv_table, npz
from core.numbers import Numbers
from core.settings import AttentionSettings
from core.trace import trace_attention

FOUR_QUERIES = Numbers(((1, 0), (0, 1 / 3), (1, 1), (2, 0)), ((1, 0), (0, 1)), ((10, 0, 1), (0, 6, 1e-7)))
SETTINGS = [
    {"text": "a b a", "heads": 2, "d_k": 4},
    {"text": "a b a", "heads": 4, "kv_heads": 2, "d_k": 4, "causal": True, "rope": True, "rope_offset": 9},
    {"source": "custom", "numbers": FOUR_QUERIES, "causal": True},
    {"text": '<b>x</b> =1+1 שלום 🙂 "quoted" a,b'},
]
SEVERAL = pytest.mark.parametrize(
    "values", SETTINGS, ids=["plain", "grouped", "hidden rows", "hostile words"]
)
MUST_HAVE = {
    "q",
    "k",
    "v",
    "q_rotated",
    "k_rotated",
    "scores",
    "scaled",
    "masked",
    "weights",
    "context",
    "output",
}


def trace_of(values):
    return trace_attention(AttentionSettings(**values))


def test_every_stage_of_the_trace_is_in_the_files():
    assert set(ARRAYS) >= MUST_HAVE | {"mask"}


@SEVERAL
def test_the_npz_holds_the_trace_and_loads_without_pickle(values):
    trace = trace_of(values)
    with np.load(io.BytesIO(npz(trace)), allow_pickle=False) as file:
        for name in ARRAYS:
            np.testing.assert_array_equal(file[name], getattr(trace, name))
            assert file[name].dtype == getattr(trace, name).dtype
        assert tuple(file["query_tokens"]) == trace.query_tokens
        assert tuple(file["key_tokens"]) == trace.key_tokens


@SEVERAL
def test_every_number_of_the_csv_reads_back_to_the_same_number(values):
    trace = trace_of(values)
    rows = list(csv.DictReader(io.StringIO(csv_table(trace)), strict=True))
    for name in ARRAYS:
        array = getattr(trace, name)
        found = [row for row in rows if row["array"] == name]
        assert len(found) == array.size
        for row in found:
            index = tuple(int(row[axis]) for axis in ("head", "query", "key", "column") if row[axis])
            assert float(row["value"]) == array[index]  # digit for digit, -inf too


@SEVERAL
def test_each_place_in_the_csv_is_filled_once(values):
    rows = list(csv.reader(io.StringIO(csv_table(trace_of(values))), strict=True))
    assert rows[0] == ["array", "head", "query", "key", "column", "value"]
    places = [tuple(row[:5]) for row in rows[1:]]
    assert len(places) == len(set(places))


def test_a_spreadsheet_finds_no_formula_in_the_csv():
    cells = [cell for row in csv.reader(io.StringIO(csv_table(trace_of(SETTINGS[3])))) for cell in row]
    assert not [cell for cell in cells if cell[:1] in "=+@\t\r" and cell]
    assert not [cell for cell in cells if cell.startswith("-") and float(cell) >= 0]


def test_the_axes_of_the_csv_are_named_for_what_they_count():
    trace = trace_of(SETTINGS[2])  # four queries, two keys
    rows = list(csv.DictReader(io.StringIO(csv_table(trace))))
    weights = [row for row in rows if row["array"] == "weights"]
    assert {row["query"] for row in weights} == {"0", "1", "2", "3"}
    assert {row["key"] for row in weights} == {"0", "1"}
    assert {row["column"] for row in rows if row["array"] == "v"} == {"0", "1", "2"}
