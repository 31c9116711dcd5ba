"""What a forward pass leaves behind. The arrays are PyTorch's; only type checkers import it here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from core.models.specs import ModelSpec

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Layer:
    """One layer of B sequences."""

    q: Tensor  # [B, H, T, d] before rotation
    k: Tensor  # [B, Hkv, T, d] before rotation
    v: Tensor  # [B, Hkv, T, d]
    weights: Tensor  # [B, H, T, T]
    projected: Tensor  # [B, H, T, D] each value through its head's part of W_O
    after: Tensor  # [B, T, D] what the next layer gets


@dataclass(frozen=True)
class States:
    """All layers of one sequence."""

    layers: tuple[Layer, ...]
    before: Tensor  # [1, T, D] what the first layer gets
    last: Tensor  # [1, T, D] what the last gives


class Model(Protocol):
    """What both models can do; B is the number of sequences, T of tokens."""

    spec: ModelSpec

    def tokens(self, text: str) -> tuple[list[int], list[str]]:
        """Return a text's token ids, and the text of each."""

    def states(self, ids: list[int]) -> States:
        """Return what every layer computes on one sequence."""

    def layer(self, i: int, x: Tensor, kept: Tensor | None = None) -> Layer:
        """Return one layer of ``x [B, T, D]``; ``kept [B, H]`` multiplies each head's output."""

    def result(self, x: Tensor) -> Tensor:
        """Return ``[B, n]``, what the model is for: logits of the next token, or a sentence's vector."""

    def token_text(self, i: int) -> str:
        """Return what a token stands for, with the space before it."""
