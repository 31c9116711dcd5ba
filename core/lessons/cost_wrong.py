"""What wrong versions of the tiled walk give on the same numbers. The mistakes are made on purpose."""

from dataclasses import dataclass

import numpy as np

from core.lessons.cost import CostTrace
from core.ops.attention import scaled_dot_product_attention


@dataclass(frozen=True)
class Wrong:
    """One wrong version, for the block in view."""

    output: np.ndarray  # [block, d], the right shape
    total: np.ndarray  # [block] the sum that it divides by
    difference: float  # the largest, from the right output


def unscaled_output(trace: CostTrace) -> Wrong:
    """Return the walk in which l is rescaled when the maximum changes, and the output is not.

    Args:
        trace: any.

    Returns:
        Right only where the first tile holds each row's maximum.
    """
    output = sum((_gain(trace, state) for state in trace.states), np.zeros_like(trace.block_output))
    return _wrong(trace, output, trace.states[-1].total)


def own_maximum(trace: CostTrace) -> Wrong:
    """Return the walk in which each tile's exponentials take its own maximum and are just added up.

    Args:
        trace: any.

    Returns:
        Right only where all tiles have the same maximum.
    """
    total, output = np.zeros(len(trace.block_output)), np.zeros_like(trace.block_output)
    for state in trace.states:
        largest = state.scores.max(axis=-1)
        exponentials = np.exp(state.scores - np.where(np.isneginf(largest), 0, largest)[:, None])
        total = total + exponentials.sum(axis=-1)
        output = output + exponentials @ trace.v[state.start : state.stop]
    return _wrong(trace, output, total)


def averaged_tiles(trace: CostTrace) -> Wrong:
    """Return the mean of each tile's own attention, as if all tiles weighed the same.

    Args:
        trace: any.

    Returns:
        total: how many tiles each query can see something of.
    """
    rows = trace.settings.rows
    outputs, seen = [], np.zeros(len(trace.block_output))
    for state in trace.states:
        columns = slice(state.start, state.stop)
        mask = trace.visible[rows, columns]
        outputs.append(
            scaled_dot_product_attention(trace.q[rows], trace.k[columns], trace.v[columns], mask=mask)[0]
        )
        seen = seen + mask.any(axis=-1)
    return _wrong(trace, np.sum(outputs, axis=0), seen)


def _gain(trace, state):
    return state.exponentials @ trace.v[state.start : state.stop]


def _wrong(trace, output, total):
    output = output / total[:, None]
    return Wrong(output, total, float(np.abs(output - trace.block_output).max()))
