"""The heads as heatmaps: every cell in its place, hidden ones blank, every token shown literally."""

import dataclasses
import math
import re
from html import unescape
from urllib.parse import unquote

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.figures.heatmap import DIGITS_UP_TO, Tiles, best_tiles, describe_heads, heads_figure
from core.numbers import Numbers
from core.settings import STAGES, AttentionSettings
from core.trace import trace_attention

# Without a scale the weights of q = ln n against the keys 0 and 1 are 1/(n + 1) and n/(n + 1).
LOGS = Numbers(((0.0,), (math.log(2),), (math.log(3),)), ((0.0,), (1.0,)), ((1.0,), (2.0,)))
LOG_WEIGHTS = [[1 / 2, 1 / 2], [1 / 3, 2 / 3], [1 / 4, 3 / 4]]
FOUR_QUERIES = Numbers(((1, 0), (0, 1), (1, 1), (2, 0)), ((1, 0), (0, 1)), ((10, 0), (0, 6)))
CAT = "the cat sat on the mat"

SETTINGS = [
    {},
    {"text": CAT, "head": 2},
    {"text": "a"},
    {"text": CAT, "causal": True, "cell": (1, 2, 0)},
    {"text": CAT, "window": 2, "heads": 8, "kv_heads": 2},
    {"text": CAT, "rope": True, "scale": "none", "d_k": 512},
    {"source": "two-keys"},
    {"source": "cat-sat-mat", "causal": True},
    {"source": "patterns", "text": CAT, "rope": True},
    {"source": "custom", "numbers": FOUR_QUERIES, "causal": True},
    {"source": "custom", "numbers": Numbers(((1e6,),), ((1e6,), (-1e6,)), ((0,), (0,)))},
]
SEVERAL = pytest.mark.parametrize(
    "values", SETTINGS, ids=lambda v: str({**v, "numbers": "…"} if "numbers" in v else v)
)
EVERY_STAGE = pytest.mark.parametrize("stage", STAGES)


def trace_of(**values):
    return trace_attention(AttentionSettings(**values))


def shown(values, stage):
    """The trace of some settings, seen at a stage."""
    return trace_of(**{**values, "stage": stage})


# --- the cells ---------------------------------------------------------------------------------


def test_repeated_tokens_keep_all_their_cells(drawn):
    drawing = drawn(heads_figure(trace_of(text=CAT, head=0)))
    assert drawing["data"][0]["z"].shape == (6, 6)
    for axis in (drawing["layout"]["xaxis"], drawing["layout"]["yaxis"]):
        assert axis["tickvals"] == [0, 1, 2, 3, 4, 5]
        assert [label.split()[-1] for label in axis["ticktext"]] == CAT.split()


def test_rows_are_queries_and_columns_are_keys(drawn):
    trace = trace_of(source="custom", numbers=LOGS, scale="none")
    np.testing.assert_allclose(drawn(heads_figure(trace))["data"][0]["z"], LOG_WEIGHTS, rtol=1e-6)


@SEVERAL
@EVERY_STAGE
def test_every_head_stands_where_the_browser_looks_for_it(values, stage, drawn, tiles_of):
    trace = shown(values, stage)
    drawing = drawn(heads_figure(trace))
    heads = drawing["layout"]["meta"]["heads"]
    assert heads == ([values["head"]] if "head" in values else list(range(trace.n_heads)))
    expected = getattr(trace, stage)[heads].astype(np.float32)
    if stage in ("masked", "weights"):
        expected[:, ~trace.mask] = np.nan
    np.testing.assert_array_equal(tiles_of(drawing), expected)


def test_row_zero_is_at_the_top(drawn):
    bottom, top = drawn(heads_figure(trace_of()))["layout"]["yaxis"]["range"]
    assert bottom > top


@SEVERAL
@EVERY_STAGE
def test_nothing_is_blank_but_hidden_cells_and_the_gaps_between_heads(values, stage, drawn):
    trace = shown(values, stage)
    drawing = drawn(heads_figure(trace))
    z = drawing["data"][0]["z"]
    assert not np.isinf(z).any()
    n_visible = trace.mask.sum() if stage in ("masked", "weights") else trace.mask.size
    assert np.isfinite(z).sum() == n_visible * len(drawing["layout"]["meta"]["heads"])


@SEVERAL
@EVERY_STAGE
def test_plotly_accepts_every_figure(values, stage):
    go.Figure(heads_figure(shown(values, stage)).to_dict())


@given(st.integers(1, 16), st.integers(1, 64), st.integers(1, 64))
def test_tiles_never_touch_and_never_leave_the_grid(n_tiles, n_queries, n_keys):
    tiles = best_tiles(n_tiles, n_queries, n_keys)
    height, width = tiles.shape
    taken = np.zeros((height + 1, width + 1), dtype=int)  # with the free row and column after each
    for tile in range(n_tiles):
        row, column = tiles.corner(tile)
        assert row + n_queries <= height
        assert column + n_keys <= width
        taken[row : row + n_queries + 1, column : column + n_keys + 1] += 1
    assert taken.max() == 1


def test_placed_matrices_come_back_from_their_corners():
    tiles = Tiles(3, 2, 3, n_columns=2)
    matrices = np.arange(18.0).reshape(3, 2, 3)
    grid = tiles.place(matrices)
    for matrix, (row, column) in zip(matrices, map(tiles.corner, range(3)), strict=True):
        np.testing.assert_array_equal(grid[row : row + 2, column : column + 3], matrix)
    assert np.isnan(grid).sum() == grid.size - 18


# --- colours -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values", [{}, {"scale": "none", "d_k": 512}, {"scale": "d_k", "d_k": 512}, {"causal": True}]
)
def test_weights_are_always_coloured_on_0_to_1(values, drawn):
    heatmap = drawn(heads_figure(trace_of(**values)))["data"][0]
    assert (heatmap["zmin"], heatmap["zmax"]) == (0, 1)


@pytest.mark.parametrize("stage", ["scores", "scaled", "masked"])
def test_scores_are_centred_at_zero_and_reach_to_the_largest_one_drawn(stage, drawn):
    numbers = Numbers(((1.0,), (2.0,)), ((1.0,), (-9.0,)), ((0.0,), (0.0,)))
    trace = trace_of(source="custom", numbers=numbers, stage=stage, scale="none")
    heatmap = drawn(heads_figure(trace))["data"][0]
    assert (heatmap["zmin"], heatmap["zmax"]) == (-18, 18)


def test_a_hidden_score_does_not_stretch_the_colours(drawn):
    numbers = Numbers(((9.0,), (1.0,)), ((1.0,), (-2.0,)), ((0.0,), (0.0,)))  # -18 is hidden, 9 is not
    values = {"source": "custom", "numbers": numbers, "scale": "none", "causal": True}
    assert drawn(heads_figure(shown(values, "masked")))["data"][0]["zmax"] == 9
    assert drawn(heads_figure(shown(values, "scores")))["data"][0]["zmax"] == 18


def test_scores_that_are_all_zero_still_have_a_range(drawn):
    heatmap = drawn(heads_figure(trace_of(source="patterns", head=3, stage="scores")))["data"][0]
    assert (heatmap["z"] == 0).all()
    assert heatmap["zmin"] < 0 < heatmap["zmax"]


@EVERY_STAGE
def test_a_legend_names_the_stage_and_the_axes_name_their_role(stage, drawn):
    drawing = drawn(heads_figure(trace_of(stage=stage)))
    heatmap, layout = drawing["data"][0], drawing["layout"]
    assert heatmap.get("showscale", True)
    assert heatmap["colorbar"]["title"]["text"] == layout["meta"]["stage"]
    assert "query" in layout["yaxis"]["title"]["text"]
    assert "key" in layout["xaxis"]["title"]["text"]


# --- what is hidden ----------------------------------------------------------------------------


def hatched_cells(image):
    """The cells that an image's hatching covers, as the x and y of their middles."""
    path = re.search(r"<path d='([^']*)' fill='url", unquote(image["source"]))[1]
    runs = re.findall(r"M(\d+) (\d+)H(\d+)V(\d+)H(\d+)Z", path)
    assert "".join("M{} {}H{}V{}H{}Z".format(*run) for run in runs) == path
    found = set()
    for start, top, end, bottom, back in (map(int, run) for run in runs):
        assert (bottom, back) == (top + 1, start)
        found |= {(image["x"] + x + 0.5, image["y"] + top + 0.5) for x in range(start, end)}
    return found


@pytest.mark.parametrize("stage", ["masked", "weights"])
@pytest.mark.parametrize(
    "values",
    [
        {"text": CAT, "causal": True},
        {"text": CAT, "window": 2, "heads": 3},
        {"source": "custom", "numbers": FOUR_QUERIES, "causal": True},
    ],
    ids=["causal", "window", "rows without keys"],
)
def test_hidden_cells_are_blank_and_hatched_and_no_others_are(values, stage, drawn, tiles_of):
    drawing = drawn(heads_figure(shown(values, stage)))
    z, images = drawing["data"][0]["z"], drawing["layout"]["images"]
    assert len(images) == len(tiles_of(drawing))
    assert all(image["layer"] == "below" for image in images)
    inside = {(x, y) for image in images for x in np.arange(image["sizex"]) + image["x"] + 0.5
              for y in np.arange(image["sizey"]) + image["y"] + 0.5}  # fmt: skip
    blank = {(x, y) for y, x in np.argwhere(np.isnan(z)).tolist()} & inside
    assert set().union(*map(hatched_cells, images)) == blank
    assert len(blank) == (~trace_of(**values).mask).sum() * len(images)


@pytest.mark.parametrize("stage", ["scores", "scaled"])
def test_before_the_mask_nothing_is_hidden(stage, drawn, tiles_of):
    drawing = drawn(heads_figure(trace_of(text=CAT, causal=True, stage=stage)))
    assert np.isfinite(tiles_of(drawing)).all()
    assert drawing["layout"].get("images", []) == []


def test_without_a_mask_nothing_is_hatched(drawn):
    assert drawn(heads_figure(trace_of(text=CAT)))["layout"].get("images", []) == []


def test_a_query_without_visible_keys_is_a_blank_row(drawn):
    z = drawn(heads_figure(trace_of(source="custom", numbers=FOUR_QUERIES, causal=True)))["data"][0]["z"]
    np.testing.assert_array_equal(np.isnan(z), [[True, True], [True, True], [False, True], [False, False]])


# --- words -------------------------------------------------------------------------------------

HOSTILE = ["<b>x</b>", "$5", "$x$", "%{x}", "</script>", "&lt;", "<br>", "\"'", "🙂", "a&b"]


@pytest.mark.parametrize("token", HOSTILE)
def test_a_token_is_shown_literally_on_both_axes(token, drawn):
    drawing = drawn(heads_figure(trace_of(text=f"{token} end", head=0)))
    for axis in (drawing["layout"]["xaxis"], drawing["layout"]["yaxis"]):
        assert "<" not in axis["ticktext"][0]
        assert unescape(axis["ticktext"][0]) == f"0 {token}"
    assert drawing["layout"]["meta"]["key_tokens"] == [token, "end"]


def test_a_right_to_left_token_does_not_reorder_its_number(drawn):
    label = drawn(heads_figure(trace_of(text="שלום bye", head=0)))["layout"]["xaxis"]["ticktext"][0]
    assert label == "0 \u2068שלום\u2069"


def test_a_long_token_is_cut_on_the_axes_and_whole_in_the_reading(drawn):
    layout = drawn(heads_figure(trace_of(text="a" * 40, head=0)))["layout"]
    assert len(layout["xaxis"]["ticktext"][0]) < 20
    assert layout["xaxis"]["ticktext"][0].endswith("…")
    assert layout["meta"]["key_tokens"] == ["a" * 40]


def test_every_tile_has_labels_of_its_own_and_a_title_above_it(drawn):
    trace = trace_of(text=CAT, heads=8, kv_heads=2)
    drawing = drawn(heads_figure(trace))
    layout, (down, right) = drawing["layout"], drawing["layout"]["meta"]["stride"]
    titles = [re.sub("<.*?>", "", each["text"]) for each in layout["annotations"]]
    assert titles == [f"head {h} · KV {0 if h < 4 else 1}" for h in range(8)]
    for number, title in enumerate(layout["annotations"]):
        row, column = divmod(number, layout["meta"]["columns"])
        assert (title["x"], title["y"]) == (column * right - 0.5, row * down - 0.5)
        assert title["yanchor"] == "bottom"
        for axis, start in (("xaxis", column * right), ("yaxis", row * down)):
            labels = dict(zip(layout[axis]["tickvals"], layout[axis]["ticktext"], strict=True))
            assert [labels[start + i] for i in range(6)] == [f"{i} {t}" for i, t in enumerate(CAT.split())]


def test_heads_built_by_hand_carry_their_names(drawn):
    layout = drawn(heads_figure(trace_of(source="patterns", head=1)))["layout"]
    assert "same word" in layout["annotations"][0]["text"]


@pytest.mark.parametrize("stage", ["scores", "weights"])
def test_digits_stand_only_in_cells_that_are_wide_enough(stage, drawn):
    def digits(n_tokens):
        text = " ".join("abcdefghijklmnop"[:n_tokens])
        return "texttemplate" in drawn(heads_figure(trace_of(text=text, head=0, stage=stage)))["data"][0]

    assert digits(DIGITS_UP_TO)
    assert not digits(DIGITS_UP_TO + 1)


@pytest.mark.parametrize("cell", [(0, 0, 5), (2, 5, 1), (3, 3, 3)])
def test_the_chosen_cell_is_framed(cell, drawn):
    trace = trace_of(text=CAT, cell=cell)
    drawing = drawn(heads_figure(trace))
    (frame,) = drawing["layout"]["shapes"]
    x, y = (frame["x0"] + frame["x1"]) / 2, (frame["y0"] + frame["y1"]) / 2
    assert drawing["data"][0]["z"][int(y), int(x)] == pytest.approx(trace.weights[cell], rel=1e-6)


def test_a_chosen_cell_of_another_head_is_not_framed(drawn):
    assert not drawn(heads_figure(trace_of(text=CAT, cell=(1, 2, 3), head=0)))["layout"].get("shapes")


# --- the text alternative ----------------------------------------------------------------------


def test_the_text_alternative_names_the_largest_weight_of_the_lesson():
    words = describe_heads(trace_of(source="two-keys"))
    assert "1 head, 1 query (rows) by 2 keys (columns)" in words
    assert "0.6698, query 0 “q” to key 0 “k0”" in words  # A-we-w


def test_the_text_alternative_counts_hidden_cells_and_passes_them_over():
    numbers = Numbers(((9.0,), (1.0,)), ((1.0,), (2.0,)), ((0.0,), (0.0,)))  # 18 is hidden, then 9
    trace = trace_of(source="custom", numbers=numbers, causal=True, stage="masked", scale="none")
    words = describe_heads(trace)
    assert "1 of 4 cells are hidden" in words
    assert "the largest is 9, query 0 “q0” to key 0 “k0”" in words


@SEVERAL
@EVERY_STAGE
def test_the_text_alternative_holds_no_markup_and_no_nan(values, stage):
    words = describe_heads(shown(values, stage))
    assert not re.search(r"[<>]|&\w+;|\bnan\b|\binf\b", words)


def test_a_head_that_sees_nothing_has_no_largest_weight():
    trace = trace_of(source="cat-sat-mat", causal=True)
    blind = dataclasses.replace(trace, mask=np.zeros_like(trace.mask), weights=np.zeros_like(trace.weights))
    assert "largest" not in describe_heads(blind)
