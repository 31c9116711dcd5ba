"""The cache: what it keeps and refuses, and that decoding with it is the whole pass, token by token."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import ShapeError
from core.ops.attention import scaled_dot_product_attention
from core.ops.heads import repeat_kv
from core.ops.kv_cache import KVCache, cache_bytes
from core.ops.masks import causal_mask, sliding_window_mask
from core.ops.rope import apply_rope


def empty(n_kv_heads=2, d_k=4, d_v=4):
    return KVCache(np.empty((n_kv_heads, 0, d_k)), np.empty((n_kv_heads, 0, d_v)))


def test_a_cache_by_hand():
    first = KVCache(np.array([[[1.0, 2.0]]]), np.array([[[3.0]]]))
    second = first.append(np.array([[[4.0, 5.0]]]), np.array([[[6.0]]]))
    np.testing.assert_array_equal(second.keys, [[[1, 2], [4, 5]]])
    np.testing.assert_array_equal(second.values, [[[3], [6]]])
    assert (first.n_tokens, second.n_tokens) == (1, 2)
    np.testing.assert_array_equal(first.keys, [[[1, 2]]])


def test_it_cannot_be_written_to_and_leaves_its_owner_free():
    keys = np.zeros((1, 1, 2))
    cache = KVCache(keys, keys)
    with pytest.raises(ValueError, match="read-only"):
        cache.keys[0] = 1
    with pytest.raises(AttributeError):
        cache.keys = keys
    keys[0] = 1  # not ours to lock


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: KVCache(np.zeros(3), np.zeros(3)), r"expected keys and values \[..., Hkv, n, d\]"),
        (lambda: KVCache(np.zeros((2, 3, 4)), np.zeros((2, 2, 4))), "a value for every key"),
        (lambda: empty().append(np.zeros((8, 1, 4)), np.zeros((8, 1, 4))), r"keys \[2, m, 4\].*before they"),
        (lambda: empty().append(np.zeros((2, 1, 6)), np.zeros((2, 1, 4))), r"keys \[2, m, 4\].*\[2, 1, 6\]"),
        (lambda: empty().append(np.zeros((2, 1, 4)), np.zeros((2, 1, 5))), r"values \[2, m, 4\]"),
        (lambda: cache_bytes(-1, n_layers=1, n_kv_heads=1, d_head=1), "at least 0 tokens"),
        (lambda: cache_bytes(1, n_layers=0, n_kv_heads=1, d_head=1), "n_layers of at least 1, got 0"),
        (lambda: cache_bytes(1, n_layers=1, n_kv_heads=1, d_head=1, batch=0), "batch of at least 1"),
    ],
)
def test_what_does_not_fit_is_said(make, words):
    with pytest.raises(ShapeError, match=words):
        make()


def test_bytes_of_published_models():
    llama_3 = {"n_layers": 32, "n_kv_heads": 8, "d_head": 128}
    assert cache_bytes(1, **llama_3) == 131_072  # torchtune issue 38
    assert cache_bytes(1, **{**llama_3, "n_kv_heads": 32}) == 524_288
    assert cache_bytes(8192, **llama_3) == 2**30
    assert cache_bytes(8192, **llama_3, batch=4, bytes_per_value=1) == 2 * 2**30
    assert cache_bytes(0, **llama_3) == 0


def test_bytes_are_those_of_the_arrays():
    cache = empty(3, 8, 8).append(np.zeros((3, 5, 8), np.float16), np.zeros((3, 5, 8), np.float16))
    stored = np.zeros_like(cache.keys, dtype=np.float16)
    assert 2 * stored.nbytes == cache_bytes(5, n_layers=1, n_kv_heads=3, d_head=8)


@st.composite
def decodings(draw):
    n_kv_heads, size = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    chunks = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    return {
        "n_kv_heads": n_kv_heads,
        "size": size,
        "chunks": chunks,
        "d_k": 2 * draw(st.integers(1, 4)),
        "d_v": draw(st.integers(1, 5)),
        "window": draw(st.none() | st.integers(1, 6)),
        "pairing": draw(st.sampled_from([None, "interleaved", "half"])),
        "seed": draw(st.integers(0, 2**31 - 1)),
        "batch": draw(st.sampled_from([(), (2,)])),
    }


def mask_of(window, n_queries, n_keys=None):
    if window is None:
        return causal_mask(n_queries, n_keys)
    return sliding_window_mask(n_queries, window, n_keys)


@settings(max_examples=120, deadline=None)
@given(decodings())
def test_decoding_in_chunks_is_the_whole_pass(case):
    """Shared heads, both pairings of RoPE, windows, several new tokens at once; then PyTorch."""
    import torch

    draw = np.random.default_rng(case["seed"]).standard_normal
    batch, n_kv, size = case["batch"], case["n_kv_heads"], case["size"]
    n = sum(case["chunks"])
    q = draw((*batch, n_kv * size, n, case["d_k"]))
    k = draw((*batch, n_kv, n, case["d_k"]))
    v = draw((*batch, n_kv, n, case["d_v"]))

    def turned(x, first=0):
        if case["pairing"] is None:
            return x
        return apply_rope(x, first + np.arange(x.shape[-2]), pairing=case["pairing"])

    whole, _ = scaled_dot_product_attention(
        turned(q), repeat_kv(turned(k), size), repeat_kv(v, size), mask=mask_of(case["window"], n)
    )
    cache = KVCache(k[..., :0, :], v[..., :0, :])
    rows = []
    for m in case["chunks"]:
        at = cache.n_tokens
        new = slice(at, at + m)
        cache = cache.append(turned(k[..., new, :], at), v[..., new, :])
        output, _ = scaled_dot_product_attention(
            turned(q[..., new, :], at),
            repeat_kv(cache.keys, size),
            repeat_kv(cache.values, size),
            mask=mask_of(case["window"], m, cache.n_tokens),
        )
        rows.append(output)
    assert cache.n_tokens == n
    decoded = np.concatenate(rows, axis=-2)
    np.testing.assert_allclose(decoded, whole, atol=1e-12)

    lead = () if batch else (1,)
    tensors = [torch.from_numpy(x.reshape(*lead, *x.shape)) for x in (turned(q), turned(k), v)]
    theirs = torch.nn.functional.scaled_dot_product_attention(
        *tensors, attn_mask=torch.from_numpy(mask_of(case["window"], n)), enable_gqa=True
    )
    np.testing.assert_allclose(decoded, theirs.numpy().reshape(decoded.shape), atol=1e-12)
