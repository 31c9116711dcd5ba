"""The figures of /kv-cache: valid, with fixed axes, and with what is read told from what is new."""

import numpy as np
import plotly.graph_objects as go
import pytest

from core.figures.kv_cache import (
    cost_figure,
    decoding_figure,
    decoding_formula,
    describe_cost,
    describe_decoding,
)
from core.lessons.kv_cache import KVCacheSettings, trace_kv_cache
from core.lessons.kv_cost import DecodingCost, cost_curves


def decoding(**values):
    trace = trace_kv_cache(KVCacheSettings(**values))
    return trace, decoding_figure(trace)


@pytest.mark.parametrize("values", [{}, {"step": 0}, {"step": 5, "window": 2}, {"text": "a", "step": 0}])
def test_plotly_accepts_the_heatmap_and_finds_no_nan_in_words(values):
    _, figure = decoding(**values)
    go.Figure(figure.to_dict())
    assert "nan" not in str(figure.layout.to_plotly_json()).lower()


def test_rows_to_come_are_empty_and_not_hatched():
    trace, figure = decoding(step=2)
    z = np.array(figure.data[0].z)
    np.testing.assert_allclose(z[:3], np.where(trace.mask, trace.weights[13], np.nan)[:3], atol=1e-6)
    assert np.isnan(z[3:]).all()
    hatched = figure.layout.images[0].source
    assert "M1 0H6V1H1Z" in hatched  # row 0: all keys but its own
    assert " 3H" not in hatched


def frames(figure):
    return [(each.x0, each.x1, each.y0, each.line.dash) for each in figure.layout.shapes]


def test_what_is_read_is_framed_apart_from_what_is_new():
    assert frames(decoding(step=3)[1]) == [(-0.5, 2.5, 2.5, "dot"), (2.5, 3.5, 2.5, "solid")]
    assert frames(decoding(step=5, window=2)[1]) == [(3.5, 4.5, 4.5, "dot"), (4.5, 5.5, 4.5, "solid")]
    assert frames(decoding(step=0)[1]) == [(-0.5, 0.5, -0.5, "solid")]


def test_the_text_alternative_names_the_row():
    trace, _ = decoding(step=3)
    words = describe_decoding(trace)
    assert "4 of 6 rows decoded" in words
    assert "query 3 “on”, reads 4 keys" in words


def test_the_axes_of_the_cost_stay_while_the_step_moves():
    cost = DecodingCost(32, 8, 8)
    curves = cost_curves(cost)
    first, last = (cost_figure(curves, cost, n) for n in (1, 16))
    go.Figure(first.to_dict())
    for axis in ("xaxis", "yaxis", "xaxis2", "yaxis2"):
        assert first.layout[axis].range == last.layout[axis].range
        assert first.layout[axis].ticklabeloverflow == "allow"
    assert first.layout.uirevision == last.layout.uirevision
    for trace in first.data:
        low, high = first.layout[f"yaxis{trace.yaxis[1:]}"].range
        assert (np.log10(np.array(trace.y)) >= low).all()
        assert (np.log10(np.array(trace.y)) <= high).all()
    assert "n = 1,024" in describe_cost(curves)


def test_the_formula_has_the_numbers_in_force():
    assert r"\tfrac{13}{4}\Big\rfloor=3" in decoding_formula(KVCacheSettings())
    assert r"K_{\le 3}" in decoding_formula(KVCacheSettings())
    assert r"K_{4..5}" in decoding_formula(KVCacheSettings(step=5, window=2))
