"""RoPE's base: how long a turn of each pair lasts, against how long a context is."""

from dataclasses import dataclass

import numpy as np

from core.ops.rope import rope_angles

HEAD_WIDTH = 128  # of the LLaMA family's heads
BASES = (10_000.0, 500_000.0, 1_000_000.0)
CONTEXTS = (4_096, 32_768, 131_072)


@dataclass(frozen=True)
class Turns:
    """The pairs of a head of 128 at one base."""

    base: float
    wavelengths: np.ndarray  # [64] tokens for a full turn, fastest pair first

    @property
    def slowest(self) -> float:
        """Tokens that the slowest pair needs for a full turn."""
        return float(self.wavelengths[-1])

    def turns(self, context: int) -> np.ndarray:
        """Return how often each pair turns within a context, ``[64]``."""
        return context / self.wavelengths

    def unfinished(self, context: int) -> int:
        """Return how many pairs do not come round once: their angle tells all distances apart."""
        return int((self.wavelengths > context).sum())


def turns_of(base: float) -> Turns:
    """Return the wavelength 2π / θ_i of each pair of a head of 128.

    Args:
        base: 1 or more.

    Returns:
        Turns; a larger base slows every pair but the first.

    Source: Su et al. 2024 (RoFormer), section 3.2.2; bases of LLaMA (10,000), Llama 3 (500,000) and
    Code Llama (1,000,000).
    """
    return Turns(base, 2 * np.pi / rope_angles(np.ones(1), HEAD_WIDTH, base)[0])
