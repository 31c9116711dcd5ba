"""Heads: which number goes where, spelled out index by index."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ShapeError
from core.ops.heads import group_size, kv_head_of, merge_heads, repeat_kv, split_heads

SIZES = st.integers(1, 5)
LEADING = st.lists(st.integers(1, 3), max_size=2)


def counted(*shape):
    """An array in which every number is different."""
    return np.arange(np.prod(shape), dtype=float).reshape(shape)


@given(LEADING, SIZES, SIZES, SIZES)
def test_head_h_holds_columns_h_d_to_h_plus_1_d(leading, n_tokens, n_heads, d_head):
    x = counted(*leading, n_tokens, n_heads * d_head)
    heads = split_heads(x, n_heads)
    assert heads.shape == (*leading, n_heads, n_tokens, d_head)
    for h in range(n_heads):
        columns = x[..., h * d_head : (h + 1) * d_head]
        np.testing.assert_array_equal(heads[..., h, :, :], columns)


@given(LEADING, SIZES, SIZES, SIZES)
def test_merging_lays_the_heads_side_by_side(leading, n_tokens, n_heads, d_head):
    heads = counted(*leading, n_heads, n_tokens, d_head)
    side_by_side = np.concatenate([heads[..., h, :, :] for h in range(n_heads)], axis=-1)
    np.testing.assert_array_equal(merge_heads(heads), side_by_side)


@given(LEADING, SIZES, SIZES, SIZES)
def test_merging_undoes_splitting(leading, n_tokens, n_heads, d_head):
    x = counted(*leading, n_tokens, n_heads * d_head)
    np.testing.assert_array_equal(merge_heads(split_heads(x, n_heads)), x)


def test_the_forgotten_transpose_has_the_right_shape_and_the_wrong_numbers():
    heads = split_heads(counted(3, 4), 2)
    forgotten = heads.reshape(3, 4)
    assert forgotten.shape == merge_heads(heads).shape
    assert not np.array_equal(forgotten, merge_heads(heads))


def test_the_forgotten_transpose_before_splitting_mixes_tokens_too():
    x = counted(3, 4)
    forgotten = x.reshape(2, 3, 2)
    assert forgotten.shape == split_heads(x, 2).shape
    assert not np.array_equal(forgotten, split_heads(x, 2))


@given(LEADING, SIZES, SIZES, SIZES)
def test_repeating_agrees_with_torch(leading, n_kv_heads, n_tokens, size):
    x = counted(*leading, n_kv_heads, n_tokens, 2)
    expected = torch.from_numpy(x).repeat_interleave(size, dim=-3).numpy()
    np.testing.assert_array_equal(repeat_kv(x, size), expected)


@given(SIZES, SIZES)
def test_repeated_head_h_is_the_head_that_h_reads(n_kv_heads, size):
    x = counted(n_kv_heads, 2, 2)
    repeated = repeat_kv(x, size)
    for h in range(n_kv_heads * size):
        g = kv_head_of(h, n_kv_heads * size, n_kv_heads)
        np.testing.assert_array_equal(repeated[h], x[g])


def test_query_head_13_of_32_reads_head_3_of_8():
    assert kv_head_of(13, 32, 8) == 3  # C-gqa13


def test_the_first_eight_of_32_heads_read_two():
    expected = [0, 0, 0, 0, 1, 1, 1, 1]  # C-gqa0-7
    assert [kv_head_of(h, 32, 8) for h in range(8)] == expected


def test_four_heads_share_one_of_eight():
    assert group_size(32, 8) == 4  # C-gqa4


@pytest.mark.parametrize("head", [-1, 4])
def test_a_head_that_does_not_exist_is_refused(head):
    with pytest.raises(ShapeError) as caught:
        kv_head_of(head, 4, 2)
    assert str(caught.value) == f"there is no query head {head} among 4; choose 0 to 3."


def test_a_number_of_heads_that_does_not_divide_is_refused_with_those_that_do():
    with pytest.raises(ShapeError) as caught:
        split_heads(np.ones((3, 64)), 7)
    assert str(caught.value) == (
        "n_heads must divide d_model: 64 / 7 is not whole; choose 1, 2, 4, 8, 16, 32 or 64."
    )


def test_a_width_of_one_leaves_one_choice():
    with pytest.raises(ShapeError) as caught:
        split_heads(np.ones((3, 1)), 2)
    assert str(caught.value) == "n_heads must divide d_model: 1 / 2 is not whole; choose 1."


@pytest.mark.parametrize("n_kv_heads", [3, 0, -2, 16])
def test_key_value_heads_that_do_not_divide_are_refused(n_kv_heads):
    with pytest.raises(ShapeError) as caught:
        group_size(8, n_kv_heads)
    assert str(caught.value) == (
        f"8 query heads cannot share {n_kv_heads} key/value heads; choose 1, 2, 4 or 8."
    )


@pytest.mark.parametrize("n_heads", [0, -4])
def test_no_head_at_all_is_refused_in_words(n_heads):
    with pytest.raises(ShapeError, match=str(n_heads)):
        group_size(n_heads, n_heads)


@pytest.mark.parametrize("n_heads", [0, -2])
def test_splitting_into_no_heads_is_refused(n_heads):
    with pytest.raises(ShapeError, match=f"64 / {n_heads} is not whole"):
        split_heads(np.ones((3, 64)), n_heads)


def test_splitting_needs_tokens_and_a_width():
    with pytest.raises(ShapeError):
        split_heads(np.ones(4), 2)


def test_merging_needs_an_axis_of_heads():
    with pytest.raises(ShapeError) as caught:
        merge_heads(np.ones((3, 4)))
    assert str(caught.value) == "expected heads [..., H, T, d], got [3, 4]."


def test_repeating_needs_an_axis_of_heads():
    with pytest.raises(ShapeError) as caught:
        repeat_kv(np.ones((3, 4)), 2)
    assert str(caught.value) == "expected heads [..., Hkv, T, d], got [3, 4]."


def test_repeating_zero_times_is_refused():
    with pytest.raises(ShapeError) as caught:
        repeat_kv(np.ones((1, 3, 4)), 0)
    assert str(caught.value) == "expected a group_size of at least 1, got 0."
