"""The MLP of a block: each token's vector is widened, bent, and narrowed again."""

import math

import numpy as np

from core.errors import require


def sigmoid(x: np.ndarray) -> np.ndarray:
    """Return 1 / (1 + exp(-x)), entry by entry, without overflow.

    Args:
        x: ``[...]``.

    Returns:
        ``[...]``, each in 0..1.
    """
    small = np.exp(-np.abs(x))  # never above 1
    return np.where(np.asarray(x) >= 0, 1.0, small) / (1.0 + small)


def silu(x: np.ndarray) -> np.ndarray:
    """Return x sigmoid(x), entry by entry; also called Swish.

    Args:
        x: ``[...]``.

    Returns:
        ``[...]``, at least -0.2785; 0 at 0, near x far above 0, near 0 far below.

    Source: Elfwing, Uchibe and Doya 2018; Ramachandran, Zoph and Le 2017.
    """
    return x * sigmoid(x)


def gelu(x: np.ndarray) -> np.ndarray:
    """Return x Phi(x) = x (1 + erf(x / sqrt 2)) / 2, entry by entry: the exact GELU.

    GPT-2's own code approximates it by a tanh, off by up to 5e-4.

    Args:
        x: ``[...]``.

    Returns:
        ``[...]``, at least -0.17; 0 at 0, near x far above 0, near 0 far below.

    Source: Hendrycks and Gimpel 2016, section 2.
    """
    x = np.asarray(x, dtype=np.float64)
    return 0.5 * x * (1.0 + _erf(x / math.sqrt(2.0)))


def gelu_mlp(x: np.ndarray, w1: np.ndarray, w2: np.ndarray) -> np.ndarray:
    """Return gelu(x w1) w2, the MLP of GPT-2 without its biases.

    Args:
        x: ``[..., D]``.
        w1: ``[D, d_ff]``; in GPT-2 d_ff = 4 D.
        w2: ``[d_ff, D]``.

    Returns:
        ``[..., D]``. No token sees another.

    Raises:
        ShapeError: the matrices do not fit.

    Source: Vaswani et al. 2017, section 3.3, with GELU for ReLU (Radford et al. 2018).
    """
    x = np.asarray(x)
    _require_chain(x, w2, w1=w1)
    return gelu(x @ w1) @ w2


def swiglu_mlp(x: np.ndarray, w1: np.ndarray, w2: np.ndarray, w3: np.ndarray) -> np.ndarray:
    """Return (silu(x w1) * (x w3)) w2, the MLP of LLaMA.

    Args:
        x: ``[..., D]``.
        w1: ``[D, d_ff]``, the branch that goes through SiLU ("gate_proj" in most code).
        w2: ``[d_ff, D]``, back to the width of a token ("down_proj").
        w3: ``[D, d_ff]``, the branch that stays linear ("up_proj").

    Returns:
        ``[..., D]``. No token sees another.

    Raises:
        ShapeError: the matrices do not fit.

    Source: Shazeer 2020, equation 6.
    """
    x = np.asarray(x)
    _require_chain(x, w2, w1=w1, w3=w3)
    return (silu(x @ w1) * (x @ w3)) @ w2


def _erf(x: np.ndarray) -> np.ndarray:
    """NumPy has no erf, and SciPy would be a large dependency for one function: Python's own, one by one."""
    return np.fromiter(map(math.erf, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)


def _require_chain(x, w2, **into) -> None:
    for name, weight in into.items():
        wanted = [x.shape[-1], np.shape(w2)[0]]
        require(
            list(np.shape(weight)) == wanted,
            f"expected {name} [D, d_ff] = {wanted} for x @ {name} and w2 {list(np.shape(w2))}, "
            f"got {list(np.shape(weight))}; PyTorch stores the transpose: write weight.T.",
        )
