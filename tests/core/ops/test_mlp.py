"""Activations and MLPs against PyTorch, and the lessons' entry."""

import warnings

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

from core.errors import ShapeError
from core.ops.mlp import gelu, gelu_mlp, sigmoid, silu, swiglu_mlp

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.integers(1, 6)
X = np.concatenate([np.linspace(-12, 12, 2401), [-700.0, 700.0, 0.0, -0.0, 1e-300]])


@pytest.mark.parametrize(
    ("ours", "theirs"), [(gelu, functional.gelu), (silu, functional.silu), (sigmoid, torch.sigmoid)]
)
def test_an_activation_agrees_with_torch(ours, theirs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = ours(X)
    np.testing.assert_allclose(y, theirs(torch.from_numpy(X)).numpy(), atol=1e-12, rtol=1e-12)
    np.testing.assert_array_equal(ours(X.reshape(2, -1)), y.reshape(2, -1))


@pytest.mark.parametrize("activation", [gelu, silu, sigmoid])
def test_an_activation_takes_any_shape(activation):
    assert activation(np.zeros((0, 3))).shape == (0, 3)
    assert np.shape(activation(2.0)) == ()
    assert activation(np.array([2, 3])).dtype == np.float64


def test_gelu_is_the_exact_one():
    approximated = functional.gelu(torch.from_numpy(X), approximate="tanh").numpy()
    assert 1e-4 < abs(gelu(X) - approximated).max() < 5e-4


@given(SEEDS, SIZES, SIZES, SIZES, st.lists(SIZES, max_size=2))
def test_the_mlps_agree_with_torch(seed, n_tokens, d_model, d_ff, leading):
    rng = np.random.default_rng(seed)
    x, w1, w2, w3 = (
        rng.normal(size=shape)
        for shape in ((*leading, n_tokens, d_model), (d_model, d_ff), (d_ff, d_model), (d_model, d_ff))
    )
    tx, t1, t2, t3 = map(torch.from_numpy, (x, w1, w2, w3))
    right = functional.linear(functional.gelu(functional.linear(tx, t1.T)), t2.T)
    np.testing.assert_allclose(gelu_mlp(x, w1, w2), right.numpy(), atol=1e-9)
    up, gate = functional.linear(tx, t3.T), functional.silu(functional.linear(tx, t1.T))
    right = functional.linear(gate * up, t2.T)
    np.testing.assert_allclose(swiglu_mlp(x, w1, w2, w3), right.numpy(), atol=1e-9)


def entry(a, b):
    """One entry of SwiGLU with x W1 = a and x W3 = b."""
    return swiglu_mlp(np.ones((1, 1)), np.array([[a]]), np.ones((1, 1)), np.array([[b]])).item()


def test_the_lessons_entry():
    assert sigmoid(2.0) == pytest.approx(0.880797, abs=5e-7)
    assert silu(2.0) == pytest.approx(1.761594, abs=5e-7)
    assert entry(2.0, 0.5) == pytest.approx(0.880797, abs=5e-7)
    assert entry(2.0, 0.0) == 0
    assert entry(0.5, 2.0) == pytest.approx(0.622459, abs=5e-7)  # the branches swapped


def test_no_token_sees_another():
    rng = np.random.default_rng(0)
    x, w1, w2, w3 = rng.normal(size=(4, 3)), *(rng.normal(size=(3, 3)) for _ in range(3))
    moved = x.copy()
    moved[2] += 1
    others = [0, 1, 3]
    np.testing.assert_allclose(swiglu_mlp(moved, w1, w2, w3)[others], swiglu_mlp(x, w1, w2, w3)[others])
    np.testing.assert_allclose(gelu_mlp(moved, w1, w2)[others], gelu_mlp(x, w1, w2)[others])


def test_matrices_that_do_not_fit_are_refused():
    x, w1, w2 = np.ones((2, 3)), np.ones((3, 5)), np.ones((5, 3))
    with pytest.raises(ShapeError, match=r"expected w1 \[D, d_ff\] = \[3, 5\]"):
        gelu_mlp(x, w1.T, w2)
    with pytest.raises(ShapeError, match=r"expected w3 \[D, d_ff\] = \[3, 5\].*write weight.T"):
        swiglu_mlp(x, w1, w2, w1.T)
