"""The gradients through softmax by PyTorch's autograd."""

import numpy as np

from core.lessons.gradients import draws, gradients
from core.lessons.scaling import ScalingSettings


def autograd_gradients(settings: ScalingSettings) -> dict[str, dict[str, float]]:
    """Return the size of dL/dq by autograd, L = u . softmax(scale K q), on the draws of the page.

    Args:
        settings: their d_k and seed count.

    Returns:
        For "sqrt_d_k" and "none": the mean and the median of |dL/dq|, the same of the gradient at the
        scores, and the largest difference from the closed form, relative to the largest gradient.
    """
    import torch

    drawn = draws(settings.seed, settings.d_k)
    found = {}
    for name, scale in (("sqrt_d_k", settings.d_k**-0.5), ("none", 1.0)):
        q = torch.tensor(drawn.q, requires_grad=True)
        k, upstream = torch.tensor(drawn.k), torch.tensor(drawn.upstream)
        scores = scale * (k @ q[:, :, None])[:, :, 0]
        scores.retain_grad()
        (upstream * torch.softmax(scores, dim=-1)).sum().backward()
        assert q.grad is not None
        assert scores.grad is not None
        at_query, at_scores = (grad.norm(dim=-1).numpy() for grad in (q.grad, scores.grad))
        ours = gradients(drawn, scale)
        difference = np.abs(at_query - ours.query).max() / ours.query.max()
        found[name] = {
            "mean": float(at_query.mean()),
            "median": float(np.median(at_query)),
            "mean_scores": float(at_scores.mean()),
            "median_scores": float(np.median(at_scores)),
            "difference": float(difference),
        }
    return found
