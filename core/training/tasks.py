"""What there is to learn: sequences, the token wanted at each position, and where it counts."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from core.training.runs import Run

PERIODS = (8, 24)  # induction: the least and the largest number of tokens before the repetition
PROBE_PERIOD, PROBE_LENGTH = 12, 24
HELD_OUT = 0.1  # of the text, at its end
_TEXT = Path(__file__).parents[2] / "assets" / "training" / "shakespeare.txt"
_PROBE_TEXT = "Come, come, have with yo"  # of the part that is held out
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef"


@dataclass(frozen=True)
class Batch:
    """Sequences with what is wanted of them."""

    tokens: np.ndarray  # [B, T] whole numbers
    wanted: np.ndarray  # [B, T] the token to be predicted at each position
    counts: np.ndarray  # [B, T] bool: whether the position counts
    period: np.ndarray | None = None  # [B] of a repetition


def draw(run: Run, rng: np.random.Generator, *, held_out: bool = False, size: int = 0) -> Batch:
    """Return a random batch of a run's task.

    Args:
        run: whose task.
        rng: what draws.
        held_out: the text that is not trained on; for the other tasks, what is new by being random, and
            for a repetition, any period whatever the run's own.
        size: sequences; 0 = as many as the run trains on at once.

    Returns:
        ``size`` sequences of ``run.length`` tokens.
    """
    size = size or run.batch
    if run.task == "text":
        return text_batch(rng, size, run.length, held_out=held_out)
    if run.task == "previous":
        return previous_batch(rng, size, run.length, run.build.n_symbols)
    return induction_batch(rng, size, run.length, run.build.n_symbols, 0 if held_out else run.period)


def induction_batch(
    rng: np.random.Generator, size: int, length: int, n_symbols: int, period: int = 0
) -> Batch:
    """Return sequences that repeat: p different tokens, then the same again, and again.

    Wanted is the next token; what has not been seen before cannot be known and does not count.

    Args:
        rng: what draws.
        size: B.
        length: T.
        n_symbols: V, at least the longest period.
        period: p for all; 0 = each sequence its own.

    Returns:
        ``[B, T]``; position i counts if i >= p.
    """
    low, high = PERIODS
    periods = np.full(size, period) if period else rng.integers(low, high + 1, size)
    order = rng.random((size, n_symbols)).argsort(axis=1)  # a random order of all tokens for each
    place = np.arange(length + 1) % periods[:, None]
    tokens = np.take_along_axis(order, place, axis=1)
    counts = np.arange(length) >= periods[:, None]
    return Batch(tokens[:, :-1], tokens[:, 1:], counts, periods)


def previous_batch(rng: np.random.Generator, size: int, length: int, n_symbols: int) -> Batch:
    """Return random tokens; wanted is the token *before* each position: order, and nothing else.

    Args:
        rng: what draws.
        size: B.
        length: T.
        n_symbols: V.

    Returns:
        ``[B, T]``; position 0 has none before it and does not count.
    """
    tokens = rng.integers(0, n_symbols, (size, length))
    counts = np.broadcast_to(np.arange(length) > 0, tokens.shape)
    return Batch(tokens, np.roll(tokens, 1, axis=1), counts)


def text_batch(rng: np.random.Generator, size: int, length: int, *, held_out: bool) -> Batch:
    """Return pieces of the text; wanted is the next character.

    Args:
        rng: what draws.
        size: B.
        length: T.
        held_out: from the last tenth, which is never trained on.

    Returns:
        ``[B, T]``; every position counts.
    """
    codes = codes_of(text())
    split = round(len(codes) * (1 - HELD_OUT))
    part = codes[split:] if held_out else codes[:split]
    starts = rng.integers(0, len(part) - length, size)
    pieces = part[starts[:, None] + np.arange(length + 1)]
    return Batch(pieces[:, :-1], pieces[:, 1:], np.ones((size, length), dtype=bool))


def probe(run: Run) -> np.ndarray:
    """Return the one sequence on which a run's heads are drawn, ``[T]``, the same for every seed."""
    rng = np.random.default_rng(12)
    if run.task == "text":
        return codes_of(_PROBE_TEXT)
    if run.task == "previous":
        return previous_batch(rng, 1, run.length, run.build.n_symbols).tokens[0]
    return induction_batch(rng, 1, PROBE_LENGTH, run.build.n_symbols, PROBE_PERIOD).tokens[0]


def names_of(run: Run, tokens: np.ndarray) -> tuple[str, ...]:
    """Return tokens as they are shown: letters for random ones, and signs for what cannot be seen."""
    if run.task != "text":
        return tuple(_LETTERS[token] for token in tokens)
    signs = {" ": "␣", "\n": "⏎"}
    return tuple(signs.get(alphabet()[token], alphabet()[token]) for token in tokens)


@cache
def text() -> str:
    """Return the slice of Shakespeare; its source is named beside the file."""
    return _TEXT.read_bytes().decode()


@cache
def alphabet() -> tuple[str, ...]:
    """Return the text's characters, in the order of their codes here."""
    return tuple(sorted(set(text())))


def codes_of(characters: str) -> np.ndarray:
    """Return text as whole numbers, one for each character.

    Args:
        characters: of the alphabet.
    """
    if characters == text():
        return _all_codes()
    return np.array([alphabet().index(each) for each in characters])


@cache
def _all_codes() -> np.ndarray:
    codes = {character: i for i, character in enumerate(alphabet())}
    found = np.array([codes[character] for character in text()])
    found.setflags(write=False)
    return found
