"""All that is kept between runs, in one file. Traces are not: drawing one anew takes 1 to 3 ms."""

from functools import lru_cache

from core.curves import SaturationCurves, saturation_curves
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
