"""One cell explained: the arithmetic adds up to what the trace says, for every kind of cell."""

import numpy as np
import pytest

from core.cell import cell_in_view, explain_cell
from core.numbers import Numbers
from core.settings import AttentionSettings
from core.trace import trace_attention

FOUR_QUERIES = Numbers(((1, 0), (0, 1), (1, 1), (2, 0)), ((1, 0), (0, 1)), ((10, 0), (0, 6)))


def trace_of(**values):
    return trace_attention(AttentionSettings(**values))


def test_the_two_keys_of_the_lesson():
    cell = explain_cell(trace_of(source="two-keys"), 0, 0, 0)
    assert (cell.query_token, cell.key_token) == ("q", "k0")
    np.testing.assert_array_equal(cell.products, [1, 0])
    assert cell.score == 1  # A-we-scores
    assert cell.scaled == pytest.approx(0.707107, abs=1e-6)  # A-we-scaled
    # A-we-sum and A-we-exp, both divided by exp(shift)
    assert cell.row_sum / cell.exponential == pytest.approx(3.028115 / 2.028115, abs=1e-6)
    assert cell.weight == pytest.approx(0.669762, abs=1e-6)  # A-we-w
    np.testing.assert_allclose(cell.share, [6.697615, 0], atol=1e-6)
    np.testing.assert_allclose(cell.context, [6.697615, 1.981431], atol=1e-6)  # A-we-out


@pytest.mark.parametrize(
    "values",
    [
        {"text": "a b c a"},
        {"text": "a b c a", "causal": True, "rope": True, "scale": "none"},
        {"text": "a b c a", "window": 2, "heads": 4, "kv_heads": 2},
        {"source": "custom", "numbers": FOUR_QUERIES, "causal": True},
    ],
    ids=str,
)
def test_every_cell_agrees_with_the_trace_and_the_shares_add_up(values):
    trace = trace_of(**values)
    n_heads, n_queries, n_keys = trace.weights.shape
    for h, i in np.ndindex(n_heads, n_queries):
        cells = [explain_cell(trace, h, i, j) for j in range(n_keys)]
        for name in ("score", "scaled", "weight"):
            stage = {"score": "scores", "scaled": "scaled", "weight": "weights"}[name]
            found = [getattr(cell, name) for cell in cells]
            np.testing.assert_allclose(found, getattr(trace, stage)[h, i], atol=1e-12)
        assert [cell.visible for cell in cells] == trace.mask[i].tolist()
        np.testing.assert_allclose(sum(c.share for c in cells), trace.context[h, i], atol=1e-12)
        assert sum(c.exponential for c in cells) == pytest.approx(cells[0].row_sum, rel=1e-12)


def test_a_hidden_cell_has_a_score_and_no_weight():
    cell = explain_cell(trace_of(source="three-tokens", causal=True), 0, 0, 2)
    assert cell.score == 1  # (1, 0) . (1, 1)
    assert (cell.visible, cell.exponential, cell.weight) == (False, 0, 0)


def test_the_shift_is_the_largest_score_that_is_visible():
    numbers = Numbers(((1,), (1,)), ((2,), (5,)), ((0,), (0,)))
    trace = trace_of(source="custom", numbers=numbers, causal=True)
    assert [explain_cell(trace, 0, i, 0).shift for i in range(2)] == [2, 5]
    assert [explain_cell(trace, 0, i, i).exponential for i in range(2)] == [1, 1]


def test_the_chosen_cell_is_the_one_in_view():
    assert cell_in_view(trace_of(cell=(1, 2, 3))) == (1, 2, 3)


def test_without_a_choice_the_largest_weight_of_the_last_query_is_in_view():
    trace = trace_of(source="patterns", text="a b c", d_k=32, rope=True, head=2)
    assert cell_in_view(trace) == (2, 2, 0)  # the first-token head looks at the first token
