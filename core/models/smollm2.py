"""SmolLM2-135M, a decoder: RMS norm, RoPE, shared keys and values, causal mask, SwiGLU.

The file keeps Q and K so that RoPE turns neighbouring entries (0, 1), (2, 3), ... Source of the shapes: the
file's own header. PyTorch and the file's reader are imported only when something is computed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from core.models.specs import SMOLLM2
from core.models.states import Layer, States, projected, split, through
from core.ops.rope import rope_angles

if TYPE_CHECKING:
    from torch import Tensor

_EPS = 1e-5
_LAYER = {  # ours -> the file's
    "norm_1": "attn_norm",
    "q": "attn_q",
    "k": "attn_k",
    "v": "attn_v",
    "o": "attn_output",
    "norm_2": "ffn_norm",
    "gate": "ffn_gate",
    "up": "ffn_up",
    "down": "ffn_down",
}


class SmolLM2:
    """The weights in float32 and the tokenizer, about 0.6 GB in memory."""

    spec = SMOLLM2

    def __init__(self, path: Path) -> None:
        """Read the weights.

        Args:
            path: of the GGUF file, whose hash has been checked.
        """
        import torch
        from gguf import GGUFReader, dequantize

        reader = GGUFReader(path)
        tensors = {
            # The file is mapped read-only, and PyTorch wants arrays of its own.
            each.name: torch.from_numpy(np.array(dequantize(each.data, each.tensor_type)))
            for each in reader.tensors
        }
        self.embedding = tensors["token_embd.weight"]  # [V, D], also the last layer: logits = x E^T
        self.norm = tensors["output_norm.weight"]
        self.layers = [
            {ours: tensors[f"blk.{i}.{theirs}.weight"] for ours, theirs in _LAYER.items()}
            for i in range(self.spec.n_layers)
        ]
        self.tokenizer = _tokenizer(reader)

    def tokens(self, text: str) -> tuple[list[int], list[str]]:
        """Return a text's token ids and what each stands for, without the space before a word."""
        encoding = self.tokenizer.encode(text)
        return encoding.ids, _names(text, encoding.offsets)

    def states(self, ids: list[int]) -> States:
        """Return what every layer computes. ``x`` is the residual stream.

        Args:
            ids: T tokens.
        """
        import torch

        return through(self.layer, self.spec.n_layers, self.embedding[torch.tensor(ids)][None])

    def layer(self, i: int, x: Tensor, kept: Tensor | None = None) -> Layer:
        """Return one block.

        Args:
            i: which.
            x: ``[B, T, D]``.
            kept: ``[B, H]``, what each head's output is multiplied by: 0 takes a head out.
        """
        import torch
        from torch.nn.functional import silu

        w, spec = self.layers[i], self.spec
        n_tokens = x.shape[1]
        h = _rms_norm(x, w["norm_1"])
        q = split(h @ w["q"].T, spec.n_heads)  # [B, H, T, d]
        k = split(h @ w["k"].T, spec.n_kv_heads)  # [B, Hkv, T, d]
        v = split(h @ w["v"].T, spec.n_kv_heads)
        keys = _rope(k).repeat_interleave(spec.group_size, dim=1)
        values = v.repeat_interleave(spec.group_size, dim=1)
        scores = _rope(q) @ keys.transpose(-1, -2) / spec.d_head**0.5
        future = torch.ones(n_tokens, n_tokens, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(future, -torch.inf).softmax(dim=-1)
        context = weights @ values  # [B, H, T, d]
        if kept is not None:
            context = context * kept[:, :, None, None]
        x = x + context.transpose(1, 2).flatten(2) @ w["o"].T
        h = _rms_norm(x, w["norm_2"])
        after = x + (silu(h @ w["gate"].T) * (h @ w["up"].T)) @ w["down"].T
        return Layer(q, k, v, weights, projected(values, w["o"].T), after)

    def result(self, x: Tensor) -> Tensor:
        """Return the logits of the token after the last, ``[B, V]``.

        Args:
            x: the last block's ``[B, T, D]``.
        """
        return _rms_norm(x[:, -1], self.norm) @ self.embedding.T

    def token_text(self, i: int) -> str:
        """Return what a token stands for, with the space before it."""
        return self.tokenizer.decode([i])


def _rms_norm(x: Tensor, weight: Tensor) -> Tensor:
    return x / (x.pow(2).mean(dim=-1, keepdim=True) + _EPS).sqrt() * weight


def _rope(x: Tensor) -> Tensor:
    """Turn each pair of neighbours by its position's angle."""
    import torch

    n_tokens, d = x.shape[-2:]
    assert SMOLLM2.rope_base is not None
    angles = torch.from_numpy(rope_angles(np.arange(n_tokens), d, SMOLLM2.rope_base))  # [T, d/2]
    cos, sin = angles.cos().float(), angles.sin().float()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)


def _names(text: str, spans: list[tuple[int, int]]) -> list[str]:
    """What each token stands for. A character of several tokens is named with the number of the token."""
    names: list[str] = []
    pieces = 1
    for i, (start, end) in enumerate(spans):
        pieces = pieces + 1 if i and spans[i - 1] == (start, end) else 1
        name = text[start:end].strip() or "␣"
        if not name.isprintable():
            name = " ".join(f"U+{ord(character):04X}" for character in name)
        names.append(name if pieces == 1 else f"{name} ({pieces})")
    return names


def _tokenizer(reader: Any) -> Any:
    """Byte-pair encoding from the file's header: digits one by one, bytes written as letters.

    What reads like a special token is taken as plain text: nobody can type one.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    tokens = reader.fields["tokenizer.ggml.tokens"].contents()
    merges = reader.fields["tokenizer.ggml.merges"].contents()
    pairs = [tuple(merge.split(" ")) for merge in merges]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, pairs))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer
