"""Cost: every count against counting, the walk and each mistake in plain NumPy, reach by brute force."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SettingError, divisors
from core.figures.cost import cost_formula, describe_growth, describe_measured, growth_figure, measured_figure
from core.figures.cost_window import describe_window, window_figure
from core.lessons import cost_wrong
from core.lessons.cost import (
    BLOCK,
    D_KS,
    DEPTHS,
    HEADS,
    KEYS,
    LAYERS,
    NEARS,
    SIZES,
    TILES,
    WIDTH,
    CostSettings,
    trace_cost,
)  # fmt: skip
from core.lessons.cost_counts import Cost, log_log_slope
from core.lessons.cost_measured import WAYS, Measured, measure_apart
from core.lessons.cost_window import layers_needed, reach
from core.lessons.printed.cost import NUMBERS
from core.ops.masks import sliding_window_mask

SMALL = {"n": st.integers(1, 7), "d_k": st.integers(1, 4), "heads": st.sampled_from([1, 2, 4])}
SEVERAL = pytest.mark.parametrize(
    "values",
    [
        {},
        {"causal": True},
        {"tile": 1, "keys": 16, "block": 3},
        {"tile": 5, "keys": 13, "block": 3, "seed": 3},
        {"tile": 8, "keys": 8, "block": 0, "causal": True, "seed": 1},
        {"tile": 2, "keys": 9, "block": 2},
    ],
    ids=str,
)


def trace_of(**values):
    return trace_cost(CostSettings(**values))


# --- counts ---------------------------------------------------------------------------------------


@given(**SMALL, window=st.integers(1, 9), layers=st.integers(1, 3))
def test_the_counts_are_what_counting_gives(n, d_k, heads, window, layers):
    kv_heads = max(1, heads // 2)
    cost = Cost(n, d_k, heads, kv_heads, layers, window)
    d = heads * d_k
    scores = sum(1 for _ in range(heads) for _ in range(n) for _ in range(n) for _ in range(d_k))
    assert (cost.scores, cost.weighted_sum, cost.quadratic) == (scores, scores, 2 * scores)
    columns = [heads * d_k, kv_heads * d_k, kv_heads * d_k]  # of W_Q, W_K, W_V, each with D rows
    assert cost.projections == n * (sum(d * c for c in columns) + heads * d_k * d)
    assert cost.mlp == n * (d * 4 * d + 4 * d * d)
    seen = sliding_window_mask(n, window).sum()
    assert 2 * d * seen <= cost.windowed <= cost.quadratic  # the first queries see fewer keys
    assert cost.windowed == 2 * d * n * min(n, window)
    assert cost.matrix_bytes == np.empty((heads, n, n), np.float16).nbytes
    assert cost.kv_bytes == layers * 2 * np.empty((kv_heads, n, d_k), np.float16).nbytes
    running = np.empty((heads, n, 2), np.float32).nbytes
    assert cost.tiled_bytes == np.empty((heads, n, min(n, 128)), np.float16).nbytes + running


@given(st.sampled_from(SIZES), st.sampled_from(HEADS), st.sampled_from(D_KS))
def test_doubling_n(n, heads, d_k):
    one, two = Cost(n, d_k, heads, heads), Cost(2 * n, d_k, heads, heads)
    assert two.entries / one.entries == 4  # A-quad
    assert two.quadratic / one.quadratic == 4
    assert two.linear / one.linear == 2
    assert two.kv_bytes / one.kv_bytes == 2


def test_a_printed_number():
    (number,) = NUMBERS
    assert number.values() == 4.0
    assert number.right
    assert "grow by 2" in number.remark


@given(st.sampled_from(HEADS), st.sampled_from(D_KS))
def test_scores_overtake_the_rest_at_six_times_the_width(heads, d_k):
    cost = Cost(64, d_k, heads, heads)
    assert cost.overtakes == 6 * heads * d_k
    at = cost.at(n=cost.overtakes)
    assert at.quadratic == at.linear
    shared = cost.at(kv_heads=1)
    assert shared.at(n=shared.overtakes).quadratic == shared.at(n=shared.overtakes).linear


def test_the_matrix_does_not_depend_on_d_k():
    assert Cost(6, 4, 1, 1).entries == Cost(6, 64, 1, 1).entries == np.ones((6, 6)).size == 36
    assert Cost(6, 64, 1, 1).scores == 16 * Cost(6, 4, 1, 1).scores


@given(st.floats(-3, 3), st.floats(1e-6, 1e3))
def test_a_slope_is_the_power(power, factor):
    x = np.array([64.0, 128, 256, 512])
    assert log_log_slope(x, factor * x**power) == pytest.approx(power, abs=1e-9)


# --- windows ---------------------------------------------------------------------------------------


def reached_in(mask, i, j, limit):
    """By walking back from i, one layer at a time."""
    at = {i}
    for layer in range(1, limit + 1):
        at = {key for query in at for key in range(len(mask)) if mask[query][key]}
        if j in at:
            return layer
    return 0


@given(st.integers(1, 8), st.integers(1, 6), st.integers(1, 12))
def test_layers_needed_is_what_walking_back_gives(window, n_layers, n):
    mask = sliding_window_mask(n, window)
    wanted = [[reached_in(mask, i, j, n_layers) for j in range(n)] for i in range(n)]
    np.testing.assert_array_equal(layers_needed(mask, n_layers), wanted)


@given(st.integers(1, 6), st.integers(1, 6))
def test_reach_counts_the_token_itself(window, n_layers):
    n = 40
    product = np.linalg.matrix_power(sliding_window_mask(n, window).astype(int), n_layers)
    assert (product[-1] > 0).sum() == reach(window, n_layers) == 1 + n_layers * (window - 1)
    assert (layers_needed(sliding_window_mask(n, window), n_layers)[-1] > 0).sum() == reach(window, n_layers)


def test_the_window_of_mistral_reaches_about_131_thousand_tokens():
    assert reach(4096, 32) == 131_041


# --- the walk --------------------------------------------------------------------------------------


def plain_attention(trace):
    scores = trace.q @ trace.k.T / np.sqrt(WIDTH)
    if trace.settings.causal:
        scores = np.where(np.tril(np.ones_like(scores)) > 0, scores, -np.inf)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores, e / e.sum(axis=1, keepdims=True) @ trace.v


@SEVERAL
def test_the_walk_is_plain_attention_in_tiles(values):
    trace = trace_of(**values)
    settings = trace.settings
    _, output = plain_attention(trace)
    np.testing.assert_allclose(trace.output, output, atol=1e-12)
    np.testing.assert_allclose(trace.tiled, output, atol=1e-12)
    np.testing.assert_allclose(trace.states[-1].normalised, output[settings.rows], atol=1e-12)
    assert trace.difference < 1e-12
    assert len(trace.states) == settings.n_tiles == math.ceil(settings.keys / settings.tile)
    assert trace.most_held <= BLOCK * settings.tile
    assert not trace.q.flags.writeable
    assert not trace.states[0].output.flags.writeable


@SEVERAL
def test_tiles_save_no_multiplication(values):
    trace = trace_of(**values)
    n_queries = trace.settings.rows.stop - trace.settings.rows.start
    assert trace.plain_multiplications == 2 * n_queries * trace.settings.keys * WIDTH
    assert trace.tiled_multiplications == trace.plain_multiplications


def test_the_steps():
    trace = trace_of(step=0)
    assert (trace.state, trace.before, trace.finished) == (None, None, False)
    trace = trace_of(step=1)
    assert (trace.state.start, trace.before, trace.finished) == (0, None, False)
    trace = trace_of(step=3)
    assert (trace.state.start, trace.before.start, trace.finished) == (8, 4, False)
    trace = trace_of(step=4)
    assert (trace.state.start, trace.finished) == (8, True)


def test_fewer_keys_are_the_first_ones():
    one, other = trace_of(keys=16), trace_of(keys=9)
    np.testing.assert_array_equal(one.k[:9], other.k)
    np.testing.assert_array_equal(one.q[:9], other.q)


# --- the mistakes, made once more here --------------------------------------------------------------


def by_tiles(trace):
    """(scores, values) of each tile, for the block in view."""
    scores, _ = plain_attention(trace)
    rows = scores[trace.settings.rows]
    for start in range(0, trace.settings.keys, trace.settings.tile):
        part = slice(start, start + trace.settings.tile)
        yield rows[:, part], trace.v[part]


@SEVERAL
def test_the_output_that_is_never_rescaled(values):
    trace = trace_of(**values)
    m, total, output = np.full(len(trace.block_output), -np.inf), 0.0, 0.0
    for scores, v in by_tiles(trace):
        new = np.maximum(m, scores.max(axis=1))
        e = np.exp(scores - new[:, None])
        total = np.exp(m - new) * total + e.sum(axis=1)
        output = output + e @ v  # forgotten: np.exp(m - new) * output
        m = new
    wrong = cost_wrong.unscaled_output(trace)
    np.testing.assert_allclose(wrong.output, output / total[:, None], atol=1e-12)
    assert wrong.difference == pytest.approx(np.abs(wrong.output - trace.block_output).max())


@SEVERAL
def test_tiles_with_maxima_of_their_own(values):
    trace = trace_of(**values)
    total, output = 0.0, 0.0
    for scores, v in by_tiles(trace):
        largest = scores.max(axis=1, keepdims=True)
        e = np.where(np.isneginf(largest), 0, np.exp(scores - np.where(np.isneginf(largest), 0, largest)))
        total, output = total + e.sum(axis=1), output + e @ v
    wrong = cost_wrong.own_maximum(trace)
    np.testing.assert_allclose(wrong.output, output / total[:, None], atol=1e-12)


@SEVERAL
def test_the_mean_of_each_tiles_softmax(values):
    trace = trace_of(**values)
    seen, output = 0.0, 0.0
    for scores, v in by_tiles(trace):
        some = np.isfinite(scores).any(axis=1, keepdims=True)
        e = np.exp(np.where(some, scores - np.where(some, scores.max(axis=1, keepdims=True), 0), -np.inf))
        output = output + e / np.where(some, e.sum(axis=1, keepdims=True), 1) @ v
        seen = seen + some
    wrong = cost_wrong.averaged_tiles(trace)
    np.testing.assert_allclose(wrong.output, output / seen, atol=1e-12)


def test_the_mistakes_show_on_the_pages_first_numbers():
    for causal in (False, True):
        trace = trace_of(causal=causal)
        for mistake in (cost_wrong.unscaled_output, cost_wrong.own_maximum, cost_wrong.averaged_tiles):
            assert mistake(trace).difference > 0.3


def test_with_one_tile_there_is_nothing_to_forget():
    trace = trace_of(keys=8, tile=8)
    assert cost_wrong.unscaled_output(trace).difference < 1e-12


# --- measured, figures, PyTorch ---------------------------------------------------------------------


def test_what_is_measured_comes_through_json_as_it_was():
    sizes = (8, 16, 32, 64)
    found = measure_apart(sizes)
    assert Measured.of(found.plain()) == found
    assert found.sizes == sizes
    for way in WAYS:
        assert all(x > 0 for x in found.seconds[way])
        assert all(peak >= 4 * n * n for peak, n in zip(found.peak_bytes[way], sizes, strict=True))


def test_the_slopes_of_a_measurement():
    sizes = (64, 128, 256, 512)
    seconds = {"plain": (1.0, 2.0, 4.0, 16.0), "tiled": (1.0, 1.0, 1.0, 8.0)}
    bytes_ = {"plain": tuple(8 * n * n for n in sizes), "tiled": tuple(64 * n for n in sizes)}
    found = Measured(sizes, seconds, bytes_)
    assert found.slopes("seconds", "plain") == pytest.approx((1, 2))
    assert found.slopes("seconds", "tiled") == pytest.approx((0, 3))
    assert found.slopes("peak_bytes", "plain") == pytest.approx((2, 2))
    assert found.slopes("peak_bytes", "tiled") == pytest.approx((1, 1))
    assert "power 2.00 of n, in tiles 3.00" in describe_measured(found)


def test_plotly_accepts_the_figures():
    import plotly.graph_objects as go

    found = Measured(
        (64, 128, 256, 512), dict.fromkeys(WAYS, (1.0, 2, 3, 4)), dict.fromkeys(WAYS, (1, 2, 3, 4))
    )
    for settings in (
        CostSettings(),
        CostSettings(n=16, heads=1, kv_heads=1, d_k=16),
        CostSettings(heads=128),
    ):
        for figure in (
            growth_figure(settings),
            measured_figure(found),
            window_figure(1, 1),
            window_figure(8, 12),
        ):
            go.Figure(figure.to_dict())  # validates
    assert "21,504" in describe_growth(CostSettings())
    assert "9 positions back" in describe_window(4, 3)


def test_the_axes_do_not_move():
    one, other = growth_figure(CostSettings()), growth_figure(CostSettings(n=16, d_k=16, heads=1, kv_heads=1))
    for axis in ("xaxis", "yaxis", "xaxis2", "yaxis2"):
        assert one.layout[axis].range == other.layout[axis].range


def test_every_line_stays_within_the_axes():
    smallest = CostSettings(d_k=D_KS[0], heads=1, kv_heads=1, layers=1)
    largest = CostSettings(d_k=D_KS[-1], heads=128, kv_heads=128, layers=128, bytes=4, window=SIZES[-1])
    for settings in (smallest, largest):
        figure = growth_figure(settings)
        for trace in figure.data:
            low, high = figure.layout["yaxis2" if trace.yaxis == "y2" else "yaxis"].range
            assert low <= np.log10(min(trace.y))
            assert np.log10(max(trace.y)) <= high


def test_the_formula_has_the_numbers():
    formula = cost_formula(CostSettings())
    assert r"5.50\cdot10^{11}+1.44\cdot10^{12}" in formula  # 2 * 8192^2 * 4096, and 8192 * (2.5 + 8) * 4096^2
    assert r"32\cdot128=4{,}096" in formula


@SEVERAL
def test_pytorchs_kernels_give_the_same(values):
    pytest.importorskip("torch")
    from core.reference.cost import flash_verdict

    verdict = flash_verdict(trace_of(**values))
    assert verdict.keys() >= {"math", "version"}
    for kernel in verdict.keys() & {"math", "flash"}:
        assert max(verdict[kernel].values()) < 1e-12


# --- settings ---------------------------------------------------------------------------------------


@st.composite
def settings(draw):
    heads, keys, tile = (
        draw(st.sampled_from(HEADS)),
        draw(st.sampled_from(KEYS)),
        draw(st.sampled_from(TILES)),
    )
    return CostSettings(
        n=draw(st.sampled_from(SIZES)),
        d_k=draw(st.sampled_from(D_KS)),
        heads=heads,
        kv_heads=draw(st.sampled_from(divisors(heads))),
        layers=draw(st.integers(LAYERS[0], LAYERS[-1])),
        window=draw(st.sampled_from(SIZES)),
        bytes=draw(st.sampled_from([2, 4])),
        keys=keys,
        tile=tile,
        block=draw(st.integers(0, math.ceil(keys / BLOCK) - 1)),
        step=draw(st.integers(0, math.ceil(keys / tile) + 1)),
        causal=draw(st.booleans()),
        seed=draw(st.integers(0, 2**31 - 1)),
        near=draw(st.sampled_from(NEARS)),
        depth=draw(st.sampled_from(DEPTHS)),
    )


@given(settings())
def test_a_link_comes_back_as_it_went(each):
    assert CostSettings.from_query(each.to_query()) == (each, [])
    assert trace_cost(each).difference < 1e-12


def test_a_step_that_is_gone_is_let_go_in_silence():
    changed, notes = CostSettings(tile=1, step=13).changed(tile=8)
    assert (changed.step, notes) == (3, [])
    changed, notes = CostSettings(heads=32, kv_heads=32).changed(heads=12)
    assert (changed.kv_heads, notes) == (12, [])
    with pytest.raises(SettingError):
        dataclasses.replace(CostSettings(), step=9)
