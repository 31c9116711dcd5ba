"""`python -m core.training NAME SEED MEMORY SECONDS`: one training in a process of its own.

It writes a line of JSON for every moment, and obeys "pause" and "go" on its standard input. When that
ends, because whoever started it has, it ends at once. Memory in bytes and seconds of computing are hard
limits where the system knows such; it gives way to all other work.
"""

import os
import signal
import sys
import threading
from typing import TextIO

from core.training.runs import RUNS


def obey(orders: TextIO, going: threading.Event) -> None:
    """Follow orders until there can be no more of them, then end this process."""
    for order in orders:
        if order.strip() == "pause":
            going.clear()
        else:
            going.set()
    os._exit(0)


def limit(memory: int, seconds: int) -> None:
    """Bind this process: bytes of memory, seconds of computing, one thread, the lowest priority but a few.

    Args:
        memory: that it may ask for, in bytes.
        seconds: of a core.
    """
    if hasattr(os, "nice"):
        os.nice(15)
    try:
        import resource
    except ImportError:  # Windows: whoever started it watches the clock
        return
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main(name: str, seed: str, memory: str, seconds: str) -> None:
    """Train, and tell of every moment."""
    limit(int(memory), int(seconds))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server; the pipe then ends this
    going = threading.Event()
    going.set()
    threading.Thread(target=obey, args=(sys.stdin, going), daemon=True).start()

    import torch

    from core.training.train import train

    torch.set_num_threads(1)
    for moment in train(RUNS[name], int(seed)):
        sys.stdout.write(moment.line() + "\n")
        sys.stdout.flush()
        going.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
