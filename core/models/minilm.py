"""all-MiniLM-L6-v2, an encoder: learned positions, every token sees every token, layer norm after the sum.

PyTorch and the file's reader are imported only when something is computed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from core.models.specs import MINILM
from core.models.states import Layer, States, projected, split, through

if TYPE_CHECKING:
    from torch import Tensor

_EPS = 1e-12
_LAYER = {  # ours -> the file's
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "o": "attention.output.dense",
    "norm_1": "attention.output.LayerNorm",
    "wide": "intermediate.dense",
    "narrow": "output.dense",
    "norm_2": "output.LayerNorm",
}


class MiniLM:
    """The weights in float32 and the tokenizer, about 0.1 GB in memory."""

    spec = MINILM

    def __init__(self, path: Path, tokenizer: Path) -> None:
        """Read the weights.

        Args:
            path: of the safetensors file, whose hash has been checked.
            tokenizer: of the tokenizer's JSON file.
        """
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        self.tensors = load_file(path)
        self.tokenizer = Tokenizer.from_file(str(tokenizer))
        self.tokenizer.no_padding()  # the file asks for 128 tokens, always
        self.tokenizer.no_truncation()

    def tokens(self, text: str) -> tuple[list[int], list[str]]:
        """Return a text's token ids and their names; [CLS] is put before it, [SEP] after it."""
        encoding = self.tokenizer.encode(text)
        return encoding.ids, encoding.tokens

    def states(self, ids: list[int]) -> States:
        """Return what every layer computes.

        Args:
            ids: T tokens.
        """
        import torch

        words = self.tensors["embeddings.word_embeddings.weight"][torch.tensor(ids)]
        positions = self.tensors["embeddings.position_embeddings.weight"][: len(ids)]
        segment = self.tensors["embeddings.token_type_embeddings.weight"][0]
        x = self._norm("embeddings.LayerNorm", words + positions + segment)[None]
        return through(self.layer, self.spec.n_layers, x)

    def layer(self, i: int, x: Tensor, kept: Tensor | None = None) -> Layer:
        """Return one layer.

        Args:
            i: which.
            x: ``[B, T, D]``.
            kept: ``[B, H]``, what each head's output is multiplied by: 0 takes a head out.
        """
        from torch.nn.functional import gelu

        q, k, v = (split(self._linear(i, name, x), self.spec.n_heads) for name in "qkv")  # [B, H, T, d]
        weights = (q @ k.transpose(-1, -2) / self.spec.d_head**0.5).softmax(dim=-1)
        context = weights @ v
        if kept is not None:
            context = context * kept[:, :, None, None]
        summed = x + self._linear(i, "o", context.transpose(1, 2).flatten(2))
        x = self._norm(self._name(i, "norm_1"), summed)
        mlp = self._linear(i, "narrow", gelu(self._linear(i, "wide", x)))
        after = self._norm(self._name(i, "norm_2"), x + mlp)
        w_o = self.tensors[self._name(i, "o") + ".weight"].T
        return Layer(q, k, v, weights, projected(v, w_o), after)

    def result(self, x: Tensor) -> Tensor:
        """Return each sentence's vector, of length 1: the mean over its tokens.

        Args:
            x: the last layer's ``[B, T, D]``.
        """
        from torch.nn.functional import normalize

        return normalize(x.mean(dim=1), dim=-1)

    def token_text(self, i: int) -> str:
        """Return a token's name."""
        return self.tokenizer.id_to_token(i)

    def _linear(self, i: int, name: str, x: Tensor) -> Tensor:
        file_name = self._name(i, name)
        return x @ self.tensors[file_name + ".weight"].T + self.tensors[file_name + ".bias"]

    def _norm(self, file_name: str, x: Tensor) -> Tensor:
        from torch.nn.functional import layer_norm

        weight, bias = self.tensors[file_name + ".weight"], self.tensors[file_name + ".bias"]
        return layer_norm(x, (self.spec.d_model,), weight, bias, _EPS)

    @staticmethod
    def _name(i: int, name: str) -> str:
        return f"encoder.layer.{i}.{_LAYER[name]}"
