"""How many parameters a multi-head layer has: the same for every number of heads."""

from dataclasses import dataclass

from core.errors import divisors


@dataclass(frozen=True)
class LayerCount:
    """A layer of width D with H heads, counted matrix by matrix."""

    d_model: int
    n_heads: int

    @property
    def d_k(self) -> int:
        """Columns of one head, D / H."""
        return self.d_model // self.n_heads

    @property
    def scale(self) -> float:
        """What the dot products are multiplied by, 1/sqrt(d_k); 1 where a head has one column."""
        return self.d_k**-0.5

    @property
    def one_head(self) -> int:
        """Parameters of one head's slice of W_Q, D x d_k."""
        return self.d_model * self.d_k

    @property
    def weights(self) -> int:
        """W_Q, W_K and W_V head by head, and W_O: H x D x d_k each."""
        return 4 * self.n_heads * self.one_head

    @property
    def full_width_heads(self) -> int:
        """What it would be if every head were D wide, as some first write it: 4 H D^2."""
        return self.n_heads * self.weights

    @property
    def with_biases(self) -> int:
        """The same with a bias of D entries for each of the four."""
        return self.weights + 4 * self.d_model


def layer_counts(d_model: int) -> list[LayerCount]:
    """Return the counts for every number of heads that a width allows.

    Args:
        d_model: D, at least 1.

    Returns:
        One for each divisor of D, fewest heads first; ``weights`` is 4 D^2 in each.

    Source: Vaswani et al. 2017, section 3.2.2.
    """
    return [LayerCount(d_model, n_heads) for n_heads in divisors(d_model)]
