"""What is measured of a model between two steps of its training, on sequences that it has not seen."""

from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from core.training import tasks
from core.training.model import Parameters, Tensor, logits_and_weights
from core.training.runs import Run
from core.training.tasks import Batch

_FRESH = 128  # sequences in a measurement
_WRITTEN = 48  # characters that a model of text writes


@dataclass(frozen=True)
class Measure:
    """A number that is measured: its name, what it is in words, and the least and the largest value."""

    name: str
    title: str
    unit: str = ""


MEASURES = {
    "induction": (
        Measure("loss", "training loss", "nats a token"),
        Measure("accuracy", "right answers", "share"),
        Measure("induction", "weight on the token after the earlier copy, best head of the last "
                             "layer", "weight"),
        Measure("previous", "weight on the token before, best head of the first layer", "weight"),
    ),
    "text": (
        Measure("loss", "training loss", "nats a character"),
        Measure("held_out", "loss on held-out text, computed as in training", "nats a character"),
        Measure("last", "loss at the last position, held-out text", "nats a character"),
    ),
    "previous": (
        Measure("loss", "training loss", "nats a token"),
        Measure("accuracy", "right answers", "share"),
    ),
}  # fmt: skip


def names_of(run: Run) -> tuple[str, ...]:
    """Return the names of what is measured of a run, the training loss first."""
    return tuple(measure.name for measure in MEASURES[run.task])


def chance(run: Run) -> float:
    """Return the loss of somebody who gives every token the same probability: ln V, in nats."""
    return log(run.build.n_symbols)


def loss_of(logits: Tensor, wanted: Tensor, counts: Tensor) -> Tensor:
    """Return the mean of -ln p(wanted) over the positions that count.

    Args:
        logits: ``[B, T, V]``.
        wanted: ``[B, T]``.
        counts: bool ``[B, T]``.

    Returns:
        A scalar tensor, in nats.
    """
    from torch.nn.functional import cross_entropy

    return cross_entropy(logits[counts], wanted[counts])


def measured(run: Run, parameters: Parameters) -> dict[str, float]:
    """Return everything but the training loss, by name, always on the same fresh sequences."""
    fresh = tasks.draw(run, np.random.default_rng(99), held_out=True, size=_FRESH)
    logits, weights = _without_gradient(run, parameters, fresh.tokens)
    if run.task == "text":
        return {"held_out": _loss(logits, fresh), "last": _loss(logits, _last(fresh))}
    right = (logits.argmax(-1).numpy() == fresh.wanted)[fresh.counts]
    found = {"accuracy": float(right.mean())}
    if run.task == "induction":
        found |= {"induction": _copying(weights[-1], fresh), "previous": _previous(weights[0])}
    return found


def heads_drawn(run: Run, parameters: Parameters) -> np.ndarray:
    """Return the weights of all heads on the probe, ``[L * H, T, T]``, as whole numbers of 1/255."""
    _, weights = _without_gradient(run, parameters, tasks.probe(run)[None])
    stacked = np.concatenate([layer[0].numpy() for layer in weights])
    return np.rint(255 * stacked).astype(np.uint8)


def written(run: Run, parameters: Parameters, seed: int) -> str:
    """Return how a model of text goes on after the probe, each character drawn; "" for other tasks.

    The next character is asked for at the last position, where no later one can be looked at.
    """
    if run.task != "text":
        return ""
    rng, alphabet = np.random.default_rng([seed, 3]), tasks.alphabet()
    codes = tasks.probe(run).tolist()
    for _ in range(_WRITTEN):
        logits, _ = _without_gradient(run, parameters, np.array([codes[-run.length :]]))
        shares = logits[0, -1].double().softmax(-1).numpy().cumsum()
        codes.append(min(int(np.searchsorted(shares, rng.random())), len(alphabet) - 1))
    return "".join(alphabet[code] for code in codes[-_WRITTEN:])


def _without_gradient(run: Run, parameters: Parameters, tokens: np.ndarray) -> tuple[Any, list[Any]]:
    import torch

    with torch.no_grad():
        return logits_and_weights(parameters, torch.tensor(tokens), run.build)


def _loss(logits: Tensor, batch: Batch) -> float:
    import torch

    return float(loss_of(logits, torch.tensor(batch.wanted), torch.tensor(batch.counts)))


def _last(batch: Batch) -> Batch:
    """The same sequences with nothing but the last position counting: no later token is there to copy."""
    counts = np.zeros_like(batch.counts)
    counts[:, -1] = True
    return Batch(batch.tokens, batch.wanted, counts)


def _copying(layer: Tensor, batch: Batch) -> float:
    """The mean weight of query i on key i - p + 1, the token that followed last time; best head."""
    assert batch.period is not None
    rows, queries = np.nonzero(batch.counts)
    keys = queries - batch.period[rows] + 1
    return float(layer.numpy()[rows, :, queries, keys].mean(axis=0).max())


def _previous(layer: Tensor) -> float:
    """The mean weight of query i on key i - 1; best head."""
    return float(layer.numpy().diagonal(-1, axis1=-2, axis2=-1).mean(axis=(0, 2)).max())
