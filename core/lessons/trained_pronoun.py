"""The pronoun sentence, ended by "tired" and by "wide", in an encoder and in a decoder."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.models.gallery import recorded
from core.readonly import ReadOnly

ENDS = ("tired", "wide")
_NOUNS = ("animal", "street")


@dataclass(frozen=True)
class Pronoun(ReadOnly):
    """The row of "it" in every head of one model, with both ends. Arrays are read-only."""

    model: str
    tokens: tuple[tuple[str, ...], ...]  # [2][T]
    it: int  # the position of "it", the same in both
    animal: int
    street: int
    rows: np.ndarray  # [2, L, H, T] the weights of "it"
    visible: np.ndarray  # [T] bool, what "it" may see
    identical: bool  # whether all rows up to the word that differs are the same to the last bit stored

    @property
    def balance(self) -> np.ndarray:
        """``[2, L, H]``: the weight on "animal" less the weight on "street"."""
        return self.rows[..., self.animal] - self.rows[..., self.street]

    @property
    def flips(self) -> list[tuple[int, int]]:
        """The heads that prefer "animal" with "tired" and "street" with "wide", by however little."""
        tired, wide = self.balance
        return [(int(layer), int(head)) for layer, head in np.argwhere((tired > 0) & (wide < 0))]

    def firm_flips(self, least: float) -> list[tuple[int, int]]:
        """The heads that flip with at least so much weight between the nouns on both sides."""
        tired, wide = self.balance
        return [head for head in self.flips if tired[head] >= least and -wide[head] >= least]


@lru_cache(maxsize=2)
def trace_pronoun(model: str) -> Pronoun:
    """Return the row of "it" with both ends.

    Args:
        model: a key of MODELS.

    Returns:
        What :class:`Pronoun` says; the two sentences differ in one token.
    """
    both = [recorded(model, end) for end in ENDS]
    tokens = both[0].tokens
    it = tokens.index("it")
    last = tokens.index(ENDS[0])
    return Pronoun(
        model=model,
        tokens=tuple(each.tokens for each in both),
        it=it,
        animal=tokens.index(_NOUNS[0]),
        street=tokens.index(_NOUNS[1]),
        rows=np.stack([each.whole_weights[:, :, it] for each in both]),
        visible=both[0].visible[it].copy(),
        identical=bool(np.array_equal(both[0].weights[:, :, :last], both[1].weights[:, :, :last])),
    )
