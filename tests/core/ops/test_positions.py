"""The sinusoidal waves against the formula of 2017, entry by entry."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ShapeError
from core.ops.positions import sinusoidal_encoding


@given(st.integers(1, 20), st.integers(1, 17))
def test_the_waves_agree_with_a_hand_loop_at_odd_widths_too(n_positions, d_model):
    waves = sinusoidal_encoding(n_positions, d_model)
    assert waves.shape == (n_positions, d_model)
    for m in range(n_positions):
        for column in range(d_model):
            i = column // 2
            angle = m / 10000 ** (2 * i / d_model)
            expected = math.sin(angle) if column == 2 * i else math.cos(angle)
            assert waves[m, column] == pytest.approx(expected, abs=1e-12)


def test_position_zero_is_zeros_and_ones():
    np.testing.assert_array_equal(sinusoidal_encoding(1, 5), [[0, 1, 0, 1, 0]])


def test_a_longer_text_keeps_the_positions_it_had():
    np.testing.assert_array_equal(sinusoidal_encoding(9, 6)[:4], sinusoidal_encoding(4, 6))


def test_no_two_of_many_positions_are_the_same():
    waves = sinusoidal_encoding(64, 16)
    distances = np.linalg.norm(waves[:, None] - waves[None], axis=-1)
    assert distances[~np.eye(64, dtype=bool)].min() > 0.1


@pytest.mark.parametrize("sizes", [(0, 4), (4, 0)])
def test_no_position_or_no_column_is_refused(sizes):
    with pytest.raises(ShapeError) as caught:
        sinusoidal_encoding(*sizes)
    assert str(caught.value) == (f"expected at least 1 position and 1 column, got {sizes[0]} and {sizes[1]}.")
