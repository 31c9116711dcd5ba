"""What a training costs the others: `.venv/bin/python -m bench.training [students]`.

Students change d_k on the playground as in `load.py`, each with numbers of their own. Meanwhile the longest
model of the training lab is trained as the server does it, in a process of a `Pool`, and paused and
continued every few seconds: whatever else the machine does meets both halves alike, and their ratio is what
counts. A paused training computes nothing and keeps its memory.

Left out is the page that watches: once a second it asks for both pictures, some 7 ms of the server. In a
browser on this machine it would take more of the cores than the training does.
"""

import argparse
import asyncio
import time

from bench import servers
from bench.load import EVERY, SIZE, Measured, Student, join, leave
from bench.numbers import median, p95, table
from bench.processes import machine, use
from bench.recorded import record
from core.training.pool import Job, Pool
from core.training.runs import RUNS

STUDENTS, ROUNDS, SECONDS, WARM_SECONDS = 50, 5, 6, 12
RUN, SEED = RUNS["unscaled-64"], 3
HALVES = ("paused", "training")


async def main(students: int) -> None:
    """Print the times of both halves, and their ratio."""
    found = {half: Measured() for half in HALVES}
    shares: dict[str, list[list[float]]] = {half: [] for half in HALVES}
    with servers.ours() as server:
        recorded = await record(server.address, SIZE)
        class_ = await join(server, "own", range(students), recorded)
        await work(class_, WARM_SECONDS, Measured())  # PyTorch is asked about everybody's numbers
        pool = Pool()
        try:
            job = await start(pool)
            for _ in range(ROUNDS):
                for half in HALVES:
                    job = await switch(pool, job, half)
                    pids = (server.pid, job.process.pid)
                    before = [*map(use, pids), machine()]
                    await work(class_, SECONDS, found[half])
                    after = [*map(use, pids), machine()]
                    shares[half].append([a.share_until(b) for a, b in zip(before, after, strict=True)])
        finally:
            pool.close()
        await leave(class_)
    rows = [_row(half, found[half], shares[half]) for half in HALVES]
    times = ["route p50", "p95", "script p50", "p95"]
    header = ["half", "changes", *times, "server", "training", "whole machine", "errors"]
    table(f"{students} students, {SIZE}, one change every {EVERY:.0f} s (% of one core)", header, rows)
    quotients = [f"{b / a:.2f}" for a, b in zip(*(_numbers(found[half]) for half in HALVES), strict=True)]
    table("Ratio", ["", *times], [["training / paused", *quotients]])


async def work(class_: list[Student], seconds: float, measured: Measured) -> None:
    """Let everybody work for some seconds."""
    end = time.monotonic() + seconds
    await asyncio.gather(
        *(each.work(EVERY * i / len(class_), end, measured) for i, each in enumerate(class_))
    )


async def switch(pool: Pool, job: Job, half: str) -> Job:
    """Let the training rest, or go on; begin another where it has come to its end."""
    if job.over:
        job = await start(pool)
    (pool.pause if half == "paused" else pool.go_on)(job)
    await asyncio.sleep(0.5)  # it heeds orders between two moments
    return job


async def start(pool: Pool) -> Job:
    job = pool.submit(RUN, SEED, "bench")
    while not job.moments:  # PyTorch is imported at a low priority
        await asyncio.sleep(0.1)
        if job.over:
            raise RuntimeError(job.words)
    return job


def _numbers(measured: Measured) -> list[float]:
    return [each(values) for values in (measured.pictures, measured.settled) for each in (median, p95)]


def _row(half: str, measured: Measured, shares: list[list[float]]) -> list[str]:
    means = [sum(column) / len(column) for column in zip(*shares, strict=True)]
    times = [f"{x:.1f} ms" for x in _numbers(measured)]
    percent = [f"{share:.0f}%" for share in means]
    return [half, f"{len(measured.settled)}", *times, *percent, f"{measured.errors}"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("students", nargs="?", type=int, default=STUDENTS)
    asyncio.run(main(parser.parse_args().students))
