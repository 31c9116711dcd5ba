"""How sharp weights are, against hand values and PyTorch's automatic derivative."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.ops.saturation import effective_keys, jacobian_norm, softmax_jacobian

SCORES = st.lists(st.floats(-20, 20), min_size=1, max_size=8)


def weights_and_jacobian(scores):
    """By PyTorch alone."""
    scores = torch.tensor(scores, dtype=torch.float64)
    jacobian = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, 0), scores)
    return torch.softmax(scores, 0).numpy(), jacobian.numpy()


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([1, 0, 0], 1),
        ([0.25] * 4, 4),
        ([0.5, 0.5, 0], 2),
        ([0, 0], 0),
        ([0.5, 0.25, 0.25], 2**1.5),  # entropy: 0.5 ln 2 + 0.5 ln 4
    ],
)
def test_effective_keys_of_known_rows(weights, expected):
    assert effective_keys(np.array(weights, float)) == pytest.approx(expected, abs=1e-12)


@given(SCORES)
def test_effective_keys_is_the_exponential_of_torchs_entropy(scores):
    weights, _ = weights_and_jacobian(scores)
    logits = torch.tensor(scores, dtype=torch.float64)
    entropy = torch.distributions.Categorical(logits=logits).entropy()
    assert effective_keys(weights) == pytest.approx(float(entropy.exp()), rel=1e-9)


@given(SCORES)
def test_the_jacobian_is_torchs(scores):
    weights, expected = weights_and_jacobian(scores)
    np.testing.assert_allclose(softmax_jacobian(weights), expected, atol=1e-12)


@given(SCORES)
def test_the_norm_is_that_of_torchs_jacobian(scores):
    weights, jacobian = weights_and_jacobian(scores)
    expected = np.linalg.norm(jacobian)
    assert jacobian_norm(weights) == pytest.approx(expected, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [([1, 0, 0], 0), ([0.5, 0.5], 0.5), ([0.25] * 4, 3**0.5 / 4), ([0, 0, 0], 0)],
)
def test_the_norm_of_known_rows(weights, expected):
    assert jacobian_norm(np.array(weights, float)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("gap", [10, 20, 30])
def test_the_norm_stays_right_where_it_is_tiny(gap):
    """Drawn on a logarithmic axis, an error of 1e-8 is a false floor."""
    weights, jacobian = weights_and_jacobian([gap, 0.0, 0.0])
    assert jacobian_norm(weights) == pytest.approx(np.linalg.norm(jacobian), rel=1e-2, abs=0)


def test_each_row_is_measured_by_itself():
    weights = np.array([[[1, 0], [0.5, 0.5]], [[0, 0], [0, 1]]], float)
    np.testing.assert_allclose(effective_keys(weights), [[1, 2], [0, 1]], atol=1e-12)
    np.testing.assert_allclose(jacobian_norm(weights), [[0, 0.5], [0, 0]], atol=1e-12)
    assert softmax_jacobian(weights).shape == (2, 2, 2, 2)
