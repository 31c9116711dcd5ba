"""The road to attention: how far a word is from another, and what a score costs."""

from dataclasses import dataclass

import numpy as np

from core.inputs import word_vector
from core.ops.attention import additive_attention, scaled_dot_product_attention
from core.readonly import ReadOnly
from core.tokens import tokenize

SENTENCE = tokenize("The animal didn't cross the street because it was too tired").tokens
SUBJECT = 1  # "animal"
WORDS = ("cat", "sat", "mat")  # that the two ways to score are compared on


def recurrent_steps(source: int, reader: int) -> int:
    """Return how many updates of the one state lie between two positions of an RNN: |i - j|.

    Args:
        source: a position.
        reader: another.

    Returns:
        At least 0. In self-attention it is 1 for any two positions.

    Source: Vaswani et al. 2017, table 1 (maximum path length).
    """
    return abs(reader - source)


@dataclass(frozen=True)
class Scoring(ReadOnly):
    """Two ways to score the same queries and keys. Arrays are read-only."""

    tokens: tuple[str, ...]
    q: np.ndarray  # [T, d_k]
    k: np.ndarray  # [T, d_k]
    v: np.ndarray  # [T, d_k]
    w_query: np.ndarray  # [d_k, d_hidden]
    w_key: np.ndarray  # [d_k, d_hidden]
    v_score: np.ndarray  # [d_hidden]
    dot_weights: np.ndarray  # [T, T]
    additive_weights: np.ndarray  # [T, T]


def trace_scoring(d_k: int, d_hidden: int, seed: int, tokens: tuple[str, ...] = WORDS) -> Scoring:
    """Return additive and dot-product attention on the same q, k and v.

    Args:
        d_k: width of q, k and v, 1..512.
        d_hidden: width of the small network of additive attention, 1..512.
        seed: of all that is drawn.
        tokens: whose vectors are drawn, one for each word, role and seed.

    Returns:
        A trace. The small network's weights are drawn with variance 1 / fan-in.
    """

    def drawn(role: str) -> np.ndarray:
        return np.array([word_vector(seed, token, role, 0)[:d_k] for token in tokens])

    def weight(name: str, n_rows: int, n_columns: int) -> np.ndarray:
        rows = [word_vector(seed, name, "w", row)[:n_columns] for row in range(n_rows)]
        return np.array(rows) / n_rows**0.5

    q, k, v = drawn("q"), drawn("k"), drawn("v")
    w_query, w_key = weight("query", d_k, d_hidden), weight("key", d_k, d_hidden)
    v_score = weight("score", 1, d_hidden)[0]
    return Scoring(
        tokens=tokens,
        q=q,
        k=k,
        v=v,
        w_query=w_query,
        w_key=w_key,
        v_score=v_score,
        dot_weights=scaled_dot_product_attention(q, k, v)[1],
        additive_weights=additive_attention(q, k, v, w_query, w_key, v_score)[1],
    )


@dataclass(frozen=True)
class Cost:
    """What a way to score needs for a table of Tq x Tk scores."""

    parameters: int
    multiplications: int
    tanhs: int


def dot_product_cost(n_queries: int, n_keys: int, d_k: int) -> Cost:
    """Return the cost of q . k for every pair: d_k multiplications each, no parameters.

    Args:
        n_queries: Tq.
        n_keys: Tk.
        d_k: width.

    Source: Luong, Pham and Manning 2015, section 3.1 ("dot").
    """
    return Cost(0, n_queries * n_keys * d_k, 0)


def additive_cost(n_queries: int, n_keys: int, d_k: int, d_hidden: int) -> Cost:
    """Return the cost of v . tanh(q W_q + k W_k) for every pair, the projections done once a token.

    Args:
        n_queries: Tq.
        n_keys: Tk.
        d_k: width of q and k.
        d_hidden: width of the hidden layer.

    Source: Bahdanau, Cho and Bengio 2015 (first shown 2014), appendix A.1.2.
    """
    return Cost(
        parameters=2 * d_k * d_hidden + d_hidden,
        multiplications=(n_queries + n_keys) * d_k * d_hidden + n_queries * n_keys * d_hidden,
        tanhs=n_queries * n_keys * d_hidden,
    )
