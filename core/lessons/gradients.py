"""What a query can learn from: the gradient through softmax, with the scale 1/sqrt(d_k) and without.

The popular sentence "without the scale the gradients vanish" is half true. The typical gradient does;
the average one grows, because leaving out the factor also leaves it out of the chain rule.
"""

from dataclasses import dataclass

import numpy as np

from core.ops.attention import softmax

N_DRAWS = 1_000
N_KEYS = 16
WIDTHS = (2, 4, 8, 16, 32, 64, 128, 256, 512)


@dataclass(frozen=True)
class Draws:
    """Queries, keys and incoming gradients, all with standard normal entries."""

    q: np.ndarray  # [n, d_k]
    k: np.ndarray  # [n, Tk, d_k]
    upstream: np.ndarray  # [n, Tk] dL/dw, the gradient that arrives at the weights


@dataclass(frozen=True)
class Gradients:
    """Sizes (Euclidean norms) of the gradients of many draws."""

    scores: np.ndarray  # [n] |dL/d(scaled scores)|
    query: np.ndarray  # [n] |dL/dq|


@dataclass(frozen=True)
class GradientCurves:
    """Averages of the gradients at each width; each array is ``[len(widths)]``.

    The keys are the place ("scores" or "query"), the scale ("sqrt_d_k" or "none") and the average
    ("mean" or "median").
    """

    widths: tuple[int, ...]
    sizes: dict[tuple[str, str, str], np.ndarray]


def draws(seed: int, d_k: int, n: int = N_DRAWS) -> Draws:
    """Return seeded draws; a larger d_k extends the vectors of a smaller one.

    Args:
        seed: of the draw.
        d_k: width of q and k, 1..512.
        n: how many.
    """
    generator = np.random.default_rng(seed)
    upstream = generator.standard_normal((n, N_KEYS))
    q = generator.standard_normal((max(WIDTHS), n), dtype=np.float32)[:d_k]
    k = generator.standard_normal((max(WIDTHS), n, N_KEYS), dtype=np.float32)[:d_k]
    return Draws(
        np.ascontiguousarray(q.T, dtype=np.float64),
        np.ascontiguousarray(k.transpose(1, 2, 0), dtype=np.float64),
        upstream,
    )


def gradients(drawn: Draws, scale: float) -> Gradients:
    """Return the gradients of L = u . softmax(scale K q) in closed form.

    dL/ds = w (u - w . u), the softmax's Jacobian times u; dL/dq = scale K^T dL/ds.

    Args:
        drawn: q, k and u.
        scale: what the dot products are multiplied by.
    """
    scores = scale * np.einsum("nkd,nd->nk", drawn.k, drawn.q)
    weights = softmax(scores)
    centred = drawn.upstream - (weights * drawn.upstream).sum(axis=-1, keepdims=True)
    at_scores = weights * centred  # [n, Tk]
    at_query = scale * np.einsum("nk,nkd->nd", at_scores, drawn.k)
    return Gradients(np.linalg.norm(at_scores, axis=-1), np.linalg.norm(at_query, axis=-1))


def gradient_curves(seed: int) -> GradientCurves:
    """Return the gradients of the same draws at every width, scaled and unscaled.

    Args:
        seed: of the draws.
    """
    widest = draws(seed, max(WIDTHS))
    sizes = {
        (place, scale, average): np.empty(len(WIDTHS))
        for place in ("scores", "query")
        for scale in ("sqrt_d_k", "none")
        for average in ("mean", "median")
    }
    for i, d_k in enumerate(WIDTHS):
        narrow = Draws(widest.q[:, :d_k], widest.k[:, :, :d_k], widest.upstream)
        both = {"sqrt_d_k": gradients(narrow, d_k**-0.5), "none": gradients(narrow, 1.0)}
        for (place, scale, average), values in sizes.items():
            values[i] = getattr(np, average)(getattr(both[scale], place))
    return GradientCurves(WIDTHS, sizes)
