"""The saturation curves as a figure: the markers stand at the present d_k, on the curves."""

import re

import numpy as np
import plotly.graph_objects as go
import pytest

from core.curves import WIDTHS, saturation_curves
from core.figures.saturation import at_width, describe_saturation, saturation_figure
from core.numbers import Numbers
from core.settings import AttentionSettings
from core.trace import trace_attention

CURVES = saturation_curves(6, n_rows=200)


def trace_of(**values):
    return trace_attention(AttentionSettings(**values))


@pytest.fixture
def scatters(drawn):
    """Return a function: d_k -> (lines, markers), each a list in the order of the panels."""

    def read(d_k):
        traces = drawn(saturation_figure(CURVES, trace_of(d_k=d_k).d_k))["data"]
        return [t for t in traces if t["mode"] == "lines"], [t for t in traces if t["mode"] == "markers"]

    return read


@pytest.mark.parametrize("d_k", [2, 9, 64, 512])
def test_every_curve_has_its_marker_at_the_present_d_k(d_k, scatters):
    lines, markers = scatters(d_k)
    assert len(lines) == len(markers) == 8
    for line, marker in zip(lines, markers, strict=True):
        assert list(marker["x"]) == [d_k]
        assert (marker["xaxis"], marker["yaxis"], marker["name"]) == (
            line["xaxis"],
            line["yaxis"],
            line["name"],
        )
        if d_k in WIDTHS:
            assert marker["y"][0] == line["y"][WIDTHS.index(d_k)]
        else:
            below = WIDTHS.index(max(w for w in WIDTHS if w < d_k))
            assert min(line["y"][below : below + 2]) <= marker["y"][0] <= max(line["y"][below : below + 2])


def test_a_line_of_the_theory_stands_beside_the_measured_spread(scatters):
    lines, _ = scatters(16)
    np.testing.assert_array_equal(lines[6]["y"], CURVES.score_sd)
    np.testing.assert_allclose(lines[7]["y"], np.sqrt(WIDTHS))


def test_with_and_without_the_scale_are_told_apart_by_more_than_colour(scatters):
    lines, _ = scatters(16)
    for with_scale, without in (lines[0:2], lines[2:4], lines[4:6]):
        assert with_scale["name"] != without["name"]
        assert with_scale["line"]["dash"] != without["line"]["dash"]
        assert with_scale["line"]["color"] != without["line"]["color"]


def test_each_panel_is_named_and_has_a_log_axis(drawn):
    layout = drawn(saturation_figure(CURVES, trace_of().d_k))["layout"]
    axes = [axis for name, axis in layout.items() if name.startswith("xaxis")]
    assert [axis["type"] for axis in axes] == ["log"] * 4
    assert len({each["text"] for each in layout["annotations"]}) == 4


def test_no_curve_leaves_its_panel(drawn):
    drawing = drawn(saturation_figure(saturation_curves(64, n_rows=50), 512))
    for trace in drawing["data"]:
        low, high = drawing["layout"]["yaxis" + trace["yaxis"][1:]]["range"]
        assert low <= min(trace["y"])
        assert max(trace["y"]) <= high


@pytest.mark.parametrize("values", [{}, {"d_k": 512}, {"source": "two-keys"}])
def test_plotly_accepts_the_figure(values):
    go.Figure(saturation_figure(CURVES, trace_of(**values).d_k).to_dict())


def test_between_two_widths_the_log_axis_is_followed():
    values = np.log(np.array(WIDTHS, dtype=float))  # a straight line on that axis
    assert at_width(CURVES, values, 9) == pytest.approx(np.log(9))


def test_the_text_alternative_reads_the_curves_at_d_k():
    words = describe_saturation(CURVES, trace_of(d_k=64).d_k)
    i = WIDTHS.index(64)
    for scale in ("sqrt_d_k", "none"):
        assert f"{CURVES.largest_weight[scale][i]:.3g}" in words
        assert f"{CURVES.effective_keys[scale][i]:.3g}" in words
        assert f"{CURVES.jacobian_norm[scale][i]:.3g}" in words
    assert f"{CURVES.score_sd[i]:.3g}" in words
    assert "At d_k = 64" in words
    assert "square root of d_k 8." in words
    assert "<" not in words


def test_a_width_below_the_curves_is_not_given_the_numbers_of_another():
    numbers = Numbers(((1.0,),), ((1.0,), (2.0,)), ((0.0,), (0.0,)))  # d_k = 1: the spread is 1
    words = describe_saturation(CURVES, trace_of(source="custom", numbers=numbers).d_k)
    claimed = re.search(r"At d_k = 1\b.*q·k ([\d.]+)", words)
    assert claimed is None or float(claimed[1]) == pytest.approx(1, rel=0.2)


def test_a_width_below_the_curves_has_no_marker(drawn):
    numbers = Numbers(((1.0,),), ((1.0,), (2.0,)), ((0.0,), (0.0,)))
    traces = drawn(saturation_figure(CURVES, trace_of(source="custom", numbers=numbers).d_k))["data"]
    assert {trace["mode"] for trace in traces} == {"lines"}
