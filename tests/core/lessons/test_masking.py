"""Masks: the lessons' numbers, each mistake worked out again the wrong way, PyTorch, and the link."""

import json
import math
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SettingError
from core.figures.masking import describe_masking, masking_figure, masking_formula
from core.lessons.masking import MASKS, SIDES, SOURCES, STAGES, WAYS, MaskingSettings, trace_masking
from core.lessons.masking_cases import (
    cached_decoding,
    demo_weights,
    empty_row,
    lesson_row,
    mistakes_of,
    padding_leak,
)
from core.lessons.printed import PRINTED
from core.ops.masks import causal_mask
from core.reference.masking import about_alignment, about_meaning
from core.reference.questions import QUESTIONS


def trace(**settings):
    return trace_masking(MaskingSettings(**settings))


def plain_softmax(scores):
    """Rows of exp / sum, where every row has a number."""
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


# --- the lessons' numbers (literals: the recomputed values of lesson_numbers.json) ----------------

THREE = [[1, 0, 0], [0.330238, 0.669762, 0], [0.248255, 0.248255, 0.50349]]


def test_row_0_of_a_causal_mask_is_1_then_zeros():
    assert trace(text="a b c d e f").weights[0].tolist() == [1, 0, 0, 0, 0, 0]


def test_everything_above_the_diagonal_is_0():
    weights = trace(text="a b c d e f").weights
    assert not np.triu(weights, 1).any()
    assert (weights == 0).sum() == 15


def test_lesson_b_masked_row():
    ways = lesson_row()
    np.testing.assert_allclose(ways["before"], [0.315598, 0.426013, 0.25839, 0], atol=1e-6)
    np.testing.assert_allclose(ways["renormalised"], ways["before"], atol=1e-15)
    np.testing.assert_allclose(ways["after"], [0.2146, 0.2896, 0.1757, 0], atol=5e-5)
    assert ways["after"].sum() == pytest.approx(0.6799, abs=5e-5)
    assert ways["zeroed"][3] == pytest.approx(0.1607, abs=5e-5)


def test_the_row_that_lesson_b_prints_is_no_softmax():
    printed = [0.28, 0.41, 0.31]
    assert np.argsort(printed).tolist() != np.argsort(lesson_row()["before"][:3]).tolist()


def test_the_pattern_of_four():
    pattern = [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]
    assert trace(text="a b c d").visible.astype(int).tolist() == pattern


def test_lesson_b_demo():
    free = [[0.0843, 0.2551, 0.5152, 0.1453], [0.6406, 0.1333, 0.0166, 0.2095],
            [0.4701, 0.0879, 0.1112, 0.3308], [0.1779, 0.4919, 0.2005, 0.1297]]  # fmt: skip
    causal = [[1, 0, 0, 0], [0.8278, 0.1722, 0, 0], [0.7025, 0.1313, 0.1662, 0],
              [0.1779, 0.4919, 0.2005, 0.1297]]  # fmt: skip
    np.testing.assert_allclose(demo_weights(causal=False), free, atol=6e-5)
    np.testing.assert_allclose(demo_weights(causal=True), causal, atol=6e-5)


def test_lesson_c_three_tokens():
    causal = trace(source="three-tokens")
    np.testing.assert_allclose(causal.scaled[2], [0.707107, 0.707107, 1.414214], atol=1e-6)
    np.testing.assert_allclose(causal.weights, THREE, atol=1e-6)
    assert causal.context[0].tolist() == [1, 0]
    np.testing.assert_allclose(causal.context[1:], [[0.330238, 6.697615], [2.765704, 5.0]], atol=1e-6)


def test_every_number_of_the_lessons_is_there_once():
    ids = [each.id for each in PRINTED if each.page == "masking"]
    assert sorted(ids) == sorted(
        ["A-row0", "A-upper", "B-mask", "B-mask4", "B-demo-nomask", "B-demo-mask", "C-row2", "C-cw", "C-co0",
         "C-causal-outs"]
    )  # fmt: skip
    wrong = [each.id for each in PRINTED if each.page == "masking" and not each.right]
    assert wrong == ["B-mask"]
    by_id = {each.id: each for each in PRINTED}
    assert by_id["B-mask"].computed() == "(0.3156, 0.4260, 0.2584, 0.0000)"
    assert by_id["A-upper"].computed() == "True"


# --- the picture ----------------------------------------------------------------------------------


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("source", SOURCES)
def test_a_mask_changes_neither_q_nor_k_nor_v(mask, how, source):
    bare, masked = trace(mask="none", source=source), trace(mask=mask, how=how, source=source)
    real = ~masked.is_padding
    for name in "qkv":
        assert np.array_equal(getattr(masked, name)[real], getattr(bare, name))
        assert not getattr(masked, name)[~real].any()


def test_a_and_the_difference_stand_for_the_same_numbers():
    both = trace(text="a b c d")
    np.testing.assert_allclose(both.unmasked_weights, plain_softmax(both.scaled), atol=1e-15)
    np.testing.assert_allclose(both.difference, both.weights - both.unmasked_weights)
    below = np.tril(np.ones((4, 4), bool))[:3]
    assert (both.difference[:3][below] > 0).all()  # what is visible gains
    assert not both.difference[3].any()  # the last row sees everything


@pytest.mark.parametrize("window", [1, 2, 3, 64])
def test_a_window_sees_itself_and_what_is_right_before_it(window):
    visible = trace(text="a b c d e", mask="window", window=window).visible
    for i in range(5):
        assert np.flatnonzero(visible[i]).tolist() == [j for j in range(5) if i - window < j <= i]


@pytest.mark.parametrize("side", SIDES)
def test_padding_hides_columns_on_its_side(side):
    padded = trace(text="a b c", mask="padding", padding=2, side=side)
    want = [True, True, True, False, False] if side == "right" else [False, False, True, True, True]
    assert all(row.tolist() == want for row in padded.visible)
    assert [token == "‹pad›" for token in padded.tokens] == [not x for x in want]
    rows = padded.unmasked_weights[~padded.is_padding]
    assert (rows[:, padded.is_padding] > 0).all()  # without the mask a zero key takes weight


def test_left_padding_under_a_causal_mask_leaves_the_first_rows_empty():
    empty = trace(text="a b", mask="causal-padding", padding=2, side="left")
    assert empty.hidden_queries == [0, 1]
    assert not empty.weights[:2].any()
    assert not empty.context[:2].any()
    assert np.isfinite(empty.weights).all()
    assert trace(text="a b", mask="causal-padding", padding=2, side="right").hidden_queries == []


def test_rows_sum_by_each_way():
    for how, wanted in (("before", 1), ("renormalised", 1), ("zeroed", 1)):
        np.testing.assert_allclose(trace(how=how).row_sums, wanted, atol=1e-12)
    after = trace(how="after")
    seen = np.tril(np.ones((6, 6), bool))
    np.testing.assert_allclose(after.row_sums, (plain_softmax(after.scaled) * seen).sum(axis=-1))
    assert (after.row_sums[:-1] < 1).all()


def test_arrays_cannot_be_written():
    with pytest.raises(ValueError, match="read-only"):
        trace().weights[0, 0] = 1


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("how", WAYS)
def test_a_hidden_cell_is_drawn_only_where_it_still_counts(stage, how):
    shown = trace(stage=stage, how=how)
    a, b = shown.values
    assert np.isfinite(a).all()
    leaks = how == "zeroed" or (stage == "masked" and how != "before")
    assert np.isfinite(b).all() == leaks
    figure = masking_figure(shown)
    go.Figure(figure.to_dict())  # Plotly's validation
    grid = np.asarray(figure.data[0].z)
    np.testing.assert_allclose(grid[:6, 7:13], b.astype(np.float32))
    assert not np.isinf(grid).any()
    assert "-inf" not in describe_masking(shown)


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("mask", MASKS)
def test_the_formula_is_that_of_what_was_computed(mask, how):
    text = masking_formula(trace(mask=mask, how=how, d_k=12, window=7, padding=3))
    assert r"\sqrt{12}" in text
    assert (r"-\infty" in text) == (how == "before" and mask != "none")
    assert ("i - 7 < j" in text) == (mask == "window")
    assert ("j < 6" in text) == ("padding" in mask)


# --- usual mistakes, each worked out again by the wrong implementation -----------------------------


@pytest.fixture(params=["random", "three-tokens"])
def wrong(request):
    settings = {"source": request.param, "mask": "padding", "padding": 1}
    shown = trace(**settings)
    n = min(5, len(MaskingSettings(**settings).tokens))
    q, k = shown.q[:n], shown.k[:n]
    return mistakes_of(shown), q @ k.T / math.sqrt(q.shape[1]), n


def test_mask_after_the_softmax(wrong):
    found, scores, n = wrong
    np.testing.assert_allclose(found.after.weights, plain_softmax(scores) * np.tri(n), atol=1e-14)


def test_scores_times_zero(wrong):
    found, scores, n = wrong
    np.testing.assert_allclose(found.zeroed.weights, plain_softmax(scores * np.tri(n)), atol=1e-14)


def test_polarity(wrong):
    found, scores, n = wrong
    with np.errstate(invalid="ignore"):
        naive = plain_softmax(np.where(np.tri(n) == 1, -np.inf, scores))
    assert np.isnan(naive[-1]).all()
    np.testing.assert_allclose(found.polarity.weights[:-1], naive[:-1], atol=1e-14)
    assert not found.polarity.weights[-1].any()


def test_the_diagonal_hidden_too(wrong):
    found, scores, n = wrong
    with np.errstate(invalid="ignore"):
        naive = plain_softmax(np.where(np.triu(np.ones((n, n)), k=0) == 1, -np.inf, scores))
    assert np.isnan(naive[0]).all()
    np.testing.assert_allclose(found.diagonal.weights[1:], naive[1:], atol=1e-14)
    assert not found.diagonal.weights[0].any()


def test_softmax_down_the_columns(wrong):
    found, scores, n = wrong
    exponentials = np.exp(np.where(np.tri(n) == 1, scores, -np.inf))
    np.testing.assert_allclose(found.columns.weights, exponentials / exponentials.sum(axis=0), atol=1e-14)
    np.testing.assert_allclose(found.columns.weights.sum(axis=0), 1)


def test_ones_and_zeros_added(wrong):
    found, scores, n = wrong
    np.testing.assert_allclose(found.added.weights, plain_softmax(scores + np.tri(n)), atol=1e-14)


def test_padding_rows_instead_of_columns(wrong):
    found, scores, n = wrong
    padded = np.zeros((n + 2, n + 2))
    padded[:n, :n] = scores
    np.testing.assert_allclose(found.padded_rows.weights[:n], plain_softmax(padded)[:n], atol=1e-14)
    np.testing.assert_allclose(found.padding_share[:n], plain_softmax(padded)[:n, n:].sum(axis=-1))


def test_a_zero_key_takes_e_to_the_zero():
    leak = padding_leak(MaskingSettings(text="a b c", padding=3))
    assert leak.toy[3] == pytest.approx(1 / (3 * math.e + 1))
    assert leak.toy[3] == pytest.approx(0.1092, abs=5e-5)
    bare = trace(text="a b c", mask="none")
    sums = np.exp(bare.scaled).sum(axis=-1)
    np.testing.assert_allclose(leak.share, 3 / (sums + 3))


def test_a_row_without_a_key():
    row = empty_row()
    assert np.isnan(row.unguarded).all()
    np.testing.assert_allclose(row.finite, 1 / 3)
    assert row.ours.tolist() == [0, 0, 0]


@pytest.mark.parametrize("new", [1, 2, 3, 4])
def test_a_cache_reads_the_last_rows_of_the_whole(new):
    cached = cached_decoding(MaskingSettings(new=new))
    whole = trace()
    np.testing.assert_allclose(cached.bottom_right.weights, whole.weights[6 - new :], atol=1e-14)
    np.testing.assert_allclose(cached.bottom_right_output, whole.context[6 - new :], atol=1e-14)
    np.testing.assert_allclose(cached.bottom_right_output, cached.recomputed_output, atol=1e-14)
    assert cached.top_left.weights[0].tolist() == [1, 0, 0, 0, 0, 0]
    np.testing.assert_allclose(cached.top_left_output[0], whole.v[0])
    assert cached.query_tokens == whole.tokens[6 - new :]


def test_more_new_queries_than_tokens_are_all_of_them():
    cached = cached_decoding(MaskingSettings(text="a b", new=4))
    assert cached.query_tokens == ("a", "b")
    assert np.array_equal(cached.top_left.weights, cached.bottom_right.weights)


# --- PyTorch --------------------------------------------------------------------------------------


def ask(name, settings=None):
    """The answer as the app gets it: by way of JSON."""
    return json.loads(json.dumps(QUESTIONS[name]((settings or MaskingSettings()).to_query())))


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("side", SIDES)
def test_our_weights_and_outputs_are_pytorchs(mask, side):
    torch = pytest.importorskip("torch")
    ours = trace(mask=mask, side=side)
    q, k, v = (torch.tensor(x) for x in (ours.q, ours.k, ours.v))
    theirs = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=torch.tensor(ours.visible))
    rows = ours.visible.any(axis=-1)
    np.testing.assert_allclose(ours.context[rows], theirs.numpy()[rows], atol=1e-12)


def test_fill_values_by_type():
    rows = {(row["dtype"], row["fill"]): row for row in ask("masking.dtypes")["rows"]}
    assert len(rows) == 15
    refused = [key for key, row in rows.items() if row["error"]]
    assert refused == [("float16", "-1e9")]
    assert rows["float16", "-1e9"]["held"] == -math.inf
    assert np.isnan(rows["float16", "-1e9"]["added"][:3]).all()
    assert rows["bfloat16", "-1e4"]["held"] == -9984
    assert rows["bfloat16", "-65504"]["held"] == -65536
    for (dtype, fill), row in rows.items():
        if row["error"]:
            continue
        assert row["ordinary"] == 0
        assert row["deep"] == (1 if fill == "-1e4" else 0), (dtype, fill)
        if fill == "-inf":
            assert np.isnan(row["all"]).all()
            assert np.isnan(row["added"][:3]).all()
        else:
            assert row["all"] == [0.25] * 4
            np.testing.assert_allclose(row["added"][:3], [0.5, 0.8, 0.3], rtol=4e-3)


def test_pytorch_on_an_empty_row():
    said = ask("masking.empty")
    assert np.isnan(said["softmax"]).all()
    assert np.isnan(said["mha_with_weights"]).all()
    for name in ("sdpa", "mha_without"):  # whatever this version says, it is a row of numbers or NaN
        assert len(said[name]) == 2
    assert said["version"]


@pytest.mark.parametrize("source", SOURCES)
def test_true_means_two_things(source):
    settings = about_meaning(MaskingSettings(source=source))
    said = ask("masking.meaning", settings)
    n = len(said["tokens"])
    np.testing.assert_allclose(
        said["sdpa"], trace_masking(replace(settings, mask="causal")).weights, atol=1e-12
    )
    assert (np.array(said["sdpa"]) > 0).tolist() == causal_mask(n).tolist()
    assert (np.array(said["mha"][:-1]) > 0).tolist() == (~causal_mask(n))[:-1].tolist()
    assert np.isnan(said["mha"][-1]).all()
    assert said["difference"] < 1e-12
    np.testing.assert_allclose(said["mha_inverted"], said["sdpa"], atol=1e-12)


@pytest.mark.parametrize("new", [1, 3])
def test_pytorchs_own_flag_is_top_left(new):
    settings = about_alignment(MaskingSettings(new=new))
    said, ours = ask("masking.alignment", settings), cached_decoding(settings)
    np.testing.assert_allclose(said["is_causal"], ours.top_left.weights, atol=1e-12)
    np.testing.assert_allclose(said["lower_right"], ours.bottom_right.weights, atol=1e-12)
    np.testing.assert_allclose(said["output"], ours.top_left_output[0], atol=1e-12)


def test_a_question_forgets_what_does_not_change_its_answer():
    looked = MaskingSettings(mask="window", how="after", stage="masked", window=9, cell=(1, 2, 3), new=2)
    assert about_meaning(looked) == about_meaning(MaskingSettings())
    assert about_alignment(looked) == about_alignment(MaskingSettings(new=2))
    assert about_alignment(looked).new == 2


# --- the link -------------------------------------------------------------------------------------


@st.composite
def some_settings(draw):
    words = draw(
        st.lists(st.sampled_from(["a", "<b>", "$x$", "שלום", "‹pad›", "the"]), min_size=1, max_size=9)
    )
    settings = MaskingSettings(
        source=draw(st.sampled_from(SOURCES)),
        text=" ".join(words),
        d_k=draw(st.integers(2, 512)),
        seed=draw(st.integers(0, 2**31 - 1)),
        mask=draw(st.sampled_from(MASKS)),
        how=draw(st.sampled_from(WAYS)),
        stage=draw(st.sampled_from(STAGES)),
        window=draw(st.integers(1, 64)),
        padding=draw(st.integers(0, 8)),
        side=draw(st.sampled_from(SIDES)),
        new=draw(st.integers(1, 4)),
    )
    n = len(words) if settings.source == "random" else 3
    n += settings.padding if "padding" in settings.mask else 0
    cells = st.tuples(st.integers(0, 2), st.integers(0, n - 1), st.integers(0, n - 1))
    return replace(settings, cell=draw(st.none() | cells))


@given(some_settings())
def test_a_link_holds_everything(settings):
    assert MaskingSettings.from_query(settings.to_query()) == (settings, [])


@given(some_settings())
def test_every_setting_can_be_drawn(settings):
    shown = trace_masking(settings)
    assert np.isfinite(shown.weights).all()
    assert ((shown.row_sums >= 0) & (shown.row_sums < 1 + 1e-9)).all()
    masking_figure(shown)
    describe_masking(shown)
    mistakes_of(shown)
    cached_decoding(settings)


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ({"mask": "diagonal"}, "causal"),
        ({"how": "never"}, "before"),
        ({"window": "0"}, "1 to 64"),
        ({"padding": "9"}, "0 to 8"),
        ({"new": "5"}, "1 to 4"),
        ({"side": "top"}, "right"),
        ({"cell": "0,9,0"}, "3 x 6 x 6"),
        ({"cell": "3,0,0"}, "3 x 6 x 6"),
        ({"text": " "}, "first sentence"),
        ({"source": "custom"}, "random"),
        ({"heads": "4"}, "heads"),
    ],
)
def test_a_bad_value_is_repaired_with_a_sentence(query, word):
    settings, notes = MaskingSettings.from_query(query)
    assert len(notes) == 1
    assert word in notes[0]
    assert MaskingSettings.from_query(settings.to_query()) == (settings, [])


def test_a_cell_is_let_go_without_a_word_where_the_picture_no_longer_has_it():
    before = MaskingSettings(mask="padding", padding=8, cell=(0, 13, 0))
    after, notes = before.changed(padding=1)
    assert after.cell is None
    assert notes == []


def test_illegal_settings_raise():
    with pytest.raises(SettingError, match="window"):
        MaskingSettings(window=0)
