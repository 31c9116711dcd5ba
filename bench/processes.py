"""What processes use, read from /proc: CPU time, memory, children. Linux only."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Use:
    """Moment and CPU seconds so far; the difference of two is a share of one core."""

    moment: float
    cpu: float

    def share_until(self, later: "Use") -> float:
        """Return the percentage of one core."""
        return 100 * (later.cpu - self.cpu) / (later.moment - self.moment)


def use(*pids: int) -> Use:
    return Use(time.monotonic(), sum(map(_cpu_seconds, pids)))


def machine() -> Use:
    """Return what all processes of this machine have used."""
    user, nice, system, _, _, irq, soft_irq = map(int, Path("/proc/stat").read_text().split()[1:8])
    return Use(time.monotonic(), (user + nice + system + irq + soft_irq) / _TICKS)


def memory_mb(pid: int) -> float:
    """Return the resident memory."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS")), 0) / 1024


def children(pid: int) -> list[int]:
    """Return the processes that any of its threads has started."""
    lists = (path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children"))
    return [int(child) for pids in lists for child in pids]


def _cpu_seconds(pid: int) -> float:
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended
        return 0.0
    return (int(after_name[11]) + int(after_name[12])) / _TICKS
