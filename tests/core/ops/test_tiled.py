"""Attention in tiles against attention at once, against plain loops, and against PyTorch."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import MaskError, ShapeError
from core.ops.attention import scaled_dot_product_attention
from core.ops.tiled import tile_states, tiled_attention


@st.composite
def cases(draw):
    """Queries, keys, values and a mask of any sizes, tiles that need not divide them."""
    n_queries, n_keys = draw(st.integers(1, 9)), draw(st.integers(1, 11))
    d_k, d_v = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    lead = draw(st.sampled_from([(), (2,), (2, 3)]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size = draw(st.sampled_from([0.0, 1.0, 30.0, 1e4]))  # of the scores: far beyond where exp overflows
    q, k, v = (
        rng.standard_normal((*lead, *shape)) for shape in ((n_queries, d_k), (n_keys, d_k), (n_keys, d_v))
    )
    masks = {
        "none": None,
        "any": rng.random((n_queries, n_keys)) < 0.5,  # rows without a key occur
        "rows": rng.random((n_queries, 1)) < 0.5,
        "columns": rng.random((1, n_keys)) < 0.7,
        "keys": rng.random(n_keys) < 0.7,
        "lead": rng.random((*lead, n_queries, n_keys)) < 0.5,
        "nothing": np.zeros((n_queries, n_keys), bool),
    }
    mask = masks[draw(st.sampled_from(list(masks)))]
    scale = draw(st.sampled_from([None, 0.3]))
    options = {"mask": mask, "is_causal": draw(st.booleans()), "scale": scale}
    return q * size, k, v, options, draw(st.integers(1, 13)), draw(st.one_of(st.none(), st.integers(1, 11)))


@given(cases())
def test_tiles_give_what_the_whole_matrix_gives(case):
    q, k, v, options, tile, block = case
    plain, _ = scaled_dot_product_attention(q, k, v, **options)
    tiled = tiled_attention(q, k, v, tile=tile, block=block, **options)
    assert tiled.shape == plain.shape
    np.testing.assert_allclose(tiled, plain, atol=1e-12, rtol=0)


@given(cases())
def test_after_each_tile_it_is_attention_over_the_keys_so_far(case):
    q, k, v, options, tile, _ = case
    mask = np.ones((q.shape[-2], k.shape[-2]), bool) if options["mask"] is None else options["mask"]
    mask = np.broadcast_to(mask, (*mask.shape[:-2], q.shape[-2], k.shape[-2]))
    if options["is_causal"]:  # of the whole: the last query stands at the last key
        mask = mask & np.tril(np.ones(mask.shape[-2:], bool), k.shape[-2] - q.shape[-2])
    stops = []
    for state in tile_states(q, k, v, tile=tile, **options):
        stops.append(state.stop)
        assert state.scores.shape[-1] == state.stop - state.start <= tile
        so_far = scaled_dot_product_attention(
            q, k[..., : state.stop, :], v[..., : state.stop, :],
            mask=mask[..., : state.stop], scale=options["scale"],
        )[0]  # fmt: skip
        np.testing.assert_allclose(state.normalised, so_far, atol=1e-12, rtol=0)
        assert (state.rescale <= 1).all()
        assert (state.rescale >= 0).all()
    assert stops == [min(s + tile, k.shape[-2]) for s in range(0, k.shape[-2], tile)]


def test_every_running_number_by_hand():
    """One query, scores 1, 3 | 2, 5 | 4 and values 1..5, with math alone."""
    scores, values = [1.0, 3, 2, 5, 4], [1.0, 2, 3, 4, 5]
    states = list(
        tile_states(
            np.array([[1.0]]), np.array(scores)[:, None], np.array(values)[:, None], tile=2, scale=1.0
        )
    )
    assert [state.maximum.item() for state in states] == [3, 5, 5]
    assert [state.rescale.item() for state in states] == pytest.approx([0, math.exp(-2), 1], abs=1e-15)
    for state, n in zip(states, (2, 4, 5), strict=True):
        m = max(scores[:n])
        exponentials = [math.exp(s - m) for s in scores[:n]]
        assert state.total.item() == pytest.approx(sum(exponentials), abs=1e-14)
        weighted = sum(e * x for e, x in zip(exponentials, values[:n], strict=True))
        assert state.output.item() == pytest.approx(weighted, abs=1e-14)


def test_scores_at_which_a_plain_exponential_overflows():
    q, k = np.array([[1e5], [-1e5]]), np.array([[0.0], [1.0], [-1.0], [1.0], [0.5]])
    v = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])
    # The first query's largest score is shared by keys 1 and 3, the second's belongs to key 2.
    np.testing.assert_array_equal(tiled_attention(q, k, v, tile=2), [[3.0], [3.0]])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("tile", [1, 2, 3, 7])
def test_a_hidden_key_or_value_changes_nothing(bad, tile):
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((5, 3)) for _ in range(3))
    mask = np.arange(5) != 4
    clean = tiled_attention(q, k[:4], v[:4], tile=tile)
    k[4], v[4] = bad, bad
    np.testing.assert_allclose(tiled_attention(q, k, v, tile=tile, mask=mask), clean, atol=1e-12)


def test_it_never_holds_more_than_block_times_tile():
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((12, 4)) for _ in range(3))
    for state in tile_states(q[4:8], k, v, tile=5, is_causal=True, offset=4):
        assert state.scores.size <= 4 * 5
        assert state.exponentials.size <= 4 * 5


def test_a_block_of_queries_keeps_its_place_under_the_causal_mask():
    rng = np.random.default_rng(1)
    q, k, v = (rng.standard_normal((10, 4)) for _ in range(3))
    whole, _ = scaled_dot_product_attention(q, k, v, is_causal=True)
    *_, last = tile_states(q[3:6], k, v, tile=4, is_causal=True, offset=3)
    np.testing.assert_allclose(last.normalised, whole[3:6], atol=1e-12)


def test_narrow_types_stay_narrow():
    q, k, v = (np.ones((3, 2), np.float32) for _ in range(3))
    assert tiled_attention(q, k, v, tile=2).dtype == np.float32


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("n", "tile", "block"), [(7, 3, 2), (64, 16, 16), (130, 32, 48)])
def test_pytorch_gives_the_same(n, tile, block, causal):
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(n)
    q, k, v = (rng.standard_normal((2, 3, n, 8)) for _ in range(3))
    theirs = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.from_numpy, (q, k, v)), is_causal=causal
    ).numpy()
    ours = tiled_attention(q, k, v, tile=tile, block=block, is_causal=causal)
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("name", ["tile", "block"])
@pytest.mark.parametrize("size", [0, -2])
def test_no_keys_or_queries_at_a_time_is_refused(name, size):
    x = np.ones((3, 2))
    with pytest.raises(ShapeError, match=rf"at least 1 (key|query), got {size}; choose 1 or more\."):
        tiled_attention(x, x, x, **{"tile": 2, name: size})


def test_what_plain_attention_refuses_is_refused():
    x = np.ones((3, 2))
    with pytest.raises(ShapeError, match="same width d_k"):
        tiled_attention(x, np.ones((3, 4)), x, tile=2)
    with pytest.raises(MaskError, match="expected a bool mask"):
        tiled_attention(x, x, x, tile=2, mask=np.ones((3, 3)))
    with pytest.raises(ShapeError, match="broadcasts to"):
        tiled_attention(x, x, x, tile=2, mask=np.ones((2, 3), bool))
