"""One transformer block step by step, and the small model that it stands in. All weights are random."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from core.errors import divisors
from core.lessons.block_weights import model_weights, vocabulary_of
from core.ops.attention import scaled_dot_product_attention
from core.ops.block import (
    NORM_PLACES,
    STYLES,
    BlockSettings,
    BlockSteps,
    BlockWeights,
    TransformerWeights,
    block_steps,
    embed,
    transformer_block,
)
from core.ops.heads import group_size, kv_head_of, merge_heads, repeat_kv, split_heads
from core.ops.mlp import gelu, silu
from core.ops.rope import apply_rope
from core.query import Linked, Parameter, boolean, choice, decimal, integer, one_of
from core.readonly import ReadOnly
from core.settings import MAX_SEED, read_text
from core.tokens import tokenize

D_MODELS = (8, 16, 32)
MAX_LAYERS = 12
MAX_ENTRY = 4.0  # of the two branches of SwiGLU
SIZES = ("page", "gpt2", "gpt2-xl", "llama2-7b", "llama3-8b")
STEPS = {
    "pre": ("Norm", "Attention", "Add", "Norm 2", "MLP", "Add 2"),
    "post": ("Attention", "Add", "Norm", "MLP", "Add 2", "Norm 2"),
}


@dataclass(frozen=True)
class BlockLessonSettings(Linked):
    """What the page about the block shows. Illegal values raise ``SettingError``."""

    text: str = "the cat sat on the mat"
    style: str = "llama"  # RMSNorm, RoPE, GQA, SwiGLU; or "gpt2": LayerNorm, learned positions, GELU
    norm_place: str = "pre"  # or "post"
    residual: bool = True
    d_model: int = 8  # D: 8, 16 or 32
    heads: int = 4  # H, a divisor of D that leaves d_k even, for RoPE turns pairs
    kv_heads: int = 2  # Hkv, a divisor of H; for the style "llama" only
    layers: int = 8  # L, 1..12
    seed: int = 0  # 0..2^31-1
    block: int = 0  # the block that is looked at
    step: int = 0  # of STEPS
    token: int = 5  # the token that is looked at
    a: float = 2.0  # one entry of x W1, -4..4
    b: float = 0.5  # the same entry of x W3, -4..4
    size: str = "page"  # whose parameters are counted

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words of the text; never empty."""
        return tokenize(self.text).tokens

    @property
    def d_k(self) -> int:
        """Width of a head: D / H."""
        return self.d_model // self.heads

    @property
    def n_kv_heads(self) -> int:
        """The number of KV heads in force: GPT-2 has as many as heads."""
        return self.kv_heads if self.style == "llama" else self.heads

    @property
    def build(self) -> BlockSettings:
        """How each block is built."""
        return BlockSettings(
            self.heads, self.n_kv_heads, self.style, norm_place=self.norm_place, residual=self.residual
        )


def without_looks(settings: BlockLessonSettings) -> BlockLessonSettings:
    """Return the settings with nothing left that only says what of the model is looked at.

    Args:
        settings: any.
    """
    looks = {name: BlockLessonSettings.default(name) for name in ("step", "a", "b", "size")}
    return replace(settings, **looks, block=0, token=0)


def even_heads(d_model: int) -> list[int]:
    """Return the numbers of heads that leave each an even width.

    Args:
        d_model: D, even.
    """
    return divisors(d_model // 2)


BlockLessonSettings.PARAMETERS = {
    "text": Parameter(read_text),
    "style": choice("style", STYLES),
    "norm_place": choice("norm_place", NORM_PLACES),
    "residual": boolean("residual"),
    "d_model": one_of("d_model", lambda _: D_MODELS, "the widths here"),
    "heads": one_of("heads", lambda so_far: even_heads(so_far.d_model), "d_k = D / H must be even"),
    "kv_heads": one_of("kv_heads", lambda so_far: divisors(so_far.heads), "kv_heads must divide heads"),
    "layers": integer("layers", 1, MAX_LAYERS),
    "seed": integer("seed", 0, MAX_SEED),
    "block": one_of("block", lambda so_far: range(so_far.layers), "the blocks there are"),
    "step": integer("step", 0, len(STEPS["pre"]) - 1),
    "token": one_of("token", lambda so_far: range(len(so_far.tokens)), "the tokens there are"),
    "a": decimal("a", -MAX_ENTRY, MAX_ENTRY),
    "b": decimal("b", -MAX_ENTRY, MAX_ENTRY),
    "size": choice("size", SIZES),
}
# What follows from another setting is no fault of the person.
BlockLessonSettings.SILENT = frozenset({"kv_heads", "block", "token"})


@dataclass(frozen=True)
class BlockTrace(ReadOnly):
    """One block, every tensor of it. All arrays are read-only float64."""

    settings: BlockLessonSettings
    tokens: tuple[str, ...]
    vocabulary: tuple[str, ...]
    steps: BlockSteps  # x, the norms, what is added and the sums
    q: np.ndarray  # [H, T, d_k] after RoPE, if any
    k: np.ndarray  # [Hkv, T, d_k] after RoPE, if any
    v: np.ndarray  # [Hkv, T, d_k]
    scaled: np.ndarray  # [H, T, T] scores over sqrt(d_k), before the causal mask
    context: np.ndarray  # [T, D] the heads' outputs side by side
    into_bend: np.ndarray  # [T, d_ff] x W1: what SiLU or GELU bends
    bent: np.ndarray  # [T, d_ff] SiLU or GELU of it
    linear: np.ndarray | None  # [T, d_ff] x W3, the branch without SiLU; None for GELU
    hidden: np.ndarray  # [T, d_ff] what W2 narrows: bent, times linear if there is one
    output: np.ndarray  # [T, D] by transformer_block

    def side_by_side(self, name: str) -> np.ndarray:
        """Return the heads of q, k or v next to each other, ``[T, H d_k]``."""
        return merge_heads(getattr(self, name))

    def kv_head(self, head: int) -> int:
        """Return the KV head that a query head reads."""
        return kv_head_of(head, self.settings.heads, self.settings.n_kv_heads)

    @property
    def step_names(self) -> tuple[str, ...]:
        """The names of the six steps in their order."""
        return STEPS[self.settings.norm_place]


def trace_block(settings: BlockLessonSettings) -> BlockTrace:
    """Return every array of the block that is looked at, on the tokens of the text.

    Args:
        settings: valid by construction.

    Returns:
        A trace whose arrays cannot be written to; ``steps.output`` equals ``output``.

    Source: Vaswani et al. 2017; Radford et al. 2019 (GPT-2); Touvron et al. 2023 (LLaMA).
    """
    model, build = weights_of(settings), settings.build
    x = embed(token_ids(settings), model)
    for earlier in model.blocks[: settings.block]:
        x = transformer_block(x, earlier, build)
    weights = model.blocks[settings.block]
    steps = block_steps(x, weights, build)
    q, k, v, scaled, context = _inside_attention(steps.into_attention, weights, build)
    into_bend = _plus(steps.into_mlp @ weights.w1, weights.b1)
    bent = gelu(into_bend) if weights.w3 is None else silu(into_bend)
    linear = None if weights.w3 is None else steps.into_mlp @ weights.w3
    hidden = bent if linear is None else bent * linear
    output = transformer_block(x, weights, build)
    vocabulary = vocabulary_of(settings.tokens)
    return BlockTrace(
        settings, settings.tokens, vocabulary, steps, q, k, v, scaled, context,
        into_bend, bent, linear, hidden, output,
    )  # fmt: skip


def weights_of(settings: BlockLessonSettings) -> TransformerWeights:
    """Return the small model's random weights.

    Args:
        settings: style, widths, layers, seed and text count.

    Returns:
        Weights of ``layers`` blocks over the vocabulary of the text; a final norm for pre-norm only.
    """
    weights = model_weights(
        settings.style,
        settings.seed,
        vocabulary_of(settings.tokens),
        settings.layers,
        settings.d_model,
        settings.n_kv_heads * settings.d_k,
    )
    if settings.norm_place == "pre":
        return weights
    return replace(weights, final_norm=None, final_norm_bias=None)  # the last block ends with a norm


def token_ids(settings: BlockLessonSettings) -> np.ndarray:
    """Return the row of each of the text's tokens in the vocabulary.

    Args:
        settings: the text counts.

    Returns:
        int ``[T]``.
    """
    vocabulary = vocabulary_of(settings.tokens)
    return np.array([vocabulary.index(token) for token in settings.tokens])


def norm_statistics(x: np.ndarray, style: str) -> dict[str, np.ndarray]:
    """Return what a norm finds in each token's vector, by name.

    Args:
        x: ``[T, D]``.
        style: "llama" for RMSNorm, "gpt2" for LayerNorm.

    Returns:
        ``[T]`` each: the root mean square, or mean and standard deviation.
    """
    if style == "llama":
        return {"RMS": np.sqrt((x**2).mean(axis=-1))}
    return {"mean": x.mean(axis=-1), "SD": x.std(axis=-1)}


def sizes(vectors: np.ndarray) -> np.ndarray:
    """Return the length of each token's vector.

    Args:
        vectors: ``[..., D]``.

    Returns:
        ``[...]``, at least 0.
    """
    return np.sqrt((vectors**2).sum(axis=-1))


def _inside_attention(x: np.ndarray, weights: BlockWeights, build: BlockSettings) -> Iterable[np.ndarray]:
    """What ``multi_head_attention`` has inside: q, k, v, the scaled scores, the heads side by side."""
    n_kv_heads = build.n_kv_heads or build.n_heads
    q = split_heads(_plus(x @ weights.w_q, weights.b_q), build.n_heads)
    k = split_heads(_plus(x @ weights.w_k, weights.b_k), n_kv_heads)
    v = split_heads(_plus(x @ weights.w_v, weights.b_v), n_kv_heads)
    if build.style == "llama":
        positions = np.arange(x.shape[-2])
        q, k = (
            apply_rope(each, positions, base=build.rope_base, pairing=build.rope_pairing) for each in (q, k)
        )
    shared = group_size(build.n_heads, n_kv_heads)
    keys, values = repeat_kv(k, shared), repeat_kv(v, shared)
    context, _ = scaled_dot_product_attention(q, keys, values, is_causal=True)
    scaled = q @ keys.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    return q, k, v, scaled, merge_heads(context)


def _plus(x: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
    return x if bias is None else x + bias
