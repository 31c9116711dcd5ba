"""RoPE gone wrong: mixed pairings, rotation before the split, positions that are miscounted."""

from dataclasses import dataclass, replace

import numpy as np

from core.errors import ShapeError
from core.lessons.heads import largest_difference
from core.lessons.order_blind import OrderTrace, attend
from core.lessons.positions import PositionsSettings, drawn, rope_scores, vectors
from core.ops.heads import split_heads
from core.ops.rope import apply_rope, pair_columns, rope_angles
from core.settings import PAIRINGS

HEADS = 2
CACHED = 6  # tokens in the cache where a new one comes
PADS = 3
STEPS = (0, 1, 2, 5)  # how far both positions are moved, to see whether a score stays


@dataclass(frozen=True)
class PairingTrace:
    """The same q and k under both pairings, and mixed."""

    settings: PositionsSettings
    q: np.ndarray  # [d_k]
    k: np.ndarray  # [d_k]
    rotated: dict[str, np.ndarray]  # q by pairing, [d_k]
    owner: dict[str, np.ndarray]  # the pair that each column belongs to, by pairing, [d_k]
    positions: np.ndarray  # [N, 2] of query and key; the distance is the same in all
    scores: dict[str, np.ndarray]  # [N] by pairing, and "mixed": q by neighbours, k by halves
    reordering: np.ndarray  # [d_k] columns that bring neighbours' first entries before the second
    reordered_difference: float  # halves of the reordered q, and the reordered neighbours of q
    reordered_score: float  # by halves, of reordered q and k, at the first positions


def trace_pairings(settings: PositionsSettings) -> PairingTrace:
    """Return q rotated by each pairing, scores at one distance by each and by both mixed.

    Args:
        settings: d_k, base, seed, and the positions m and n.

    Returns:
        A trace; each pairing keeps the score at one distance, mixing them does not, and reordered
        columns make halves of neighbours.

    Source: Su et al. 2024 (RoFormer), section 3.4.2; rotate_half in Hugging Face's LLaMA.
    """
    q, k = drawn(settings, 0)
    base, at = settings.rope_base, np.array([settings.positions[0]])
    positions = np.array(settings.positions) + np.array(STEPS)[:, None]
    rotated, owner = {}, {}
    for pairing in PAIRINGS:
        rotated[pairing] = apply_rope(q[None], at, base=base, pairing=pairing)[0]
        owner[pairing] = np.empty(settings.d_k, dtype=int)
        for columns in pair_columns(settings.d_k, pairing):
            owner[pairing][columns] = np.arange(settings.d_k // 2)
    scores = {p: rope_scores(q, k, *positions.T, base=base, pairing=p) for p in PAIRINGS}
    scores["mixed"] = rope_scores(q, k, *positions.T, base=base, pairing="interleaved", key_pairing="half")
    reordering = np.concatenate(pair_columns(settings.d_k, "interleaved"))
    by_halves = apply_rope(q[reordering][None], at, base=base, pairing="half")[0]
    moved = rope_scores(q[reordering], k[reordering], *positions[:1].T, base=base, pairing="half")
    return PairingTrace(
        settings, q, k, rotated, owner, positions, scores, reordering,
        largest_difference(by_halves, rotated["interleaved"][reordering]), float(moved[0]),
    )  # fmt: skip


@dataclass(frozen=True)
class SplitTrace:
    """Rotation per head after the split, or of the full width before it; two heads."""

    settings: PositionsSettings
    after: np.ndarray  # [d_k/2] θ of every head
    before: np.ndarray  # [H, d_k/2] θ of each head's columns, neighbours paired over the full width
    distances: np.ndarray  # [N] m - n
    shifts: np.ndarray  # [N] how far both were moved
    after_scores: np.ndarray  # [H, N]
    before_scores: np.ndarray  # [H, N] in the chosen pairing

    @property
    def spreads(self) -> np.ndarray:
        """How far scores at one distance lie apart when rotated before the split, ``[H]``."""
        return np.ptp(self.before_scores, axis=1)


def trace_split(settings: PositionsSettings) -> SplitTrace:
    """Return what two heads get when the rotation comes after the split, and before it.

    Args:
        settings: d_k, base, pairing, seed, and the positions m and n.

    Returns:
        A trace. Before the split and with neighbours each head gets other speeds; with halves the
        two entries of a pair land in two heads, and no head's score depends on distance alone.

    Source: rotation per head is what RoFormer, GPT-J and LLaMA do.
    """
    q, k = (np.concatenate(both) for both in zip(*(drawn(settings, h) for h in range(HEADS)), strict=True))
    base, pairing = settings.rope_base, settings.pairing
    m, n = (position + np.array(STEPS) for position in settings.positions)
    width = HEADS * settings.d_k

    def turned(vector: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Rotate full width, then split: ``[H, N, d_k]``."""
        return split_heads(apply_rope(np.tile(vector, (len(at), 1)), at, base=base, pairing=pairing), HEADS)

    after = [rope_scores(*drawn(settings, h), m, n, base=base, pairing=pairing) for h in range(HEADS)]
    return SplitTrace(
        settings,
        rope_angles(np.ones(1), settings.d_k, base)[0],
        rope_angles(np.ones(1), width, base)[0].reshape(HEADS, -1),
        m - n,
        np.array(STEPS),
        np.stack(after),
        (turned(q, m) * turned(k, n)).sum(axis=-1),
    )


@dataclass(frozen=True)
class NewToken:
    """A new token's scores with one key that is cached at several positions."""

    position: int  # where the new token stands
    key_positions: np.ndarray  # [N] as the cache was filled
    scores: np.ndarray  # [N] right
    wrong_position: int  # where the query was rotated instead
    wrong_key_positions: np.ndarray  # [N]
    wrong_scores: np.ndarray  # [N]


def rotated_at_zero(settings: PositionsSettings) -> NewToken:
    """Return a new token's scores when it is rotated at 0: it stands before all that it reads.

    Args:
        settings: the example, base and pairing.

    Returns:
        Scores of one key at positions 0 to 5, for a query at 6 and at 0.
    """
    keys = np.arange(CACHED)
    return _new_token(settings, keys, 0, keys)


def rotated_twice(settings: PositionsSettings) -> NewToken:
    """Return the scores when keys that were cached after rotation are rotated once more.

    Args:
        settings: the example, base and pairing.

    Returns:
        The key at n counts as one at 2n.
    """
    keys = np.arange(CACHED)
    return _new_token(settings, keys, CACHED, 2 * keys)


def counted_two_ways(settings: PositionsSettings) -> NewToken:
    """Return the scores when padding was counted for the cached keys and not for the new token.

    Args:
        settings: the example, base and pairing.

    Returns:
        Every distance is three too short.
    """
    keys = np.arange(CACHED)
    return _new_token(settings, keys, CACHED, keys + PADS)


def only_queries_rotated(settings: PositionsSettings) -> tuple[np.ndarray, np.ndarray]:
    """Return scores at one distance when the key is left as it is.

    Args:
        settings: the example, base, pairing, and positions.

    Returns:
        Right ``[N]``, all equal, and wrong ``[N]``: they follow the query's own position.
    """
    q, k = vectors(settings)
    m, n = (settings.speed * (position + np.array(STEPS)) for position in settings.positions)
    right, wrong = (
        rope_scores(q, k, m, at, base=settings.rope_base, pairing=settings.pairing)
        for at in (n, np.zeros(len(n)))
    )
    return right, wrong


def values_rotated(trace: OrderTrace) -> tuple[float, float]:
    """Return how much the outputs change when the whole text is moved on by three positions.

    Args:
        trace: whose words are attended to with RoPE.

    Returns:
        The largest difference with q and k rotated, which is rounding, and with v rotated too.
    """
    settings = replace(trace.settings, order_from="rope")

    def change(turn_values: bool) -> float:
        at_zero, later = (
            attend(trace.embeddings, settings, trace.mask, first=first, turn_values=turn_values)[1]
            for first in (0, PADS)
        )
        return largest_difference(at_zero, later)

    return change(False), change(True)


def _new_token(settings, keys, wrong_position, wrong_keys):
    q, k = vectors(settings)

    def scores(position, key_positions):
        at = np.full(len(key_positions), settings.speed * position)
        return rope_scores(
            q, k, at, settings.speed * key_positions, base=settings.rope_base, pairing=settings.pairing
        )

    return NewToken(
        CACHED, keys, scores(CACHED, keys), wrong_position, wrong_keys, scores(wrong_position, wrong_keys)
    )


def odd_width() -> str:
    """Return what ``apply_rope`` says to a head of 7 entries."""
    try:
        apply_rope(np.zeros((1, 7)), np.zeros(1))
    except ShapeError as error:
        return str(error)
    raise AssertionError("an odd width must raise")
