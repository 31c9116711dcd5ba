"""LayerNorm and RMSNorm against PyTorch's modules, and what they leave alone."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ShapeError
from core.ops.norms import layer_norm, rms_norm

SEEDS = st.integers(0, 2**32 - 1)
SHAPES = st.lists(st.integers(1, 5), min_size=1, max_size=4)
EPS = st.sampled_from([1e-12, 1e-6, 1e-5, 0.1])


def drawn(seed, shape):
    rng = np.random.default_rng(seed)
    spread = 10.0 ** rng.integers(-3, 4)
    return (
        spread * rng.normal(size=shape) + rng.normal(),
        rng.normal(size=shape[-1]),
        rng.normal(size=shape[-1]),
    )


def by_torch(module, x, **parameters):
    with torch.no_grad():
        for name, value in parameters.items():
            getattr(module, name).copy_(torch.from_numpy(value))
        return module(torch.from_numpy(x)).numpy()


@given(SEEDS, SHAPES, EPS)
def test_layer_norm_agrees_with_torch(seed, shape, eps):
    x, weight, bias = drawn(seed, shape)
    module = torch.nn.LayerNorm(shape[-1], eps=eps, dtype=torch.float64)
    right = by_torch(module, x, weight=weight, bias=bias)
    np.testing.assert_allclose(layer_norm(x, weight, bias, eps), right, atol=1e-9, rtol=1e-9)


@given(SEEDS, SHAPES, EPS)
def test_rms_norm_agrees_with_torch(seed, shape, eps):
    x, weight, _ = drawn(seed, shape)
    module = torch.nn.RMSNorm(shape[-1], eps=eps, dtype=torch.float64)
    right = by_torch(module, x, weight=weight)
    np.testing.assert_allclose(rms_norm(x, weight, eps), right, atol=1e-9, rtol=1e-9)


def test_the_defaults():
    x, one, zero = np.array([1e-3, -1e-3, 3e-3, 0.0]), np.ones(4), np.zeros(4)
    np.testing.assert_array_equal(layer_norm(x, one, zero), layer_norm(x, one, zero, 1e-5))
    np.testing.assert_array_equal(rms_norm(x, one), rms_norm(x, one, 1e-6))


def test_three_and_four():
    np.testing.assert_allclose(rms_norm(np.array([3.0, 4.0]), np.ones(2)), [0.848528, 1.131371], atol=1e-6)
    np.testing.assert_allclose(
        layer_norm(np.array([3.0, 4.0]), np.ones(2), np.zeros(2), 1e-12), [-1, 1], atol=1e-9
    )


def test_eps_stands_inside_the_root():
    x, one = np.array([1e-3, -1e-3]), np.ones(2)  # mean of squares 1e-6, as large as eps
    np.testing.assert_allclose(rms_norm(x, one, 1e-6), [0.5**0.5, -(0.5**0.5)])  # outside: 0.999
    np.testing.assert_allclose(layer_norm(x, one, np.zeros(2), 1e-6), [0.5**0.5, -(0.5**0.5)])


def test_equal_entries_give_no_nan():
    same = np.full((2, 3), 7.0)
    np.testing.assert_array_equal(layer_norm(same, np.ones(3), np.arange(3.0)), [[0, 1, 2]] * 2)
    np.testing.assert_array_equal(rms_norm(np.zeros((2, 3)), np.ones(3)), np.zeros((2, 3)))


def test_each_token_by_itself():
    x = np.random.default_rng(1).normal(size=(4, 6))
    moved = x.copy()
    moved[3] += 5
    for norm in (lambda y: layer_norm(y, np.ones(6), np.zeros(6)), lambda y: rms_norm(y, np.ones(6))):
        np.testing.assert_array_equal(norm(moved)[:3], norm(x)[:3])
    np.testing.assert_allclose(
        layer_norm(moved, np.ones(6), np.zeros(6)), layer_norm(x, np.ones(6), np.zeros(6))
    )
    assert abs(rms_norm(moved, np.ones(6)) - rms_norm(x, np.ones(6)))[3].max() > 0.1  # RMSNorm keeps the mean


@pytest.mark.parametrize("weight", [np.ones(3), np.ones(()), np.ones((4, 1)), np.ones((1, 4))])
def test_a_weight_of_another_width_is_refused(weight):
    with pytest.raises(ShapeError, match=r"expected weight \[D = 4\]"):
        rms_norm(np.ones((3, 4)), weight)
    with pytest.raises(ShapeError, match=r"expected (weight|bias) \[D = 4\]"):
        layer_norm(np.ones((3, 4)), np.ones(4), weight)


def test_a_single_number_is_no_token():
    with pytest.raises(ShapeError, match="single number"):
        rms_norm(np.array(3.0), np.ones(1))
