"""The trace: each stage follows from the one before, and the lessons' numbers come out."""

import dataclasses

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.numbers import Numbers
from core.settings import AttentionSettings
from core.trace import scale_factor, trace_attention

TWELVE = "the cat saw the dog and the bird saw a big tree"
TWO_KEYS = Numbers(((0, 2),), ((1, 0), (0, 1)), ((10, 0), (0, 6)))
ODD = Numbers(((1, 2, 3),), ((4, 5, 6), (7, 8, 9)), ((1,), (2,)))
FOUR_QUERIES = Numbers(((1, 0), (0, 1), (1, 1), (2, 0)), ((1, 0), (0, 1)), ((10, 0), (0, 6)))


def trace_of(**values):
    return trace_attention(AttentionSettings(**values))


# --- the stages --------------------------------------------------------------------------------

SETTINGS = [
    {},
    {"causal": True},
    {"window": 3},
    {"scale": "none"},
    {"scale": "d_k", "d_k": 5},
    {"rope": True, "rope_offset": 7, "query_shift": -2},
    {"rope": True, "pairing": "half", "rope_base": 50.0},
    {"heads": 8, "kv_heads": 2},
    {"source": "patterns", "rope": True, "causal": True},
    {"source": "cat-sat-mat", "causal": True},
    {"source": "custom", "numbers": FOUR_QUERIES, "causal": True},
]
SEVERAL = pytest.mark.parametrize("values", SETTINGS, ids=str)


@SEVERAL
def test_each_stage_follows_from_the_one_before(values):
    trace = trace_of(**values)
    scores = np.einsum("hid,hjd->hij", trace.q_rotated, trace.k_rotated)
    np.testing.assert_allclose(trace.scores, scores, atol=1e-12)
    factor = {"sqrt_d_k": trace.q.shape[-1] ** -0.5, "none": 1, "d_k": 1 / trace.q.shape[-1]}
    np.testing.assert_allclose(trace.scaled, scores * factor[trace.settings.scale], atol=1e-12)
    mask = np.broadcast_to(trace.mask, scores.shape)
    np.testing.assert_array_equal(trace.masked[mask], trace.scaled[mask])
    assert (trace.masked[~mask] == -np.inf).all()
    exponentials = np.exp(trace.masked)
    total = exponentials.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(trace.weights * total, exponentials, rtol=1e-9)
    context = np.einsum("hij,hjd->hid", trace.weights, trace.v)
    np.testing.assert_allclose(trace.context, context, atol=1e-12)


@SEVERAL
def test_rows_of_weights_sum_to_one_or_to_zero_where_nothing_is_visible(values):
    trace = trace_of(**values)
    sums = np.broadcast_to(trace.mask.any(axis=-1), trace.weights.shape[:2])
    np.testing.assert_allclose(trace.weights.sum(axis=-1), sums, atol=1e-12)


@SEVERAL
def test_the_output_is_the_heads_side_by_side(values):
    trace = trace_of(**values)
    np.testing.assert_array_equal(trace.output, np.concatenate(list(trace.context), axis=-1))


@SEVERAL
def test_the_shapes_are_those_that_the_settings_announce(values):
    trace = trace_of(**values)
    assert trace.weights.shape == trace.settings.shape
    assert (len(trace.query_tokens), len(trace.key_tokens)) == trace.settings.shape[1:]
    assert trace.d_k == trace.settings.width
    assert trace.n_heads == trace.settings.n_heads


@SEVERAL
def test_no_array_can_be_written_to(values):
    trace = trace_of(**values)
    arrays = [getattr(trace, field.name) for field in dataclasses.fields(trace)]
    arrays = [array for array in arrays if isinstance(array, np.ndarray)]
    assert len(arrays) >= 12
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


@SEVERAL
def test_all_numbers_are_float64_and_the_mask_is_bool(values):
    trace = trace_of(**values)
    for name in ("q", "k", "v", "q_rotated", "k_rotated", "scores", "weights", "output"):
        assert getattr(trace, name).dtype == np.float64
    assert trace.mask.dtype == bool


def test_a_trace_of_the_same_settings_is_the_same():
    a, b = trace_of(rope=True, causal=True), trace_of(rope=True, causal=True)
    np.testing.assert_array_equal(a.output, b.output)


# --- the lessons -------------------------------------------------------------------------------


def test_two_keys():
    trace = trace_of(source="two-keys")
    np.testing.assert_array_equal(trace.scores, [[[1, 0]]])  # A-we-scores
    np.testing.assert_allclose(trace.scaled, [[[0.707107, 0]]], atol=1e-6)  # A-we-scaled
    np.testing.assert_allclose(trace.weights, [[[0.669762, 0.330238]]], atol=1e-6)  # A-we-w
    np.testing.assert_allclose(trace.output, [[6.697615, 1.981431]], atol=1e-6)  # A-we-out


def test_two_keys_with_another_query():
    trace = trace_of(source="custom", numbers=TWO_KEYS)
    np.testing.assert_allclose(trace.weights, [[[0.19557, 0.80443]]], atol=1e-6)  # A-kc
    np.testing.assert_allclose(trace.output, [[1.955703, 4.826578]], atol=1e-6)


def test_cat_sat_mat():
    trace = trace_of(source="cat-sat-mat")
    expected = [[1.93, 1.09, 1.08], [1.09, 1.07, 0.55], [1.08, 0.55, 0.98]]  # B-scores
    np.testing.assert_allclose(trace.scores[0], expected, atol=1e-9)
    expected = [[0.965, 0.545, 0.54], [0.545, 0.535, 0.275], [0.54, 0.275, 0.49]]  # B-scaled
    np.testing.assert_allclose(trace.scaled[0], expected, atol=1e-9)
    expected = [
        [0.432747, 0.284335, 0.282917],  # B-w0
        [0.363183, 0.35957, 0.277247],  # B-w1
        [0.367859, 0.282223, 0.349918],  # B-w2
    ]
    np.testing.assert_allclose(trace.weights[0], expected, atol=1e-6)
    expected = [
        [0.687798, 0.528859, 0.313025, 0.544807],  # B-out0
        [0.637402, 0.560654, 0.302666, 0.517549],  # B-out1
        [0.662476, 0.507914, 0.346737, 0.512152],  # B-out2
    ]
    np.testing.assert_allclose(trace.output, expected, atol=1e-6)


def test_three_tokens():
    trace = trace_of(source="three-tokens")
    expected = [[0.707107, 0, 0.707107], [0, 0.707107, 0.707107], [0.707107, 0.707107, 1.414214]]
    np.testing.assert_allclose(trace.scaled[0], expected, atol=1e-6)  # C-s0, C-row2
    expected = [[0.401112, 0.197776, 0.401112], [0.197776, 0.401112, 0.401112]]  # C-w0, C-w1
    np.testing.assert_allclose(trace.weights[0, :2], expected, atol=1e-6)
    expected = [[2.406673, 3.983319], [2.203336, 6.016681]]  # C-o0, C-o1
    np.testing.assert_allclose(trace.output[:2], expected, atol=1e-6)


def test_three_tokens_causal():
    trace = trace_of(source="three-tokens", causal=True)
    expected = [[1, 0, 0], [0.330238, 0.669762, 0], [0.248255, 0.248255, 0.50349]]  # C-cw
    np.testing.assert_allclose(trace.weights[0], expected, atol=1e-6)
    expected = [[1, 0], [0.330238, 6.697615], [2.765704, 5.0]]  # C-co0, C-causal-outs
    np.testing.assert_allclose(trace.output, expected, atol=1e-6)


# --- masks and heads ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "sees"),
    [
        ({}, lambda i, j: True),
        ({"causal": True}, lambda i, j: j <= i),
        ({"window": 3}, lambda i, j: i - 3 < j <= i),
        ({"window": 3, "causal": True}, lambda i, j: i - 3 < j <= i),
    ],
    ids=["none", "causal", "window", "causal window"],
)
def test_the_mask_shows_what_the_settings_say(values, sees):
    trace = trace_of(text=TWELVE, **values)
    expected = [[sees(i, j) for j in range(12)] for i in range(12)]
    np.testing.assert_array_equal(trace.mask, expected)


def test_queries_that_see_no_key_are_named():
    trace = trace_of(source="custom", numbers=FOUR_QUERIES, causal=True)
    assert trace.hidden_queries == [0, 1]
    np.testing.assert_array_equal(trace.output[:2], np.zeros((2, 2)))


def test_no_query_is_named_where_all_see_a_key():
    assert trace_of(causal=True).hidden_queries == []


def test_grouped_heads_read_the_same_keys_and_values():
    trace = trace_of(heads=8, kv_heads=2)
    for x in (trace.k, trace.v):
        for h in range(8):
            np.testing.assert_array_equal(x[h], x[0 if h < 4 else 4])
        assert (x[0] != x[4]).all()
    assert (trace.q[0] != trace.q[1]).all()


@pytest.mark.parametrize(("scale", "factor"), [("sqrt_d_k", 0.125), ("none", 1.0), ("d_k", 0.015625)])
def test_the_factor_of_each_scale_at_64(scale, factor):
    assert scale_factor(scale, 64) == pytest.approx(factor, rel=1e-15)


# --- positions ---------------------------------------------------------------------------------


def test_without_rope_nothing_is_rotated_and_no_position_matters():
    trace = trace_of()
    moved = trace_of(rope_offset=100, query_shift=5, pairing="half", rope_base=10.0)
    np.testing.assert_array_equal(trace.q_rotated, trace.q)
    np.testing.assert_array_equal(trace.k_rotated, trace.k)
    np.testing.assert_array_equal(moved.weights, trace.weights)


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
@pytest.mark.parametrize("offset", [1, -13, 10**6, -(10**6)])
def test_moving_all_positions_together_changes_no_weight(pairing, offset):
    here = trace_of(rope=True, pairing=pairing)
    there = trace_of(rope=True, pairing=pairing, rope_offset=offset)
    np.testing.assert_allclose(there.weights, here.weights, atol=1e-9)
    assert np.abs(there.q_rotated - here.q_rotated).max() > 1e-3


def test_moving_the_queries_alone_changes_the_weights():
    difference = trace_of(rope=True, query_shift=1).weights - trace_of(rope=True).weights
    assert np.abs(difference).max() > 1e-3


def test_rope_changes_the_weights():
    assert np.abs(trace_of(rope=True).weights - trace_of().weights).max() > 1e-3


def test_the_positions_are_those_that_the_settings_say():
    trace = trace_of(text="a b c", rope_offset=10, query_shift=-4)
    np.testing.assert_array_equal(trace.key_positions, [10, 11, 12])
    np.testing.assert_array_equal(trace.query_positions, [6, 7, 8])


def test_the_last_query_stands_at_the_last_key():
    numbers = Numbers(FOUR_QUERIES.k, FOUR_QUERIES.q, FOUR_QUERIES.q)
    trace = trace_of(source="custom", numbers=numbers)
    np.testing.assert_array_equal(trace.query_positions, [2, 3])


@pytest.mark.parametrize(
    ("pairing", "first", "second"),
    [("interleaved", [0, 2], [1, 3]), ("half", [0, 1], [2, 3])],
)
def test_rotation_is_multiplication_by_a_complex_number(pairing, first, second):
    trace = trace_of(text="a b c", d_k=4, rope=True, rope_base=100.0, pairing=pairing, query_shift=3)
    for x, turned, start in ((trace.q, trace.q_rotated, 3), (trace.k, trace.k_rotated, 0)):
        turn = np.exp(1j * np.arange(start, start + 3)[:, None] * np.array([1.0, 0.1]))
        expected = (x[..., first] + 1j * x[..., second]) * turn
        np.testing.assert_allclose(turned[..., first], expected.real, atol=1e-12)
        np.testing.assert_allclose(turned[..., second], expected.imag, atol=1e-12)


# --- patterns ----------------------------------------------------------------------------------


@pytest.fixture(params=["interleaved", "half"])
def pattern_weights(request):
    """[4, 12, 12]: previous token, same word, first token, broad."""
    return trace_of(source="patterns", text=TWELVE, d_k=32, rope=True, pairing=request.param).weights


def test_the_previous_token_head_prefers_the_previous_token(pattern_weights):
    np.testing.assert_array_equal(pattern_weights[0].argmax(axis=-1)[1:], np.arange(11))
    assert (pattern_weights[0][np.arange(1, 12), np.arange(11)] > 0.9).all()


def test_the_same_word_head_spreads_over_the_repetitions_of_a_word(pattern_weights):
    words = np.array(TWELVE.split())
    same = words[:, None] == words
    np.testing.assert_allclose(pattern_weights[1], same / same.sum(-1, keepdims=True), atol=0.02)


def test_the_first_token_head_looks_at_the_first_token(pattern_weights):
    assert (pattern_weights[2][:, 0] > 0.9).all()


def test_the_broad_head_is_uniform(pattern_weights):
    np.testing.assert_allclose(pattern_weights[3], np.full((12, 12), 1 / 12), rtol=1e-12)


def test_without_rope_the_previous_token_head_has_nothing_to_go_by():
    weights = trace_of(source="patterns", text=TWELVE, d_k=32).weights[0]
    np.testing.assert_allclose(weights, np.full((12, 12), 1 / 12), rtol=1e-12)


def test_the_previous_token_stays_preferred_wherever_the_text_begins():
    trace = trace_of(source="patterns", text=TWELVE, d_k=32, rope=True, rope_offset=5000)
    np.testing.assert_array_equal(trace.weights[0].argmax(axis=-1)[1:], np.arange(11))


# --- any link ----------------------------------------------------------------------------------

ODD_LINK = {"source": "custom", "numbers": ODD.compact(), "rope": "true"}
LINKS = st.fixed_dictionaries(
    {},
    optional={
        "text": st.text(max_size=60),
        "source": st.sampled_from(["random", "patterns", "custom", "two-keys", "cat-sat-mat"]),
        "numbers": st.sampled_from([ODD.compact(), TWO_KEYS.compact(), "1|2|3", "1000000|1|1"]),
        "d_k": st.sampled_from(["2", "3", "17", "512"]),
        "heads": st.sampled_from(["1", "3", "8"]),
        "kv_heads": st.sampled_from(["1", "2", "8"]),
        "rope": st.sampled_from(["true", "false"]),
        "rope_base": st.sampled_from(["1", "1e7", "7.5"]),
        "pairing": st.sampled_from(["interleaved", "half"]),
        "rope_offset": st.sampled_from(["1000000", "-1000000"]),
        "scale": st.sampled_from(["none", "d_k"]),
        "causal": st.sampled_from(["true", "false"]),
        "window": st.sampled_from(["1", "64"]),
    },
)


@given(LINKS)
@example(ODD_LINK)
def test_every_link_has_a_picture_of_finite_numbers(query):
    settings, _ = AttentionSettings.from_query(query)
    trace = trace_attention(settings)
    assert np.isfinite(trace.weights).all()
    assert np.isfinite(trace.output).all()
    assert trace.weights.shape == settings.shape
