"""`python -m core.training.record [names]` trains every run with three seeds and keeps what came out.

Ten minutes on one core. The same seeds give the same numbers up to the rounding of the machine's
matrix products, which a long training can magnify; claims about the curves are tested, not their digits.
"""

import sys
from collections.abc import Sequence

from core.training.course import FOLDER, as_bytes, record
from core.training.runs import RUNS


def main(names: Sequence[str]) -> None:
    """Record runs, all without a name, each as assets/training/<name>.npz."""
    import torch

    torch.set_num_threads(1)
    for name in names or RUNS:
        course = record(RUNS[name])
        raw = as_bytes(course)
        (FOLDER / f"{name}.npz").write_bytes(raw)
        last = ", ".join(f"{value:.3f}" for value in course.values[:, 0, -1])
        sys.stdout.write(f"{name}: {len(raw):,} bytes, losses {last}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
