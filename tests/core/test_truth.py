"""What a careful reader checks first, against values by hand."""

import dataclasses

import numpy as np
import pytest

from core.numbers import Numbers
from core.settings import AttentionSettings
from core.trace import trace_attention
from core.truth import facts, row_sharpness

FOUR_QUERIES = Numbers(((1, 0), (0, 1), (1, 1), (2, 0)), ((1, 0), (0, 1)), ((10, 0), (0, 6)))


def trace_of(**values):
    return trace_attention(AttentionSettings(**values))


def test_the_shapes_of_grouped_heads():
    shapes = facts(trace_of(text="a b c", heads=4, kv_heads=2, d_k=8)).shapes
    assert shapes["q"] == shapes["k"] == shapes["v"] == shapes["context"] == (4, 3, 8)
    assert shapes["scores"] == shapes["weights"] == (4, 3, 3)
    assert shapes["output"] == (3, 32)


def test_the_shapes_of_more_queries_than_keys():
    shapes = facts(trace_of(source="custom", numbers=FOUR_QUERIES)).shapes
    assert (shapes["q"], shapes["k"], shapes["weights"], shapes["output"]) == (
        (1, 4, 2),
        (1, 2, 2),
        (1, 4, 2),
        (4, 2),
    )


@pytest.mark.parametrize("values", [{}, {"causal": True, "scale": "none", "d_k": 512}, {"window": 2}])
def test_rows_sum_to_one(values):
    assert facts(trace_of(**values)).row_sums == pytest.approx((1, 1), abs=1e-12)


def test_a_row_that_does_not_sum_to_one_is_found():
    trace = trace_of(text="a b c", heads=2)
    weights = trace.weights.copy()
    weights[1, 2] *= 0.9
    low, high = facts(dataclasses.replace(trace, weights=weights)).row_sums
    assert (low, high) == (pytest.approx(0.9), pytest.approx(1))


def test_rows_without_visible_keys_are_named_and_not_summed():
    known = facts(trace_of(source="custom", numbers=FOUR_QUERIES, causal=True))
    assert known.hidden_queries == [0, 1]
    assert known.row_sums == pytest.approx((1, 1))


def test_where_nothing_is_visible_there_is_no_sum():
    trace = trace_of(text="a b")
    blind = dataclasses.replace(trace, mask=np.zeros((2, 2), bool), weights=np.zeros((4, 2, 2)))
    assert facts(blind).row_sums is None
    assert facts(blind).hidden_queries == [0, 1]


def test_how_sharp_the_row_of_two_keys_is():
    sharp = row_sharpness(trace_of(source="two-keys"), 0)
    w = 0.669762  # A-we-w
    assert sharp.query_tokens == ("q",)
    assert sharp.n_visible.tolist() == [2]
    assert sharp.largest_weight[0] == pytest.approx(w, abs=1e-6)
    assert sharp.effective_keys[0] == pytest.approx(w**-w * (1 - w) ** -(1 - w), abs=1e-5)
    assert sharp.jacobian_norm[0] == pytest.approx(2 * w * (1 - w), abs=1e-6)  # w(1 - w) [[1, -1], [-1, 1]]


def test_how_sharp_uniform_rows_are():
    sharp = row_sharpness(trace_of(source="patterns", text="a b c d", causal=True), 3)
    assert sharp.head == 3
    assert sharp.n_visible.tolist() == [1, 2, 3, 4]
    np.testing.assert_allclose(sharp.effective_keys, [1, 2, 3, 4])
    np.testing.assert_allclose(sharp.largest_weight, [1, 1 / 2, 1 / 3, 1 / 4])
    # n weights of 1/n: J = (I - 11'/n) / n, a projection to n - 1 dimensions, divided by n
    np.testing.assert_allclose(sharp.jacobian_norm, [(n - 1) ** 0.5 / n for n in (1, 2, 3, 4)], atol=1e-9)


def test_a_row_without_visible_keys_is_zero_throughout():
    sharp = row_sharpness(trace_of(source="custom", numbers=FOUR_QUERIES, causal=True), 0)
    assert sharp.n_visible.tolist() == [0, 0, 1, 2]
    for values in (sharp.largest_weight, sharp.effective_keys, sharp.jacobian_norm):
        assert (values[:2] == 0).all()


def test_the_head_that_is_asked_for_is_the_one_described():
    trace = trace_of(text="a b c", heads=2)
    np.testing.assert_array_equal(row_sharpness(trace, 1).largest_weight, trace.weights[1].max(axis=-1))


def test_hidden_cells_are_counted_once_for_all_heads():
    assert facts(trace_of(text="a b c", causal=True)).n_hidden == 3
    assert facts(trace_of(source="custom", numbers=FOUR_QUERIES, causal=True)).n_hidden == 5


def test_the_spread_of_the_scores_on_the_screen():
    assert facts(trace_of(source="two-keys")).score_sd == 0.5  # scores 1 and 0
    assert facts(trace_of(d_k=512, heads=16)).score_sd == pytest.approx(512**0.5, rel=0.1)
