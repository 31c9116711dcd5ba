"""The scale experiment: what the lessons measured comes out, and the same at every start."""

import numpy as np
import pytest

from core.curves import WIDTHS, saturation_curves
from core.settings import MAX_D_K


@pytest.fixture(scope="module")
def curves():
    return saturation_curves(11)


def test_the_widths_cover_the_slider_and_rise():
    assert WIDTHS[0] <= 2
    assert WIDTHS[-1] == MAX_D_K
    assert list(WIDTHS) == sorted(set(WIDTHS))


@pytest.mark.parametrize("n_keys", [6, 11, 64])
@pytest.mark.parametrize("d_k", [4, 64, 512])  # A-std-4, A-std-64, A-std-512: 2, 8, 22.6
def test_the_spread_of_scores_is_the_root_of_d_k(n_keys, d_k):
    measured = saturation_curves(n_keys).score_sd[WIDTHS.index(d_k)]
    assert measured == pytest.approx(d_k**0.5, rel=0.03)


def test_unscaled_rows_become_one_hot(curves):
    largest = curves.largest_weight["none"]
    every_fourfold = largest[[WIDTHS.index(d) for d in (2, 8, 32, 128, 512)]]
    assert (np.diff(every_fourfold) > 0.02).all()
    assert largest[-1] > 0.9
    assert curves.effective_keys["none"][-1] < 1.5
    assert curves.jacobian_norm["none"][-1] < 0.1 < curves.jacobian_norm["none"][0]


def test_scaled_rows_stay_as_they_are(curves):
    for name in ("largest_weight", "jacobian_norm"):
        assert np.ptp(getattr(curves, name)["sqrt_d_k"]) < 0.05
    assert np.ptp(curves.effective_keys["sqrt_d_k"]) < 0.1 * 11


def test_one_key_takes_all_the_weight_at_every_width():
    alone = saturation_curves(1, n_rows=20)
    for scale in ("sqrt_d_k", "none"):
        np.testing.assert_array_equal(alone.largest_weight[scale], 1)
        np.testing.assert_allclose(alone.effective_keys[scale], 1)
        np.testing.assert_array_equal(alone.jacobian_norm[scale], 0)


def test_the_same_seed_draws_the_same_curves_and_another_seed_others():
    a, b, c = (saturation_curves(3, n_rows=50, seed=seed) for seed in (4, 4, 5))
    np.testing.assert_array_equal(a.score_sd, b.score_sd)
    np.testing.assert_array_equal(a.largest_weight["none"], b.largest_weight["none"])
    assert (a.score_sd != c.score_sd).all()


def test_more_rows_are_closer_to_the_theory():
    def error(n_rows):
        return np.abs(saturation_curves(2, n_rows=n_rows).score_sd / np.sqrt(WIDTHS) - 1).mean()

    assert error(4000) < error(40) / 2


def test_long_rows_are_drawn_less_often_but_never_less_than_400_times():
    assert [saturation_curves(n).n_rows for n in (1, 64)] == [2000, 400]
    assert saturation_curves(5, n_rows=7).n_rows == 7
