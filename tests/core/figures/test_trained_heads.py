"""The pictures of trained heads: the PNG of all heads by pixel, cells, marks, Plotly's own validation."""

import io

import numpy as np
import plotly.graph_objects as go
import pytest
from PIL import Image

from core.figures.thumbnails import thumbnails_png
from core.figures.trained_heads import (
    describe_effects,
    describe_group,
    describe_head,
    describe_pronoun,
    describe_switched,
    effects_figure,
    group_figure,
    head_figure,
    pronoun_figure,
    switched_figure,
    trained_formula,
)
from core.lessons.trained_effects import effects
from core.lessons.trained_heads import TrainedHeadsSettings, trace_heads
from core.lessons.trained_pronoun import trace_pronoun
from core.lessons.trained_switches import switch
from core.models.gallery import recorded

VIRIDIS = {0.0: (68, 1, 84), 0.5: (33, 145, 140), 1.0: (253, 231, 37)}


def trace(**values):
    settings = TrainedHeadsSettings(**values)
    return trace_heads(settings, recorded(settings.model, settings.sentence))


def pixels(png):
    return np.array(Image.open(io.BytesIO(png)).convert("RGBA"))


def test_every_weight_is_a_pixel_and_hidden_ones_are_clear():
    weights = np.zeros((5, 2, 2))
    weights[0] = [[0, 0.5], [1, 0]]
    weights[4] = [[1, 1], [0.5, 0]]
    visible = np.array([[True, False], [True, True]])
    picture = pixels(thumbnails_png(weights, visible, 3))
    assert picture.shape == (4, 6, 4)  # two rows of three heads
    assert picture[0, 1, 3] == 0  # hidden
    assert picture[0, 0, 3] == 255
    assert picture[0, 4:, 3].tolist() == [255, 0]
    assert picture[2:, 4:, 3].sum() == 0  # there is no sixth head
    for place, weight in (((0, 0), 0.0), ((1, 0), 1.0), ((3, 2), 0.5), ((2, 2), 1.0)):
        assert np.abs(picture[place][:3].astype(int) - VIRIDIS[weight]).max() <= 2


def test_the_sprite_holds_each_head_at_its_layer_and_number():
    recording = recorded("smollm2", "repeat")
    n = recording.n_tokens
    weights = recording.whole_weights.reshape(-1, n, n)
    picture = pixels(thumbnails_png(weights, recording.visible, 9))
    assert picture.shape == (30 * n, 9 * n, 4)
    head = picture[17 * n : 18 * n, 4 * n : 5 * n]
    # Brightness rises with the weight along viridis: the brightest pixel of each row is the largest weight.
    light = head[..., :3].astype(float).sum(-1) * (head[..., 3] > 0)
    np.testing.assert_array_equal(light[12:].argmax(-1), recording.weights[17, 4, 12:].argmax(-1))


@pytest.mark.parametrize(
    "values",
    [
        {}, {"head": (17, 4), "rope": "off", "mask": "changed"},
        {"model": "minilm", "head": (3, 1), "mask": "changed"},
    ],
    ids=str,
)  # fmt: skip
def test_plotly_accepts_every_figure(values):
    found = trace(**values)
    figures = [
        head_figure(found),
        group_figure(found),
        switched_figure(switch(found)),
        effects_figure(effects(found.recording), found.settings.head, "change"),
        pronoun_figure(trace_pronoun("minilm"), trace_pronoun("smollm2"), ((3, 1), (13, 8))),
    ]
    for figure in figures:
        go.Figure(figure.to_dict())  # raises on what Plotly does not know


def test_rows_are_queries_and_hidden_cells_are_blank():
    found = trace(head=(18, 6))
    z = np.array(head_figure(found).data[0]["z"])
    np.testing.assert_allclose(z[found.visible], found.weights[found.visible], rtol=1e-6)
    assert np.isnan(z[~found.visible]).all()
    assert z[20, 11] > 0.9  # not symmetric: query 20 to key 11
    assert np.isnan(z[11, 20])


def test_a_switched_mask_shows_its_cells_in_b_alone():
    found = switch(trace(head=(17, 4), mask="changed"))
    both, apart = (np.array(each["z"]) for each in switched_figure(found).data)
    n = len(found.tokens)
    stride = both.shape[1] - n  # of the third tile, twice that of the second
    a, b = both[:, :n], both[:, stride // 2 : stride // 2 + n]
    assert np.isnan(a[0, 1:]).all()
    np.testing.assert_allclose(b, found.weights_b, rtol=1e-6)
    np.testing.assert_allclose(apart[:, stride:], found.weights_b - found.weights, atol=1e-6)


def test_a_group_is_three_heads_of_one_layer():
    figure = group_figure(trace(head=(17, 4)))
    assert figure.layout.meta["heads"] == [3, 4, 5]
    titles = [each["text"] for each in figure.layout.annotations]
    assert titles == ["<b>17.3 · KV 1</b>", "<b>17.4 · KV 1</b>", "<b>17.5 · KV 1</b>"]


def test_the_chosen_head_is_marked_where_it_is():
    found = effects(recorded("smollm2", "repeat"))
    figure = effects_figure(found, (17, 4), "change")
    points, mark = figure.data
    i = list(points["customdata"]).index("layer 17, head 4")
    assert (points["x"][i], points["y"][i]) == (mark["x"][0], mark["y"][0])
    assert points["y"][i] == found.removed[17, 4]
    low, high = figure.layout.yaxis["range"]
    assert 10**low < found.removed.min()
    assert 10**high > found.removed.max()


def test_every_point_of_the_pronoun_lies_within_the_axes():
    figure = pronoun_figure(trace_pronoun("minilm"), trace_pronoun("smollm2"), ((3, 1), (13, 8)))
    for each in figure.data:
        assert np.abs(np.concatenate([each["x"], each["y"]])).max() <= 0.8
    decoder = figure.data[2]
    np.testing.assert_array_equal(decoder["x"], decoder["y"])  # all on the diagonal


def test_text_alternatives_hold_the_numbers():
    found = trace(head=(18, 6), cell=(0, 14, 0))
    assert "query 14 “beauty”, the largest is 0.9" in describe_head(found)
    assert "key 5 “invest”" in describe_head(found)
    assert "head 7 gives" in describe_group(found)
    assert "Nothing is switched" in describe_switched(switch(found))
    assert "largest difference is -" in describe_switched(switch(trace(head=(16, 0), rope="off")))
    assert "Rank correlation -0.4" in describe_effects(effects(found.recording), (18, 6))
    words = describe_pronoun(trace_pronoun("minilm"), trace_pronoun("smollm2"))
    assert "5 of 72 heads change sides" in words
    assert "0 of 270 heads change sides, and the largest move is 0.000" in words


def test_the_formula_is_of_the_chosen_head():
    formula = trained_formula(TrainedHeadsSettings(head=(17, 4)))
    assert r"\sqrt{64}" in formula
    assert r"\lfloor 4/3\rfloor=1" in formula
    assert r"100{,}000" in formula
    encoder = trained_formula(TrainedHeadsSettings(model="minilm", head=(3, 1)))
    assert r"\sqrt{32}" in encoder
    assert "RoPE" not in encoder
