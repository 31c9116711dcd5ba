"""Time and memory of attention on this machine, against the number of tokens."""

import json
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.lessons.cost_counts import log_log_slope
from core.ops.attention import scaled_dot_product_attention
from core.ops.tiled import tiled_attention

SIZES = (64, 128, 256, 512, 1024, 2048)
WIDTH = 64  # of one head, float32
TILE = 256  # keys, and queries, at once: small tiles would measure NumPy's calls
WAYS = ("plain", "tiled")
_ROUNDS, _AT_LEAST = 10, 3  # times that every size is measured
_BUDGET = 1.0  # seconds, after which no new round begins


@dataclass(frozen=True)
class Measured:
    """The fastest of a few runs, and peaks of memory, by way of computing."""

    sizes: tuple[int, ...]
    seconds: Mapping[str, tuple[float, ...]]
    peak_bytes: Mapping[str, tuple[int, ...]]  # that the call asked for, above what was there before

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> "Measured":
        """Return what another process measured, from :meth:`plain`.

        Args:
            answer: lists by name.
        """
        return cls(
            tuple(answer["sizes"]),
            {way: tuple(answer["seconds"][way]) for way in WAYS},
            {way: tuple(answer["peak_bytes"][way]) for way in WAYS},
        )

    def plain(self) -> dict[str, Any]:
        """Return lists by name, which JSON can hold."""
        return {
            "sizes": list(self.sizes),
            "seconds": {way: list(each) for way, each in self.seconds.items()},
            "peak_bytes": {way: list(each) for way, each in self.peak_bytes.items()},
        }

    def slopes(self, quantity: str, way: str) -> tuple[float, float]:
        """Return the fitted powers of n over the lower and the upper half of the sizes.

        Args:
            quantity: "seconds" or "peak_bytes".
            way: "plain" or "tiled".
        """
        values, half = getattr(self, quantity)[way], len(self.sizes) // 2
        lower, upper = slice(0, half), slice(half, None)
        return tuple(  # type: ignore[return-value]
            log_log_slope(np.array(self.sizes[part]), np.array(values[part])) for part in (lower, upper)
        )


def measure(sizes: tuple[int, ...] = SIZES) -> Measured:
    """Return how long attention takes here, and how much memory it asks for: about a second of work.

    The sizes are gone through several times, so that a moment in which the machine does something else
    spoils no point; what else it does can only add, so the shortest time counts. Memory is watched in
    runs of its own, since watching takes time.

    Args:
        sizes: numbers of tokens, in rising order.

    Returns:
        For each size the shortest time of a few runs and the peak memory of one.
    """
    rng = np.random.default_rng(0)
    drawn = [tuple(rng.standard_normal((n, WIDTH), dtype=np.float32) for _ in range(3)) for n in sizes]
    peaks = {way: tuple(_peak(way, *each) for each in drawn) for way in WAYS}
    seconds = {way: [float("inf")] * len(sizes) for way in WAYS}
    end = time.perf_counter() + _BUDGET
    for round_ in range(_ROUNDS):
        if round_ >= _AT_LEAST and time.perf_counter() > end:
            break
        for i, each in enumerate(drawn):
            for way in WAYS:
                seconds[way][i] = min(seconds[way][i], _seconds(way, *each))
    return Measured(sizes, {way: tuple(each) for way, each in seconds.items()}, peaks)


def measure_apart(sizes: tuple[int, ...] = SIZES) -> Measured:
    """Return what :func:`measure` finds in a process of its own, on a single thread.

    There nothing else runs, and small products do not wait for threads: the slope is that of the work.

    Args:
        sizes: as there.

    Returns:
        As there.
    """
    one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    command = [sys.executable, "-m", __name__, *map(str, sizes)]
    found = subprocess.run(command, env={**os.environ, **one}, capture_output=True, text=True, check=True)
    return Measured.of(json.loads(found.stdout))


def _attend(way: str, q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    if way == "plain":
        return scaled_dot_product_attention(q, k, v)[0]
    return tiled_attention(q, k, v, tile=TILE, block=TILE)


def _seconds(way: str, *arrays: np.ndarray) -> float:
    start = time.perf_counter()
    _attend(way, *arrays)
    return time.perf_counter() - start


def _peak(way: str, *arrays: np.ndarray) -> int:
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    _attend(way, *arrays)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak - before


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(tuple(map(int, sys.argv[1:]))).plain()))
