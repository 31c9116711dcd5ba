"""The small model's weights: drawn, so that a control changes only what it names.

They are what a model has before training: matrices drawn so that variance stays 1, gains 1, biases 0.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from core.inputs import word_vector
from core.ops.block import BlockWeights, TransformerWeights
from core.settings import MAX_D_K
from core.tokens import MAX_TOKENS

FEW_MORE = ("a", "dog", "ran", ".")  # words that the vocabulary has besides those of the text
_POSITION = 0.5  # spread of learned positions beside that of embeddings, 1
_WIDEST = 32  # D; hidden layers are up to 4 times as wide
_MULTIPLE = 4  # LLaMA rounds its hidden width up to a multiple, of 256


def vocabulary_of(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Return the different words of a text in order of appearance, and a few more.

    Args:
        tokens: the text.
    """
    return tuple(dict.fromkeys((*tokens, *FEW_MORE)))


def hidden_width(style: str, d_model: int, multiple: int = _MULTIPLE) -> int:
    """Return the MLP's hidden width: 4 D, or with three matrices 8/3 D, so that both cost 8 D^2.

    Args:
        style: "llama" or "gpt2".
        d_model: D.
        multiple: what LLaMA's width is rounded up to.

    Source: Radford et al. 2018; Touvron et al. 2023, section 2.2.
    """
    if style == "gpt2":
        return 4 * d_model
    return -(-(8 * d_model // 3) // multiple) * multiple


@lru_cache(maxsize=64)
def model_weights(
    style: str, seed: int, vocabulary: tuple[str, ...], n_layers: int, d_model: int, kv_width: int
) -> TransformerWeights:
    """Return random weights of a whole model. Another layer or a larger width adds to what was drawn.

    Args:
        style: "llama", or "gpt2" with learned positions, biases, and embeddings that are tied.
        seed: 0..2^31-1.
        vocabulary: a word for each row of the embedding.
        n_layers: L.
        d_model: D.
        kv_width: Hkv d_k, columns of W_K and W_V.
    """
    words = _rows([word_vector(seed, word, "embedding", 0) for word in vocabulary], d_model)
    one, zero = np.ones(d_model), np.zeros(d_model)
    one.setflags(write=False)
    zero.setflags(write=False)
    blocks = tuple(block_weights(style, seed, layer, d_model, kv_width) for layer in range(n_layers))
    if style == "gpt2":
        learned = [word_vector(seed, "", "position", i) for i in range(MAX_TOKENS)]
        positions = _rows(learned, d_model, _POSITION)
        return TransformerWeights(words, blocks, one, zero, positions)
    out = _rows([word_vector(seed, word, "unembedding", 0) for word in vocabulary], d_model, d_model**-0.5)
    return TransformerWeights(words, blocks, one, unembedding=out.T)


@lru_cache(maxsize=256)
def block_weights(style: str, seed: int, layer: int, d_model: int, kv_width: int) -> BlockWeights:
    """Return the random weights of one block.

    Args:
        style: "llama" or "gpt2".
        seed: 0..2^31-1.
        layer: which block, from 0.
        d_model: D.
        kv_width: Hkv d_k, columns of W_K and W_V.
    """

    def drawn(name: str, n_in: int, n_out: int, widest: int = _WIDEST) -> np.ndarray:
        """Variance 1 / n_in, so that what comes out varies as much as what goes in.

        A row keeps its place whatever its width: ``widest`` numbers are set aside for it.
        """
        shared = MAX_D_K // widest
        vectors = [word_vector(seed, f"{layer}", name, i) for i in range(-(-n_in // shared))]
        return _rows(np.reshape(vectors, (-1, widest))[:n_in], n_out, n_in**-0.5)

    def same(value: float, width: int) -> np.ndarray:
        array = np.full(width, float(value))
        array.setflags(write=False)
        return array

    d, d_ff = d_model, hidden_width(style, d_model)
    attention = (drawn("w_q", d, d), drawn("w_k", d, kv_width), drawn("w_v", d, kv_width), drawn("w_o", d, d))
    mlp = (drawn("w1", d, d_ff, 4 * _WIDEST), drawn("w2", d_ff, d))
    if style == "llama":
        return BlockWeights(same(1, d), *attention, same(1, d), *mlp, drawn("w3", d, d_ff, 4 * _WIDEST))
    return BlockWeights(
        same(1, d), *attention, same(1, d), *mlp,
        norm_1_bias=same(0, d), b_q=same(0, d), b_k=same(0, kv_width), b_v=same(0, kv_width),
        b_o=same(0, d), norm_2_bias=same(0, d), b1=same(0, d_ff), b2=same(0, d),
    )  # fmt: skip


def _rows(vectors: Sequence[np.ndarray] | np.ndarray, width: int, spread: float = 1.0) -> np.ndarray:
    rows = spread * np.array([vector[:width] for vector in vectors])
    rows.setflags(write=False)
    return rows
