"""The weights of every head in one picture."""

import numpy as np
import plotly.graph_objects as go
import pytest

from core.figures.heads import describe_head_weights, head_weights_figure
from core.lessons.heads import HeadsSettings, trace_heads

SEVERAL = [{}, {"heads": 8}, {"d_model": 32, "heads": 32}, {"causal": True}]


@pytest.mark.parametrize("values", SEVERAL, ids=str)
def test_each_tile_holds_its_heads_weights_on_0_to_1(values, drawn, tiles_of):
    trace = trace_heads(HeadsSettings(**values))
    figure = head_weights_figure(trace)
    go.Figure(figure.data, figure.layout)  # validated by Plotly
    picture = drawn(figure)
    heatmap, layout = picture["data"][0], picture["layout"]
    assert (heatmap["zmin"], heatmap["zmax"]) == (0, 1)
    wanted = np.where(trace.mask, trace.weights, np.nan)
    np.testing.assert_allclose(tiles_of(picture), wanted, atol=1e-6)
    assert layout["xaxis"]["title"]["text"] == "key (column)"
    assert layout["yaxis"]["title"]["text"] == "query (row)"
    assert len(layout["images"]) == (trace.settings.heads if trace.settings.causal else 0)


def test_the_text_alternative_names_the_largest_weight():
    trace = trace_heads(HeadsSettings())
    words = describe_head_weights(trace)
    assert "2 heads, 6 queries" in words
    i, j = np.unravel_index(trace.weights[1].argmax(), (6, 6))
    assert f"Head 1: the largest is {trace.weights[1].max():.4g}, query {i}" in words
    assert f"to key {j}" in words
