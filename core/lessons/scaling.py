"""Why the scores are divided by sqrt(d_k): their spread, what softmax makes of it, and what can learn."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.ops.attention import softmax
from core.ops.saturation import effective_keys, jacobian_norm, softmax_jacobian
from core.query import Linked, choice, decimal, integer
from core.readonly import ReadOnly
from core.settings import MAX_D_K, MAX_HEADS, MAX_SEED

N_PAIRS = 4_000  # pairs of q and k whose dot products are measured
N_KEYS = 8  # keys of the row that softmax is shown on
_FIRST = 32  # pair of that row: at seed 0 it behaves as the averages do; other seeds give any other row
SCALES = ("none", "sqrt_d_k", "d_k", "sqrt_d_model")
MAX_OFFSET = 1000.0
# Standard deviation 11, as unscaled scores have at d_k = 128.
EIGHT_SCORES = (4.0, 7.0, -20.0, 6.0, -4.0, -5.0, 8.0, 20.0)


@dataclass(frozen=True)
class ScalingSettings(Linked):
    """Widths, and the divisor that is looked at. Illegal values raise ``SettingError``."""

    d_k: int = 64  # 2..512
    scale: str = "sqrt_d_k"  # one of SCALES
    heads: int = 8  # of the model whose width is d_k times heads, for "sqrt_d_model"
    seed: int = 0
    offset: float = 1000.0  # added to the scores 0, 1, 2 where exp is to overflow

    @property
    def d_model(self) -> int:
        """The width of a model with so many heads of this width."""
        return self.d_k * self.heads


@dataclass(frozen=True)
class Scaling(ReadOnly):
    """Measured dot products, and one row of them under each divisor. Arrays are read-only."""

    settings: ScalingSettings
    divisors: dict[str, float]  # by name, SCALES
    products: np.ndarray  # [N_PAIRS] dot products q.k of independent pairs
    row: np.ndarray  # [N_KEYS] eight of them, as the scores of one query
    weights: dict[str, np.ndarray]  # [N_KEYS] softmax(row / divisor)
    jacobians: dict[str, np.ndarray]  # [N_KEYS, N_KEYS]

    @property
    def scaled(self) -> np.ndarray:
        """The dot products under the divisor that is looked at, ``[N_PAIRS]``."""
        return self.products / self.divisors[self.settings.scale]

    @property
    def rows(self) -> np.ndarray:
        """The weights under each divisor, ``[4, N_KEYS]``, in the order of SCALES."""
        return np.stack([self.weights[scale] for scale in SCALES])

    def spread(self, scale: str) -> float:
        """Return the standard deviation of the dot products under a divisor."""
        return float(self.products.std() / self.divisors[scale])

    def sharpness(self, scale: str) -> tuple[float, float, float]:
        """Return the largest weight, the effective number of keys, and the size of the Jacobian."""
        weights = self.weights[scale]
        return float(weights.max()), float(effective_keys(weights)), float(jacobian_norm(weights))


def trace_scaling(settings: ScalingSettings) -> Scaling:
    """Return dot products of vectors with unit-variance entries, and softmax under each divisor.

    Args:
        settings: valid by construction.
    """
    products = dot_products(settings.seed)[settings.d_k - 1]
    row = products[_FIRST : _FIRST + N_KEYS]
    divisors = {
        "none": 1.0,
        "sqrt_d_k": settings.d_k**0.5,
        "d_k": float(settings.d_k),
        "sqrt_d_model": settings.d_model**0.5,
    }
    weights = {scale: softmax(row / divisor) for scale, divisor in divisors.items()}
    jacobians = {scale: softmax_jacobian(each) for scale, each in weights.items()}
    return Scaling(settings, divisors, products, row, weights, jacobians)


@lru_cache(maxsize=4)
def dot_products(seed: int) -> np.ndarray:
    """Return the dot products of drawn pairs for every width: a larger width extends the same pairs.

    Args:
        seed: of the standard normal entries.

    Returns:
        ``[512, N_PAIRS]``, read-only; row d - 1 is for d_k = d. Its variance is d: a sum of d
        independent products of variance 1.
    """
    generator = np.random.default_rng(seed)
    q, k = generator.standard_normal((2, N_PAIRS, MAX_D_K))
    sums = np.ascontiguousarray(np.cumsum(q * k, axis=1).T)
    sums.setflags(write=False)
    return sums


def measured_sd(d_k: int, seed: int) -> float:
    """Return the standard deviation of the drawn dot products at a width.

    Args:
        d_k: 1..512.
        seed: of the draw.
    """
    return float(dot_products(seed)[d_k - 1].std())


@dataclass(frozen=True)
class Overflow:
    """softmax(c, c + 1, c + 2) in one floating type, without the shift and with it."""

    dtype: str
    limit: float  # the largest score whose exp is finite
    first: float  # exp(c), infinite beyond the limit
    plain: np.ndarray  # [3] not a number where exp has overflowed
    shifted: np.ndarray  # [3] in float64

    @property
    def sound(self) -> bool:
        """Whether the plain softmax is finite and sums to 1, as far as its type goes."""
        return bool(np.isfinite(self.plain).all()) and abs(float(self.plain.sum()) - 1) < 0.01


def overflows(offset: float) -> tuple[Overflow, ...]:
    """Return what the same softmax gives in half, single and double precision.

    Args:
        offset: c, what is added to the scores 0, 1, 2; 0..1000.
    """
    scores = offset + np.arange(3.0)

    def in_type(dtype: str) -> Overflow:
        limit = largest_exponent(dtype)
        first = float(np.exp(offset)) if offset <= limit else float("inf")
        return Overflow(dtype, limit, first, plain_softmax(scores, dtype), softmax(scores))

    return tuple(map(in_type, ("float16", "float32", "float64")))


def eight_rows() -> np.ndarray:
    """Return the weights of the eight fixed scores, as they are and divided by sqrt(128), ``[2, 8]``."""
    scores = np.array(EIGHT_SCORES)
    return np.stack([softmax(scores), softmax(scores / 128**0.5)])


def far_and_near() -> tuple[np.ndarray, np.ndarray]:
    """Return softmax(100, 1, 1, 1) and softmax(2, 0.5, 0.5, 0.5)."""
    return softmax(np.array([100.0, 1.0, 1.0, 1.0])), softmax(np.array([2.0, 0.5, 0.5, 0.5]))


def plain_softmax(scores: np.ndarray, dtype: str = "float64") -> np.ndarray:
    """Return exp(s) / sum(exp(s)) without the shift: what goes wrong for large scores.

    Args:
        scores: ``[n]``.
        dtype: the floating type that it is worked out in.

    Returns:
        ``[n]``; not a number where exp has overflowed (inf / inf).
    """
    with np.errstate(over="ignore", invalid="ignore"):
        exponentials = np.exp(scores.astype(dtype))
        return exponentials / exponentials.sum()


def largest_exponent(dtype: str) -> float:
    """Return the largest score whose exp is finite: ln of the largest number.

    Args:
        dtype: "float16", "float32" or "float64".
    """
    return float(np.log(np.finfo(dtype).max.astype(np.float64)))


ScalingSettings.PARAMETERS = {
    "d_k": integer("d_k", 2, MAX_D_K),
    "scale": choice("scale", SCALES),
    "heads": integer("heads", 1, MAX_HEADS),
    "seed": integer("seed", 0, MAX_SEED),
    "offset": decimal("offset", 0.0, MAX_OFFSET),
}
