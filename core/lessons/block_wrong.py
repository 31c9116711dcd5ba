"""What usual mistakes make of a block: each computed as the mistaken code would."""

from dataclasses import dataclass, replace

import numpy as np

from core.lessons.block import BlockLessonSettings, BlockTrace, sizes, token_ids, weights_of
from core.ops.attention import softmax
from core.ops.block import block_steps, embed, norm, transformer, transformer_block, unembed
from core.ops.mlp import sigmoid, silu
from core.ops.norms import layer_norm, rms_norm

FAINT = (3e-4, 4e-4)  # a vector small enough for eps to count
_EXAMPLE, _ADDED = np.array([3.0, 4.0]), np.array([0.5, -0.5])


@dataclass(frozen=True)
class Entry:
    """One entry of SwiGLU, and what two mistakes make of it."""

    a: float  # of x W1
    b: float  # of x W3
    share: float  # sigmoid(a)
    bent: float  # SiLU(a) = a sigmoid(a)
    product: float  # SiLU(a) b
    around: float  # SiLU(a b), SiLU put around the product
    swapped: float  # SiLU(b) a, SiLU on the other branch


def entry(a: float, b: float) -> Entry:
    """Return one entry of SwiGLU, SiLU(a) b, and what it is when SiLU stands elsewhere.

    Args:
        a: the entry of x W1.
        b: the entry of x W3.

    Source: Shazeer 2020, equation 6.
    """
    bent_a, around, bent_b = silu(np.array([a, a * b, b])).tolist()
    share = float(sigmoid(np.array(a)))
    return Entry(a, b, share, bent_a, bent_a * b, around, bent_b * a)


def normalised_residual(
    x: np.ndarray = _EXAMPLE, added: np.ndarray = _ADDED
) -> tuple[np.ndarray, np.ndarray]:
    """Return x + added, and what it is when the norm of x takes the place of x.

    Args:
        x: ``[..., D]``.
        added: ``[..., D]``, what the sub-layer adds.

    Returns:
        right and wrong, ``[..., D]``.
    """
    return x + added, rms_norm(x, np.ones(x.shape[-1])) + added


def block_on_normalised_residual(trace: BlockTrace) -> tuple[np.ndarray, np.ndarray]:
    """Return the pre-norm block's output, and that of a block that writes x = norm(x) before each sum.

    Args:
        trace: any; its block is taken as pre-norm with residuals.

    Returns:
        right and wrong, ``[T, D]``.
    """
    weights, build = _block_of(trace.settings)
    right = transformer_block(trace.steps.x, weights, build)
    x = norm(trace.steps.x, weights.norm_1, weights.norm_1_bias, build)
    # From here it is a post-norm block that lacks its last norm, and whose first norm is norm_2.
    shifted = replace(weights, norm_1=weights.norm_2, norm_1_bias=weights.norm_2_bias)
    wrong = block_steps(x, shifted, replace(build, norm_place="post")).after_mlp
    return right, wrong


def other_norm_place(settings: BlockLessonSettings) -> tuple[np.ndarray, np.ndarray]:
    """Return the next-token distributions of a pre-norm model, run as it is and as post-norm.

    Args:
        settings: its sizes; weights are the same in both.

    Returns:
        right and wrong, ``[T, V]``.
    """
    built = replace(settings, norm_place="pre", residual=True)
    weights, ids = weights_of(built), token_ids(built)
    right, wrong = (
        softmax(transformer(ids, weights, replace(built.build, norm_place=place)))
        for place in ("pre", "post")
    )
    return right, wrong


def without_final_norm(settings: BlockLessonSettings) -> tuple[np.ndarray, np.ndarray]:
    """Return the logits of a pre-norm model, and those without its final norm.

    Args:
        settings: its sizes.

    Returns:
        right and wrong, ``[T, V]``.
    """
    built = replace(settings, norm_place="pre", residual=True)
    weights = weights_of(built)
    x = embed(token_ids(built), weights)
    for block in weights.blocks:
        x = transformer_block(x, block, built.build)
    bare = replace(weights, final_norm=None)
    right, wrong = (unembed(x, each, built.build) for each in (weights, bare))
    return right, wrong


def eps_outside(eps: float = 1e-6) -> tuple[np.ndarray, np.ndarray]:
    """Return the RMSNorm of a faint vector, and x / (sqrt(mean of x^2) + eps) of it.

    Args:
        eps: of the norm.

    Returns:
        right and wrong, ``[2]``.
    """
    x = np.array(FAINT)
    return rms_norm(x, np.ones(2), eps), x / (np.sqrt((x**2).mean()) + eps)


def over_tokens(trace: BlockTrace) -> tuple[float, float]:
    """Return how far token 0 moves when the last token's vector changes its sign.

    Args:
        trace: any with two tokens or more.

    Returns:
        by a LayerNorm over the entries of each token: 0; and by one over the tokens.
    """
    x = trace.steps.x
    moved = np.concatenate([x[:-1], -x[-1:]])
    n_tokens, width = x.shape

    def features(y: np.ndarray) -> np.ndarray:
        return layer_norm(y, np.ones(width), np.zeros(width))

    def tokens(y: np.ndarray) -> np.ndarray:
        return layer_norm(y.T, np.ones(n_tokens), np.zeros(n_tokens)).T

    right, wrong = (float(sizes(each(moved)[0] - each(x)[0])) for each in (features, tokens))
    return right, wrong


def _block_of(settings: BlockLessonSettings):
    built = replace(settings, norm_place="pre", residual=True)
    return weights_of(built).blocks[settings.block], built.build


def largest_shares(*logits: np.ndarray) -> list[float]:
    """Return for each row of logits the probability of its likeliest token.

    Args:
        logits: each ``[V]``.
    """
    return [float(softmax(row).max()) for row in logits]
