"""What a head's picture looks like, as six numbers between 0 and 1. A number, not a meaning."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class HeadScore:
    """One way to sort heads."""

    key: str
    title: str
    formula: str  # LaTeX, of a head's weights A
    words: str  # what is averaged, in one sentence
    of: Callable[[np.ndarray, np.ndarray, tuple[str, ...]], np.ndarray | None]


def previous(weights: np.ndarray, visible: np.ndarray, words: tuple[str, ...]) -> np.ndarray | None:
    """Return the mean weight on the token before: mean over i >= 1 of A[i, i-1].

    Args:
        weights: ``[..., T, T]``, rows sum to 1.
        visible: bool ``[T, T]``, True = may attend.
        words: T words; equal words count as the same.

    Returns:
        ``[...]`` in 0..1, or None where no query has such a key.
    """
    return _mean_over(weights, np.eye(len(words), k=-1, dtype=bool) & visible)


def following(weights: np.ndarray, visible: np.ndarray, words: tuple[str, ...]) -> np.ndarray | None:
    """Return the mean weight on the token after: mean over i of A[i, i+1]. Arguments as :func:`previous`."""
    return _mean_over(weights, np.eye(len(words), k=1, dtype=bool) & visible)


def same_word(weights: np.ndarray, visible: np.ndarray, words: tuple[str, ...]) -> np.ndarray | None:
    """Return the mean weight on other places of the same word, over queries that have one in view.

    Token 0 is left out as a key: weight goes there whatever word it is. Arguments and result as
    :func:`previous`.
    """
    target = _copies(words) & visible
    target[:, 0] = False
    return _mean_over(weights, target)


def first_token(weights: np.ndarray, visible: np.ndarray, words: tuple[str, ...]) -> np.ndarray | None:
    """Return the mean weight on token 0, over the other queries. Arguments as :func:`previous`."""
    target = np.zeros_like(visible)
    target[1:, 0] = True
    return _mean_over(weights, target & visible)


def induction(weights: np.ndarray, visible: np.ndarray, words: tuple[str, ...]) -> np.ndarray | None:
    """Return the mean weight on what came after an earlier place of the same word.

    The mean runs over the queries with an earlier place of their word. Arguments and result as
    :func:`previous`.

    Source: Olsson et al. 2022, In-context Learning and Induction Heads, section on prefix matching.
    """
    earlier = np.tril(_copies(words), k=-1)
    target = np.zeros_like(visible)
    target[:, 1:] = earlier[:, :-1]
    np.fill_diagonal(target, False)  # "the the": what comes after is the query itself
    return _mean_over(weights, target & visible)


def broadness(weights: np.ndarray, visible: np.ndarray, words: tuple[str, ...]) -> np.ndarray | None:
    """Return the mean of entropy / log(keys in view), over queries with two keys or more.

    0: all weight on one key; 1: the same weight on each. Arguments and result as :func:`previous`.
    """
    n_keys = visible.sum(axis=-1)
    rows = n_keys >= 2
    if not rows.any():
        return None
    w = weights[..., rows, :]
    logs = np.log(w, out=np.zeros_like(w), where=w > 0)
    return (-(w * logs).sum(axis=-1) / np.log(n_keys[rows])).mean(axis=-1)


SCORES = {
    score.key: score
    for score in (
        HeadScore(
            "previous", "previous token", r"\operatorname{mean}_{i\ge 1}\,A_{i,\,i-1}",
            "the weight on the token just before, over all queries but the first", previous,
        ),
        HeadScore(
            "next", "next token", r"\operatorname{mean}_{i<T-1}\,A_{i,\,i+1}",
            "the weight on the token just after, over all queries but the last; a causal mask hides it",
            following,
        ),
        HeadScore(
            "same", "same word", r"\operatorname{mean}_{i}\sum_{j\ge 1,\ j\ne i,\ w_j=w_i}A_{ij}",
            "the weight on other places of the query’s word, token 0 left out, over queries that have one "
            "in view",
            same_word,
        ),
        HeadScore(
            "first", "first token", r"\operatorname{mean}_{i\ge 1}\,A_{i0}",
            "the weight on token 0, a common sink, over all queries but the first", first_token,
        ),
        HeadScore(
            "induction", "induction", r"\operatorname{mean}_{i}\sum_{j<i,\ w_j=w_i}A_{i,\,j+1}",
            "the weight on what came after an earlier place of the query’s word, over queries that have one",
            induction,
        ),
        HeadScore(
            "broad", "broad", r"\operatorname{mean}_{i}\;\frac{-\sum_j A_{ij}\ln A_{ij}}{\ln n_i}",
            "a row’s entropy by its largest possible value, over rows with at least two keys in view",
            broadness,
        ),
    )
}  # fmt: skip


def word_of(token: str) -> str:
    """Return what makes two tokens the same word: their letters, whatever their case."""
    return token.casefold()


def _copies(words: tuple[str, ...]) -> np.ndarray:
    """Bool ``[T, T]``: j is another place of i's word."""
    names = np.array([word_of(word) for word in words])
    same = names[:, None] == names
    np.fill_diagonal(same, False)
    return same


def _mean_over(weights: np.ndarray, target: np.ndarray) -> np.ndarray | None:
    """The mean, over the queries that have a target, of the weight on all of their targets."""
    rows = target.any(axis=-1)
    if not rows.any():
        return None
    return np.where(target, weights, 0.0).sum(axis=-1)[..., rows].mean(axis=-1)
