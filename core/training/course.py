"""The course of a run: what was measured at each moment, in one place and as a file."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path

import numpy as np

from core.readonly import ReadOnly
from core.training import tasks
from core.training.measures import names_of
from core.training.moment import Moment
from core.training.runs import RUNS, SEEDS, Run

FOLDER = Path(__file__).parents[2] / "assets" / "training"
_DIGITS = 1e-4  # curves are kept in float32 after rounding: no picture shows more


@dataclass(frozen=True)
class Course(ReadOnly):
    """One or several seeds of a run, as far as they have come. Arrays cannot be written to."""

    run: Run
    seeds: tuple[int, ...]
    steps: np.ndarray  # [P] at which it was measured
    values: np.ndarray  # [seeds, measures, P]
    drawn_at: np.ndarray  # [S] steps at which heads were kept
    heads: np.ndarray  # [S, L * H, T, T] whole numbers of 1/255, of the first seed
    texts: tuple[str, ...]  # [S] what it wrote; "" where it does not write

    def of(self, name: str) -> np.ndarray:
        """Return one measure ``[seeds, P]``.

        Args:
            name: as in ``measures.names_of``.
        """
        return self.values[:, names_of(self.run).index(name)]

    def weights(self, index: int) -> np.ndarray:
        """Return all heads' weights ``[L * H, T, T]`` on 0..1.

        Args:
            index: of the moment, from 0 to S - 1.
        """
        return self.heads[index] / 255

    @property
    def tokens(self) -> tuple[str, ...]:
        """The names of the sequence that the heads are drawn on."""
        return tasks.names_of(self.run, tasks.probe(self.run))


def course_of(run: Run, seeds: Sequence[int], moments: Sequence[Iterable[Moment]]) -> Course:
    """Return the course of one or several seeds.

    Args:
        run: of all.
        seeds: of each.
        moments: of each seed, in order, equally many.
    """
    each = [list(one) for one in moments]
    first = each[0]
    drawn = [moment for moment in first if moment.heads is not None]
    n = len(tasks.probe(run))
    empty = np.zeros((0, run.build.n_layers * run.build.n_heads, n, n), dtype=np.uint8)
    shape = (len(seeds), len(names_of(run)), len(first))
    values = np.array([[moment.values for moment in one] for one in each], dtype=np.float64)
    return Course(
        run,
        tuple(seeds),
        np.array([moment.step for moment in first], dtype=np.int64),
        values.transpose(0, 2, 1) if first else np.zeros(shape),
        np.array([moment.step for moment in drawn], dtype=np.int64),
        np.stack([moment.heads for moment in drawn]) if drawn else empty,  # type: ignore[misc]
        tuple(moment.text for moment in drawn),
    )


def as_bytes(course: Course) -> bytes:
    """Return a course as a compressed file of arrays, the same bytes for the same course."""
    file = BytesIO()
    np.savez_compressed(
        file,
        seeds=np.array(course.seeds, dtype=np.int64),
        steps=course.steps,
        values=(np.rint(course.values / _DIGITS) * _DIGITS).astype(np.float32),
        drawn_at=course.drawn_at,
        heads=course.heads,
        texts=np.frombuffer("\0".join(course.texts).encode(), dtype=np.uint8),
    )
    return file.getvalue()


def read(run: Run, raw: bytes) -> Course:
    """Return the course that :func:`as_bytes` has written.

    Args:
        run: whose it is.
        raw: the file.
    """
    with np.load(BytesIO(raw), allow_pickle=False) as file:
        return Course(
            run,
            tuple(file["seeds"].tolist()),
            file["steps"],
            file["values"].astype(np.float64),
            file["drawn_at"],
            file["heads"],
            tuple(file["texts"].tobytes().decode().split("\0")),
        )


@lru_cache(maxsize=len(RUNS))
def recorded(name: str) -> Course:
    """Return the recorded course of a run, three seeds.

    Args:
        name: of the run.
    """
    return read(RUNS[name], (FOLDER / f"{name}.npz").read_bytes())


def record(run: Run, seeds: Sequence[int] = SEEDS) -> Course:
    """Train with each seed and return the course.

    Args:
        run: any.
        seeds: any.
    """
    from core.training.train import train

    return course_of(run, seeds, [train(run, seed) for seed in seeds])
