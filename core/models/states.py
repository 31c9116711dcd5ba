"""What a forward pass leaves behind. The arrays are PyTorch's; only type checkers import it here."""

from __future__ import annotations

from collections.abc import Callable
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


def through(layer: Callable[[int, Tensor], Layer], n_layers: int, x: Tensor) -> States:
    """Return what every layer computes, each on what the one before it gives.

    Args:
        layer: (number, ``[1, T, D]``) -> that layer.
        n_layers: how many.
        x: ``[1, T, D]``, what the first gets.
    """
    layers, before = [], x
    for i in range(n_layers):
        layers.append(layer(i, x))
        x = layers[-1].after
    return States(tuple(layers), before, x)


def split(x: Tensor, n_heads: int) -> Tensor:
    """Return ``[B, T, H d]`` as ``[B, H, T, d]``."""
    return x.unflatten(-1, (n_heads, -1)).transpose(1, 2)


def projected(values: Tensor, w_o: Tensor) -> Tensor:
    """Return each value through its head's part of W_O: what a weight of 1 would add, ``[B, H, T, D]``.

    Args:
        values: ``[B, H, T, d]``.
        w_o: ``[H d, D]``.
    """
    n_heads, d_head = values.shape[1], values.shape[-1]
    return values @ w_o.reshape(n_heads, d_head, -1)


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
