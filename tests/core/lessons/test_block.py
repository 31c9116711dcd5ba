"""The block's lesson: every step written out once more, the lessons' numbers, the counts, each mistake."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SettingError
from core.figures.block import activations_figure, block_formula, depth_figure, describe_depth
from core.lessons import block_wrong
from core.lessons.block import (
    D_MODELS,
    STEPS,
    BlockLessonSettings,
    norm_statistics,
    sizes,
    token_ids,
    trace_block,
    weights_of,
    without_looks,
)
from core.lessons.block_counts import REAL, model_size
from core.lessons.block_depth import stream, trace_depth
from core.lessons.block_weights import hidden_width, vocabulary_of
from core.lessons.printed.block import NUMBERS
from core.ops.block import transformer

SEVERAL = pytest.mark.parametrize(
    "values",
    [
        {},
        {"style": "gpt2"},
        {"norm_place": "post"},
        {"style": "gpt2", "norm_place": "post", "block": 3},
        {"residual": False, "block": 1},
        {"residual": False, "norm_place": "post", "style": "gpt2"},
        {"d_model": 32, "heads": 8, "kv_heads": 2, "seed": 7, "layers": 2},
        {"d_model": 16, "heads": 1, "kv_heads": 1, "text": "a b a", "token": 1, "block": 2},
        {"text": "alone", "token": 0},
    ],
    ids=str,
)


def trace_of(**values):
    return trace_block(BlockLessonSettings(**values))


# --- written out once more, in plain NumPy -----------------------------------------------------------


def plain_norm(x, style):
    """Gains are 1 and biases 0 here."""
    if style == "llama":
        return np.array([row / math.sqrt(sum(row**2) / len(row) + 1e-6) for row in x])
    return np.array([(row - row.mean()) / math.sqrt(row.var() + 1e-5) for row in x])


def plain_rope(x):
    """[T, d] with neighbours turned: as complex numbers."""
    d = x.shape[1]
    pairs = x[:, ::2] + 1j * x[:, 1::2]
    turned = pairs * np.exp(1j * np.arange(len(x))[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d))
    return np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)


def plain_attention(x, weights, settings):
    t, d, shared = len(x), settings.d_k, settings.heads // settings.n_kv_heads
    turn = plain_rope if settings.style == "llama" else (lambda y: y)
    contexts = []
    for h in range(settings.heads):
        mine, theirs = slice(h * d, h * d + d), slice(h // shared * d, h // shared * d + d)
        q, k, v = turn(x @ weights.w_q[:, mine]), turn(x @ weights.w_k[:, theirs]), x @ weights.w_v[:, theirs]
        rows = []
        for i in range(t):
            e = np.exp(k[: i + 1] @ q[i] / math.sqrt(d))
            rows.append(e / e.sum() @ v[: i + 1])
        contexts.append(rows)
    return np.hstack(contexts) @ weights.w_o


def plain_mlp(x, weights, style):
    a = x @ weights.w1
    if style == "llama":
        return (a / (1 + np.exp(-a)) * (x @ weights.w3)) @ weights.w2
    return (a * (1 + np.vectorize(math.erf)(a / math.sqrt(2))) / 2) @ weights.w2


def plain_block(x, weights, settings):
    """The stream after attention and after the MLP, and what both add."""
    keep = 1 if settings.residual else 0
    if settings.norm_place == "pre":
        attention = plain_attention(plain_norm(x, settings.style), weights, settings)
        y = keep * x + attention
        mlp = plain_mlp(plain_norm(y, settings.style), weights, settings.style)
        return y, keep * y + mlp, attention, mlp
    attention = plain_attention(x, weights, settings)
    y = plain_norm(keep * x + attention, settings.style)
    mlp = plain_mlp(y, weights, settings.style)
    return y, plain_norm(keep * y + mlp, settings.style), attention, mlp


def plain_stream(settings):
    """(y, x, attention, mlp) of every block, from the embedding on."""
    weights = weights_of(settings)
    x = weights.embedding[token_ids(settings)]
    if settings.style == "gpt2":
        x = x + weights.positions[: len(x)]
    passed = [(None, x, None, None)]
    for block in weights.blocks:
        passed.append(plain_block(passed[-1][1], block, settings))
    return passed


@SEVERAL
def test_every_step_is_what_plain_numpy_gives(values):
    trace = trace_of(**values)
    settings, steps = trace.settings, trace.steps
    passed = plain_stream(settings)
    (_, x, _, _), (y, out, attention, mlp) = passed[settings.block], passed[settings.block + 1]
    np.testing.assert_allclose(steps.x, x, atol=1e-10)
    np.testing.assert_allclose(steps.attention, attention, atol=1e-10)
    np.testing.assert_allclose(steps.mlp, mlp, atol=1e-10)
    pre = settings.norm_place == "pre"
    np.testing.assert_allclose(steps.after_attention if pre else steps.into_mlp, y, atol=1e-10)
    np.testing.assert_allclose(steps.output, out, atol=1e-10)
    np.testing.assert_allclose(trace.output, out, atol=1e-10)


@SEVERAL
def test_what_is_inside_the_sub_layers_fits_what_comes_out(values):
    trace = trace_of(**values)
    weights = weights_of(trace.settings).blocks[trace.settings.block]
    t, h = len(trace.tokens), trace.settings.heads
    assert trace.q.shape == (h, t, trace.settings.d_k)
    assert trace.k.shape == trace.v.shape == (trace.settings.n_kv_heads, t, trace.settings.d_k)
    np.testing.assert_allclose(trace.context @ weights.w_o, trace.steps.attention, atol=1e-12)
    np.testing.assert_allclose(trace.hidden @ weights.w2, trace.steps.mlp, atol=1e-12)
    assert (trace.linear is None) == (trace.settings.style == "gpt2")
    assert trace.hidden.shape == (t, hidden_width(trace.settings.style, trace.settings.d_model))
    np.testing.assert_allclose(trace.steps.weights.sum(axis=-1), 1)
    assert np.triu(trace.steps.weights, 1).max() == 0
    visible = np.where(np.tril(np.ones((t, t), bool)), np.exp(trace.scaled), 0)
    np.testing.assert_allclose(visible / visible.sum(-1, keepdims=True), trace.steps.weights, atol=1e-12)


def test_arrays_cannot_be_written_to():
    trace = trace_of()
    for array in (trace.q, trace.steps.weights, trace.steps.output, weights_of(trace.settings).blocks[0].w_q):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


# --- drawn weights ---------------------------------------------------------------------------------


def test_a_control_changes_only_what_it_names():
    base = BlockLessonSettings()
    other = BlockLessonSettings(heads=2, kv_heads=2, step=3, block=2, token=1, a=0.0, size="gpt2")
    first, second = weights_of(base).blocks[0], weights_of(other).blocks[0]
    for name in ("w_q", "w_o", "w1", "w2", "w3"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    np.testing.assert_array_equal(first.w_k, second.w_k[:, : first.w_k.shape[1]])
    deeper = weights_of(BlockLessonSettings(layers=12))
    for one, more in zip(weights_of(base).blocks, deeper.blocks, strict=False):
        np.testing.assert_array_equal(one.w1, more.w1)
    assert not np.array_equal(deeper.blocks[0].w1, deeper.blocks[1].w1)


@pytest.mark.parametrize("style", ["llama", "gpt2"])
def test_a_larger_width_extends_what_was_drawn(style):
    narrow, wide = (weights_of(BlockLessonSettings(d_model=d, style=style)) for d in (8, 32))
    np.testing.assert_array_equal(narrow.embedding, wide.embedding[:, :8])
    for name in ("w_q", "w1"):
        small, large = (getattr(each.blocks[0], name) for each in (narrow, wide))
        np.testing.assert_allclose(large[: len(small), : small.shape[1]] * 2, small)  # sqrt(32 / 8)


def test_matrices_keep_the_variance():
    drawn = [
        weights_of(BlockLessonSettings(d_model=32, seed=seed)).blocks[b] for seed in (0, 1) for b in range(8)
    ]
    for name, n_in in (("w_q", 32), ("w_o", 32), ("w1", 32), ("w2", 88), ("w3", 32)):
        assert np.mean([getattr(each, name).var() * n_in for each in drawn]) == pytest.approx(1, abs=0.05)
        assert len({getattr(each, name)[0, 0] for each in drawn}) == len(drawn)


def test_the_vocabulary_is_the_text_and_a_few_words_more():
    assert vocabulary_of(("the", "cat", "the")) == ("the", "cat", "a", "dog", "ran", ".")
    ids = token_ids(BlockLessonSettings(text="the cat the", token=0))
    np.testing.assert_array_equal(ids, [0, 1, 0])


# --- depth -----------------------------------------------------------------------------------------


@SEVERAL
def test_the_stream_along_depth(values):
    settings = BlockLessonSettings(**values)
    passed, depth = plain_stream(settings), trace_depth(settings)
    here = depth.here
    lengths = [np.sqrt((passed[0][1] ** 2).sum(-1))]
    added = []
    for y, x, attention, mlp in passed[1:]:
        lengths += [np.sqrt((each**2).sum(-1)) for each in (y, x)]
        added += [np.sqrt((each**2).sum(-1)) for each in (attention, mlp)]
    np.testing.assert_allclose(here.size, lengths, atol=1e-9)
    np.testing.assert_allclose(here.added, added, atol=1e-9)
    weights = weights_of(settings)
    logits = transformer(token_ids(settings), weights, settings.build)
    np.testing.assert_allclose(here.logits, logits, atol=1e-12)
    e = np.exp(logits)
    np.testing.assert_allclose(here.probabilities, e / e.sum(-1, keepdims=True), atol=1e-12)
    assert depth.places[settings.norm_place] is here
    assert (depth.residual if settings.residual else depth.bare) is here


def test_post_norm_streams_are_as_long_as_the_root_of_d():
    post = trace_depth(BlockLessonSettings()).places["post"]
    np.testing.assert_allclose(post.size[1:], 8**0.5, rtol=1e-5)


def test_tokens_become_alike_without_residuals():
    depth = trace_depth(BlockLessonSettings(layers=12))
    x = plain_stream(BlockLessonSettings(layers=12, residual=False))[-1][1]
    n = len(x)
    pairs = [
        x[i] @ x[j] / np.linalg.norm(x[i]) / np.linalg.norm(x[j])
        for i in range(n)
        for j in range(n)
        if i != j
    ]
    assert depth.bare.alike[-1] == pytest.approx(np.mean(pairs), abs=1e-9)
    assert depth.bare.alike[-1] > 0.99
    assert depth.residual.alike[-1] < 0.6
    assert len(stream(BlockLessonSettings(text="alone", token=0)).alike) == 0


def test_what_is_only_looked_at_does_not_count():
    looks = BlockLessonSettings(step=3, block=2, token=1, a=1.0, b=-1.0, size="gpt2")
    assert without_looks(looks) == without_looks(BlockLessonSettings())
    assert without_looks(BlockLessonSettings(seed=1)) != without_looks(looks)


def test_norm_statistics():
    x = np.array([[3.0, 4.0], [1.0, 1.0]])
    np.testing.assert_allclose(norm_statistics(x, "llama")["RMS"], [12.5**0.5, 1])
    np.testing.assert_allclose(norm_statistics(x, "gpt2")["mean"], [3.5, 1])
    np.testing.assert_allclose(norm_statistics(x, "gpt2")["SD"], [0.5, 0])
    np.testing.assert_allclose(sizes(x), [5, 2**0.5])


# --- the lessons' numbers, and the counts ------------------------------------------------------------


def test_the_lessons_numbers_as_the_page_shows_them():
    assert {each.id: each.computed() for each in NUMBERS} == {
        "C-gpt2": "3,072",
        "C-sig2": "0.8808",
        "C-silu2": "1.7616",
        "C-swiglu": "0.8808",
        "C-gate0": "0.0000",
    }
    assert all(each.right and each.page == "block" for each in NUMBERS)


@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("gpt2", 124_439_808),
        ("gpt2-xl", 1_557_611_200),
        ("llama2-7b", 6_738_415_616),
        ("llama3-8b", 8_030_261_248),
    ],
)
def test_a_real_models_parameters(name, total):
    assert REAL[name].total == total
    assert sum(REAL[name].groups.values()) == total


@pytest.mark.parametrize(
    ("style", "d_model", "multiple", "wanted"),
    [("gpt2", 768, 4, 3072), ("llama", 4096, 256, 11008), ("llama", 8192, 256, 22016), ("llama", 8, 4, 24)],
)
def test_hidden_widths(style, d_model, multiple, wanted):
    assert hidden_width(style, d_model, multiple) == wanted


@SEVERAL
def test_the_small_models_parameters_are_those_of_its_arrays(values):
    settings = BlockLessonSettings(**values)
    weights = weights_of(settings)
    arrays = [getattr(weights, f.name) for f in dataclasses.fields(weights) if f.name != "blocks"]
    arrays += [getattr(block, f.name) for block in weights.blocks for f in dataclasses.fields(block)]
    assert model_size(settings).total == sum(array.size for array in arrays if array is not None)


# --- usual mistakes, each made once more here ---------------------------------------------------------


def test_the_norm_kept_as_x():
    x, f = np.array([3.0, 4.0]), np.array([0.5, -0.5])
    right, wrong = block_wrong.normalised_residual()
    np.testing.assert_allclose(right, [3.5, 3.5])
    np.testing.assert_allclose(wrong, [1.3485, 0.6314], atol=5e-5)
    np.testing.assert_allclose(wrong, x / math.sqrt(12.5) + f, atol=1e-6)


@SEVERAL
def test_a_block_on_the_normalised_stream(values):
    trace = trace_of(**values)
    settings = dataclasses.replace(trace.settings, norm_place="pre", residual=True)
    weights = weights_of(settings).blocks[settings.block]
    x = plain_norm(trace.steps.x, settings.style)
    x = x + plain_attention(x, weights, settings)
    x = plain_norm(x, settings.style)
    x = x + plain_mlp(x, weights, settings.style)
    right, wrong = block_wrong.block_on_normalised_residual(trace)
    np.testing.assert_allclose(wrong, x, atol=1e-9)
    np.testing.assert_allclose(right, plain_block(trace.steps.x, weights, settings)[1], atol=1e-9)
    assert abs(right - wrong).max() > 0.01


def test_silu_elsewhere():
    each = block_wrong.entry(2.0, 0.5)
    assert (each.share, each.bent) == pytest.approx((0.880797, 1.761594), abs=5e-7)
    assert each.product == pytest.approx(0.880797, abs=5e-7)
    assert each.around == pytest.approx(1 / (1 + math.exp(-1)), abs=1e-12)  # 0.7311
    assert each.swapped == pytest.approx(2 * 0.5 / (1 + math.exp(-0.5)), abs=1e-12)
    assert block_wrong.entry(2.0, 0.0).product == 0


@SEVERAL
def test_a_pre_norm_model_run_as_post_norm(values):
    settings = BlockLessonSettings(**values)
    pre = dataclasses.replace(settings, norm_place="pre", residual=True)
    post = dataclasses.replace(pre, norm_place="post")
    weights = weights_of(pre)
    out = weights.embedding.T if weights.unembedding is None else weights.unembedding
    shares = []
    for built in (pre, post):
        logits = plain_norm(plain_stream(built)[-1][1], settings.style) @ out
        shares.append(np.exp(logits) / np.exp(logits).sum(-1, keepdims=True))
    for found, wanted in zip(block_wrong.other_norm_place(settings), shares, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_eps_outside_the_root():
    right, wrong = block_wrong.eps_outside()
    x = np.array([3e-4, 4e-4])
    np.testing.assert_allclose(right, x / math.sqrt(1.25e-7 + 1e-6))
    np.testing.assert_allclose(wrong, x / (math.sqrt(1.25e-7) + 1e-6))


@SEVERAL
def test_the_final_norm_forgotten(values):
    settings = BlockLessonSettings(**values)
    pre = dataclasses.replace(settings, norm_place="pre", residual=True)
    weights, last = weights_of(pre), plain_stream(pre)[-1][1]
    out = weights.embedding.T if weights.unembedding is None else weights.unembedding
    right, wrong = block_wrong.without_final_norm(settings)
    np.testing.assert_allclose(right, plain_norm(last, settings.style) @ out, atol=1e-9)
    np.testing.assert_allclose(wrong, last @ out, atol=1e-9)


@pytest.mark.parametrize("values", [{}, {"style": "gpt2"}, {"text": "a b c d", "token": 0}], ids=str)
def test_a_norm_over_tokens_sees_the_future(values):
    trace = trace_of(**values)
    x = trace.steps.x
    moved = x.copy()
    moved[-1] = -moved[-1]
    rows = [(y[0] - y.mean(axis=0)) / np.sqrt(y.var(axis=0) + 1e-5) for y in (x, moved)]
    right, wrong = block_wrong.over_tokens(trace)
    assert right == 0
    assert wrong == pytest.approx(np.linalg.norm(rows[1] - rows[0]), abs=1e-9)
    assert wrong > 0.1


# --- figures ---------------------------------------------------------------------------------------


@SEVERAL
def test_figures_are_valid_and_described(values):
    import plotly.graph_objects as go

    settings = BlockLessonSettings(**values)
    depth = trace_depth(settings)
    figure = depth_figure(depth, settings.token)
    go.Figure(figure.to_dict())  # validated here
    line = figure["data"][2]["y"]
    np.testing.assert_allclose(line, depth.places["pre"].size[:, settings.token])
    assert max(*line, *depth.places["post"].added[:, settings.token]) <= figure["layout"]["yaxis"]["range"][1]
    assert f"{depth.places['post'].size[-1, settings.token]:.2f}" in describe_depth(depth, settings.token)
    go.Figure(activations_figure(block_wrong.entry(settings.a, settings.b)).to_dict())


def test_the_formula_follows_the_settings():
    assert "x + \\mathrm{Attention}(\\mathrm{RMSNorm}(x))" in block_formula(BlockLessonSettings())
    post = block_formula(BlockLessonSettings(style="gpt2", norm_place="post", residual=False))
    assert "y = \\mathrm{LayerNorm}(\\mathrm{Attention}(x))" in post
    assert "GELU" in post


# --- links -----------------------------------------------------------------------------------------


@st.composite
def settings(draw):
    d_model = draw(st.sampled_from(D_MODELS))
    heads = draw(st.sampled_from([h for h in (1, 2, 4, 8, 16) if d_model // 2 % h == 0]))
    layers = draw(st.integers(1, 12))
    text = draw(st.sampled_from(["the cat", "a", "שלום <b>x</b> $y$", "ü 🙂 %"]))
    return BlockLessonSettings(
        text=text,
        style=draw(st.sampled_from(["llama", "gpt2"])),
        norm_place=draw(st.sampled_from(["pre", "post"])),
        residual=draw(st.booleans()),
        d_model=d_model,
        heads=heads,
        kv_heads=draw(st.sampled_from([h for h in (1, 2, 4, 8, 16) if heads % h == 0])),
        layers=layers,
        seed=draw(st.integers(0, 2**31 - 1)),
        block=draw(st.integers(0, layers - 1)),
        step=draw(st.integers(0, 5)),
        token=draw(st.integers(0, len(text.split()) - 1)),
        a=draw(st.floats(-4, 4)),
        b=draw(st.floats(-4, 4)),
        size=draw(st.sampled_from(["page", *REAL])),
    )


@given(settings())
def test_a_link_gives_the_same_settings(value):
    assert BlockLessonSettings.from_query(value.to_query()) == (value, [])


@pytest.mark.parametrize(
    "values",
    [{"heads": 8}, {"kv_heads": 3}, {"layers": 0}, {"block": 8}, {"token": 6}, {"a": 5.0}, {"style": "bert"}],
    ids=str,
)
def test_illegal_values_raise(values):
    with pytest.raises(SettingError):
        BlockLessonSettings(**values)


def test_both_orders_have_six_steps():
    assert {len(names) for names in STEPS.values()} == {6}
