"""A small transformer in PyTorch, as a function of a dictionary of parameters: made to be read.

Pre-norm blocks: x = x + attention(norm(x)), then x = x + MLP(norm(x)) where there is one. Norms have no
gain and no bias, so that nothing but the matrices learns.
"""

from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np

from core.ops.rope import rope_angles
from core.training.runs import Build

Tensor = Any  # torch.Tensor; PyTorch is not imported for a name
Parameters = Mapping[str, Tensor]


def parameters_of(build: Build, seed: int) -> dict[str, Tensor]:
    """Return random parameters, drawn by NumPy so that a seed means the same everywhere.

    A matrix from n entries has variance 1/n: what enters with unit variance leaves with it, so q and k
    have unit variance at the start, whatever d_k is, and q·k the variance d_k.

    Args:
        build: the shape.
        seed: any whole number >= 0.

    Returns:
        ``embedding [V, D]``, ``unembedding [D, V]``, and for layer i ``i.w_q``, ``i.w_k``, ``i.w_v``
        ``[D, H d_k]``, ``i.w_o [H d_k, D]``, and where there is an MLP ``i.w_1 [D, d_ff]`` and
        ``i.w_2 [d_ff, D]``; float32, each with its gradient wanted.
    """
    import torch

    d, width = build.d_model, build.n_heads * build.d_k
    shapes = {"embedding": (build.n_symbols, d), "unembedding": (d, build.n_symbols)}
    for i in range(build.n_layers):
        shapes |= {f"{i}.{name}": (d, width) for name in ("w_q", "w_k", "w_v")}
        shapes[f"{i}.w_o"] = (width, d)
        if build.d_ff:
            shapes |= {f"{i}.w_1": (d, build.d_ff), f"{i}.w_2": (build.d_ff, d)}
    rng = np.random.default_rng([seed, 1])
    drawn = {name: rng.standard_normal(shape) / sqrt(shape[0]) for name, shape in shapes.items()}
    drawn["embedding"] *= sqrt(build.n_symbols)  # it looks rows up: each has unit variance
    return {
        name: torch.tensor(values, dtype=torch.float32, requires_grad=True) for name, values in drawn.items()
    }


def logits_and_weights(parameters: Parameters, tokens: Tensor, build: Build) -> tuple[Tensor, list[Tensor]]:
    """Return the logits of every position, and the attention weights of every layer.

    Args:
        parameters: of :func:`parameters_of`.
        tokens: whole numbers ``[B, T]``.
        build: the shape that the parameters have.

    Returns:
        ``[B, T, V]``, and for each layer ``[B, H, T, T]``, rows (queries) that sum to 1.
    """
    from torch.nn.functional import gelu, layer_norm

    def norm(x: Tensor) -> Tensor:
        return layer_norm(x, (build.d_model,))

    x, weights = parameters["embedding"][tokens], []
    for i in range(build.n_layers):
        layer = {name: parameters[f"{i}.{name}"] for name in ("w_q", "w_k", "w_v", "w_o")}
        added, seen = attention(norm(x), layer, build)
        x = x + added
        weights.append(seen)
        if build.d_ff:
            x = x + gelu(norm(x) @ parameters[f"{i}.w_1"]) @ parameters[f"{i}.w_2"]
    return norm(x) @ parameters["unembedding"], weights


def attention(x: Tensor, layer: Parameters, build: Build) -> tuple[Tensor, Tensor]:
    """Return what one layer's heads add, and their weights.

    Args:
        x: ``[B, T, D]``.
        layer: ``w_q``, ``w_k``, ``w_v``, ``w_o``.
        build: heads, positions, mask and scale.

    Returns:
        ``[B, T, D]`` and ``[B, H, T, T]``.
    """
    import torch

    n_tokens = x.shape[1]
    q, k, v = (
        (x @ layer[name]).unflatten(-1, (build.n_heads, build.d_k)).transpose(1, 2)  # [B, H, T, d_k]
        for name in ("w_q", "w_k", "w_v")
    )
    if build.rope:
        q, k = rotated(q), rotated(k)
    scores = q @ k.transpose(-1, -2)
    scaled = scores / sqrt(build.d_k) if build.scaled else scores
    if build.is_causal:
        future = torch.ones(n_tokens, n_tokens, dtype=torch.bool).triu(1)
        scaled = scaled.masked_fill(future, -torch.inf)
    weights = scaled.softmax(-1)
    context = (weights @ v).transpose(1, 2).flatten(-2)  # [B, T, H d_k]
    return context @ layer["w_o"], weights


def rotated(x: Tensor) -> Tensor:
    """Return queries or keys turned by their positions, pairs (2i, 2i+1) as in RoPE's paper.

    Args:
        x: ``[..., T, d_k]``.

    Returns:
        The same shape.
    """
    import torch

    angles = torch.tensor(rope_angles(np.arange(x.shape[-2]), x.shape[-1]), dtype=x.dtype)  # [T, d_k/2]
    a, b = x[..., 0::2], x[..., 1::2]
    turned = (a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos())
    return torch.stack(turned, dim=-1).flatten(-2)
