"""Masks against brute force: one question for each query and key, in two plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ShapeError
from core.ops.masks import causal_mask, padding_mask, sliding_window_mask

SIZES = st.integers(1, 9)
OFFSETS = st.integers(-12, 12)


def by_hand(n_queries, n_keys, sees):
    return [[sees(i, j) for j in range(n_keys)] for i in range(n_queries)]


@given(SIZES)
def test_a_square_causal_mask_shows_the_token_itself_and_the_past(n):
    mask = causal_mask(n)
    assert mask.dtype == bool
    np.testing.assert_array_equal(mask, by_hand(n, n, lambda i, j: j <= i))


def test_the_causal_mask_of_the_lesson():
    expected = [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]  # B-mask4
    np.testing.assert_array_equal(causal_mask(4), np.array(expected, bool))


@given(SIZES, SIZES, OFFSETS)
def test_an_offset_is_the_position_of_the_first_query(n_queries, n_keys, offset):
    expected = by_hand(n_queries, n_keys, lambda i, j: j <= offset + i)
    np.testing.assert_array_equal(causal_mask(n_queries, n_keys, offset=offset), expected)


@given(SIZES, SIZES)
def test_by_default_the_last_query_stands_at_the_last_key(n_queries, n_keys):
    expected = by_hand(n_queries, n_keys, lambda i, j: n_queries - 1 - i <= n_keys - 1 - j)
    np.testing.assert_array_equal(causal_mask(n_queries, n_keys), expected)


def test_one_query_after_a_cache_sees_every_key():
    assert causal_mask(1, 5).all()


def test_more_queries_than_keys_leave_the_first_rows_empty():
    expected = [[False, False], [False, False], [True, False], [True, True]]
    np.testing.assert_array_equal(causal_mask(4, 2), expected)


@given(SIZES, SIZES, SIZES, OFFSETS)
def test_a_window_counts_back_from_the_token_itself(n_queries, n_keys, window, offset):
    expected = by_hand(n_queries, n_keys, lambda i, j: offset + i - window < j <= offset + i)
    mask = sliding_window_mask(n_queries, window, n_keys, offset=offset)
    assert mask.dtype == bool
    np.testing.assert_array_equal(mask, expected)


@given(SIZES, SIZES)
def test_a_window_includes_the_token_itself(n, window):
    counts = sliding_window_mask(n, window).sum(axis=-1)
    np.testing.assert_array_equal(counts, [min(i + 1, window) for i in range(n)])


@given(SIZES, SIZES, SIZES)
def test_the_default_offset_of_a_window_is_that_of_the_causal_mask(n_queries, n_keys, window):
    mask = sliding_window_mask(n_queries, window, n_keys)
    explicit = sliding_window_mask(n_queries, window, n_keys, offset=n_keys - n_queries)
    np.testing.assert_array_equal(mask, explicit)


def test_a_window_of_one_sees_only_itself():
    np.testing.assert_array_equal(sliding_window_mask(3, 1), np.eye(3, dtype=bool))


@pytest.mark.parametrize("window", [0, -1])
def test_a_window_without_the_token_itself_is_refused(window):
    with pytest.raises(ShapeError) as caught:
        sliding_window_mask(3, window)
    assert str(caught.value) == (
        f"expected a window of at least 1 key (the token itself), got {window}; choose 1 or more."
    )


@given(SIZES.flatmap(lambda n: st.tuples(st.just(n), st.lists(st.integers(0, n), min_size=1))))
def test_padding_hides_the_columns_from_each_length_on(case):
    n_keys, lengths = case
    mask = padding_mask(np.array(lengths), n_keys)
    assert mask.dtype == bool
    assert mask.shape == (len(lengths), 1, n_keys)
    np.testing.assert_array_equal(mask[:, 0], by_hand(len(lengths), n_keys, lambda b, j: j < lengths[b]))


@pytest.mark.parametrize("lengths", [[-1], [2, 4], [[1, 2]]])
def test_lengths_that_cannot_be_are_refused(lengths):
    with pytest.raises(ShapeError) as caught:
        padding_mask(np.array(lengths), 3)
    assert str(caught.value) == (
        f"expected lengths [B] in 0..3, got {lengths}; "
        "a sequence cannot hold more real tokens than there are keys."
    )


@pytest.mark.parametrize("sizes", [(0, 3), (3, 0), (-1, 3)])
def test_a_mask_without_queries_or_keys_is_refused(sizes):
    with pytest.raises(ShapeError) as caught:
        causal_mask(*sizes)
    assert str(caught.value) == (f"expected at least 1 query and 1 key, got {sizes[0]} and {sizes[1]}.")
