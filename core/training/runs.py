"""Which runs there are: the shape of a model, the task it learns, and for how long."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

MAX_STEPS = 2000
SEEDS = (0, 1, 2)  # behind each recorded curve
_POINTS = 50  # moments of a run at which it is measured
_HEADS_EVERY = 2  # of these moments, one has the heads drawn


@dataclass(frozen=True)
class Build:
    """The shape of a small model."""

    n_symbols: int  # V
    n_layers: int = 2
    n_heads: int = 4
    d_model: int = 64
    d_k: int = 16  # of a head; the values are as wide
    d_ff: int = 0  # 0: attention only
    rope: bool = True  # else nothing tells positions apart, but the mask
    is_causal: bool = True
    scaled: bool = True  # whether scores are divided by sqrt(d_k)


@dataclass(frozen=True)
class Run:
    """One model that learns one task."""

    name: str  # of its file
    title: str
    task: str  # "induction", "text" or "previous"
    build: Build
    steps: int
    batch: int
    length: int  # T, tokens that the model sees at once
    period: int = 0  # induction: tokens before the repetition; 0 = drawn anew for each sequence
    learning_rate: float = 3e-3  # of AdamW

    @property
    def measured_at(self) -> tuple[int, ...]:
        """The steps after which it is measured."""
        every = self.steps // _POINTS
        return tuple(range(0, self.steps + 1, every))

    @property
    def drawn_at(self) -> tuple[int, ...]:
        """Those of them at which its heads are kept."""
        return self.measured_at[::_HEADS_EVERY]


_INDUCTION = Build(n_symbols=32)
_TEXT = Build(n_symbols=62, d_ff=256)
_ONE_HEAD = Build(n_symbols=32, n_heads=1, d_k=64)
_NARROW = Build(n_symbols=32, n_heads=1, d_k=16)
_ORDER = Build(n_symbols=16, n_heads=3, d_model=48, d_ff=96)
_EASY = replace(_ORDER, n_heads=1, d_k=64)
_NO_ROPE = {"rope": False}
_OPEN = {"is_causal": False}

_ALL = (
    Run("two-layers", "two layers", "induction", _INDUCTION, 300, 64, 48),
    Run("one-layer", "one layer", "induction", replace(_INDUCTION, n_layers=1), 300, 64, 48),
    Run("fixed-period", "always the same period", "induction", _INDUCTION, 300, 64, 48, period=16),
    Run("no-positions", "no positions", "induction", replace(_INDUCTION, **_NO_ROPE), 400, 64, 48),
    Run("text-causal", "causal mask", "text", _TEXT, 500, 32, 64),
    Run("text-open", "no mask", "text", replace(_TEXT, **_OPEN), 500, 32, 64),
    Run("scaled-64", "d_k = 64 · divided", "induction", _ONE_HEAD, 400, 32, 48),
    Run("unscaled-64", "d_k = 64 · undivided", "induction", replace(_ONE_HEAD, scaled=False), 2000, 32, 48),
    Run("scaled-16", "d_k = 16 · divided", "induction", _NARROW, 1000, 32, 48),
    Run("unscaled-16", "d_k = 16 · undivided", "induction", replace(_NARROW, scaled=False), 2000, 32, 48),
    Run("open-none", "no mask · no positions", "previous", replace(_ORDER, **_OPEN, **_NO_ROPE), 500, 32, 16),
    Run("open-rope", "no mask · RoPE", "previous", replace(_ORDER, **_OPEN), 500, 32, 16),
    Run("causal-none", "causal · no positions", "previous", replace(_ORDER, **_NO_ROPE), 500, 32, 16),
    Run("causal-rope", "causal · RoPE", "previous", _ORDER, 500, 32, 16),
    Run("easy-scaled", "the token before · divided", "previous", _EASY, 100, 32, 16),
    Run("easy-unscaled", "the token before · undivided", "previous", replace(_EASY, scaled=False),
        100, 32, 16),
)  # fmt: skip
RUNS: Mapping[str, Run] = {run.name: run for run in _ALL}
