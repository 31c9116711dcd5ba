"""Heads: the way from X to the output, the lessons' numbers, and each mistake made once more here."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SettingError
from core.lessons import heads_wrong
from core.lessons.head_counts import LayerCount, layer_counts
from core.lessons.heads import (
    D_MODELS,
    MAX_WIDE,
    HeadsSettings,
    token_vectors,
    trace_heads,
    weight_matrices,
)
from core.lessons.printed.heads import NUMBERS
from core.ops.heads import split_heads
from core.ops.multi_head import multi_head_attention, multi_head_attention_loop

SEVERAL = pytest.mark.parametrize(
    "values",
    [
        {},
        {"heads": 1},
        {"heads": 8},
        {"causal": True, "heads": 4},
        {"d_model": 32, "heads": 8, "seed": 7},
        {"d_model": 16, "heads": 2, "text": "a b a", "causal": True},
        {"text": "alone"},
    ],
    ids=str,
)


def trace_of(**values):
    return trace_heads(HeadsSettings(**values))


# --- written out once more, in plain NumPy ---------------------------------------------------------


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def plain_heads(trace, *, projections=None, divisor=None, width_seen=None):
    """Each head's (weights, context, values) from its own columns, one after the other."""
    settings = trace.settings
    d, n = settings.d_model // settings.heads, len(trace.tokens)
    w_q, w_k, w_v = projections or (trace.w_q, trace.w_k, trace.w_v)
    future = np.triu(np.ones((n, n), bool), 1) & settings.causal
    for h in range(settings.heads):
        columns = slice(h * d, (h + 1) * d)
        seen = columns if width_seen else slice(None)
        q, k, v = (trace.x[:, seen] @ w[seen, columns] for w in (w_q, w_k, w_v))
        weights = softmax(np.where(future, -np.inf, q @ k.T / (divisor or np.sqrt(d))))
        yield weights, weights @ v, v


def laid_side_by_side(trace, **options):
    return np.hstack([context for _, context, _ in plain_heads(trace, **options)]) @ trace.w_o


# --- the way from X to the output --------------------------------------------------------------


@SEVERAL
def test_every_step_is_what_plain_numpy_gives(values):
    trace = trace_of(**values)
    by_hand = list(plain_heads(trace))
    np.testing.assert_allclose(trace.weights, [weights for weights, _, _ in by_hand], atol=1e-12)
    np.testing.assert_allclose(trace.context, [context for _, context, _ in by_hand], atol=1e-12)
    np.testing.assert_allclose(trace.merged, np.hstack([context for _, context, _ in by_hand]), atol=1e-12)
    for output in (trace.output, trace.batched, trace.loop):
        np.testing.assert_allclose(output, laid_side_by_side(trace), atol=1e-12)
    assert trace.loop_difference < 1e-13


@SEVERAL
def test_shapes_and_rows(values):
    trace = trace_of(**values)
    t, d, h, d_k = len(trace.tokens), trace.settings.d_model, trace.settings.heads, trace.settings.d_k
    assert d == h * d_k
    assert trace.x.shape == trace.q.shape == trace.merged.shape == trace.output.shape == (t, d)
    assert trace.q_heads.shape == trace.k_heads.shape == trace.v_heads.shape == trace.context.shape
    assert trace.context.shape == (h, t, d_k)
    assert trace.weights.shape == (h, t, t)
    assert trace.w_q.shape == trace.w_k.shape == trace.w_v.shape == trace.w_o.shape == (d, d)
    np.testing.assert_allclose(trace.weights.sum(axis=-1), 1)


def test_the_output_is_a_sum_over_heads_each_through_its_own_rows_of_w_o():
    trace = trace_of(heads=4)
    shares = [trace.context[h] @ trace.w_o[2 * h : 2 * h + 2] for h in range(4)]
    np.testing.assert_allclose(sum(shares), trace.output, atol=1e-12)


@pytest.mark.parametrize("d_model", D_MODELS)
def test_the_number_of_heads_changes_no_number_of_x_and_the_matrices(d_model):
    one, many = (trace_of(d_model=d_model, heads=h) for h in (1, d_model))
    for name in ("x", "w_q", "w_k", "w_v", "w_o", "q", "k", "v"):
        assert np.array_equal(getattr(one, name), getattr(many, name))


def test_a_larger_width_extends_what_was_drawn():
    narrow, wide = HeadsSettings(d_model=8), HeadsSettings(d_model=32)
    assert np.array_equal(token_vectors(wide)[:, :8], token_vectors(narrow))
    for small, large in zip(weight_matrices(narrow), weight_matrices(wide), strict=True):
        np.testing.assert_allclose(large[:8, :8] * 2, small)  # sqrt(32 / 8)


def test_projections_keep_unit_variance():
    drawn = [trace_of(d_model=32, seed=seed, text=" ".join(map(str, range(64)))).q for seed in range(8)]
    assert 0.9 < np.var(drawn) < 1.1


def test_arrays_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        trace_of().weights[0, 0, 0] = 1


# --- the lessons' numbers -----------------------------------------------------------------------


def test_the_lessons_numbers_as_the_page_shows_them():
    shown = {each.id: each.computed() for each in NUMBERS}
    assert shown == {
        "A-dk64": "64",
        "A-params": "1,048,576",
        "A-shapes": "((6, 8), (8, 4), (6, 4), (6, 6), (6, 6), (6, 4))",
        "A-mha-shapes": "((6, 8), (2, 6, 6))",
        "A-mha-agree": "True",
        "A-mha-transpose": "43.9950",
        "A-h8": "(1, 1.0000)",
        "A-lib": "64",
        "B-128": "32",
        "B-code": "ValueError: axes don't match array",
        "C-DH": "(4, (8, 8))",
    }
    assert [each.id for each in NUMBERS if not each.right] == ["B-code"]
    assert {each.page for each in NUMBERS} == {"heads"}


def test_the_forgotten_transpose_on_the_lessons_draw():
    generator = np.random.default_rng(0)
    x, *matrices = (generator.standard_normal(shape) for shape in [(6, 8)] + [(8, 8)] * 4)
    future = np.triu(np.ones((6, 6), bool), 1)
    q, k, v = ((x @ matrix).reshape(6, 2, 4).transpose(1, 0, 2) for matrix in matrices[:3])
    context = softmax(np.where(future, -np.inf, q @ k.transpose(0, 2, 1) / 2)) @ v
    right = context.transpose(1, 0, 2).reshape(6, 8) @ matrices[3]
    wrong = context.reshape(6, 8) @ matrices[3]
    assert abs(right - wrong).max() == pytest.approx(43.9950, abs=5e-5)
    for attend in (multi_head_attention, multi_head_attention_loop):
        output, weights = attend(x, *matrices, n_heads=2, is_causal=True)
        np.testing.assert_allclose(output, right, atol=1e-10)
        assert (output.shape, weights.shape) == ((6, 8), (2, 6, 6))


def test_parameters_do_not_depend_on_the_number_of_heads():
    counts = layer_counts(512)
    assert [each.n_heads for each in counts] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    assert {each.weights for each in counts} == {1_048_576}
    assert {each.with_biases for each in counts} == {1_050_624}
    assert [each.d_k for each in counts] == [512, 256, 128, 64, 32, 16, 8, 4, 2, 1]
    assert counts[-1].scale == 1
    assert LayerCount(512, 8).full_width_heads == 8_388_608


# --- each mistake, made here independently -------------------------------------------------------


@SEVERAL
def test_without_the_transpose_tokens_are_mixed_at_the_merge(values):
    trace = trace_of(**values)
    flat = [
        (number, (head, token))
        for head, (_, context, _) in enumerate(plain_heads(trace))
        for token, row in enumerate(context.tolist())
        for number in row
    ]
    merged = np.array([number for number, _ in flat]).reshape(trace.output.shape)
    wrong = heads_wrong.forgotten_merge(trace)
    np.testing.assert_allclose(wrong.inner, merged, atol=1e-12)
    np.testing.assert_allclose(wrong.output, merged @ trace.w_o, atol=1e-12)
    names = [name for _, name in flat][:: trace.settings.d_k]
    assert [tuple(name) for name in wrong.origin.reshape(-1, 2).tolist()] == names
    assert wrong.difference == pytest.approx(
        abs(merged @ trace.w_o - laid_side_by_side(trace)).max(), abs=1e-12
    )
    assert wrong.output.shape == trace.output.shape


@SEVERAL
def test_without_the_transpose_tokens_are_cut_at_the_split(values):
    trace = trace_of(**values)
    h, d = trace.settings.heads, trace.settings.d_k
    t = len(trace.tokens)

    def pieces(matrix):
        flat = matrix.ravel().tolist()
        return [[flat[(head * t + i) * d : (head * t + i + 1) * d] for i in range(t)] for head in range(h)]

    future = np.triu(np.ones((t, t), bool), 1) & trace.settings.causal
    contexts = []
    for q, k, v in zip(pieces(trace.q), pieces(trace.k), pieces(trace.v), strict=True):
        scores = np.array(q) @ np.array(k).T / np.sqrt(d)
        contexts.append(softmax(np.where(future, -np.inf, scores)) @ np.array(v))
    wrong = heads_wrong.forgotten_split(trace)
    np.testing.assert_allclose(wrong.inner, pieces(trace.q))
    np.testing.assert_allclose(wrong.output, np.hstack(contexts) @ trace.w_o, atol=1e-12)
    for head in range(h):
        for i in range(t):
            piece, token = wrong.origin[head, i]
            assert np.array_equal(wrong.inner[head, i], trace.q[token, piece * d : (piece + 1) * d])


@SEVERAL
def test_cutting_the_input_first_is_another_model(values):
    trace = trace_of(**values)
    output = laid_side_by_side(trace, width_seen=True)
    wrong = heads_wrong.split_input(trace)
    np.testing.assert_allclose(wrong.output, output, atol=1e-12)
    assert wrong.difference == pytest.approx(abs(output - laid_side_by_side(trace)).max(), abs=1e-12)


def test_a_head_that_sees_a_slice_is_blind_to_the_rest():
    trace = trace_of()
    moved = trace.x.copy()
    moved[0, -1] += 1
    there = dataclasses.replace(trace, x=moved)
    right = abs(next(plain_heads(there))[0] - next(plain_heads(trace))[0]).max()
    assert heads_wrong.change_seen(trace) == (pytest.approx(right, abs=1e-12), 0.0)
    assert right > 0.1


@SEVERAL
def test_the_average_pattern_is_used_by_nothing(values):
    trace = trace_of(**values)
    by_hand = list(plain_heads(trace))
    mean = sum(weights for weights, _, _ in by_hand) / len(by_hand)
    wrong = heads_wrong.averaged_heads(trace)
    np.testing.assert_allclose(wrong.inner, mean, atol=1e-12)
    np.testing.assert_allclose(
        wrong.output, np.hstack([mean @ v for _, _, v in by_hand]) @ trace.w_o, atol=1e-12
    )


def test_two_opposite_heads_average_to_no_preference():
    two = heads_wrong.two_heads()
    np.testing.assert_allclose(two.mean, [0.5, 0.5])
    np.testing.assert_allclose(two.passed_on, [9, 9])
    np.testing.assert_allclose(two.by_mean, [5, 5])


@SEVERAL
def test_the_scale_of_the_whole_width_makes_weights_too_even(values):
    trace = trace_of(**values)
    by_hand = list(plain_heads(trace, divisor=np.sqrt(trace.settings.d_model)))
    wrong = heads_wrong.scaled_by_width(trace)
    np.testing.assert_allclose(wrong.inner, [weights for weights, _, _ in by_hand], atol=1e-12)
    assert (wrong.inner.max(axis=-1) <= trace.weights.max(axis=-1) + 1e-12).all()


@SEVERAL
def test_a_matrix_copied_as_it_is_acts_as_its_transpose(values):
    trace = trace_of(**values)
    turned = (trace.w_q.T, trace.w_k.T, trace.w_v.T)
    heads = np.hstack([context for _, context, _ in plain_heads(trace, projections=turned)])
    wrong = heads_wrong.copied_untransposed(trace)
    np.testing.assert_allclose(wrong.output, heads @ trace.w_o.T, atol=1e-12)
    np.testing.assert_allclose(wrong.inner, trace.x @ trace.w_q.T)


def test_where_there_is_one_head_nothing_can_be_mixed_up():
    trace = trace_of(heads=1)
    for mistake in (
        heads_wrong.forgotten_merge,
        heads_wrong.forgotten_split,
        heads_wrong.split_input,
        heads_wrong.averaged_heads,
        heads_wrong.scaled_by_width,
    ):
        assert mistake(trace).difference < 1e-12
    two = trace_of(heads=2)
    assert heads_wrong.forgotten_merge(two).difference > 0.5
    assert heads_wrong.forgotten_split(two).difference > 0.5


def test_three_axes_are_too_few_for_four():
    with pytest.raises(ValueError, match="axes don't match array"):
        np.zeros((1, 2, 6, 4)).transpose(0, 2, 1)
    assert heads_wrong.three_axes_for_four((1, 2, 6, 4)) == "ValueError: axes don't match array"


def test_heads_one_column_wide_have_a_scale_that_does_nothing():
    trace = trace_of(heads=8)
    q = split_heads(trace.q, 8)
    scores = q @ q.swapaxes(-1, -2)
    assert trace.settings.d_k == 1
    assert np.array_equal(scores * trace.settings.d_k**-0.5, scores)


# --- links -----------------------------------------------------------------------------------


@st.composite
def settings(draw):
    d_model = draw(st.sampled_from(D_MODELS))
    heads = draw(st.sampled_from([h for h in range(1, d_model + 1) if d_model % h == 0]))
    wide = draw(st.integers(1, 400))
    return HeadsSettings(
        text=draw(st.sampled_from(["the cat", "a", "שלום <b>x</b> $y$", "ü 🙂 %"])),
        d_model=d_model,
        heads=heads,
        causal=draw(st.booleans()),
        seed=draw(st.integers(0, 2**31 - 1)),
        step=draw(st.integers(0, 5)),
        head=draw(st.integers(0, heads - 1)),
        wide=wide,
        wide_heads=draw(st.sampled_from([h for h in range(1, wide + 1) if wide % h == 0])),
    )


@given(settings())
def test_a_link_brings_back_the_same_settings(these):
    assert HeadsSettings.from_query(these.to_query()) == (these, [])


@pytest.mark.parametrize(
    ("link", "repaired"),
    [
        ({"d_model": "9"}, {"d_model": 8}),
        ({"d_model": "1e9", "heads": "5"}, {"d_model": 32, "heads": 4}),
        ({"heads": "3"}, {"heads": 2}),
        ({"heads": "nan"}, {"heads": 2}),
        ({"heads": "0"}, {"heads": 1}),
        ({"head": "2"}, {"head": 1}),
        ({"step": "99"}, {"step": 5}),
        ({"step": "-1"}, {"step": 0}),
        ({"causal": "yes"}, {"causal": False}),
        ({"seed": "-5"}, {"seed": 0}),
        ({"wide": "0"}, {"wide": 1}),
        ({"wide": "1e12"}, {"wide": MAX_WIDE}),
        ({"wide": "512", "wide_heads": "7"}, {"wide_heads": 8}),
        ({"text": "  "}, {}),
        ({"nonsense": "1"}, {}),
    ],
    ids=str,
)
def test_bad_values_of_a_link_are_repaired_with_a_sentence(link, repaired):
    found, notes = HeadsSettings.from_query(link)
    assert len(notes) == len(link) - (link.get("wide") == "512")
    for name, value in repaired.items():
        assert getattr(found, name) == value


def test_fewer_heads_let_go_of_a_head_without_a_word():
    before = HeadsSettings(heads=8, head=7)
    after, notes = before.changed(heads=2)
    assert (after.heads, after.head, notes) == (2, 1, [])
    after, notes = HeadsSettings(wide=512, wide_heads=512).changed(wide=768)
    assert (after.wide_heads, notes) == (384, [])


@pytest.mark.parametrize("values", [{"heads": 3}, {"d_model": 6}, {"head": 2}, {"wide": 10, "wide_heads": 3}])
def test_illegal_settings_raise(values):
    with pytest.raises(SettingError):
        HeadsSettings(**values)
