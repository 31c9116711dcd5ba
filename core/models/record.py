"""A model and a text -> a recording. PyTorch is imported only here inside, when something is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import require
from core.models.recording import Recording, RecordingError
from core.models.states import Model, States
from core.tokens import MAX_TOKENS

if TYPE_CHECKING:
    from torch import Tensor

_N_NEXT = 5


def record(model: Model, text: str, *, telling: Any = None, measure_removal: bool = False) -> Recording:
    """Return what the model does on a text.

    Args:
        model: loaded.
        text: at least one token; cut after 64.
        telling: the heads whose q, k and v are kept; all if None.
        measure_removal: also take out each head in turn, which takes as long as half the heads' passes.

    Raises:
        RecordingError: the model has no token for the text.
    """
    import torch

    with torch.inference_mode():
        spec = model.spec
        ids, tokens = model.tokens(text)
        n_all = len(ids)
        require(n_all > 0, f"{spec.title} has no token for this text; type other words.", RecordingError)
        if n_all > MAX_TOKENS:  # an encoder's last token, [SEP], stays
            last = 0 if spec.is_causal else 1
            keep = [*range(MAX_TOKENS - last), *range(n_all - last, n_all)]
            ids, tokens = [ids[i] for i in keep], [tokens[i] for i in keep]
        states = model.states(ids)
        removed, removed_p = _without_each_head(model, states) if measure_removal else ([[]], [[]])
        next_tokens, next_p = _next(model, states)
        heads = spec.heads if telling is None else list(telling)
        return Recording(
            model=spec.key,
            text=text,
            n_all=n_all,
            tokens=tuple(tokens),
            weights=_half([layer.weights[0] for layer in states.layers]),
            written=_half([layer.projected[0].norm(dim=-1) for layer in states.layers]),
            telling=np.array(heads, dtype=np.int16),
            q=_half([states.layers[layer].q[0, head] for layer, head in heads]),
            k=_half([states.layers[layer].k[0, head // spec.group_size] for layer, head in heads]),
            v=_half([states.layers[layer].v[0, head // spec.group_size] for layer, head in heads]),
            next_tokens=next_tokens,
            next_p=np.array(next_p, dtype=np.float32),
            removed=np.array(removed, dtype=np.float32).reshape(len(removed), -1),
            removed_p=np.array(removed_p, dtype=np.float32).reshape(len(removed_p), -1),
        )


def _half(arrays: list[Tensor]) -> np.ndarray:
    return np.stack([array.numpy() for array in arrays]).astype(np.float16)


def _next(model: Model, states: States) -> tuple[tuple[str, ...], list[float]]:
    """The likeliest next tokens and their probabilities."""
    if not model.spec.is_causal:
        return (), []
    p, ids = model.result(states.last)[0].softmax(dim=-1).topk(_N_NEXT)
    return tuple(model.token_text(i) for i in ids.tolist()), p.tolist()


def _without_each_head(model: Model, states: States) -> tuple[list[list[float]], list[list[float]]]:
    """How far the result moves when a head's output is set to 0, for every head; the layers after it adapt.

    Logits: the root mean square of their changes at the last position, their mean taken away, because
    adding one number to all logits changes nothing. A sentence's vector: the distance it moves.
    """
    import torch

    whole = model.result(states.last)
    best = int(whole[0].argmax())
    x, moved, p_best = states.before, [], []
    for i in range(model.spec.n_layers):
        kept = 1 - torch.eye(model.spec.n_heads)  # sequence b is without head b
        y = model.layer(i, x.expand(model.spec.n_heads, -1, -1), kept).after
        for j in range(i + 1, model.spec.n_layers):
            y = model.layer(j, y).after
        change = model.result(y) - whole
        if model.spec.is_causal:
            change = change - change.mean(dim=-1, keepdim=True)
            moved.append(change.pow(2).mean(dim=-1).sqrt().tolist())
            p_best.append(model.result(y).softmax(dim=-1)[:, best].tolist())
        else:
            moved.append(change.norm(dim=-1).tolist())
        x = states.layers[i].after
    return moved, p_best or [[]]
