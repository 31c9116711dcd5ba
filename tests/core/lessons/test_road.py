"""The road to attention: path lengths, and two ways to score."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lessons.road import (
    SENTENCE,
    SUBJECT,
    additive_cost,
    dot_product_cost,
    recurrent_steps,
    trace_scoring,
)


def test_it_lies_six_steps_from_animal():
    assert (SENTENCE[SUBJECT], SENTENCE[7]) == ("animal", "it")
    assert recurrent_steps(SUBJECT, 7) == 6
    assert recurrent_steps(7, SUBJECT) == 6


def test_both_ways_score_the_same_inputs():
    trace = trace_scoring(4, 3, 0)
    scores = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            hidden = [
                math.tanh(
                    sum(
                        trace.q[i, m] * trace.w_query[m, a] + trace.k[j, m] * trace.w_key[m, a]
                        for m in range(4)
                    )
                )
                for a in range(3)
            ]
            scores[i, j] = sum(trace.v_score[a] * hidden[a] for a in range(3))
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(trace.additive_weights, weights, atol=1e-12)
    dot = np.exp(trace.q @ trace.k.T / 2)
    np.testing.assert_allclose(trace.dot_weights, dot / dot.sum(axis=1, keepdims=True), atol=1e-12)


def test_the_hidden_width_changes_only_the_additive_weights():
    one, other = trace_scoring(8, 4, 0), trace_scoring(8, 16, 0)
    np.testing.assert_array_equal(one.dot_weights, other.dot_weights)
    np.testing.assert_array_equal(one.w_query, other.w_query[:, :4])
    assert not np.allclose(one.additive_weights, other.additive_weights)


@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 6), st.integers(1, 6))
def test_the_costs_are_what_a_count_gives(n_queries, n_keys, d_k, d_hidden):
    dot = sum(1 for _ in range(n_queries) for _ in range(n_keys) for _ in range(d_k))
    assert dot_product_cost(n_queries, n_keys, d_k).multiplications == dot
    additive = additive_cost(n_queries, n_keys, d_k, d_hidden)
    projections = sum(1 for _ in range(n_queries + n_keys) for _ in range(d_k) for _ in range(d_hidden))
    pairs = sum(1 for _ in range(n_queries) for _ in range(n_keys) for _ in range(d_hidden))
    assert additive.multiplications == projections + pairs
    assert additive.tanhs == pairs
    trace = trace_scoring(d_k, d_hidden, 0)
    assert additive.parameters == trace.w_query.size + trace.w_key.size + trace.v_score.size


@pytest.mark.parametrize("width", [1, 512])
def test_the_widest_and_the_narrowest_are_finite(width):
    trace = trace_scoring(width, width, 3)
    assert np.isfinite(trace.additive_weights).all()
    np.testing.assert_allclose(trace.additive_weights.sum(axis=1), 1)
