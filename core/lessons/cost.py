"""What attention costs, and the walk of tiles past one block of queries: settings, and every array."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.errors import divisors
from core.inputs import word_vector
from core.lessons.cost_counts import Cost
from core.ops.attention import scaled_dot_product_attention
from core.ops.masks import causal_mask
from core.ops.tiled import TileState, tile_states, tiled_attention
from core.query import Linked, boolean, integer, one_of
from core.readonly import ReadOnly
from core.settings import MAX_SEED

SIZES = tuple(2**i for i in range(4, 18))  # 16 to 131,072 tokens
D_KS = (16, 32, 64, 80, 128, 256)
HEADS = (1, 2, 4, 8, 12, 16, 20, 25, 32, 40, 64, 96, 128)
LAYERS = (1, 2, 4, 6, 8, 12, 16, 24, 32, 40, 48, 64, 80, 96, 128)
KEYS, TILES = range(8, 17), range(1, 9)  # of the walk
NEARS, DEPTHS = range(1, 9), range(1, 13)  # windows and layers in the picture of windows
BLOCK = 4  # queries that are looked at together
WIDTH = 4  # d_k and d_v of the walk


@dataclass(frozen=True)
class CostSettings(Linked):
    """What the page about cost shows. Illegal values raise ``SettingError``."""

    n: int = 8192  # tokens, a power of two
    d_k: int = 128
    heads: int = 32
    kv_heads: int = 8  # a divisor of heads
    layers: int = 32  # 1..128
    window: int = 4096  # keys a query sees in windowed attention, a power of two
    bytes: int = 2  # in a value: 2 or 4
    keys: int = 12  # of the walk, 8..16
    tile: int = 4  # keys in one tile, 1..8
    block: int = 1  # which block of queries the tiles stream past
    step: int = 0  # 0 = start, then a tile each, and last the division
    causal: bool = False
    seed: int = 9  # with it, the running maximum changes often
    near: int = 4  # the window in the picture of layers, 1..8
    depth: int = 3  # its layers, 1..12

    @property
    def cost(self) -> Cost:
        """One layer of this shape, counted."""
        return Cost(
            self.n, self.d_k, self.heads, self.kv_heads, self.layers, self.window, bytes_per_value=self.bytes
        )

    @property
    def n_tiles(self) -> int:
        """Tiles that all keys of the walk make, the last perhaps smaller."""
        return -(-self.keys // self.tile)

    @property
    def n_blocks(self) -> int:
        """Blocks of queries in the walk."""
        return -(-self.keys // BLOCK)

    @property
    def rows(self) -> slice:
        """The queries of the block in view."""
        return slice(self.block * BLOCK, min((self.block + 1) * BLOCK, self.keys))


CostSettings.PARAMETERS = {
    "n": one_of("n", lambda _: SIZES, "powers of two"),
    "d_k": one_of("d_k", lambda _: D_KS, "the widths here"),
    "heads": one_of("heads", lambda _: HEADS, "the numbers of heads here"),
    "kv_heads": one_of("kv_heads", lambda so_far: divisors(so_far.heads), "kv_heads must divide heads"),
    "layers": integer("layers", LAYERS[0], LAYERS[-1]),
    "window": one_of("window", lambda _: SIZES, "powers of two"),
    "bytes": one_of("bytes", lambda _: (2, 4), "bytes in a value"),
    "keys": integer("keys", KEYS[0], KEYS[-1]),
    "tile": integer("tile", TILES[0], TILES[-1]),
    "block": one_of("block", lambda so_far: range(so_far.n_blocks), "the blocks there are"),
    "step": one_of("step", lambda so_far: range(so_far.n_tiles + 2), "the steps there are"),
    "causal": boolean("causal"),
    "seed": integer("seed", 0, MAX_SEED),
    "near": integer("near", NEARS[0], NEARS[-1]),
    "depth": integer("depth", DEPTHS[0], DEPTHS[-1]),
}
# A block or a step that is gone, or heads that can no longer be shared so, is no fault of the person.
CostSettings.SILENT = frozenset({"kv_heads", "block", "step"})


@dataclass(frozen=True)
class CostTrace(ReadOnly):
    """The walk: one head on n keys, whole and in tiles. All arrays are read-only."""

    settings: CostSettings
    q: np.ndarray  # [n, d]
    k: np.ndarray  # [n, d]
    v: np.ndarray  # [n, d]
    visible: np.ndarray  # [n, n] bool, True = may attend
    scaled: np.ndarray  # [n, n] what the tiled way never holds whole
    output: np.ndarray  # [n, d] by the whole matrix
    tiled: np.ndarray  # [n, d] in tiles
    states: tuple[TileState, ...]  # of the block in view, after each tile

    @property
    def state(self) -> TileState | None:
        """What is held at the step in view; None before the first tile."""
        step = self.settings.step
        return self.states[min(step, len(self.states)) - 1] if step else None

    @property
    def before(self) -> TileState | None:
        """What was held one tile earlier; None if nothing was."""
        last = min(self.settings.step, len(self.states)) - 1
        return self.states[last - 1] if last > 0 else None

    @property
    def finished(self) -> bool:
        """Whether the step in view is the division at the end."""
        return self.settings.step > len(self.states)

    @property
    def block_output(self) -> np.ndarray:
        """The plain output of the block in view, ``[block, d]``."""
        return self.output[self.settings.rows]

    @cached_property
    def difference(self) -> float:
        """The largest difference between plain and tiled output, over all queries."""
        return float(np.abs(self.tiled - self.output).max())

    @property
    def most_held(self) -> int:
        """The most scores that are held at once."""
        return max(state.scores.size for state in self.states)

    @property
    def plain_multiplications(self) -> int:
        """Of this block against all keys: scores and weighted sum."""
        n_queries = len(self.block_output)
        return n_queries * len(self.k) * (self.k.shape[-1] + self.v.shape[-1])

    @property
    def tiled_multiplications(self) -> int:
        """The same, added up over the tiles as they were computed."""
        return sum(state.scores.size * (self.k.shape[-1] + self.v.shape[-1]) for state in self.states)


def trace_cost(settings: CostSettings) -> CostTrace:
    """Return one head's attention twice, by the whole score matrix and in tiles.

    Args:
        settings: valid by construction.

    Returns:
        A trace whose arrays cannot be written to; ``tiled`` equals ``output`` up to rounding.

    Source: Dao et al. 2022 (FlashAttention), algorithm 1.
    """
    n, causal = settings.keys, settings.causal
    q, k, v = (_drawn(settings.seed, role, n) for role in "qkv")
    visible = causal_mask(n) if causal else np.ones((n, n), dtype=bool)
    rows = settings.rows
    states = tile_states(q[rows], k, v, tile=settings.tile, is_causal=causal, offset=rows.start)
    return CostTrace(
        settings=settings,
        q=q,
        k=k,
        v=v,
        visible=visible,
        scaled=q @ k.T / WIDTH**0.5,
        output=scaled_dot_product_attention(q, k, v, is_causal=causal)[0],
        tiled=tiled_attention(q, k, v, tile=settings.tile, block=BLOCK, is_causal=causal),
        states=tuple(states),
    )


def _drawn(seed: int, role: str, n: int) -> np.ndarray:
    """A standard normal row for each position; another number of keys leaves the first as they are."""
    return np.array([word_vector(seed, f"position {i}", role, 0)[:WIDTH] for i in range(n)])
