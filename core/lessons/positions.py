"""RoPE on one query and one key: the turned pairs, their score, and the score at every distance."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from core.inputs import word_vector
from core.ops.rope import apply_rope, pair_columns, rope_angles
from core.query import Linked, Parameter, Reading, boolean, choice, decimal, integer, number_in, repaired
from core.readonly import ReadOnly
from core.settings import MAX_SEED, MAX_SHIFT, PAIRINGS, read_text
from core.tokens import tokenize

MAX_WORDS, MAX_WIDTH, MAX_POSITION = 8, 128, 4096
EXAMPLES = ("drawn", "same", "lesson")
ORDER_FROM = ("none", "waves", "rope")
LESSON_Q, LESSON_K, LESSON_SPEED = (1.0, 2.0), (3.0, 1.0), 0.5
_REACHES = (64, 512, MAX_POSITION)  # how far the curve goes: the nearest that holds the distance


@dataclass(frozen=True)
class PositionsSettings(Linked):
    """What the page about positions shows. Illegal values raise ``SettingError``."""

    text: str = "dog bites man"  # at most 8 words
    order: tuple[int, ...] = ()  # which word stands at each place; () becomes the reverse
    causal: bool = False
    order_from: str = "none"  # what tells attention the order: nothing, waves added, or RoPE
    example: str = "drawn"  # q and k: drawn, one vector for both ("same"), or lesson C's pair
    d_k: int = 8  # even, 2..128
    rope_base: float = 10000.0  # 1..1e7
    pairing: str = "interleaved"
    m: int = 7  # position of the query, 0..4096
    n: int = 4  # position of the key
    rope_offset: int = 0  # moves both, 0..1e6
    seed: int = 0

    @property
    def words(self) -> tuple[str, ...]:
        """The words as typed; never empty."""
        return tokenize(self.text).tokens

    @property
    def width(self) -> int:
        """Entries of q and k in force; lesson C's pair has two."""
        return len(LESSON_Q) if self.example == "lesson" else self.d_k

    @property
    def speed(self) -> float:
        """What positions are multiplied by: lesson C takes θ = 0.5 where the formula gives 1."""
        return LESSON_SPEED if self.example == "lesson" else 1.0

    @property
    def positions(self) -> tuple[int, int]:
        """Where the query and the key stand, moved together."""
        return self.m + self.rope_offset, self.n + self.rope_offset

    @property
    def distance(self) -> int:
        """How far the key lies behind the query, m - n."""
        return self.m - self.n


@dataclass(frozen=True)
class RopeTrace(ReadOnly):
    """One query and one key, turned. All arrays are read-only float64."""

    settings: PositionsSettings
    q: np.ndarray  # [d_k] as projected, before any rotation
    k: np.ndarray  # [d_k]
    q_rotated: np.ndarray  # [d_k] at the query's position
    k_rotated: np.ndarray  # [d_k] at the key's
    speeds: np.ndarray  # [d_k/2] θ_i, radians a position
    q_angles: np.ndarray  # [d_k/2] m θ_i
    k_angles: np.ndarray  # [d_k/2] n θ_i
    pairs: tuple[np.ndarray, np.ndarray]  # columns of each pair's first and second entry
    shares: np.ndarray  # [d_k/2] what each pair adds to the score
    distances: np.ndarray  # [2 R + 1] whole numbers, m - n of the curve
    curve: np.ndarray  # [2 R + 1] the score at each

    @property
    def score(self) -> float:
        """The turned query times the turned key."""
        return float(self.shares.sum())

    @property
    def unrotated(self) -> float:
        """q·k as they are, and whenever both stand at the same position."""
        return float(self.q @ self.k)

    @property
    def bound(self) -> float:
        """The largest score that these lengths allow, every pair pointing the same way."""
        return float((lengths(self.q, self.pairs) * lengths(self.k, self.pairs)).sum())


def trace_rope(settings: PositionsSettings) -> RopeTrace:
    """Return a query and a key turned at their positions, and the score at every distance.

    Args:
        settings: valid by construction.

    Returns:
        A trace whose arrays cannot be written to; its score depends on m - n alone.

    Source: Su et al. 2024 (RoFormer), section 3.2.
    """
    q, k = vectors(settings)
    first, second = pair_columns(settings.width, settings.pairing)
    at = settings.speed * np.array(settings.positions, dtype=np.float64)
    turned = apply_rope(np.stack([q, k]), at, base=settings.rope_base, pairing=settings.pairing)
    angles = rope_angles(at, settings.width, settings.rope_base)
    products = turned[0] * turned[1]
    distances, curve = _curve(_about_curve(settings), _reach(settings.distance))
    return RopeTrace(
        settings, q, k, turned[0], turned[1],
        rope_angles(np.array([settings.speed]), settings.width, settings.rope_base)[0],
        angles[0], angles[1], (first, second), products[first] + products[second], distances, curve,
    )  # fmt: skip


def vectors(settings: PositionsSettings) -> tuple[np.ndarray, np.ndarray]:
    """Return the query and the key before any rotation.

    Args:
        settings: which example; a larger d_k adds entries to drawn ones.

    Returns:
        Two arrays ``[width]``.
    """
    if settings.example == "lesson":
        return np.array(LESSON_Q), np.array(LESSON_K)
    q, k = drawn(settings, 0)
    return q, q.copy() if settings.example == "same" else k


def drawn(settings: PositionsSettings, head: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a standard normal query and key that belong to one head.

    Args:
        settings: the seed and d_k count.
        head: 0, 1, ...

    Returns:
        Two arrays ``[d_k]``.
    """
    q, k = (word_vector(settings.seed, "", f"position {role}", head)[: settings.d_k] for role in "qk")
    return q.copy(), k.copy()


def rope_scores(
    q: np.ndarray,
    k: np.ndarray,
    query_positions: Sequence[float] | np.ndarray,
    key_positions: Sequence[float] | np.ndarray,
    *,
    base: float = 10000.0,
    pairing: str = "interleaved",
    key_pairing: str = "",
) -> np.ndarray:
    """Return the scores of one query and one key at several pairs of positions.

    Args:
        q: ``[d_k]``.
        k: ``[d_k]``.
        query_positions: ``[N]``.
        key_positions: ``[N]``.
        base: see ``core.ops.rope.rope_angles``.
        pairing: of both, or of the query where the key has another.
        key_pairing: of the key; "" for the query's, as it has to be.

    Returns:
        ``[N]``; with one pairing each depends on the difference of its two positions alone.
    """
    m, n = np.asarray(query_positions, dtype=np.float64), np.asarray(key_positions, dtype=np.float64)
    turned_q = apply_rope(np.tile(q, (len(m), 1)), m, base=base, pairing=pairing)
    turned_k = apply_rope(np.tile(k, (len(n), 1)), n, base=base, pairing=key_pairing or pairing)
    return (turned_q * turned_k).sum(axis=-1)


def lengths(x: np.ndarray, pairs: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return the length of each pair of a vector, which no rotation changes.

    Args:
        x: ``[..., d_k]``.
        pairs: columns, as of ``core.ops.rope.pair_columns``.

    Returns:
        ``[..., d_k/2]``.
    """
    return np.hypot(x[..., pairs[0]], x[..., pairs[1]])


def _reach(distance: int) -> int:
    return next(reach for reach in _REACHES if abs(distance) <= reach)


def _about_curve(settings: PositionsSettings) -> PositionsSettings:
    """The settings with nothing left that the curve does not depend on: dragging m leaves it."""
    about = ("example", "d_k", "rope_base", "pairing", "seed")
    return replace(PositionsSettings(), **{name: getattr(settings, name) for name in about})


@lru_cache(maxsize=256)
def _curve(settings: PositionsSettings, reach: int) -> tuple[np.ndarray, np.ndarray]:
    q, k = vectors(settings)
    distances = np.arange(-reach, reach + 1)
    turned = apply_rope(
        np.tile(q, (len(distances), 1)), settings.speed * distances,
        base=settings.rope_base, pairing=settings.pairing,
    )  # fmt: skip
    return distances, turned @ k  # at position 0, where nothing is turned


# --- reading what has rules of its own ------------------------------------------------------------


def _read_words(text: str, so_far: Any) -> Reading:
    if not tokenize(text).tokens:
        return so_far.default("text"), "The text holds no word, so the first sentence is shown; type one."
    words, note = read_text(text, so_far)
    tokens = words.split(" ")
    if len(tokens) <= MAX_WORDS:
        return words, note
    return " ".join(
        tokens[:MAX_WORDS]
    ), f"The text has more than {MAX_WORDS} words; the first ones are shown."


def _read_order(text: str, so_far: Any) -> Reading:
    n = len(so_far.words)
    backwards = tuple(reversed(range(n)))
    if not text:
        return backwards, ""
    places = tuple(number_in(part) for part in text.split(","))
    if len(places) == n and set(places) == set(range(n)):
        return tuple(int(place) for place in places if place is not None), ""
    legal = f"each of 0 to {n - 1} once, with commas between"
    return backwards, repaired("order", text, ",".join(map(str, backwards)), legal)


def _read_even(text: str, so_far: Any) -> Reading:
    value, note = integer("d_k", 2, MAX_WIDTH).read(text, so_far)
    if value % 2:
        return value - 1, repaired("d_k", text, value - 1, f"RoPE turns pairs: even, 2 to {MAX_WIDTH}")
    return value, note


PositionsSettings.PARAMETERS = {
    "text": Parameter(_read_words),
    "order": Parameter(_read_order, lambda order: ",".join(map(str, order))),
    "causal": boolean("causal"),
    "order_from": choice("order_from", ORDER_FROM),
    "example": choice("example", EXAMPLES),
    "d_k": Parameter(_read_even),
    "rope_base": decimal("rope_base", 1.0, 1e7),
    "pairing": choice("pairing", PAIRINGS),
    "m": integer("m", 0, MAX_POSITION),
    "n": integer("n", 0, MAX_POSITION),
    "rope_offset": integer("rope_offset", 0, MAX_SHIFT),
    "seed": integer("seed", 0, MAX_SEED),
}
PositionsSettings.SILENT = frozenset({"order"})  # a new text has an order of its own
