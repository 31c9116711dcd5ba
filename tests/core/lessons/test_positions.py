"""Positions: the lessons' numbers, rotations written out once more, each mistake made once more here."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SettingError
from core.examples import WORKED_EXAMPLES
from core.figures.positions import (
    describe_dials,
    describe_wavelengths,
    dials_figure,
    shown_pairs,
    wavelengths_figure,
    waves_figure,
)
from core.lessons import rope_wrong
from core.lessons.heads import HeadsSettings, weight_matrices
from core.lessons.long_contexts import BASES, CONTEXTS, turns_of
from core.lessons.order_blind import WIDTH, trace_order, trace_waves
from core.lessons.positions import (
    EXAMPLES,
    MAX_POSITION,
    MAX_WIDTH,
    MAX_WORDS,
    ORDER_FROM,
    PositionsSettings,
    drawn,
    trace_rope,
    vectors,
)
from core.lessons.printed.positions import NUMBERS
from core.ops.attention import scaled_dot_product_attention
from core.ops.rope import apply_rope, rope_angles
from core.reference.questions import QUESTIONS

LESSON = {"example": "lesson"}
SEVERAL = pytest.mark.parametrize(
    "values",
    [
        {},
        {"pairing": "half"},
        {"d_k": 2},
        {"d_k": 64, "rope_base": 500000.0, "m": 40, "n": 3},
        {"example": "same", "m": 0, "n": 9},
        {"example": "lesson", "m": 3, "n": 1},
        {"m": 5, "n": 30, "rope_offset": 1000, "seed": 3},
    ],
    ids=str,
)


def settings_of(**values):
    return PositionsSettings(**values)


# --- written out once more, in plain Python ---------------------------------------------------------


def pairs_of(d, pairing):
    half = d // 2
    return [(2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + half) for i in range(half)]


def turned(x, position, *, base=10000.0, pairing="interleaved", speed=1.0):
    """Each pair as a complex number, multiplied by e^(i position θ)."""
    x, d = np.array(x, dtype=float), len(x)
    for i, (a, b) in enumerate(pairs_of(d, pairing)):
        z = complex(x[a], x[b]) * np.exp(1j * position * speed * base ** (-2 * i / d))
        x[a], x[b] = z.real, z.imag
    return x


def score(settings, m, n, *, pairing="", key_pairing=""):
    q, k = vectors(settings)
    options = {"base": settings.rope_base, "speed": 0.5 if settings.example == "lesson" else 1.0}
    pairing = pairing or settings.pairing
    return turned(q, m, pairing=pairing, **options) @ turned(k, n, pairing=key_pairing or pairing, **options)


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


# --- the lessons' numbers -----------------------------------------------------------------------


def test_the_lessons_numbers_as_the_page_shows_them():
    assert {each.id: each.computed() for each in NUMBERS} == {
        "A-perm": "equivariant (outputs are shuffled the same way)",
        "C-rot90": "(6.123e−17, 1.0000)",
        "C-theta": "(1.0000, 0.1000, 0.0100, 0.0010)",
        "C-rope0": "5.0000",
        "C-rope-3-1": "−1.506",
        "C-rope-7-5": "−1.506",
        "C-rope-5-7": "6.909",
    }


@pytest.mark.parametrize(
    ("m", "n", "wanted"), [(3, 1, -1.505843), (7, 5, -1.505843), (5, 7, 6.908866), (4, 4, 5.0)]
)
def test_the_lessons_pair(m, n, wanted):
    assert trace_rope(settings_of(**LESSON, m=m, n=n)).score == pytest.approx(wanted, abs=5e-7)
    q, k = np.array([1.0, 2.0]), np.array([3.0, 1.0])
    angle = (m - n) * 0.5  # by the formula of the lesson's own note
    aligned, crossed = q @ k, q[0] * k[1] - q[1] * k[0]
    assert math.cos(angle) * aligned + math.sin(angle) * crossed == pytest.approx(wanted, abs=5e-7)


def test_swapping_two_of_the_lessons_three_tokens_swaps_their_outputs():
    numbers = WORKED_EXAMPLES["three-tokens"].numbers
    q, k, v = (np.array(each) for each in (numbers.q, numbers.k, numbers.v))
    output, _ = scaled_dot_product_attention(q, k, v)
    swapped, _ = scaled_dot_product_attention(q[::-1], k[::-1], v[::-1])
    np.testing.assert_allclose(swapped, output[::-1], atol=1e-12)
    np.testing.assert_allclose(swapped[1], [2.2033, 6.0167], atol=5e-5)


# --- order --------------------------------------------------------------------------------------------


ORDERS = ((0, 1, 2, 3), (3, 2, 1, 0), (1, 0, 3, 2), (2, 0, 3, 1))


@pytest.mark.parametrize("order", ORDERS)
def test_without_mask_and_positions_attention_is_equivariant(order):
    trace = trace_order(settings_of(text="a b c d", order=order))
    np.testing.assert_allclose(trace.shuffled_output, trace.output[list(order)], atol=1e-12)
    np.testing.assert_allclose(trace.shuffled_weights, trace.weights[np.ix_(order, order)], atol=1e-12)
    assert trace.output_difference < 1e-12
    assert trace.weight_difference < 1e-12


@pytest.mark.parametrize("order", ORDERS[1:])
@pytest.mark.parametrize(
    "values", [{"causal": True}, {"order_from": "waves"}, {"order_from": "rope"}], ids=str
)
def test_a_causal_mask_waves_and_rope_see_the_order(order, values):
    assert trace_order(settings_of(text="a b c d", order=order, **values)).output_difference > 1e-3


@pytest.mark.parametrize("order_from", ORDER_FROM)
def test_the_attention_is_what_plain_numpy_gives(order_from):
    trace = trace_order(settings_of(text="a b c", causal=True, order_from=order_from))
    w_q, w_k, w_v, _ = weight_matrices(HeadsSettings(d_model=WIDTH))
    for order, weights, output in (
        ([0, 1, 2], trace.weights, trace.output),
        ([2, 1, 0], trace.shuffled_weights, trace.shuffled_output),
    ):
        x = trace.embeddings[order] + (trace.waves if order_from == "waves" else 0)
        q, k = x @ w_q, x @ w_k
        if order_from == "rope":
            q, k = (np.array([turned(row, m) for m, row in enumerate(each)]) for each in (q, k))
        wanted = softmax(np.where(np.tri(3) > 0, q @ k.T / math.sqrt(WIDTH), -np.inf))
        np.testing.assert_allclose(weights, wanted, atol=1e-12)
        np.testing.assert_allclose(output, wanted @ (x @ w_v), atol=1e-12)


def test_waves_are_added_to_the_embeddings_and_have_the_formula_of_2017():
    waves = trace_waves().values
    m, i = 5, 3
    assert waves[m, 2 * i] == pytest.approx(math.sin(m / 10000 ** (2 * i / 32)))
    assert waves[m, 2 * i + 1] == pytest.approx(math.cos(m / 10000 ** (2 * i / 32)))
    first, second = trace_waves().same_distance
    assert first == pytest.approx(sum(math.cos(2 / 10000 ** (2 * i / 32)) for i in range(16)))
    assert first == pytest.approx(second)
    trace = trace_order(settings_of())
    assert trace.embeddings.shape == trace.waves.shape == (3, WIDTH)


# --- RoPE -----------------------------------------------------------------------------------------


@SEVERAL
def test_the_turned_vectors_are_what_complex_numbers_give(values):
    settings = settings_of(**values)
    trace = trace_rope(settings)
    m, n = settings.m + settings.rope_offset, settings.n + settings.rope_offset
    speed = 0.5 if settings.example == "lesson" else 1.0
    options = {"base": settings.rope_base, "pairing": settings.pairing, "speed": speed}
    np.testing.assert_allclose(trace.q_rotated, turned(trace.q, m, **options), atol=1e-9)
    np.testing.assert_allclose(trace.k_rotated, turned(trace.k, n, **options), atol=1e-9)
    assert trace.score == pytest.approx(score(settings, m, n), abs=1e-9)
    assert trace.shares.sum() == pytest.approx(trace.score)
    assert np.linalg.norm(trace.q_rotated) == pytest.approx(np.linalg.norm(trace.q))
    at = int(np.flatnonzero(trace.distances == settings.distance)[0])
    assert trace.curve[at] == pytest.approx(trace.score, abs=1e-9)
    assert trace.curve[trace.distances == 0][0] == pytest.approx(trace.unrotated)
    assert np.abs(trace.curve).max() <= trace.bound + 1e-9


@SEVERAL
@pytest.mark.parametrize("shift", [1, 17, 100_000])
def test_moving_both_keeps_the_score_and_moving_one_does_not(values, shift):
    settings = settings_of(**values)
    here = trace_rope(settings).score
    both = trace_rope(dataclasses.replace(settings, rope_offset=settings.rope_offset + shift)).score
    assert both == pytest.approx(here, abs=1e-8)
    assert abs(trace_rope(dataclasses.replace(settings, m=settings.m + 1)).score - here) > 1e-4


def test_one_vector_for_both_scores_highest_at_distance_0():
    trace = trace_rope(settings_of(example="same", d_k=32))
    assert trace.distances[trace.curve.argmax()] == 0
    assert trace.unrotated == pytest.approx(trace.bound)


def test_a_larger_width_extends_what_was_drawn_and_pairing_leaves_it():
    np.testing.assert_array_equal(trace_rope(settings_of(d_k=64)).q[:8], trace_rope(settings_of()).q)
    np.testing.assert_array_equal(
        trace_rope(settings_of(pairing="half", m=1, rope_base=5.0)).k, trace_rope(settings_of()).k
    )


def test_arrays_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        trace_rope(settings_of()).curve[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        trace_order(settings_of()).output[0, 0] = 1


# --- pairings and the split ---------------------------------------------------------------------


@pytest.mark.parametrize("d_k", [4, 8, 64])
def test_each_pairing_works_mixing_breaks_and_reordering_makes_them_equal(d_k):
    settings = settings_of(d_k=d_k)
    trace = rope_wrong.trace_pairings(settings)
    for pairing in ("interleaved", "half"):
        assert np.ptp(trace.scores[pairing]) < 1e-10
        assert trace.scores[pairing][0] == pytest.approx(score(settings, 7, 4, pairing=pairing))
    mixed = [
        score(settings, int(m), int(n), pairing="interleaved", key_pairing="half") for m, n in trace.positions
    ]
    np.testing.assert_allclose(trace.scores["mixed"], mixed, atol=1e-9)
    assert np.ptp(mixed) > 0.1
    assert trace.reordering.tolist() == [*range(0, d_k, 2), *range(1, d_k, 2)]
    assert trace.reordered_difference < 1e-12
    assert trace.reordered_score == pytest.approx(trace.scores["interleaved"][0])
    for pairing in ("interleaved", "half"):
        assert [tuple(np.flatnonzero(trace.owner[pairing] == i)) for i in range(d_k // 2)] == pairs_of(
            d_k, pairing
        )


@pytest.mark.parametrize("pairing", ["interleaved", "half"])
def test_rotation_of_the_full_width_before_the_split(pairing):
    settings = settings_of(pairing=pairing)
    trace = rope_wrong.trace_split(settings)
    np.testing.assert_allclose(trace.after, [1, 0.1, 0.01, 0.001])
    np.testing.assert_allclose(trace.before.ravel(), [10 ** (-i / 2) for i in range(8)])
    q, k = (np.concatenate(both) for both in zip(drawn(settings, 0), drawn(settings, 1), strict=True))
    for i, shift in enumerate((0, 1, 2, 5)):
        wide = turned(q, 7 + shift, pairing=pairing) * turned(k, 4 + shift, pairing=pairing)
        np.testing.assert_allclose(trace.before_scores[:, i], [wide[:8].sum(), wide[8:].sum()], atol=1e-12)
        for head in range(2):
            mine, theirs = drawn(settings, head)
            alone = turned(mine, 7, pairing=pairing) @ turned(theirs, 4, pairing=pairing)
            assert trace.after_scores[head, i] == pytest.approx(alone)
    assert (trace.spreads.max() > 0.1) == (pairing == "half"), "halves tear pairs apart"


# --- mistakes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [{}, LESSON, {"pairing": "half", "d_k": 4}], ids=str)
def test_miscounted_positions(values):
    settings = settings_of(**values)
    keys = range(6)
    right = [score(settings, 6, n) for n in keys]
    for wrong, scores in (
        (rope_wrong.rotated_at_zero, [score(settings, 0, n) for n in keys]),
        (rope_wrong.rotated_twice, [score(settings, 6, 2 * n) for n in keys]),
        (rope_wrong.counted_two_ways, [score(settings, 6, n + 3) for n in keys]),
    ):
        new = wrong(settings)
        np.testing.assert_allclose(new.scores, right, atol=1e-10)
        np.testing.assert_allclose(new.wrong_scores, scores, atol=1e-10)
        assert np.abs(new.scores - new.wrong_scores).max() > 0.1


@pytest.mark.parametrize("values", [{}, LESSON, {"pairing": "half", "rope_base": 100.0}], ids=str)
def test_only_queries_rotated(values):
    settings = settings_of(**values)
    right, wrong = rope_wrong.only_queries_rotated(settings)
    shifts = (0, 1, 2, 5)
    np.testing.assert_allclose(right, [score(settings, 7 + s, 4 + s) for s in shifts], atol=1e-10)
    np.testing.assert_allclose(wrong, [score(settings, 7 + s, 0) for s in shifts], atol=1e-10)
    assert np.ptp(wrong) > 0.1


def test_rotated_values_bring_the_absolute_position_back():
    right, wrong = rope_wrong.values_rotated(trace_order(settings_of()))
    assert right < 1e-12
    assert wrong > 0.1


def test_rotated_values_written_out():
    trace = trace_order(settings_of(order_from="rope"))
    values = trace.embeddings @ weight_matrices(HeadsSettings(d_model=WIDTH))[2]
    outputs = [
        trace.weights @ np.array([turned(row, m + first) for m, row in enumerate(values)]) for first in (0, 3)
    ]
    wrong = rope_wrong.values_rotated(trace)[1]
    assert wrong == pytest.approx(np.abs(outputs[0] - outputs[1]).max(), abs=1e-12)


# --- bases ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [1.0, 10000.0, 500000.0, 1e7])
def test_wavelengths(base):
    turns = turns_of(base)
    wanted = [2 * math.pi * base ** (2 * i / 128) for i in range(64)]
    np.testing.assert_allclose(turns.wavelengths, wanted)
    for context in CONTEXTS:
        assert turns.unfinished(context) == sum(each > context for each in wanted)
        assert turns.turns(context)[0] == pytest.approx(context / (2 * math.pi))


def test_a_larger_base_leaves_more_pairs_without_a_turn():
    counts = [[turns_of(base).unfinished(context) for context in CONTEXTS] for base in BASES]
    assert counts == [[18, 4, 0], [32, 22, 15], [33, 24, 17]]
    assert round(turns_of(10000.0).slowest) == 54410  # 2π 10000^(126/128)


# --- PyTorch --------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [{}, {"d_k": "64", "rope_base": "500000"}, {"d_k": "2"}], ids=str)
def test_pytorch_rotates_the_same(values):
    answer = QUESTIONS["positions.rope"](values)
    assert set(answer) == {"interleaved", "half"}
    assert max(answer.values()) < 1e-12


def test_bfloat16_positions_collide_above_256():
    float32, float16, bfloat16 = QUESTIONS["positions.bfloat16"]({})["rows"]
    assert float32["held"] == [255, 256, 257, 258, 259, 511, 513, 1001, 4097]
    assert bfloat16["held"] == [255, 256, 256, 258, 260, 512, 512, 1000, 4096]
    assert (float32["last"], float16["last"], bfloat16["last"]) == (None, 2048, 256)
    assert (float32["distinct"], bfloat16["distinct"]) == (4096, 769)
    settings = settings_of()
    steps = {distance: score(settings, distance, 0) for distance in (0, 1, 2)}
    held = [254, 255, 256, 256, 258, 260, 260]
    before = [253, 254, 255, 256, 256, 258, 260]
    wanted = [steps[m - n] for m, n in zip(held, before, strict=True)]
    np.testing.assert_allclose(bfloat16["scores"], wanted, atol=1e-9)
    np.testing.assert_allclose(float32["scores"], steps[1], atol=1e-9)


# --- figures --------------------------------------------------------------------------------------


@SEVERAL
def test_the_dials_show_the_directions_and_the_present_score(values):
    trace = trace_rope(settings_of(**values))
    figure = dials_figure(trace)
    type(figure)(figure.to_dict())  # validates
    assert figure.data[-1].x[0] == trace.settings.distance
    assert figure.data[-1].y[0] == pytest.approx(trace.score)
    hands = figure.data[6]  # outline; dotted, arc and hand of k; dotted, arc and hand of q
    points = np.stack([hands.x, hands.y], axis=1).reshape(-1, 7, 2)
    first, second = trace.pairs
    for i, pair in enumerate(shown_pairs(trace)):
        drawn_ = points[i, 1] - points[i, 0]
        angle = math.atan2(trace.q_rotated[second[pair]], trace.q_rotated[first[pair]])
        assert math.cos(math.atan2(drawn_[1], drawn_[0]) - angle) == pytest.approx(1, abs=1e-4)
        assert np.linalg.norm(drawn_) <= 1 + 1e-5
    assert f"{abs(trace.score):.4f}" in describe_dials(trace)


def test_axes_stay_while_positions_move():
    def ranges(settings):
        layout = dials_figure(trace_rope(settings)).layout
        return [layout[name].range for name in ("xaxis", "yaxis", "xaxis2", "yaxis2")]

    assert ranges(settings_of(m=0)) == ranges(settings_of(m=40, n=9)) == ranges(settings_of(rope_offset=9))


def test_a_far_distance_widens_the_curve():
    trace = trace_rope(settings_of(m=4096, n=0))
    assert trace.distances[-1] == 4096
    assert trace.curve[-1] == pytest.approx(trace.score, abs=1e-9)


def test_the_other_figures_are_valid():
    chosen = turns_of(10000.0)
    for figure in (waves_figure(trace_waves()), wavelengths_figure(chosen, [turns_of(b) for b in BASES])):
        type(figure)(figure.to_dict())  # validates
    assert "18 of 64 in 4,096" in describe_wavelengths(chosen)


# --- settings -------------------------------------------------------------------------------------

WORDS = st.lists(st.sampled_from(["dog", "bites", "man", "שלום", "<b>"]), min_size=1, max_size=MAX_WORDS)


@st.composite
def any_settings(draw):
    words = draw(WORDS)
    return PositionsSettings(
        text=" ".join(words),
        order=tuple(draw(st.permutations(range(len(words))))),
        causal=draw(st.booleans()),
        order_from=draw(st.sampled_from(ORDER_FROM)),
        example=draw(st.sampled_from(EXAMPLES)),
        d_k=2 * draw(st.integers(1, MAX_WIDTH // 2)),
        rope_base=draw(st.floats(1, 1e7)),
        pairing=draw(st.sampled_from(["interleaved", "half"])),
        m=draw(st.integers(0, MAX_POSITION)),
        n=draw(st.integers(0, MAX_POSITION)),
        rope_offset=draw(st.integers(0, 10**6)),
        seed=draw(st.integers(0, 2**31 - 1)),
    )


@given(any_settings())
def test_a_link_keeps_every_setting(settings):
    assert PositionsSettings.from_query(settings.to_query()) == (settings, [])


@pytest.mark.parametrize(
    ("query", "name", "value"),
    [
        ({"d_k": "7"}, "d_k", 6),
        ({"d_k": "1"}, "d_k", 2),
        ({"d_k": "999"}, "d_k", 128),
        ({"order": "0,0,1"}, "order", (2, 1, 0)),
        ({"order": "0,1"}, "order", (2, 1, 0)),
        ({"order": "a"}, "order", (2, 1, 0)),
        ({"m": "-1"}, "m", 0),
        ({"rope_base": "0"}, "rope_base", 1),
        ({"text": "a b c d e f g h i j"}, "text", "a b c d e f g h"),
    ],
)
def test_a_bad_value_is_repaired_with_a_note(query, name, value):
    settings, notes = PositionsSettings.from_query(query)
    assert getattr(settings, name) == value
    assert len(notes) == 1


def test_a_new_text_lets_the_order_go_without_a_note():
    settings, notes = PositionsSettings(order=(1, 2, 0)).changed(text="a b c d")
    assert settings.order == (3, 2, 1, 0)
    assert notes == []


def test_illegal_values_raise():
    with pytest.raises(SettingError):
        PositionsSettings(d_k=3)
    with pytest.raises(SettingError):
        PositionsSettings(order=(0, 0, 1))


def test_a_turn_is_counter_clockwise():
    np.testing.assert_allclose(apply_rope(np.array([[1.0, 0.0]]), [math.pi / 2])[0], [0, 1], atol=1e-15)
    np.testing.assert_allclose(rope_angles(np.ones(1), 8)[0], [1, 0.1, 0.01, 0.001], atol=1e-12)
