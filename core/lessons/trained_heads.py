"""Trained heads: the weights of every head of a real model on one sentence, and one head at close range."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from core.lessons.self_attention import SelfAttention
from core.models.recording import Recording
from core.models.scores import SCORES
from core.models.sentences import SENTENCES
from core.models.specs import MODELS, ModelSpec
from core.ops.heads import kv_head_of
from core.query import Linked, Parameter, Reading, choice, number_in, repaired
from core.readonly import ReadOnly
from core.settings import SCALES, read_text
from core.tokens import MAX_TOKENS, tokenize

OWN = "own"  # a sentence that was typed: needs the model itself
ORDERS = ("layer", *SCORES)
MASKS = ("trained", "changed")
ROPES = ("trained", "off")
# Heads whose row of "it" the pronoun sentences show; all of them have much weight on one of the two nouns.
PRONOUN_HEADS = {
    "minilm": ((3, 1), (5, 11), (4, 0), (4, 3), (5, 1)),
    "smollm2": ((13, 8), (21, 6), (4, 2)),
}
_FIRST_HEAD = {"smollm2": (18, 6), "minilm": (3, 1)}

Head = tuple[int, int]  # (layer, head)


def short_name(head: Head) -> str:
    """A head as a person names it: layer.head."""
    return f"{head[0]}.{head[1]}"


def write_head(head: Head) -> str:
    """A head as a link names it: layer,head."""
    return f"{head[0]},{head[1]}"


@dataclass(frozen=True)
class TrainedHeadsSettings(Linked):
    """One model, one sentence, one head. Illegal values raise ``SettingError``."""

    model: str = "smollm2"
    sentence: str = "repeat"  # a key of SENTENCES, or "own"
    text: str = "The cat sat on the mat because the cat was tired"  # for "own"; 1 to 64 words
    order: str = "layer"  # of the thumbnails: by layer, or by a score, highest first
    head: Head = (18, 6)
    mask: str = "trained"  # "changed": none in the decoder, a causal one in the encoder
    rope: str = "trained"  # "off": queries and keys are not turned
    scale: str = "sqrt_d_k"  # as trained; "none" or "d_k"
    encoder_head: Head = (3, 1)  # whose row of "it" is shown
    decoder_head: Head = (13, 8)
    cell: tuple[int, int, int] | None = None  # (tile, query, key); its query is looked at

    @property
    def spec(self) -> ModelSpec:
        """The model."""
        return MODELS[self.model]

    @property
    def is_switched(self) -> bool:
        """Whether scale, mask or RoPE are other than in the model."""
        return (self.scale, self.mask, self.rope) != ("sqrt_d_k", "trained", "trained")


@dataclass(frozen=True)
class HeadsTrace(SelfAttention, ReadOnly):
    """All heads on one sentence, and the chosen one. Arrays are read-only."""

    settings: TrainedHeadsSettings
    recording: Recording
    tokens: tuple[str, ...]  # T names
    visible: np.ndarray  # [T, T] bool, True = may attend
    all_weights: np.ndarray  # [L, H, T, T]
    weights: np.ndarray  # [T, T] of the chosen head
    row: int  # the query that is looked at
    kv_head: int
    scores: dict[str, np.ndarray | None]  # by key of SCORES: [L, H], or None where it is not defined

    @property
    def spec(self) -> ModelSpec:
        """The model."""
        return self.recording.spec

    @property
    def group(self) -> list[int]:
        """The query heads of this layer that read the same KV head."""
        size = self.spec.group_size
        return list(range(self.kv_head * size, (self.kv_head + 1) * size))

    @property
    def order(self) -> list[Head]:
        """All heads, as they are to stand: by layer, or the highest score first."""
        values = self.scores.get(self.settings.order)
        if values is None:
            return self.spec.heads
        ranked = np.argsort(-values, axis=None, kind="stable").tolist()
        return [divmod(i, self.spec.n_heads) for i in ranked]


def trace_heads(settings: TrainedHeadsSettings, recording: Recording) -> HeadsTrace:
    """Return all heads of a recording, their scores, and the chosen head.

    Args:
        settings: valid by construction.
        recording: of the settings' model, on the settings' sentence.

    Returns:
        A trace whose arrays cannot be written to.
    """
    layer, head = settings.head
    spec, tokens = recording.spec, recording.tokens
    return HeadsTrace(
        settings=settings,
        recording=recording,
        tokens=tokens,
        visible=recording.visible,
        all_weights=recording.whole_weights,
        weights=recording.whole_weights[layer, head],
        row=_row(settings, tokens),
        kv_head=kv_head_of(head, spec.n_heads, spec.n_kv_heads),
        scores=scores_of(recording),
    )


@lru_cache(maxsize=12)
def scores_of(recording: Recording) -> dict[str, np.ndarray | None]:
    """Return every score of every head, by key of SCORES: ``[L, H]``, or None where it is not defined."""
    arguments = (recording.whole_weights, recording.visible, recording.tokens)
    return {name: score.of(*arguments) for name, score in SCORES.items()}


def _row(settings: TrainedHeadsSettings, tokens: tuple[str, ...]) -> int:
    """The chosen query; while nobody has chosen one, "it", or the last that is a word."""
    if settings.cell and settings.cell[1] < len(tokens):
        return settings.cell[1]
    if "it" in tokens:
        return tokens.index("it")
    last = len(tokens) - 1
    return last - 1 if tokens[last] == "[SEP]" and last else last


# --- reading what has rules of its own ------------------------------------------------------------


def _read_text(text: str, so_far: Any) -> Reading:
    if not tokenize(text).tokens:
        return so_far.default("text"), "The text holds no word, so the first sentence is shown; type one."
    return read_text(text, so_far)


def _head(name: str, legal: Any, otherwise: Any) -> Parameter:
    """A head, written layer,head."""

    def read(text: str, so_far: Any) -> Reading:
        parts = [number_in(part) for part in text.split(",")]
        if len(parts) == 2 and None not in parts and tuple(parts) in legal(so_far):
            return tuple(int(part) for part in parts if part is not None), ""
        value = otherwise(so_far)
        heads = legal(so_far)
        listed = f"layer,head from {write_head(heads[0])} to {write_head(heads[-1])}"
        if len(heads) < 10:
            listed = "; ".join(map(write_head, heads))
        return value, repaired(name, text, write_head(value), listed)

    return Parameter(read, write_head)


def _pronoun_head(name: str, model: str) -> Parameter:
    heads = PRONOUN_HEADS[model]
    return _head(name, lambda _: heads, lambda _: heads[0])


def _read_rope(text: str, so_far: Any) -> Reading:
    value, note = choice("rope", ROPES).read(text, so_far)
    if value == "off" and so_far.spec.rope_base is None:
        return "trained", f"{so_far.spec.title} has no RoPE to switch off: its positions are in its input."
    return value, note


def _read_cell(text: str, so_far: Any) -> Reading:
    if text == "none":
        return None, ""
    parts = [number_in(part) for part in text.split(",")]
    numbers = [x for x in parts if x is not None]
    limits = (so_far.spec.n_heads, MAX_TOKENS, MAX_TOKENS)
    if len(parts) == len(numbers) == 3 and all(
        0 <= x < n and x == int(x) for x, n in zip(numbers, limits, strict=True)
    ):
        return tuple(int(x) for x in numbers), ""
    size = " x ".join(map(str, limits))
    return None, repaired("cell", text, "none", f"picture,query,key within {size}")


TrainedHeadsSettings.PARAMETERS = {
    "model": choice("model", tuple(MODELS)),
    "sentence": choice("sentence", (*SENTENCES, OWN)),
    "text": Parameter(_read_text),
    "order": choice("order", ORDERS),
    "head": _head("head", lambda s: s.spec.heads, lambda s: _FIRST_HEAD[s.model]),
    "mask": choice("mask", MASKS),
    "rope": Parameter(_read_rope),
    "scale": choice("scale", SCALES),
    "encoder_head": _pronoun_head("encoder_head", "minilm"),
    "decoder_head": _pronoun_head("decoder_head", "smollm2"),
    "cell": Parameter(_read_cell, lambda c: "none" if c is None else ",".join(map(str, c))),
}
TrainedHeadsSettings.SILENT = frozenset({"cell", "head", "rope"})
