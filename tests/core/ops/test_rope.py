"""RoPE against multiplication by a complex number, and by what it promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ShapeError
from core.ops.rope import apply_rope, pair_columns, rope_angles

SEEDS = st.integers(0, 2**32 - 1)
PAIRS = st.integers(1, 6)
BASES = st.floats(1, 1e7)
POSITIONS = st.integers(-1000, 1000)
PAIRINGS = st.sampled_from(["interleaved", "half"])


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def turned_by_hand(x, positions, base):
    """Interleaved pairs as complex numbers, turned by e^(i m theta)."""
    d = x.shape[-1]
    pairs = x[..., 0::2] + 1j * x[..., 1::2]
    for m, position in enumerate(positions):
        for i in range(d // 2):
            pairs[..., m, i] *= np.exp(1j * position * base ** (-2 * i / d))
    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(x.shape)


def score(q, k, m, n, **options):
    (q,), (k,) = apply_rope([q], [m], **options), apply_rope([k], [n], **options)
    return q @ k


@pytest.mark.parametrize(
    ("m", "n", "expected"),
    [
        (0, 0, 5.0),  # C-rope0
        (3, 1, -1.505843),  # C-rope-3-1
        (7, 5, -1.505843),  # C-rope-7-5
        (5, 7, 6.908866),  # C-rope-5-7
    ],
)
def test_the_example_of_the_lesson(m, n, expected):
    """Its theta is 0.5; a single pair turns by 1 a position, so the positions are halved."""
    assert score([1, 2], [3, 1], 0.5 * m, 0.5 * n) == pytest.approx(expected, abs=1e-6)


def test_a_quarter_turn_is_counter_clockwise():
    np.testing.assert_allclose(apply_rope([[1, 0]], [np.pi / 2]), [[0, 1]], atol=1e-15)  # C-rot90


def test_each_pair_is_slower_than_the_one_before():
    np.testing.assert_allclose(rope_angles([1], 8), [[1.0, 0.1, 0.01, 0.001]])  # C-theta


@given(st.lists(POSITIONS, min_size=1, max_size=4), PAIRS, BASES)
def test_angles_are_position_times_speed(positions, n_pairs, base):
    angles = rope_angles(positions, 2 * n_pairs, base)
    expected = [[m * base ** (-i / n_pairs) for i in range(n_pairs)] for m in positions]
    np.testing.assert_allclose(angles, expected, rtol=1e-12)


@given(SEEDS, st.lists(POSITIONS, min_size=1, max_size=4), PAIRS, BASES)
def test_turning_is_multiplication_by_a_complex_number(seed, positions, n_pairs, base):
    x = normal(seed, 2, len(positions), 2 * n_pairs)
    expected = turned_by_hand(x, positions, base)
    np.testing.assert_allclose(apply_rope(x, positions, base=base), expected, atol=1e-9)


@given(SEEDS, PAIRS, BASES, PAIRINGS, st.floats(-1e6, 1e6))
def test_lengths_are_kept(seed, n_pairs, base, pairing, position):
    x = normal(seed, 1, 2 * n_pairs)
    turned = apply_rope(x, [position], base=base, pairing=pairing)
    assert np.linalg.norm(turned) == pytest.approx(np.linalg.norm(x), rel=1e-12)


@given(SEEDS, PAIRS, BASES, PAIRINGS, POSITIONS, POSITIONS, POSITIONS)
def test_a_score_depends_on_the_difference_of_positions(seed, n_pairs, base, pairing, m, n, shift):
    q, k = normal(seed, 2, 2 * n_pairs)
    options = {"base": base, "pairing": pairing}
    here, there = score(q, k, m, n, **options), score(q, k, m + shift, n + shift, **options)
    assert there == pytest.approx(here, abs=1e-9)


def test_a_score_does_depend_on_the_difference():
    q, k = normal(0, 2, 8)
    assert abs(score(q, k, 3, 1) - score(q, k, 3, 2)) > 1e-3


@given(SEEDS, PAIRS, st.lists(POSITIONS, min_size=1, max_size=4))
def test_both_pairings_are_one_after_reordering_the_columns(seed, n_pairs, positions):
    x = normal(seed, len(positions), 2 * n_pairs)
    halves_first = [*range(0, 2 * n_pairs, 2), *range(1, 2 * n_pairs, 2)]
    half = apply_rope(x[:, halves_first], positions, pairing="half")
    np.testing.assert_allclose(half, apply_rope(x, positions)[:, halves_first], atol=1e-12)


def test_a_query_and_a_key_of_different_pairings_do_not_understand_each_other():
    """The bug of mixed-up weights: the score changes although the difference does not."""
    q, k = normal(1, 2, 1, 8)

    def mixed(m, n):
        return (apply_rope(q, [m]) @ apply_rope(k, [n], pairing="half").T).item()

    assert abs(mixed(3, 1) - mixed(7, 5)) > 0.1


@given(SEEDS, PAIRS, PAIRINGS, POSITIONS)
def test_a_negative_position_turns_back(seed, n_pairs, pairing, position):
    x = normal(seed, 1, 2 * n_pairs)
    there = apply_rope(x, [position], pairing=pairing)
    np.testing.assert_allclose(apply_rope(there, [-position], pairing=pairing), x, atol=1e-12)


def test_huge_positions_stay_exact_enough():
    q, k = normal(2, 2, 16)
    assert score(q, k, 10**6, 10**6 - 3) == pytest.approx(score(q, k, 3, 0), abs=1e-8)


def test_position_zero_turns_nothing():
    x = normal(3, 1, 6)
    np.testing.assert_array_equal(apply_rope(x, [0]), x)


def test_the_positions_may_differ_between_sequences():
    x = normal(4, 2, 3, 4)
    positions = np.array([[0, 1, 2], [5, 5, 9]])
    expected = [apply_rope(x[b], positions[b]) for b in range(2)]
    np.testing.assert_array_equal(apply_rope(x, positions), expected)


def test_whole_numbers_are_turned_into_real_ones():
    turned = apply_rope(np.array([[1, 0]]), [1])
    np.testing.assert_allclose(turned, [[np.cos(1), np.sin(1)]])


def test_float32_stays_float32():
    assert apply_rope(np.ones((2, 4), np.float32), [0, 1]).dtype == np.float32


def test_the_vectors_given_are_not_turned_themselves():
    x = normal(5, 2, 4)
    before = x.copy()
    apply_rope(x, [3, 4])
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize(
    ("pairing", "first", "second"),
    [("interleaved", [0, 2, 4], [1, 3, 5]), ("half", [0, 1, 2], [3, 4, 5])],
)
def test_the_columns_of_the_pairs(pairing, first, second):
    columns = pair_columns(6, pairing)
    np.testing.assert_array_equal(columns, [first, second])


@pytest.mark.parametrize(("width", "advice"), [(7, "6 or 8"), (3, "2 or 4")])
def test_an_odd_width_is_refused(width, advice):
    with pytest.raises(ShapeError) as caught:
        apply_rope(np.ones((1, width)), [0])
    assert str(caught.value) == (
        f"RoPE turns pairs, so the width must be even, got d_head = {width}; choose {advice}."
    )


def test_a_pairing_that_does_not_exist_is_refused():
    with pytest.raises(ShapeError) as caught:
        apply_rope(np.ones((1, 4)), [0], pairing="thirds")
    assert str(caught.value) == (
        'expected a pairing of "interleaved" or "half", got \'thirds\'; choose one of the two.'
    )


@pytest.mark.parametrize("positions", [[0, 1], 0])
def test_every_token_needs_a_position(positions):
    with pytest.raises(ShapeError, match="expected one position for each of the 3 tokens"):
        apply_rope(np.ones((3, 4)), positions)


def test_turning_needs_tokens_and_a_width():
    with pytest.raises(ShapeError):
        apply_rope(np.ones(4), [0])
