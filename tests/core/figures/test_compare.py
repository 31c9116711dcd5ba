"""Two settings side by side: A, B and B - A, against numbers worked out by hand."""

import math
import re

import numpy as np
import plotly.graph_objects as go
import pytest

from core.figures.compare import compare_figure, compared_head, describe_compare
from core.numbers import Numbers
from core.settings import STAGES, AttentionSettings
from core.trace import trace_attention

# Without a scale: weights 1/2, 1/2 and 1/3, 2/3. With the causal mask: 1, hidden and 1/3, 2/3.
LOGS = Numbers(((0.0,), (math.log(2),)), ((0.0,), (1.0,)), ((1.0,), (2.0,)))
GIVEN = {"source": "custom", "numbers": LOGS, "scale": "none"}
FOUR_QUERIES = Numbers(((1, 0), (0, 1), (1, 1), (2, 0)), ((1, 0), (0, 1)), ((10, 0), (0, 6)))
FOUR = {"source": "custom", "numbers": FOUR_QUERIES}
BLANK = np.nan

PAIRS = [
    ({}, {}),
    ({"causal": True}, {}),
    ({"window": 2}, {"causal": True, "cell": (0, 3, 1)}),
    ({"scale": "none", "d_k": 512}, {"d_k": 2}),
    ({"heads": 1}, {"heads": 8, "kv_heads": 2, "head": 7}),
    (FOUR, {**FOUR, "causal": True}),
]


def pair(a, b, **both):
    return trace_attention(AttentionSettings(**a, **both)), trace_attention(AttentionSettings(**b, **both))


@pytest.fixture
def parts(drawn, tiles_of):
    """Return a function: two traces -> the tiles A, B and B - A as the browser reads them."""

    def read(a, b):
        drawing = drawn(compare_figure(a, b))
        left, right = tiles_of(drawing, 0), tiles_of(drawing, 1)
        assert np.isnan(left[2]).all()  # the difference has a colour scale of its own
        assert np.isnan(right[:2]).all()
        return left[0], left[1], right[2]

    return read


def test_a_cell_that_only_one_may_see_counts_as_zero_weight_on_the_other_side(parts):
    first, second, difference = parts(*pair({}, {"causal": True}, **GIVEN))
    np.testing.assert_allclose(first, [[1 / 2, 1 / 2], [1 / 3, 2 / 3]], rtol=1e-6)
    np.testing.assert_allclose(second, [[1, BLANK], [1 / 3, 2 / 3]], rtol=1e-6)
    np.testing.assert_allclose(difference, [[1 / 2, -1 / 2], [0, 0]], atol=1e-7)


def test_the_difference_is_b_minus_a_and_not_the_other_way(parts):
    _, _, difference = parts(*pair({"causal": True}, {}, **GIVEN))
    np.testing.assert_allclose(difference, [[-1 / 2, 1 / 2], [0, 0]], atol=1e-7)


def test_a_cell_that_neither_may_see_is_blank_and_hatched(parts, drawn):
    a, b = pair({"causal": True}, {"window": 1}, **GIVEN)
    _, second, difference = parts(a, b)
    np.testing.assert_allclose(second, [[1, BLANK], [BLANK, 1]])
    np.testing.assert_allclose(difference, [[0, BLANK], [-1 / 3, 1 / 3]], atol=1e-7)
    places = [(image["x"], image["y"]) for image in drawn(compare_figure(a, b))["layout"]["images"]]
    assert len(places) == len(set(places)) == 3


def test_masked_scores_differ_only_where_both_have_one(parts):
    _, _, difference = parts(*pair({}, {"causal": True}, stage="masked", **GIVEN))
    np.testing.assert_allclose(difference, [[0, BLANK], [0, 0]])


def test_before_the_mask_no_score_is_left_out(parts):
    for each in parts(*pair({}, {"causal": True}, stage="scores", **GIVEN)):
        assert np.isfinite(each).all()


def test_another_scale_is_seen_in_the_scaled_scores(parts):
    numbers = Numbers(((2.0, 0, 0, 0),), ((3.0, 0, 0, 0), (0, 1.0, 0, 0)), ((0,), (0,)))
    both = {"source": "custom", "numbers": numbers, "stage": "scaled"}
    first, second, difference = parts(*pair({"scale": "none"}, {"scale": "d_k"}, **both))
    assert (first.tolist(), second.tolist(), difference.tolist()) == ([[6, 0]], [[1.5, 0]], [[-4.5, 0]])


def test_another_d_k_compares_scores_of_the_same_words(parts):
    a, b = pair({"d_k": 2}, {"d_k": 4}, text="x y", stage="scores", heads=1)
    first, second, difference = parts(a, b)
    added = b.q[0, :, 2:] @ b.k[0, :, 2:].T  # a larger d_k adds entries
    np.testing.assert_allclose(first, a.q[0] @ a.k[0].T, rtol=1e-6)
    np.testing.assert_allclose(second, b.q[0] @ b.k[0].T, rtol=1e-6)
    np.testing.assert_allclose(difference, added, rtol=1e-5)


@pytest.mark.parametrize(
    ("a", "b", "head"),
    [({"heads": 1}, {"heads": 8, "head": 5}, 0), ({"heads": 4}, {"heads": 8, "head": 7}, 3),
     ({"heads": 8}, {"heads": 8, "head": 7}, 7), ({"heads": 8}, {"heads": 2}, 0)],
)  # fmt: skip
def test_the_compared_head_is_one_that_both_have(a, b, head, parts, drawn):
    first, second = pair(a, b, text="x y z")
    assert compared_head(first, second) == head
    tiles = parts(first, second)
    np.testing.assert_allclose(tiles[0], first.weights[head], rtol=1e-6)
    np.testing.assert_allclose(tiles[1], second.weights[head], rtol=1e-6)
    assert drawn(compare_figure(first, second))["layout"]["meta"]["heads"] == [head] * 3


def test_a_and_b_share_one_scale_of_scores_and_the_difference_has_its_own(drawn):
    both = {"source": "custom", "numbers": Numbers(((2.0,) * 4,), ((3.0,) * 4,), ((0,),)), "stage": "scaled"}
    left, right = drawn(compare_figure(*pair({"scale": "none"}, {"scale": "sqrt_d_k"}, **both)))["data"]
    assert (left["zmin"], left["zmax"]) == (-24, 24)
    assert (right["zmin"], right["zmax"]) == (-12, 12)
    assert left["colorbar"]["title"]["text"] != right["colorbar"]["title"]["text"]


def test_weights_of_a_and_b_stay_on_0_to_1(drawn):
    left, right = drawn(compare_figure(*pair({}, {"causal": True}, **GIVEN)))["data"]
    assert (left["zmin"], left["zmax"]) == (0, 1)
    assert (right["zmin"], right["zmax"]) == (-0.5, 0.5)


def test_equal_settings_differ_nowhere_and_still_have_a_scale(parts, drawn):
    a, b = pair({"causal": True}, {"causal": True})
    assert np.nanmax(np.abs(parts(a, b)[2])) == 0
    right = drawn(compare_figure(a, b))["data"][1]
    assert right["zmin"] < 0 < right["zmax"]
    assert "equal" in describe_compare(a, b)


def test_the_tiles_are_called_a_and_b_and_b_minus_a(drawn):
    layout = drawn(compare_figure(*pair({}, {})))["layout"]
    assert layout["meta"]["names"] == ["A", "B", "B − A"]
    for title, name in zip(layout["annotations"], layout["meta"]["names"], strict=True):
        assert title["text"].startswith(f"<b>{name}")


def test_a_chosen_cell_is_framed_in_all_three(drawn):
    frames = drawn(compare_figure(*pair({}, {"cell": (0, 3, 1)}, text="a b c d")))["layout"]["shapes"]
    corners = [(frame["x0"], frame["y0"]) for frame in frames]
    assert len(set(corners)) == 3
    assert {y for _, y in corners} == {2.5}


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize("stage", STAGES)
def test_plotly_and_json_accept_every_comparison(a, b, stage, drawn):
    first, second = pair(a, b, stage=stage)
    figure = compare_figure(first, second)
    go.Figure(figure.to_dict())
    for trace in drawn(figure)["data"]:
        assert not np.isinf(trace["z"]).any()
    assert not re.search(r"[<>]|&\w+;|\bnan\b|\binf\b", describe_compare(first, second))


def test_the_text_alternative_names_the_largest_difference():
    words = describe_compare(*pair({}, {"causal": True}, **GIVEN))
    assert "2 of 4 cells differ" in words
    assert "query 0 “q0” and key 0 “k0”, by +0.5" in words


def test_the_text_alternative_keeps_the_sign():
    words = describe_compare(*pair({"causal": True}, {}, **GIVEN))
    assert "query 0 “q0” and key 0 “k0”, by -0.5" in words
