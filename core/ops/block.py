"""One transformer block, and a whole model of them, in the style of LLaMA or of GPT-2.

A block adds to its input twice: what attention brings from the tokens before, and what the MLP makes of
each token by itself. Attention is always causal.
"""

from dataclasses import dataclass

import numpy as np

from core.errors import require
from core.ops.mlp import gelu_mlp, swiglu_mlp
from core.ops.multi_head import multi_head_attention
from core.ops.norms import layer_norm, rms_norm

STYLES = ("llama", "gpt2")
NORM_PLACES = ("pre", "post")


@dataclass(frozen=True)
class BlockSettings:
    """How a block is built, apart from its numbers."""

    n_heads: int
    n_kv_heads: int | None = None  # a divisor of n_heads; None = as many
    style: str = "llama"  # RMSNorm, RoPE, SwiGLU; or "gpt2": LayerNorm, learned positions, GELU, biases
    norm_place: str = "pre"  # the norm before each sub-layer; "post": after each sum, as in 2017
    residual: bool = True  # False leaves x out of both sums, to see what it is good for
    rope_base: float = 10000.0  # llama only
    rope_pairing: str = "interleaved"  # llama only
    eps: float | None = None  # of the norms; None = 1e-6 for llama, 1e-5 for gpt2

    def __post_init__(self) -> None:
        for name, value, known in (
            ("style", self.style, STYLES),
            ("norm_place", self.norm_place, NORM_PLACES),
        ):
            require(value in known, f"expected {name} {known[0]!r} or {known[1]!r}, got {value!r}.")

    @property
    def norm_eps(self) -> float:
        """The eps in force."""
        if self.eps is not None:
            return self.eps
        return 1e-6 if self.style == "llama" else 1e-5


@dataclass(frozen=True)
class BlockWeights:
    """The numbers of one block. Biases are None where a style has none; None counts as 0."""

    norm_1: np.ndarray  # [D] of the norm that belongs to attention
    w_q: np.ndarray  # [D, H d_k]
    w_k: np.ndarray  # [D, Hkv d_k]
    w_v: np.ndarray  # [D, Hkv d_v]
    w_o: np.ndarray  # [H d_v, D]
    norm_2: np.ndarray  # [D] of the norm that belongs to the MLP
    w1: np.ndarray  # [D, d_ff]
    w2: np.ndarray  # [d_ff, D]
    w3: np.ndarray | None = None  # [D, d_ff] llama only: the branch without SiLU
    norm_1_bias: np.ndarray | None = None  # [D] gpt2 only, as all below
    b_q: np.ndarray | None = None  # [H d_k]
    b_k: np.ndarray | None = None  # [Hkv d_k]
    b_v: np.ndarray | None = None  # [Hkv d_v]
    b_o: np.ndarray | None = None  # [D]
    norm_2_bias: np.ndarray | None = None  # [D]
    b1: np.ndarray | None = None  # [d_ff]
    b2: np.ndarray | None = None  # [D]


@dataclass(frozen=True)
class TransformerWeights:
    """The numbers of a whole model."""

    embedding: np.ndarray  # [V, D] a row for each token there is
    blocks: tuple[BlockWeights, ...]
    final_norm: np.ndarray | None  # [D]; None = no final norm (post-norm blocks end with one of their own)
    final_norm_bias: np.ndarray | None = None  # [D] gpt2 only
    positions: np.ndarray | None = None  # [longest T, D] gpt2 only, added to the embeddings
    unembedding: np.ndarray | None = None  # [D, V]; None = tied, the embedding transposed


@dataclass(frozen=True)
class BlockSteps:
    """Every array on the way through one block, in the order in which they arise."""

    x: np.ndarray  # [..., T, D]
    into_attention: np.ndarray  # [..., T, D] the norm of x; post-norm: x itself
    weights: np.ndarray  # [..., H, T, T] rows sum to 1
    attention: np.ndarray  # [..., T, D] what attention adds
    after_attention: np.ndarray  # [..., T, D] x + attention
    into_mlp: np.ndarray  # [..., T, D] the norm of after_attention
    mlp: np.ndarray  # [..., T, D] what the MLP adds
    after_mlp: np.ndarray  # [..., T, D] after_attention + mlp; post-norm: into_mlp + mlp
    output: np.ndarray  # [..., T, D] the same; post-norm: its norm


def transformer_block(x: np.ndarray, weights: BlockWeights, settings: BlockSettings) -> np.ndarray:
    """Return what one block makes of the tokens' vectors.

    Pre-norm: y = x + attention(norm_1(x)), then y + mlp(norm_2(y)).

    Args:
        x: ``[..., T, D]``.
        weights: of this block.
        settings: style, heads, and where the norms stand.

    Returns:
        ``[..., T, D]``. Row i depends on rows 0..i only.

    Raises:
        ShapeError: a width does not fit.

    Source: Vaswani et al. 2017, section 3.1; pre-norm Xiong et al. 2020; Touvron et al. 2023 (LLaMA).
    """
    return block_steps(x, weights, settings).output


def block_steps(x: np.ndarray, weights: BlockWeights, settings: BlockSettings) -> BlockSteps:
    """Return every array of :func:`transformer_block` on its way to the output.

    Args:
        x: ``[..., T, D]``.
        weights: of this block.
        settings: style, heads, and where the norms stand.

    Returns:
        The steps; ``output`` is the block's.

    Raises:
        ShapeError: a width does not fit.
    """
    x = np.asarray(x)
    pre = settings.norm_place == "pre"

    def norm_1(y: np.ndarray) -> np.ndarray:
        return norm(y, weights.norm_1, weights.norm_1_bias, settings)

    def norm_2(y: np.ndarray) -> np.ndarray:
        return norm(y, weights.norm_2, weights.norm_2_bias, settings)

    def added(sub_layer: np.ndarray, stream: np.ndarray) -> np.ndarray:
        return stream + sub_layer if settings.residual else sub_layer

    into_attention = norm_1(x) if pre else x
    attention, attention_weights = _attention(into_attention, weights, settings)
    after_attention = added(attention, x)
    into_mlp = norm_2(after_attention) if pre else norm_1(after_attention)
    mlp = _mlp(into_mlp, weights, settings)
    after_mlp = added(mlp, after_attention if pre else into_mlp)
    output = after_mlp if pre else norm_2(after_mlp)
    return BlockSteps(
        x, into_attention, attention_weights, attention, after_attention, into_mlp, mlp, after_mlp, output
    )


def transformer(token_ids: np.ndarray, weights: TransformerWeights, settings: BlockSettings) -> np.ndarray:
    """Return the logits of the next token after each token: embedding, blocks, final norm, unembedding.

    Args:
        token_ids: int ``[..., T]``, each in 0..V-1.
        weights: of the whole model; as many blocks as it has.
        settings: of every block.

    Returns:
        ``[..., T, V]``. Row i depends on tokens 0..i only; softmax makes a distribution of it.

    Raises:
        ShapeError: a token that is not in the vocabulary, more tokens than learned positions, or widths
            that do not fit.

    Source: Radford et al. 2019 (GPT-2), section 2.3; Touvron et al. 2023 (LLaMA), section 2.2.
    """
    x = embed(token_ids, weights)
    for block in weights.blocks:
        x = transformer_block(x, block, settings)
    return unembed(x, weights, settings)


def embed(token_ids: np.ndarray, weights: TransformerWeights) -> np.ndarray:
    """Return the vectors that enter the first block: each token's row, and its position's if learned.

    Args:
        token_ids: int ``[..., T]``, each in 0..V-1.
        weights: of the whole model.

    Returns:
        ``[..., T, D]``.

    Raises:
        ShapeError: a token that is not in the vocabulary, or more tokens than learned positions.
    """
    token_ids = np.asarray(token_ids)
    n_words = len(weights.embedding)
    require(
        token_ids.ndim >= 1 and token_ids.dtype.kind in "iu" and token_ids.size > 0,
        f"expected token ids [..., T] as whole numbers, got {token_ids.dtype} {list(token_ids.shape)}.",
    )
    require(
        bool(((token_ids >= 0) & (token_ids < n_words)).all()),
        f"expected token ids in 0..{n_words - 1} (V = {n_words}), "
        f"got {token_ids.min()} to {token_ids.max()}; look up a token that the vocabulary has.",
    )
    x = weights.embedding[token_ids]
    if weights.positions is None:
        return x
    n_tokens, longest = token_ids.shape[-1], len(weights.positions)
    require(
        n_tokens <= longest,
        f"expected at most {longest} tokens, for so many positions were learned, got {n_tokens}; "
        "cut the text.",
    )
    return x + weights.positions[:n_tokens]


def unembed(x: np.ndarray, weights: TransformerWeights, settings: BlockSettings) -> np.ndarray:
    """Return the logits of what leaves the last block: its final norm times the unembedding.

    Args:
        x: ``[..., T, D]``.
        weights: of the whole model.
        settings: say which norm.

    Returns:
        ``[..., T, V]``.
    """
    if weights.final_norm is not None:
        x = norm(x, weights.final_norm, weights.final_norm_bias, settings)
    return x @ (weights.embedding.T if weights.unembedding is None else weights.unembedding)


def norm(x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None, settings: BlockSettings) -> np.ndarray:
    """Return the norm of the style: RMSNorm for llama, LayerNorm for gpt2.

    Args:
        x: ``[..., D]``.
        weight: ``[D]``.
        bias: ``[D]`` for gpt2, or None.
        settings: say which norm, and its eps.

    Returns:
        ``[..., D]``.
    """
    if settings.style == "llama":
        return rms_norm(x, weight, settings.norm_eps)
    return layer_norm(x, weight, np.zeros_like(weight) if bias is None else bias, settings.norm_eps)


def _attention(x, weights, settings) -> tuple[np.ndarray, np.ndarray]:
    rope = settings.style == "llama"
    biases = (weights.b_q, weights.b_k, weights.b_v)
    w_q, w_k, w_v = weights.w_q, weights.w_k, weights.w_v
    if any(bias is not None for bias in biases):
        x, w_q, w_k, w_v = _with_biases(x, *zip((w_q, w_k, w_v), biases, strict=True))
    output, attention_weights = multi_head_attention(
        x,
        w_q,
        w_k,
        w_v,
        weights.w_o,
        n_heads=settings.n_heads,
        n_kv_heads=settings.n_kv_heads,
        is_causal=True,
        rope_positions=np.arange(x.shape[-2]) if rope else None,
        rope_base=settings.rope_base,
        rope_pairing=settings.rope_pairing,
    )
    return _plus(output, weights.b_o), attention_weights


def _mlp(x, weights, settings) -> np.ndarray:
    if settings.style == "llama":
        require(weights.w3 is not None, "expected w3 [D, d_ff] in a llama block, got None; SwiGLU needs it.")
        return swiglu_mlp(x, weights.w1, weights.w2, weights.w3)
    w1 = weights.w1
    if weights.b1 is not None:
        x, w1 = _with_biases(x, (w1, weights.b1))
    return _plus(gelu_mlp(x, w1, weights.w2), weights.b2)


def _with_biases(x, *pairs) -> list[np.ndarray]:
    """A bias is one more row of W that meets an entry of x that is always 1: [x, 1] [W; b] = x W + b."""
    one = np.ones((*x.shape[:-1], 1))
    rows = [np.zeros(w.shape[-1]) if b is None else b for w, b in pairs]
    matrices = [np.vstack([w, row]) for (w, _), row in zip(pairs, rows, strict=True)]
    return [np.concatenate([x, one], axis=-1), *matrices]


def _plus(x, bias) -> np.ndarray:
    return x if bias is None else x + bias
