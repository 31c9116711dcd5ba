"""The scale experiment: how softmax saturates as d_k grows, averaged over many seeded draws."""

from dataclasses import dataclass

import numpy as np

from core.ops.attention import softmax
from core.ops.saturation import effective_keys, jacobian_norm
from core.settings import MAX_D_K

# From 2 to 512 in steps of about a fifth, so that lines on a log axis look smooth.
WIDTHS = tuple(int(w) for w in np.unique(np.round(np.geomspace(2, MAX_D_K, 33))))


@dataclass(frozen=True)
class SaturationCurves:
    """Averages over the rows of many draws; each curve is ``[len(widths)]``."""

    widths: tuple[int, ...]
    n_keys: int
    n_rows: int  # drawn rows that each point averages
    largest_weight: dict[str, np.ndarray]  # by scale: "sqrt_d_k" and "none"
    effective_keys: dict[str, np.ndarray]
    jacobian_norm: dict[str, np.ndarray]
    score_sd: np.ndarray  # measured standard deviation of q.k, unscaled


def saturation_curves(n_keys: int, n_rows: int | None = None, seed: int = 0) -> SaturationCurves:
    """Return how sharp softmax gets with d_k, with the scale 1/sqrt(d_k) and without.

    Queries and keys have independent standard normal entries. A draw at a larger d_k extends the
    same draw at a smaller one, so the curves differ by d_k alone.

    Args:
        n_keys: keys in a row, at least 1.
        n_rows: rows drawn, each with a query and keys of its own; 400 to 2,000 if None, fewer
            where a row is long.
        seed: of the draws.
    """
    n_rows = min(max(24_000 // n_keys, 400), 2_000) if n_rows is None else n_rows
    generator = np.random.default_rng(seed)
    scores = np.empty((len(WIDTHS), n_rows, n_keys))
    for row in range(n_rows):  # one row at a time: 512 x n_keys numbers, not all of them
        query, keys = generator.standard_normal(MAX_D_K), generator.standard_normal((n_keys, MAX_D_K))
        sums = np.cumsum(query * keys, axis=1)  # [n_keys, 512]: q.k of the first d components
        scores[:, row] = sums[:, np.array(WIDTHS) - 1].T
    roots = np.sqrt(WIDTHS)[:, None, None]
    weights = {"sqrt_d_k": softmax(scores / roots), "none": softmax(scores)}
    return SaturationCurves(
        widths=WIDTHS,
        n_keys=n_keys,
        n_rows=n_rows,
        largest_weight={s: w.max(axis=-1).mean(axis=1) for s, w in weights.items()},
        effective_keys={s: effective_keys(w).mean(axis=1) for s, w in weights.items()},
        jacobian_norm={s: jacobian_norm(w).mean(axis=1) for s, w in weights.items()},
        score_sd=scores.std(axis=(1, 2)),
    )
