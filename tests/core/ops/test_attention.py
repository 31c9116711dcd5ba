"""Softmax and attention, judged by the lessons' numbers, by PyTorch and by hand."""

import warnings

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

from core.errors import MaskError, ShapeError
from core.ops.attention import (
    additive_attention,
    scaled_dot_product_attention,
    softmax,
    visible_cells,
)
from core.ops.heads import repeat_kv

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.integers(1, 7)
SCALES = st.none() | st.floats(-3, 3)
CAT_SAT_MAT = np.array([[1.0, 0.5, 0.2, 0.8], [0.3, 0.9, 0.1, 0.4], [0.6, 0.2, 0.7, 0.3]])
CORNERS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
CORNER_VALUES = np.array([[1.0, 0.0], [0.0, 10.0], [5.0, 5.0]])


def normal(seed, *shapes):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in shapes]


def by_torch(query, key, value, mask=None, **options):
    tensors = [torch.from_numpy(x) for x in (query, key, value)]
    mask = None if mask is None else torch.from_numpy(mask)
    return functional.scaled_dot_product_attention(*tensors, attn_mask=mask, **options).numpy()


# --- softmax -----------------------------------------------------------------------------------


def test_softmax_of_large_scores_does_not_overflow():
    expected = [0.090031, 0.244728, 0.665241]  # A-softmax1000
    np.testing.assert_allclose(softmax(np.array([1000, 1001, 1002])), expected, atol=1e-6)


def test_softmax_of_small_gaps_is_not_the_printed_one():
    expected = [0.599021, 0.13366, 0.13366, 0.13366]  # B-sat2
    np.testing.assert_allclose(softmax(np.array([2, 0.5, 0.5, 0.5])), expected, atol=1e-6)


def test_softmax_saturates():
    expected = [1.0, 1.011221e-43, 1.011221e-43, 1.011221e-43]  # B-sat100
    np.testing.assert_allclose(softmax(np.array([100, 1, 1, 1])), expected, rtol=1e-6)


def test_softmax_of_only_minus_infinity_is_zero_and_leaves_the_other_rows_alone():
    weights = softmax(np.array([[-np.inf, -np.inf], [0.0, -np.inf]]))
    np.testing.assert_array_equal(weights, [[0, 0], [1, 0]])


@given(SEEDS, st.lists(SIZES, min_size=1, max_size=4), st.data())
def test_softmax_agrees_with_torch_along_every_axis(seed, shape, data):
    (scores,) = normal(seed, shape)
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    expected = torch.softmax(torch.from_numpy(30 * scores), dim=axis).numpy()
    np.testing.assert_allclose(softmax(30 * scores, axis=axis), expected, rtol=1e-9, atol=1e-300)


@given(SEEDS, SIZES, st.floats(-1e6, 1e6))
def test_softmax_does_not_change_when_every_score_is_shifted(seed, n, shift):
    (scores,) = normal(seed, n)
    np.testing.assert_allclose(softmax(scores + shift), softmax(scores), atol=1e-9)


@pytest.mark.parametrize(
    ("given_type", "result_type"),
    [(np.float32, np.float32), (np.float64, np.float64), (np.int64, np.float64)],
)
def test_softmax_keeps_the_precision_of_floats(given_type, result_type):
    assert softmax(np.array([[1, 2], [3, 4]], dtype=given_type)).dtype == result_type


# --- scaled dot product: the lessons -----------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "expected_weights", "expected_output"),
    [
        ([1, 0], [0.669762, 0.330238], [6.697615, 1.981431]),  # A-we-w, A-we-out
        ([0, 2], [0.19557, 0.80443], [1.955703, 4.826578]),  # A-kc
    ],
)
def test_two_keys(query, expected_weights, expected_output):
    output, weights = scaled_dot_product_attention([query], [[1, 0], [0, 1]], [[10, 0], [0, 6]])
    np.testing.assert_allclose(weights, [expected_weights], atol=1e-6)
    np.testing.assert_allclose(output, [expected_output], atol=1e-6)


def test_cat_sat_mat():
    output, weights = scaled_dot_product_attention(CAT_SAT_MAT, CAT_SAT_MAT, CAT_SAT_MAT)
    expected_weights = [
        [0.432747, 0.284335, 0.282917],  # B-w0
        [0.363183, 0.35957, 0.277247],  # B-w1
        [0.367859, 0.282223, 0.349918],  # B-w2
    ]
    expected_output = [
        [0.687798, 0.528859, 0.313025, 0.544807],  # B-out0
        [0.637402, 0.560654, 0.302666, 0.517549],  # B-out1
        [0.662476, 0.507914, 0.346737, 0.512152],  # B-out2
    ]
    np.testing.assert_allclose(weights, expected_weights, atol=1e-6)
    np.testing.assert_allclose(output, expected_output, atol=1e-6)


def test_three_tokens():
    output, weights = scaled_dot_product_attention(CORNERS, CORNERS, CORNER_VALUES)
    expected = [[0.401112, 0.197776, 0.401112], [0.197776, 0.401112, 0.401112]]  # C-w0, C-w1
    np.testing.assert_allclose(weights[:2], expected, atol=1e-6)
    expected = [[2.406673, 3.983319], [2.203336, 6.016681]]  # C-o0, C-o1
    np.testing.assert_allclose(output[:2], expected, atol=1e-6)


def test_three_tokens_causal():
    output, weights = scaled_dot_product_attention(CORNERS, CORNERS, CORNER_VALUES, is_causal=True)
    expected = [[1, 0, 0], [0.330238, 0.669762, 0], [0.248255, 0.248255, 0.50349]]  # C-cw
    np.testing.assert_allclose(weights, expected, atol=1e-6)
    expected = [[1, 0], [0.330238, 6.697615], [2.765704, 5.0]]  # C-co0, C-causal-outs
    np.testing.assert_allclose(output, expected, atol=1e-6)


def test_a_hidden_key_gives_its_share_to_the_others():
    keys = np.array([[0.5], [0.8], [0.3], [0.9]])
    mask = np.array([True, True, True, False])
    _, weights = scaled_dot_product_attention([[1.0]], keys, np.eye(4), mask=mask, scale=1)
    np.testing.assert_allclose(weights, [[0.315598, 0.426013, 0.25839, 0.0]], atol=1e-6)  # B-mask


def test_the_first_causal_row_is_one_hot_and_the_upper_triangle_exactly_zero():
    q, k, v = normal(0, (6, 4), (6, 4), (6, 4))
    _, weights = scaled_dot_product_attention(q, k, v, is_causal=True)
    np.testing.assert_array_equal(weights[0], [1, 0, 0, 0, 0, 0])  # A-row0
    assert (np.triu(weights, 1) == 0).all()  # A-upper


# --- scaled dot product: PyTorch ---------------------------------------------------------------


@given(SEEDS, st.lists(SIZES, max_size=2), SIZES, SIZES, SIZES, SIZES, SCALES, st.booleans())
def test_attention_agrees_with_torch(seed, leading, n_queries, n_keys, d_k, d_v, scale, masked):
    q, k, v = normal(seed, (*leading, n_queries, d_k), (*leading, n_keys, d_k), (*leading, n_keys, d_v))
    mask = np.random.default_rng(seed).random((*leading, n_queries, n_keys)) < 0.6
    mask = mask if masked else None
    output, weights = scaled_dot_product_attention(q, k, v, mask=mask, scale=scale)
    seen = np.ones(output.shape[:-1], bool) if mask is None else mask.any(axis=-1)
    np.testing.assert_allclose(output[seen], by_torch(q, k, v, mask, scale=scale)[seen], atol=1e-6)
    np.testing.assert_allclose(weights.sum(axis=-1), seen, atol=1e-12)


@given(SEEDS, SIZES, SIZES)
def test_causal_with_unequal_lengths_starts_at_the_bottom_right(seed, n_queries, n_keys):
    q, k, v = normal(seed, (2, n_queries, 4), (2, n_keys, 4), (2, n_keys, 3))
    mask = np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)
    output, _ = scaled_dot_product_attention(q, k, v, is_causal=True)
    seen = mask.any(axis=-1)
    np.testing.assert_allclose(output[:, seen], by_torch(q, k, v, mask)[:, seen], atol=1e-6)


@given(SEEDS, SIZES)
def test_causal_with_equal_lengths_is_torchs_own_flag(seed, n_tokens):
    q, k, v = normal(seed, (n_tokens, 4), (n_tokens, 4), (n_tokens, 3))
    output, _ = scaled_dot_product_attention(q, k, v, is_causal=True)
    np.testing.assert_allclose(output, by_torch(q, k, v, is_causal=True), atol=1e-6)


@given(SEEDS, SIZES)
def test_mask_and_causal_hide_what_either_hides(seed, n_tokens):
    q, k, v = normal(seed, (n_tokens, 4), (n_tokens, 4), (n_tokens, 3))
    mask = np.random.default_rng(seed).random((n_tokens, n_tokens)) < 0.6
    np.fill_diagonal(mask, True)
    output, _ = scaled_dot_product_attention(q, k, v, mask=mask, is_causal=True)
    both = mask & np.tri(n_tokens, dtype=bool)
    np.testing.assert_allclose(output, by_torch(q, k, v, both), atol=1e-6)


@given(SEEDS, SIZES, st.integers(1, 3), st.integers(1, 3))
def test_grouped_queries_agree_with_torch(seed, n_tokens, n_kv_heads, size):
    q, k, v = normal(seed, (2, n_kv_heads * size, n_tokens, 4), *[(2, n_kv_heads, n_tokens, 4)] * 2)
    output, _ = scaled_dot_product_attention(q, repeat_kv(k, size), repeat_kv(v, size))
    np.testing.assert_allclose(output, by_torch(q, k, v, enable_gqa=True), atol=1e-6)


def test_leading_axes_broadcast():
    q, k, v = normal(0, (2, 3, 5, 4), (3, 6, 4), (2, 1, 6, 2))
    wide = [np.broadcast_to(x, (2, 3, *x.shape[-2:])).copy() for x in (q, k, v)]
    output, weights = scaled_dot_product_attention(q, k, v)
    np.testing.assert_allclose(output, by_torch(*wide), atol=1e-6)
    assert weights.shape == (2, 3, 5, 6)


@pytest.mark.parametrize(
    "shape",
    [(6,), (1, 6), (5, 1), (5, 6), (2, 1, 1, 6), (3, 1, 6), (3, 5, 6), (2, 1, 5, 6), (2, 3, 5, 6)],
)
def test_every_mask_that_broadcasts_is_understood(shape):
    q, k, v = normal(1, (2, 3, 5, 4), (2, 3, 6, 4), (2, 3, 6, 2))
    mask = np.random.default_rng(1).random(shape) < 0.7
    full = np.broadcast_to(mask, (2, 3, 5, 6)).copy()
    output, weights = scaled_dot_product_attention(q, k, v, mask=mask)
    seen = full.any(axis=-1)
    np.testing.assert_allclose(output[seen], by_torch(q, k, v, full)[seen], atol=1e-6)
    np.testing.assert_array_equal(weights > 0, full)


def test_a_mask_may_bring_leading_axes_of_its_own():
    q, k, v = normal(2, (5, 4), (6, 4), (6, 2))
    mask = np.random.default_rng(2).random((3, 5, 6)) < 0.7
    mask[..., 0] = True
    output, _ = scaled_dot_product_attention(q, k, v, mask=mask)
    expected = [by_torch(q, k, v, m) for m in mask]
    np.testing.assert_allclose(output, expected, atol=1e-6)


def test_the_inputs_are_not_written_to():
    arrays = normal(3, (5, 4), (5, 4), (5, 2))
    for array in arrays:
        array.setflags(write=False)
    before = [array.copy() for array in arrays]
    scaled_dot_product_attention(*arrays, is_causal=True)
    for array, copy in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)


# --- scaled dot product: what is hidden stays hidden --------------------------------------------

BAD = pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e308])


@BAD
@pytest.mark.parametrize("where", ["key", "value"])
def test_a_hidden_bad_number_changes_nothing(bad, where):
    arrays = dict(zip(("query", "key", "value"), normal(4, (2, 4, 3)) * 3, strict=True))
    mask = np.array([True, True, True, False])
    expected, expected_weights = scaled_dot_product_attention(**arrays, mask=mask)
    arrays[where] = arrays[where].copy()
    arrays[where][:, 3, 1] = bad
    with np.errstate(all="ignore"):
        output, weights = scaled_dot_product_attention(**arrays, mask=mask)
    np.testing.assert_allclose(output, expected, rtol=1e-12)
    np.testing.assert_array_equal(weights, expected_weights)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("where", ["key", "value"])
def test_a_hidden_bad_number_is_no_reason_to_warn(bad, where):
    arrays = dict(zip(("query", "key", "value"), normal(4, (4, 3)) * 3, strict=True))
    arrays[where] = arrays[where].copy()
    arrays[where][3] = bad
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scaled_dot_product_attention(**arrays, mask=np.array([True, True, True, False]))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_bad_value_reaches_only_the_rows_and_columns_that_see_it(bad):
    q, k, v = normal(5, (5, 3), (5, 3), (5, 2))
    expected, _ = scaled_dot_product_attention(q, k, v, is_causal=True)
    v[2, 0] = bad
    with np.errstate(all="ignore"):
        output, _ = scaled_dot_product_attention(q, k, v, is_causal=True)
    np.testing.assert_allclose(output[:2], expected[:2], rtol=1e-12)
    np.testing.assert_allclose(output[:, 1], expected[:, 1], rtol=1e-12)
    np.testing.assert_array_equal(output[2:, 0], np.full(3, bad))


def test_a_bad_visible_key_spoils_only_the_rows_that_see_it():
    q, k, v = normal(6, (5, 3), (5, 3), (5, 2))
    expected, _ = scaled_dot_product_attention(q, k, v, is_causal=True)
    k[2] = np.nan
    output, weights = scaled_dot_product_attention(q, k, v, is_causal=True)
    np.testing.assert_allclose(output[:2], expected[:2], rtol=1e-12)
    assert np.isnan(output[2:]).all()
    assert (np.triu(weights, 1) == 0).all()  # a hidden key has no weight in a spoilt row either


@pytest.mark.parametrize("value", [1.0, np.nan])
def test_a_row_without_any_key_is_zero(value):
    q, k, _ = normal(7, (4, 3), (2, 3), ())
    v = np.array([[1.0], [value]])
    output, weights = scaled_dot_product_attention(q, k, v, is_causal=True)
    np.testing.assert_array_equal(weights[:2], np.zeros((2, 2)))
    np.testing.assert_array_equal(output[:2], np.zeros((2, 1)))


@given(SEEDS, SIZES, st.integers(0, 6))
def test_the_future_never_reaches_a_causal_row(seed, n_tokens, cut):
    q, k, v, k2, v2 = normal(seed, *[(n_tokens, 3)] * 5)
    k2[:cut], v2[:cut] = k[:cut], v[:cut]
    before, _ = scaled_dot_product_attention(q, k, v, is_causal=True)
    after, _ = scaled_dot_product_attention(q, k2, v2, is_causal=True)
    np.testing.assert_allclose(after[:cut], before[:cut], rtol=1e-9)


# --- scaled dot product: errors ----------------------------------------------------------------


def attention_of_shapes(query, key, value, **options):
    return scaled_dot_product_attention(np.ones(query), np.ones(key), np.ones(value), **options)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (
            [(2, 3), (2, 4), (2, 4)],
            "query and key must have the same width d_k, got 3 and 4; a dot product pairs their entries.",
        ),
        (
            [(2, 3), (4, 3), (5, 3)],
            "there are 4 keys but 5 values; give each key one value.",
        ),
        (
            [(3,), (2, 3), (2, 3)],
            "query, key and value need at least two axes, [T, d], got [3], [2, 3] and [2, 3].",
        ),
        (
            [(4, 2, 3), (2, 2, 3), (2, 2, 3)],
            "the leading axes of query, key and value must broadcast, got [4, 2, 3], [2, 2, 3] "
            "and [2, 2, 3]; repeat shared key/value heads with repeat_kv first.",
        ),
    ],
)
def test_shapes_that_do_not_fit_are_named(shapes, message):
    with pytest.raises(ShapeError) as caught:
        attention_of_shapes(*shapes)
    assert str(caught.value) == message


@pytest.mark.parametrize("dtype", ["int64", "float64", "uint8"])
def test_a_mask_that_is_not_bool_is_refused_with_what_to_write_instead(dtype):
    with pytest.raises(MaskError) as caught:
        attention_of_shapes((2, 3), (2, 3), (2, 3), mask=np.ones((2, 2), dtype))
    assert str(caught.value) == (
        f"expected a bool mask in which True = may attend, got dtype {dtype}; for a mask of ones "
        "and zeros write mask.astype(bool), for a bias of 0 and -inf write bias == 0."
    )


@pytest.mark.parametrize("shape", [(3, 2), (2,), (4, 3), (2, 2, 2), ()])
def test_a_mask_of_another_shape_is_refused(shape):
    with pytest.raises(ShapeError) as caught:
        attention_of_shapes((2, 4), (3, 4), (3, 4), mask=np.ones(shape, bool))
    assert str(caught.value) == (
        "expected a mask that broadcasts to [..., Tq, Tk] = [..., 2, 3], "
        f"got {list(shape)}; rows are queries, columns are keys."
    )


def test_a_mask_with_other_leading_axes_is_refused_by_name():
    with pytest.raises(ShapeError, match="mask"):
        attention_of_shapes((2, 4, 3), (2, 4, 3), (2, 4, 3), mask=np.ones((5, 4, 4), bool))


# --- visible cells -----------------------------------------------------------------------------


def test_visible_cells_of_no_mask_are_all():
    assert visible_cells(None, False, 2, 3) is None


def test_visible_cells_combine_both_masks():
    mask = np.array([True, False, True])
    expected = [[True, False, False], [True, False, True]]
    np.testing.assert_array_equal(visible_cells(mask, True, 2, 3), expected)


# --- additive ----------------------------------------------------------------------------------


@given(SEEDS, SIZES, SIZES)
def test_additive_attention_agrees_with_a_hand_loop(seed, n_queries, n_keys):
    q, k, value, w_query, w_key, v = normal(seed, (n_queries, 3), (n_keys, 4), (n_keys, 2), (3, 5), (4, 5), 5)
    output, weights = additive_attention(q, k, value, w_query, w_key, v)
    for i in range(n_queries):
        scores = [sum(v * np.tanh(q[i] @ w_query + k[j] @ w_key)) for j in range(n_keys)]
        expected = np.exp(scores) / np.exp(scores).sum()
        np.testing.assert_allclose(weights[i], expected, atol=1e-9)
        np.testing.assert_allclose(output[i], expected @ value, atol=1e-9)


def test_additive_attention_takes_a_batch():
    q, k, value, w_query, w_key, v = normal(8, (2, 4, 3), (2, 5, 3), (2, 5, 2), (3, 6), (3, 6), 6)
    output, weights = additive_attention(q, k, value, w_query, w_key, v)
    for b in range(2):
        expected = additive_attention(q[b], k[b], value[b], w_query, w_key, v)
        np.testing.assert_allclose(output[b], expected[0], rtol=1e-12)
        np.testing.assert_allclose(weights[b], expected[1], rtol=1e-12)


def test_additive_attention_that_sees_no_difference_averages():
    _, value = normal(9, (), (3, 2))
    output, _ = additive_attention(
        np.ones((1, 2)), np.ones((3, 2)), value, np.ones((2, 4)), np.ones((2, 4)), np.ones(4)
    )
    np.testing.assert_allclose(output, [value.mean(axis=0)])


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (
            [(2, 3), (4, 5), (4, 1), (9, 6), (5, 6), (6,)],
            "expected w_query [d_q = 3, d_hidden] and w_key [d_key = 5, d_hidden], got [9, 6] and "
            "[5, 6]; give each matrix as many rows as its input is wide.",
        ),
        (
            [(2, 3), (4, 5), (4, 1), (3, 6), (5, 7), (6,)],
            "w_query, w_key and v must share d_hidden, got [3, 6], [5, 7] and [6].",
        ),
        (
            [(2, 3), (4, 5), (3, 1), (3, 6), (5, 6), (6,)],
            "there are 4 keys but 3 values; give each key one value.",
        ),
    ],
)
def test_additive_attention_names_what_does_not_fit(shapes, message):
    with pytest.raises(ShapeError) as caught:
        additive_attention(*(np.ones(shape) for shape in shapes))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "shapes", [[(3,), (3,), (3,)], [(2, 2, 3), (4, 2, 3), (4, 2, 3)]], ids=["1-D", "leading axes"]
)
def test_additive_attention_checks_axes_as_the_dot_product_does(shapes):
    with pytest.raises(ShapeError):
        additive_attention(
            *(np.ones(shape) for shape in shapes), np.ones((3, 6)), np.ones((3, 6)), np.ones(6)
        )
