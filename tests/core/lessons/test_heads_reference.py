"""PyTorch's multi-head module with our matrices copied in."""

import numpy as np
import pytest

from core.lessons.heads import HeadsSettings, trace_heads
from core.reference.heads import module_verdict, torch_multi_head, torch_parameters
from core.reference.questions import QUESTIONS


@pytest.mark.parametrize(
    "values",
    [{}, {"heads": 1}, {"heads": 8, "causal": True}, {"d_model": 32, "heads": 4, "seed": 3}, {"text": "a"}],
    ids=str,
)
def test_the_module_agrees(values):
    trace = trace_heads(HeadsSettings(**values))
    output, weights = torch_multi_head(trace, average=False)
    np.testing.assert_allclose(output, trace.output, atol=1e-12)
    np.testing.assert_allclose(weights, trace.weights, atol=1e-12)
    _, default = torch_multi_head(trace, average=True)
    np.testing.assert_allclose(default, trace.weights.mean(axis=0), atol=1e-12)


def test_the_answer_by_name():
    answer = QUESTIONS["heads.module"]({"heads": "4", "causal": "true"})
    assert answer == module_verdict(trace_heads(HeadsSettings(heads=4, causal=True)))
    assert max(answer["output"], answer["weights"], answer["mean"]) < 1e-12
    assert answer["one_head"] > 0.1
    answer = QUESTIONS["heads.counts"]({"wide": "512", "wide_heads": "8"})
    assert answer == {"parameters": 1_048_576, "with_biases": 1_050_624}


@pytest.mark.parametrize("n_heads", [1, 8, 512])
def test_the_module_counts_the_same_for_any_number_of_heads(n_heads):
    assert torch_parameters(512, n_heads, bias=False) == 1_048_576
    assert torch_parameters(512, n_heads, bias=True) == 1_050_624
