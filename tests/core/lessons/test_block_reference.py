"""PyTorch's own small model: its logits are ours, and its gradients are those of finite differences."""

import dataclasses

import numpy as np
import pytest

from core.lessons.block import BlockLessonSettings, token_ids, weights_of
from core.lessons.block_weights import vocabulary_of
from core.ops.block import embed, transformer_block, unembed
from core.reference.block import about_gradients
from core.reference.questions import QUESTIONS

CASES = pytest.mark.parametrize(
    "values",
    [
        {},
        {"style": "gpt2", "layers": 2},
        {"d_model": 16, "heads": 8, "kv_heads": 1, "layers": 3, "seed": 5},
        {"text": "one", "token": 0, "layers": 1},
    ],
    ids=str,
)


@CASES
def test_logits_agree_wherever_there_are_norms(values):
    answer = QUESTIONS["block.gradients"](BlockLessonSettings(**values).to_query())
    assert answer["difference"] < 1e-11
    depth = values.get("layers", 8) + 1
    for place in ("pre", "post"):
        assert {name: len(sizes) for name, sizes in answer["sizes"][place].items()} == {
            "with": depth, "without": depth, "bare": depth
        }  # fmt: skip


def loss_from(x, settings, depth):
    """The loss as a function of what enters block number ``depth``, by our own code."""
    weights = weights_of(settings)
    for block in weights.blocks[depth:]:
        x = transformer_block(x, block, settings.build)
    logits = unembed(x, weights, settings.build)
    targets = [*token_ids(settings)[1:], vocabulary_of(settings.tokens).index(".")]
    chosen = logits[np.arange(len(logits)), targets]
    return (np.log(np.exp(logits).sum(-1)) - chosen).mean()


@CASES
@pytest.mark.parametrize("place", ["pre", "post"])
@pytest.mark.parametrize(("name", "residual"), [("with", True), ("without", False)])
def test_gradients_are_those_of_finite_differences(values, place, name, residual):
    settings = BlockLessonSettings(**values, norm_place=place, residual=residual)
    found = QUESTIONS["block.gradients"](settings.to_query())["sizes"][place][name]
    weights, step = weights_of(settings), 1e-5
    x = embed(token_ids(settings), weights)
    for depth in (0, 1):
        slopes = np.zeros_like(x)
        for place_of in np.ndindex(x.shape):
            bump = np.zeros_like(x)
            bump[place_of] = step
            slopes[place_of] = (
                loss_from(x + bump, settings, depth) - loss_from(x - bump, settings, depth)
            ) / (2 * step)
        assert found[depth] == pytest.approx(np.linalg.norm(slopes), rel=1e-4)
        x = transformer_block(x, weights.blocks[0], settings.build)


def test_without_norms_and_residuals_the_gradient_dies_away():
    for style in ("llama", "gpt2"):
        sizes = QUESTIONS["block.gradients"]({"layers": "12", "style": style})["sizes"]["pre"]
        assert sizes["bare"][0] < 1e-3 * sizes["bare"][-1]
        assert sizes["with"][0] > sizes["with"][-1]


def test_the_question_leaves_out_what_does_not_count():
    seen = BlockLessonSettings(
        norm_place="post", residual=False, step=2, block=1, token=0, a=1.0, size="gpt2"
    )
    assert about_gradients(seen) == about_gradients(BlockLessonSettings())
    for change in ({"seed": 1}, {"layers": 3}, {"style": "gpt2"}, {"kv_heads": 1}, {"text": "a"}):
        other = dataclasses.replace(BlockLessonSettings(token=0), **change)
        assert about_gradients(other) != about_gradients(seen)
