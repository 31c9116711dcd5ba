"""The residual stream along depth: its size, what each sub-layer adds, how alike tokens become."""

from dataclasses import dataclass, replace

import numpy as np

from core.lessons.block import BlockLessonSettings, sizes, token_ids, weights_of, without_looks
from core.ops.attention import softmax
from core.ops.block import NORM_PLACES, block_steps, embed, unembed
from core.readonly import ReadOnly


@dataclass(frozen=True)
class Stream(ReadOnly):
    """All L blocks of one build, one after the other. All arrays are read-only float64."""

    size: np.ndarray  # [2L + 1, T] length of each token's vector: embedding, then after each sub-layer
    added: np.ndarray  # [2L, T] length of what each sub-layer adds, attention and MLP in turn
    alike: np.ndarray  # [L + 1] mean cosine of two different tokens' vectors; empty for one token
    last: np.ndarray  # [T, D] what leaves the last block
    logits: np.ndarray  # [T, V]
    probabilities: np.ndarray  # [T, V] rows sum to 1


@dataclass(frozen=True)
class Depth:
    """The streams that the page compares."""

    settings: BlockLessonSettings  # with nothing left that does not count
    places: dict[str, Stream]  # "pre" and "post", with or without residuals as the settings say
    here: Stream  # as the settings say
    residual: Stream  # the same with residuals
    bare: Stream  # the same without


def trace_depth(settings: BlockLessonSettings) -> Depth:
    """Return the streams through all blocks: pre-norm and post-norm, with and without residuals.

    Args:
        settings: valid by construction.

    Source: for pre-norm and post-norm Xiong et al. 2020; for tokens that become alike without residuals
        Dong, Cordonnier and Loukas 2021.
    """
    settings = without_looks(settings)
    places = {place: stream(replace(settings, norm_place=place)) for place in NORM_PLACES}
    here, other = places[settings.norm_place], stream(replace(settings, residual=not settings.residual))
    with_residual, without = (here, other) if settings.residual else (other, here)
    return Depth(settings, places, here, with_residual, without)


def stream(settings: BlockLessonSettings) -> Stream:
    """Return one pass through all blocks.

    Args:
        settings: valid by construction.
    """
    weights, build = weights_of(settings), settings.build
    x = embed(token_ids(settings), weights)
    size, added, alike = [sizes(x)], [], [_alike(x)]
    for block in weights.blocks:
        steps = block_steps(x, block, build)
        x = steps.output
        middle = steps.after_attention if build.norm_place == "pre" else steps.into_mlp
        size += [sizes(middle), sizes(x)]
        added += [sizes(steps.attention), sizes(steps.mlp)]
        alike.append(_alike(x))
    logits = unembed(x, weights, build)
    found = np.array(alike) if len(x) > 1 else np.zeros(0)
    return Stream(np.array(size), np.array(added), found, x, logits, softmax(logits))


def _alike(x: np.ndarray) -> float:
    """The mean cosine between the vectors of two different tokens."""
    n_tokens = len(x)
    if n_tokens == 1:
        return 0.0
    directions = x / np.maximum(sizes(x), 1e-300)[:, None]
    cosines = directions @ directions.T
    return float((cosines.sum() - np.trace(cosines)) / (n_tokens * (n_tokens - 1)))
