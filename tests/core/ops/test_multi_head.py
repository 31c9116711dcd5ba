"""Multi-head attention against PyTorch's module, against its own loop, and by its symmetries."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

from core.errors import MaskError, ShapeError
from core.ops.masks import padding_mask
from core.ops.multi_head import multi_head_attention, multi_head_attention_loop

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.integers(1, 5)
BOTH = pytest.mark.parametrize("attend", [multi_head_attention, multi_head_attention_loop])


def drawn(seed, n_heads, n_kv_heads=None, *, leading=(), n_tokens=5, d_k=4, d_v=4, d_out=None):
    """x and the four weights: w_q, w_k, w_v, w_o."""
    rng = np.random.default_rng(seed)
    n_kv_heads = n_kv_heads or n_heads
    d_model = n_heads * d_k
    shapes = [
        (*leading, n_tokens, d_model),
        (d_model, n_heads * d_k),
        (d_model, n_kv_heads * d_k),
        (d_model, n_kv_heads * d_v),
        (n_heads * d_v, d_out or d_model),
    ]
    return [rng.normal(size=shape) / shape[-1] ** 0.25 for shape in shapes]


def by_torch_module(x, w_q, w_k, w_v, w_o, n_heads, hidden=None):
    """nn.MultiheadAttention with our weights copied in; its masks hide where they are True."""
    module = torch.nn.MultiheadAttention(
        x.shape[-1], n_heads, bias=False, batch_first=True, dtype=torch.float64
    )
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.from_numpy(np.concatenate([w_q.T, w_k.T, w_v.T])))
        module.out_proj.weight.copy_(torch.from_numpy(w_o.T))
        tensor = torch.from_numpy(x)
        hidden = None if hidden is None else torch.from_numpy(hidden)
        output, weights = module(tensor, tensor, tensor, attn_mask=hidden, average_attn_weights=False)
    return output.numpy(), weights.numpy()


def assert_same(ours, expected, tolerance=1e-6):
    for array, right in zip(ours, expected, strict=True):
        assert array.shape == right.shape
        np.testing.assert_allclose(array, right, atol=tolerance)


# --- PyTorch -----------------------------------------------------------------------------------


@given(SEEDS, SIZES, SIZES, SIZES, SIZES)
def test_agrees_with_torchs_module(seed, n_heads, n_batch, n_tokens, d_k):
    arrays = drawn(seed, n_heads, leading=(n_batch,), n_tokens=n_tokens, d_k=d_k, d_v=d_k)
    ours = multi_head_attention(*arrays, n_heads=n_heads)
    assert_same(ours, by_torch_module(*arrays, n_heads))


@given(SEEDS, SIZES, SIZES)
def test_agrees_with_torchs_module_under_a_causal_mask(seed, n_heads, n_tokens):
    arrays = drawn(seed, n_heads, n_tokens=n_tokens)
    ours = multi_head_attention(*arrays, n_heads=n_heads, is_causal=True)
    hidden = ~np.tri(n_tokens, dtype=bool)
    assert_same(ours, by_torch_module(*arrays, n_heads, hidden))


@given(SEEDS, SIZES, SIZES)
def test_agrees_with_torchs_module_under_a_random_mask(seed, n_heads, n_tokens):
    arrays = drawn(seed, n_heads, n_tokens=n_tokens)
    mask = np.random.default_rng(seed).random((n_tokens, n_tokens)) < 0.6
    np.fill_diagonal(mask, True)
    ours = multi_head_attention(*arrays, n_heads=n_heads, mask=mask)
    assert_same(ours, by_torch_module(*arrays, n_heads, ~mask))


@given(SEEDS, st.integers(1, 3), st.integers(1, 3), st.booleans())
def test_grouped_heads_agree_with_torch(seed, n_kv_heads, size, is_causal):
    n_heads = n_kv_heads * size
    x, w_q, w_k, w_v, w_o = arrays = drawn(seed, n_heads, n_kv_heads, leading=(2,))
    output, _ = multi_head_attention(*arrays, n_heads=n_heads, n_kv_heads=n_kv_heads, is_causal=is_causal)
    q, k, v = (
        torch.from_numpy(x @ w).unflatten(-1, (n, 4)).transpose(1, 2)
        for w, n in ((w_q, n_heads), (w_k, n_kv_heads), (w_v, n_kv_heads))
    )
    context = functional.scaled_dot_product_attention(q, k, v, is_causal=is_causal, enable_gqa=True)
    np.testing.assert_allclose(output, context.transpose(1, 2).flatten(2).numpy() @ w_o, atol=1e-6)


def test_the_shapes_of_the_lesson():
    arrays = drawn(0, 2, n_tokens=6)
    output, weights = multi_head_attention(*arrays, n_heads=2)
    assert output.shape == (6, 8)  # A-mha-shapes
    assert weights.shape == (2, 6, 6)


# --- the loop ----------------------------------------------------------------------------------


@given(SEEDS, st.integers(1, 3), st.integers(1, 3), st.booleans(), st.booleans())
def test_the_loop_gives_the_same(seed, n_kv_heads, size, is_causal, rope):
    n_heads = n_kv_heads * size
    arrays = drawn(seed, n_heads, n_kv_heads, leading=(2,), d_v=3, d_out=7)
    options = {
        "n_heads": n_heads,
        "n_kv_heads": n_kv_heads,
        "is_causal": is_causal,
        "rope_positions": np.arange(5) if rope else None,
        "rope_base": 100.0,
        "rope_pairing": "half",
    }
    assert_same(
        multi_head_attention(*arrays, **options),
        multi_head_attention_loop(*arrays, **options),
        1e-12,
    )


# --- masks -------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("n_batch", [1, 2, 3, 4])
def test_a_padding_mask_hides_columns_of_its_own_sequence_also_when_b_equals_h(attend, n_batch):
    """With B = H an unguarded [B, 1, Tk] broadcasts over heads: right shape, wrong sequence."""
    arrays = drawn(1, 3, leading=(n_batch,))
    lengths = np.array([5, 2, 4, 1])[:n_batch]
    _, weights = attend(*arrays, n_heads=3, mask=padding_mask(lengths, 5))
    seen = np.array([[j < length for j in range(5)] for length in lengths])
    expected = np.broadcast_to(seen[:, None, None, :], (n_batch, 3, 5, 5))
    np.testing.assert_array_equal(weights > 0, expected)


@BOTH
@pytest.mark.parametrize("n_batch", [2, 3])
def test_a_mask_for_each_sequence_holds_for_every_head(attend, n_batch):
    arrays = drawn(2, 3, leading=(n_batch,))
    mask = np.random.default_rng(2).random((n_batch, 5, 5)) < 0.6
    _, weights = attend(*arrays, n_heads=3, mask=mask)
    expected = np.broadcast_to(mask[:, None], (n_batch, 3, 5, 5))
    np.testing.assert_array_equal(weights > 0, expected)


@BOTH
@pytest.mark.parametrize(
    "shape", [(5,), (1, 5), (5, 5), (2, 1, 1, 5), (1, 3, 5, 5), (2, 1, 5, 5), (2, 3, 5, 5)]
)
def test_every_other_form_of_a_mask_hides_what_it_says(attend, shape):
    arrays = drawn(3, 3, leading=(2,))
    mask = np.random.default_rng(3).random(shape) < 0.6
    _, weights = attend(*arrays, n_heads=3, mask=mask)
    np.testing.assert_array_equal(weights > 0, np.broadcast_to(mask, (2, 3, 5, 5)))


@BOTH
def test_without_a_batch_a_mask_of_three_axes_is_one_for_each_head(attend):
    arrays = drawn(4, 3)
    mask = np.random.default_rng(4).random((3, 5, 5)) < 0.6
    _, weights = attend(*arrays, n_heads=3, mask=mask)
    np.testing.assert_array_equal(weights > 0, mask)


@BOTH
def test_a_mask_and_the_causal_flag_hide_what_either_hides(attend):
    arrays = drawn(5, 2, leading=(2,))
    mask = padding_mask([3, 5], 5)
    _, weights = attend(*arrays, n_heads=2, mask=mask, is_causal=True)
    expected = np.broadcast_to(mask[:, None] & np.tri(5, dtype=bool), (2, 2, 5, 5))
    np.testing.assert_array_equal(weights > 0, expected)


@BOTH
def test_a_mask_that_is_not_bool_is_refused(attend):
    with pytest.raises(MaskError, match="got dtype int64"):
        attend(*drawn(6, 2), n_heads=2, mask=np.ones((5, 5), int))


# --- heads that share keys and values ----------------------------------------------------------


def test_as_many_key_heads_as_query_heads_is_plain_multi_head():
    arrays = drawn(7, 4)
    grouped = multi_head_attention(*arrays, n_heads=4, n_kv_heads=4)
    assert_same(grouped, multi_head_attention(*arrays, n_heads=4), 0)


@pytest.mark.parametrize("n_kv_heads", [1, 2])
def test_shared_heads_are_multi_head_with_repeated_columns(n_kv_heads):
    x, w_q, w_k, w_v, w_o = arrays = drawn(8, 4, n_kv_heads)
    grouped = multi_head_attention(*arrays, n_heads=4, n_kv_heads=n_kv_heads)
    order = [h * n_kv_heads // 4 for h in range(4)]
    columns = np.concatenate([np.arange(4) + 4 * g for g in order])
    repeated = multi_head_attention(x, w_q, w_k[:, columns], w_v[:, columns], w_o, n_heads=4)
    assert_same(grouped, repeated, 1e-12)


# --- positions ---------------------------------------------------------------------------------


def test_the_order_of_the_tokens_only_reorders_the_output():
    """Attention without positions is permutation-equivariant (A-perm), not invariant."""
    x, *weights = drawn(9, 2)
    order = [3, 0, 4, 1, 2]
    output, _ = multi_head_attention(x, *weights, n_heads=2)
    shuffled, _ = multi_head_attention(x[order], *weights, n_heads=2)
    np.testing.assert_allclose(shuffled, output[order], atol=1e-12)


def rope_attention(arrays, positions, **options):
    return multi_head_attention(*arrays, n_heads=2, rope_positions=positions, **options)


def test_rope_knows_the_order_of_the_tokens():
    x, *weights = drawn(9, 2)
    order = [3, 0, 4, 1, 2]
    output, _ = rope_attention([x, *weights], np.arange(5))
    shuffled, _ = rope_attention([x[order], *weights], np.arange(5))
    assert np.abs(shuffled - output[order]).max() > 1e-3


def test_tokens_that_take_their_positions_along_keep_their_output():
    x, *weights = drawn(9, 2)
    order = np.array([3, 0, 4, 1, 2])
    output, _ = rope_attention([x, *weights], np.arange(5))
    shuffled, _ = rope_attention([x[order], *weights], order)
    np.testing.assert_allclose(shuffled, output[order], atol=1e-12)


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
def test_rope_sees_only_differences_of_positions(pairing):
    arrays = drawn(10, 2)
    here = rope_attention(arrays, np.arange(5), rope_pairing=pairing)
    assert_same(here, rope_attention(arrays, np.arange(5) + 1000, rope_pairing=pairing), 1e-9)


@BOTH
@pytest.mark.parametrize("pairing", ["interleaved", "half"])
def test_rope_turns_each_head_after_the_split(attend, pairing):
    """Turning the wide vector before the split would give the heads different speeds."""
    x, w_q, w_k, *_ = arrays = drawn(11, 2, n_tokens=3)
    _, weights = attend(
        *arrays, n_heads=2, rope_positions=np.arange(3), rope_base=100.0, rope_pairing=pairing
    )
    first, second = ([0, 2], [1, 3]) if pairing == "interleaved" else ([0, 1], [2, 3])
    turn = np.exp(1j * np.arange(3)[:, None] * np.array([1.0, 0.1]))  # 100^(-2i/4)
    for h in range(2):
        q, k = ((x @ w)[:, 4 * h : 4 * h + 4] for w in (w_q, w_k))
        q, k = ((z[:, first] + 1j * z[:, second]) * turn for z in (q, k))
        scores = np.exp((q @ k.conj().T).real / 2)
        np.testing.assert_allclose(weights[h], scores / scores.sum(-1, keepdims=True), atol=1e-12)


# --- errors ------------------------------------------------------------------------------------


def square(d_model):
    return [np.ones((3, d_model)), *[np.ones((d_model, d_model))] * 4]


@BOTH
@pytest.mark.parametrize("n_heads", [7, 49])
def test_heads_must_divide_the_width(attend, n_heads):
    with pytest.raises(ShapeError) as caught:
        attend(*square(64), n_heads=n_heads)
    assert str(caught.value) == (
        f"n_heads must divide d_model: 64 / {n_heads} is not whole; choose 1, 2, 4, 8, 16, 32 or 64."
    )


@BOTH
def test_no_heads_are_refused(attend):
    with pytest.raises(ShapeError):
        attend(*square(8), n_heads=0)


@BOTH
def test_key_value_heads_must_divide_the_query_heads(attend):
    with pytest.raises(ShapeError) as caught:
        attend(*square(64), n_heads=8, n_kv_heads=3)
    assert str(caught.value) == ("8 query heads cannot share 3 key/value heads; choose 1, 2, 4 or 8.")


@BOTH
@pytest.mark.parametrize(
    ("which", "shape", "message"),
    [
        (
            2,
            (6, 8),
            "expected w_k [D = 8, ...] for x @ w_k, got [6, 8]; "
            "PyTorch stores the transpose: write weight.T.",
        ),
        (
            2,
            (8, 6),
            "expected w_k with Hkv * d_k = 2 * 4 columns, got 6; query and key heads must be equally wide.",
        ),
        (
            4,
            (6, 8),
            "expected w_o with H * d_v = 2 * 4 rows, got 6; it mixes the heads laid side by side.",
        ),
    ],
)
def test_a_weight_that_does_not_fit_is_named(attend, which, shape, message):
    arrays = square(8)
    arrays[which] = np.ones(shape)
    with pytest.raises(ShapeError) as caught:
        attend(*arrays, n_heads=2)
    assert str(caught.value) == message


@BOTH
def test_rope_needs_heads_of_even_width(attend):
    with pytest.raises(ShapeError, match="the width must be even, got d_head = 3"):
        attend(*square(6), n_heads=2, rope_positions=np.arange(3))
