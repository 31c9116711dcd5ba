"""Where q, k and v come from: drawn, given as numbers, or built by hand. Never from X times W.

Drawn numbers depend on nothing but the seed, the word, the role, the head and the component. So
a mask, a scale or another number of heads leaves them alone, and a larger d_k adds components.
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.examples import WORKED_EXAMPLES
from core.ops.heads import group_size
from core.ops.rope import pair_columns, rope_angles
from core.settings import MAX_D_K, AttentionSettings

PATTERN_NAMES = ("previous token", "same word", "first token", "broad")
_GAP = 6.0  # how far a pattern's chosen key stands out, in scaled score at the scale 1/sqrt(d_k)


@dataclass(frozen=True)
class Inputs:
    """Named queries and keys: q [H, Tq, d_k], k [Hkv, Tk, d_k], v [Hkv, Tk, d_v]."""

    query_tokens: tuple[str, ...]
    key_tokens: tuple[str, ...]
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray


def inputs_of(settings: AttentionSettings) -> Inputs:
    """Return the queries, keys and values that the settings name, before any rotation."""
    numbers = settings.given
    if numbers is not None:
        query_tokens, key_tokens = _given_names(settings)
        return Inputs(
            query_tokens,
            key_tokens,
            *(np.array(matrix, dtype=np.float64)[None] for matrix in (numbers.q, numbers.k, numbers.v)),
        )
    tokens = settings.tokens
    if settings.source == "patterns":
        return Inputs(tokens, tokens, *_pattern_inputs(settings))
    drawn = [
        _drawn(settings.seed, tokens, role, n_heads, settings.d_k)
        for role, n_heads in (("q", settings.heads), ("k", settings.kv_heads), ("v", settings.kv_heads))
    ]
    return Inputs(tokens, tokens, *drawn)


def word_vector(seed: int, word: str, role: str, head: int) -> np.ndarray:
    """Return 512 independent standard normal numbers that belong to a word in a role and a head.

    The generator is seeded by SHA-256, never by Python's ``hash``, which changes at every start;
    MT19937 through ``RandomState`` is the one stream that NumPy promises never to change.

    Args:
        seed: 0..2^31-1.
        word: any text.
        role: "q", "k" or "v".
        head: 0, 1, ...

    Returns:
        ``[512]``, mean 0 and variance 1, read-only. A narrower vector is its beginning.
    """
    return _word_vector(seed, word, role, head)


@lru_cache(maxsize=16384)  # 4 kB each: every word of many pages, at most 64 MB
def _word_vector(seed, word, role, head):
    name = "\0".join((str(seed), role, str(head), word)).encode()
    state = np.frombuffer(hashlib.sha256(name).digest(), dtype=np.uint32)
    vector = np.random.RandomState(state).standard_normal(MAX_D_K)
    vector.setflags(write=False)
    return vector


def _drawn(seed, tokens, role, n_heads, width):
    heads = [[word_vector(seed, token, role, h)[:width] for token in tokens] for h in range(n_heads)]
    return np.array(heads)  # [H, T, width]


def _given_names(settings):
    if settings.source in WORKED_EXAMPLES:
        example = WORKED_EXAMPLES[settings.source]
        return example.query_tokens, example.key_tokens
    n_queries, n_keys = len(settings.numbers.q), len(settings.numbers.k)
    return tuple(f"q{i}" for i in range(n_queries)), tuple(f"k{j}" for j in range(n_keys))


# --- heads built by hand -----------------------------------------------------------------------


def _pattern_inputs(settings):
    """Four heads whose q and k are chosen so that each does one thing; v is drawn."""
    tokens, d_k = settings.tokens, settings.d_k
    previous = _previous_token_head(settings, len(tokens))
    same = _same_word_head(settings, tokens)
    first = _first_token_head(settings, len(tokens))
    broad = np.zeros((2, len(tokens), d_k))
    q, k = np.stack([previous, same, first, broad], axis=1)  # each [4, T, d_k]
    group_size(len(q), settings.n_kv_heads)
    return q, k, _drawn(settings.seed, tokens, "v", len(q), d_k)


def _previous_token_head(settings, n_tokens):
    """Every query is one vector turned back by one position: it meets the key one step behind.

    After RoPE the score is g * sum_i cos((m - n - 1) theta_i), largest at n = m - 1.
    Without RoPE every score is the same, and the head has nothing to go by.
    """
    angles = rope_angles(np.array([1.0]), _even(settings.d_k), settings.rope_base)[0]
    gain = _GAP * settings.d_k**0.5 / (1 - np.cos(angles)).sum()
    q = _in_pairs(settings, np.cos(angles), -np.sin(angles))
    k = _in_pairs(settings, np.ones_like(angles), np.zeros_like(angles))
    return np.stack([np.tile(gain * q, (n_tokens, 1)), np.tile(k, (n_tokens, 1))])


def _same_word_head(settings, tokens):
    """Query and key of a word are one direction of length 1, drawn for the word."""
    slow = _slow_columns(settings)
    vectors = np.zeros((len(tokens), settings.d_k))
    for i, token in enumerate(tokens):
        direction = word_vector(settings.seed, token, "word", 0)[: len(slow)]
        vectors[i, slow] = direction / np.linalg.norm(direction)
    return np.stack([2 * _GAP * settings.d_k**0.5 * vectors, vectors])


def _first_token_head(settings, n_tokens):
    """Only the first key is not zero, and every query points at it."""
    column = _slow_columns(settings)[0]
    q, k = np.zeros((2, n_tokens, settings.d_k))
    q[:, column] = _GAP * settings.d_k**0.5
    k[0, column] = 1.0
    return np.stack([q, k])


def _even(width):
    return width - width % 2


def _slow_columns(settings):
    """The columns of the slower half of the pairs, slowest last: RoPE hardly turns them."""
    first, second = pair_columns(_even(settings.d_k), settings.pairing)
    half = len(first) // 2
    return np.concatenate([first[half:][::-1], second[half:][::-1]])


def _in_pairs(settings, a, b):
    vector = np.zeros(settings.d_k)
    first, second = pair_columns(_even(settings.d_k), settings.pairing)
    vector[first], vector[second] = a, b
    return vector
