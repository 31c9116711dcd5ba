"""Why sqrt(d_k): the spread, softmax under each divisor, gradients, overflow."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.lessons.gradients import WIDTHS, draws, gradient_curves, gradients
from core.lessons.scaling import (
    SCALES,
    ScalingSettings,
    dot_products,
    largest_exponent,
    measured_sd,
    overflows,
    plain_softmax,
    trace_scaling,
)
from core.reference.scaling import autograd_gradients


@given(
    st.builds(
        ScalingSettings,
        d_k=st.integers(2, 512),
        scale=st.sampled_from(SCALES),
        heads=st.integers(1, 16),
        seed=st.integers(0, 2**31 - 1),
        offset=st.floats(0, 1000),
    )
)
def test_every_state_is_a_link(settings):
    assert ScalingSettings.from_query(settings.to_query()) == (settings, [])


@pytest.mark.parametrize(("d_k", "theory"), [(4, 2.0), (64, 8.0), (128, 11.3137), (512, 22.6274)])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_spread_is_the_root_of_the_width(d_k, theory, seed):
    assert measured_sd(d_k, seed) == pytest.approx(theory, rel=0.034)  # three standard errors of 4,000


def test_a_wider_vector_extends_the_same_pairs():
    generator = np.random.default_rng(5)
    q, k = generator.standard_normal((2, 4000, 512))
    for d_k in (2, 100, 512):
        np.testing.assert_allclose(dot_products(5)[d_k - 1], (q[:, :d_k] * k[:, :d_k]).sum(axis=1), atol=1e-9)


def test_each_divisor_is_what_it_says():
    trace = trace_scaling(ScalingSettings(d_k=64, heads=8))
    assert trace.divisors == pytest.approx(
        {"none": 1, "sqrt_d_k": 8, "d_k": 64, "sqrt_d_model": 22.6274}, rel=1e-5
    )
    for scale, divisor in trace.divisors.items():
        theirs = torch.softmax(torch.tensor(trace.row / divisor), dim=0).numpy()
        np.testing.assert_allclose(trace.weights[scale], theirs, atol=1e-12)


def test_the_jacobian_is_that_of_autograd():
    trace = trace_scaling(ScalingSettings(d_k=16))
    softmax = lambda s: torch.softmax(s, dim=0)  # noqa: E731
    theirs = torch.autograd.functional.jacobian(softmax, torch.tensor(trace.row / 4.0))
    np.testing.assert_allclose(trace.jacobians["sqrt_d_k"], theirs.numpy(), atol=1e-12)


def test_wrong_divisors_are_too_flat_and_none_is_too_sharp():
    trace = trace_scaling(ScalingSettings(d_k=512))
    largest = {scale: trace.sharpness(scale)[0] for scale in SCALES}
    assert largest["none"] > 0.9 > largest["sqrt_d_k"] > largest["sqrt_d_model"] > largest["d_k"]


def test_the_closed_form_is_what_autograd_gives():
    for answer in autograd_gradients(ScalingSettings(d_k=64)).values():
        assert answer["difference"] < 1e-10


def test_half_of_the_popular_claim_is_true():
    """Without the scale the median gradient at the query vanishes and the mean grows."""
    answer = autograd_gradients(ScalingSettings(d_k=512))
    scaled, unscaled = answer["sqrt_d_k"], answer["none"]
    assert unscaled["median"] < 0.1 * scaled["median"]
    assert unscaled["mean"] > 2 * scaled["mean"]
    assert unscaled["mean_scores"] < 0.5 * scaled["mean_scores"]


def test_the_curves_hold_what_single_widths_give():
    curves = gradient_curves(3)
    for d_k in (2, 64, 512):
        found = gradients(draws(3, d_k), d_k**-0.5)
        at = WIDTHS.index(d_k)
        assert curves.sizes["query", "sqrt_d_k", "mean"][at] == pytest.approx(found.query.mean())
        assert curves.sizes["scores", "sqrt_d_k", "median"][at] == pytest.approx(np.median(found.scores))


@pytest.mark.parametrize(
    ("dtype", "limit"), [("float16", 11.0899), ("float32", 88.7228), ("float64", 709.7827)]
)
def test_exp_overflows_where_the_type_ends(dtype, limit):
    assert largest_exponent(dtype) == pytest.approx(limit, abs=2e-3)
    below, above = (np.array([limit + by], dtype=dtype) for by in (-0.1, 0.1))
    assert np.isfinite(np.exp(below))
    with np.errstate(over="ignore"):
        assert np.isinf(np.exp(above))


@pytest.mark.parametrize(
    ("offset", "sound"), [(0, "111"), (12, "011"), (90, "001"), (710, "000"), (1000, "000")]
)
def test_the_plain_softmax_fails_type_by_type(offset, sound):
    found = overflows(offset)
    assert "".join(str(int(each.sound)) for each in found) == sound
    for each in found:
        np.testing.assert_allclose(each.shifted, [0.090031, 0.244728, 0.665241], atol=1e-6)
        assert np.isinf(each.first) == (offset > each.limit)


def test_wrong_divisors_give_another_spread():
    trace = trace_scaling(ScalingSettings(d_k=64, heads=8))
    sd = trace.products.std()
    assert trace.spread("d_k") == pytest.approx(sd / 64)
    assert trace.spread("sqrt_d_model") == pytest.approx(sd / 512**0.5)
    assert trace.spread("sqrt_d_k") == pytest.approx(1, rel=0.034)


def test_a_plain_softmax_fails_at_1000_and_not_at_0():
    assert np.isnan(plain_softmax(np.array([1000.0, 1001.0, 1002.0]))).all()
    np.testing.assert_allclose(
        plain_softmax(np.array([0.0, 1, 2])), [0.090031, 0.244728, 0.665241], atol=1e-6
    )


@pytest.mark.parametrize(
    "link", [{"d_k": "1"}, {"scale": "x"}, {"offset": "1e9"}, {"heads": "0"}, {"seed": "a"}]
)
def test_a_bad_link_is_repaired_with_a_sentence(link):
    settings, notes = ScalingSettings.from_query(link)
    assert len(notes) == 1
    assert ScalingSettings.from_query(settings.to_query()) == (settings, [])
