"""The loop that learns: a batch, its loss, a step of AdamW; measured now and then."""

from collections.abc import Iterator

import numpy as np

from core.training import tasks
from core.training.measures import heads_drawn, loss_of, measured, names_of, written
from core.training.model import logits_and_weights, parameters_of
from core.training.moment import Moment
from core.training.runs import Run


def train(run: Run, seed: int) -> Iterator[Moment]:
    """Train a model from the beginning; yield each moment at which it is measured.

    The loss of step s is that of the batch that the step learns from, before it does. All that is
    random is drawn by NumPy from the seed.

    Args:
        run: which model, task and length.
        seed: any whole number >= 0.

    Yields:
        A moment for each of ``run.measured_at``.
    """
    import torch

    parameters = parameters_of(run.build, seed)
    optimizer = torch.optim.AdamW(parameters.values(), lr=run.learning_rate)
    rng = np.random.default_rng([seed, 2])
    for step in range(run.steps + 1):
        batch = tasks.draw(run, rng)
        logits, _ = logits_and_weights(parameters, torch.tensor(batch.tokens), run.build)
        loss = loss_of(logits, torch.tensor(batch.wanted), torch.tensor(batch.counts))
        if step in run.measured_at:
            found = {"loss": loss.item(), **measured(run, parameters)}
            drawn = step in run.drawn_at
            yield Moment(
                step,
                tuple(found[name] for name in names_of(run)),
                heads_drawn(run, parameters) if drawn else None,
                written(run, parameters, seed) if drawn else "",
            )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
