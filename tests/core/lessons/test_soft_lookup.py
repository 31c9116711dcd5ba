"""One lookup in five steps, against hand computations, the lessons and PyTorch."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SettingError
from core.lessons.soft_lookup import (
    SoftLookupSettings,
    exact_lookup,
    softmax_over_queries,
    trace_soft_lookup,
)
from core.numbers import Numbers

numbers = st.floats(-1e6, 1e6, allow_nan=False)


@st.composite
def settings(draw):
    source = draw(st.sampled_from(["two-keys", "cat-sat-mat", "three-tokens", "custom"]))
    n_keys, width, n_queries = {
        "two-keys": (2, 2, 1), "cat-sat-mat": (3, 4, 3), "three-tokens": (3, 2, 3), "custom": (2, 3, 2),
    }[source]  # fmt: skip
    own = Numbers(((1.0, 2.0, 3.0), (0.5, -1.0, 0.0)), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.25)), ((1.0,), (2.0,)))
    vector = lambda n, low=-1e6: st.tuples(*[st.floats(low, 1e6)] * n)  # noqa: E731
    stage = draw(st.sampled_from(["", "scores", "scaled", "exponentials", "weights"]))
    low = 0 if stage in ("exponentials", "weights") else -1e6
    return SoftLookupSettings(
        source=source,
        numbers=own,
        query=draw(st.integers(0, n_queries - 1)),
        q=draw(st.one_of(st.just(()), vector(width))),
        temperature=draw(st.one_of(st.just(0.0), st.floats(0.01, 10))),
        edit=(stage, draw(vector(n_keys, low))) if stage else None,
        step=draw(st.integers(0, 4)),
        reader=draw(st.integers(2, 10)),
    )


def lookup(**values):
    return trace_soft_lookup(SoftLookupSettings(**values))


@given(settings())
def test_every_state_is_a_link(value):
    again, notes = SoftLookupSettings.from_query(value.to_query())
    assert again == value
    assert notes == []


@given(settings())
def test_a_lookup_is_finite_and_its_weights_sum_to_1(value):
    trace = trace_soft_lookup(value)
    for name in ("scores", "scaled", "exponentials", "weights", "shares", "output", "exact_weights"):
        assert np.isfinite(getattr(trace, name)).all()
    assert trace.exact_weights.sum() == pytest.approx(1)
    if value.edit is None:
        assert trace.weights.sum() == pytest.approx(1)


def test_two_keys_step_by_step():
    trace = lookup()
    assert trace.scores.tolist() == [1, 0]
    assert trace.divisor == pytest.approx(1.4142, abs=5e-5)
    np.testing.assert_allclose(trace.scaled, [0.7071, 0], atol=5e-5)
    np.testing.assert_allclose(trace.exponentials, [2.0281, 1], atol=5e-5)
    assert trace.total == pytest.approx(3.0281, abs=5e-5)
    np.testing.assert_allclose(trace.weights, [0.6698, 0.3302], atol=5e-5)
    np.testing.assert_allclose(trace.output, [6.6976, 1.9814], atol=5e-5)


def test_the_query_of_the_knowledge_check():
    trace = lookup(q=(0.0, 2.0))
    np.testing.assert_allclose(trace.scaled, [0, math.sqrt(2)], atol=1e-12)
    np.testing.assert_allclose(trace.weights, [0.19557, 0.80443], atol=5e-6)
    np.testing.assert_allclose(trace.output, [1.955703, 4.826578], atol=5e-6)


@pytest.mark.parametrize("query", [0, 1, 2])
@pytest.mark.parametrize("source", ["cat-sat-mat", "three-tokens"])
def test_a_row_is_what_pytorch_gives(source, query):
    trace = lookup(source=source, query=query)
    q, k, v = (torch.tensor(x, dtype=torch.float64) for x in (trace.q[None], trace.k, trace.v))
    theirs = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    np.testing.assert_allclose(trace.output, theirs[0].numpy(), atol=1e-12)


def test_temperature_divides_the_scores():
    cool, warm = lookup(temperature=0.5), lookup(temperature=2.0)
    np.testing.assert_allclose(cool.weights[0], 1 / (1 + math.exp(-2 / math.sqrt(2))))
    np.testing.assert_allclose(warm.weights[0], 1 / (1 + math.exp(-0.5 / math.sqrt(2))))


def test_near_temperature_0_lies_the_exact_lookup():
    np.testing.assert_allclose(lookup(temperature=0.01).weights, [1, 0], atol=1e-12)
    assert lookup(temperature=0.0).weights.tolist() == [1, 0]
    assert lookup(source="three-tokens", temperature=0.0).weights.tolist() == [
        0.5,
        0,
        0.5,
    ]  # a draw is shared
    near = lookup(source="three-tokens", temperature=0.01).weights
    np.testing.assert_allclose(near, [0.5, 0, 0.5], atol=1e-12)


def test_equal_matches_share_an_exact_lookup():
    assert exact_lookup(np.array([2.0, 2.0, 1.0])).tolist() == [0.5, 0.5, 0]


def test_large_scores_are_shifted_before_exp():
    trace = lookup(q=(1e5, 0.0))
    assert trace.shift == pytest.approx(1e5 / math.sqrt(2))
    assert trace.exponentials.max() == 1


def test_what_is_typed_over_a_step_counts_from_there_on():
    trace = lookup(edit=("scaled", (0.0, 0.0)))
    assert trace.scores.tolist() == [1, 0]
    assert trace.weights.tolist() == [0.5, 0.5]
    assert trace.output.tolist() == [5, 3]
    assert lookup(edit=("weights", (2.0, 1.0))).output.tolist() == [20, 6]
    assert lookup(edit=("exponentials", (1.0, 3.0))).weights.tolist() == [0.25, 0.75]
    assert lookup(edit=("exponentials", (0.0, 0.0))).weights.tolist() == [0, 0]


@pytest.mark.parametrize("change", [{"q": (0.0, 1.0)}, {"temperature": 2.0}, {"source": "three-tokens"}])
def test_a_change_before_it_lets_go_of_what_was_typed(change):
    settings = SoftLookupSettings(edit=("weights", (1.0, 0.0)), step=3)
    changed, notes = settings.changed(**change)
    assert changed.edit is None
    assert changed.step == 3
    assert notes == []


def test_another_source_lets_go_of_the_dragged_query():
    settings = SoftLookupSettings(source="cat-sat-mat", query=2, q=(1.0, 1.0, 1.0, 1.0))
    changed, notes = settings.changed(source="two-keys")
    assert (changed.q, changed.query, notes) == ((), 0, [])


def test_a_step_forward_keeps_what_was_typed():
    settings = SoftLookupSettings(edit=("weights", (1.0, 0.0)))
    assert settings.changed(step=4)[0].edit == settings.edit


@pytest.mark.parametrize(
    ("link", "word"),
    [
        ({"q": "1,2,3"}, "2 numbers"), ({"q": "a,b"}, "numbers"), ({"q": "nan,1"}, "numbers"),
        ({"q": "1e9,1"}, "numbers"), ({"edit": "colour:1,2"}, "scores"), ({"edit": "scores:1"}, "2 numbers"),
        ({"edit": "weights:-1,2"}, "negative"), ({"edit": "scores:"}, "numbers"), ({"step": "9"}, "0 to 4"),
        ({"query": "5"}, "0 to 0"), ({"temperature": "-1"}, "0 to 10"),
        ({"temperature": "1e-9"}, "0.01 to 10"), ({"temperature": "hot"}, "number"),
        ({"source": "x"}, "two-keys"), ({"numbers": "1|2"}, "Q|K|V"), ({"reader": "0"}, "2 to 10"),
    ],
)  # fmt: skip
def test_a_bad_link_is_repaired_with_a_sentence(link, word):
    settings, notes = SoftLookupSettings.from_query(link)
    assert len(notes) == 1
    assert word in notes[0]
    assert np.isfinite(trace_soft_lookup(settings).output).all()


def test_illegal_settings_raise():
    with pytest.raises(SettingError, match="2 numbers"):
        SoftLookupSettings(q=(1.0, 2.0, 3.0))


def test_softmax_over_the_queries_is_the_wrong_axis():
    x = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    exponentials = np.exp(x @ x.T / math.sqrt(2))
    wrong = exponentials / exponentials.sum(axis=0)  # columns, not rows
    np.testing.assert_allclose(softmax_over_queries(SoftLookupSettings(source="three-tokens")), wrong)
    assert softmax_over_queries(SoftLookupSettings()).tolist() == [[1, 1]]  # one query: always 1


def test_scores_used_as_weights_are_a_mistake():
    trace = lookup(source="three-tokens")  # scores (1, 0, 1), values (1, 0), (0, 10), (5, 5)
    assert trace.unnormalised.tolist() == [1 + 5, 0 + 5]


def test_arrays_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        lookup().weights[0] = 1
