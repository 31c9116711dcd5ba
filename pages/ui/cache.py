"""All that is kept between runs, in one file. Traces are not: drawing one anew takes 1 to 3 ms."""

from functools import lru_cache

import numpy as np

from core.curves import SaturationCurves, saturation_curves
from core.lessons import block_wrong
from core.lessons.block import BlockLessonSettings
from core.lessons.block_depth import Depth, trace_depth
from core.lessons.gradients import GradientCurves, gradient_curves


@lru_cache(maxsize=64)
def curves(n_keys: int) -> SaturationCurves:
    """Return the saturation curves for rows of so many keys. Frozen, so they can be shared."""
    return saturation_curves(n_keys)


@lru_cache(maxsize=16)
def gradients(seed: int) -> GradientCurves:
    """Return the gradients through softmax against d_k."""
    return gradient_curves(seed)


@lru_cache(maxsize=32)
def depth(settings: BlockLessonSettings) -> Depth:
    """Return a model's streams; leave out of the settings what is only looked at."""
    return trace_depth(settings)


@lru_cache(maxsize=32)
def other_norm_place(settings: BlockLessonSettings) -> tuple[np.ndarray, np.ndarray]:
    """Return a pre-norm model's distributions, and those as post-norm; settings as for :func:`depth`."""
    return block_wrong.other_norm_place(settings)


@lru_cache(maxsize=32)
def without_final_norm(settings: BlockLessonSettings) -> tuple[np.ndarray, np.ndarray]:
    """Return a pre-norm model's logits, and those without its final norm; settings as for :func:`depth`."""
    return block_wrong.without_final_norm(settings)
