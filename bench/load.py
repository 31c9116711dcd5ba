"""How many students a process serves: `.venv/bin/python -m bench.load [students ...]`.

Each student changes d_k every 3 s, at an offset of its own. A change is what the page sends: a question
to /lab-live/playground, and 0.35 s later, when the hand is at rest, a run of the page's script over a
Streamlit session (a real websocket; the messages are Chromium's, recorded).

"shared": all have opened the same link, so words are drawn and PyTorch is asked once for all of them.
"own": each has a seed of its own, which costs as much as a sentence of its own. A class is in between.

The rows without a script ask the route alone and say nothing about sessions: no websocket, no PyTorch.
No row measures the browser, the network, pages other than the playground, or the answers to more than
one question in a change (a drag asks up to 40 times a second for as long as it lasts). Times are the
client's, which shares the machine's cores: where "client" or "others" take much of them, they are too long.
"""

import argparse
import asyncio
import itertools
import os
import time
from dataclasses import dataclass, field

from bench import servers
from bench.browser import START, Size
from bench.http import Connection
from bench.numbers import judged, median, p95, table
from bench.processes import Use, children, machine, memory_mb, use
from bench.recorded import Recorded, record
from bench.session import Session
from core.settings import AttentionSettings

SIZE = Size(4, 16)
STUDENTS, LEVELS = 300, (50, 100, 200, 300)
SECONDS, EVERY, QUIET = 20, 3.0, 0.35
JOINS = 20  # sessions opened a second
TARGET_MS = 50
WIDTHS = (*range(START + 2, 65, 2), *range(2, START + 1, 2))  # the values of d_k, in this order


@dataclass
class Measured:
    pictures: list[float] = field(default_factory=list)  # ms, of the route
    settled: list[float] = field(default_factory=list)  # ms, of the script's runs
    errors: int = 0


class Student:
    def __init__(self, seed: int, address: str, recorded: Recorded | None) -> None:
        self.query = AttentionSettings(text=SIZE.text, heads=SIZE.heads, seed=seed, d_k=START).to_query()
        self.connection = Connection(address)
        self.session = Session(recorded, self.query) if recorded else None
        self.address = address
        self.d_k = itertools.cycle(WIDTHS)

    async def join(self) -> None:
        await self.connection.open()
        if self.session:
            await self.session.open(self.address)

    async def work(self, wait: float, end: float, measured: Measured) -> None:
        await asyncio.sleep(wait)
        while time.monotonic() < end:
            started = time.monotonic()
            try:
                await self.change(next(self.d_k), measured)
            except (OSError, EOFError, TimeoutError):
                measured.errors += 1
            await asyncio.sleep(max(0.0, started + EVERY - time.monotonic()))

    async def change(self, d_k: int, measured: Measured) -> None:
        self.query["d_k"] = str(d_k)
        question = {"query": self.query, "changed": ["d_k"]}
        seconds, _ = await self.connection.post("/lab-live/playground", question)
        measured.pictures.append(1000 * seconds)
        if self.session:
            await asyncio.sleep(QUIET)
            measured.settled.append(1000 * await self.session.settle(d_k))
            measured.errors += self.session.exceptions()

    async def leave(self) -> None:
        self.connection.close()
        if self.session:
            await self.session.close()


async def main(levels: list[int]) -> None:
    """Print what a server reaches: by its route alone, then with more and more sessions."""
    rows = []
    for numbers in ("shared", "own"):
        with servers.ours() as server:
            recorded = await record(server.address, SIZE)  # also warms the server and its PyTorch
            students = await join(server, numbers, range(levels[-1]), None)
            rows.append([numbers, *await report(server, students)])
            await leave(students)
            students = []
            for level in levels:
                students += await join(server, numbers, range(len(students), level), recorded)
                rows.append([numbers, *await report(server, students)])
            await leave(students)
    times, shares = ["route p50", "p95", "script p50", "p95"], ["server", "PyTorch", "client", "others"]
    header = ["numbers", "students", "changes/s", *times, *shares, "memory", "errors", "target"]
    table(f"Server, {SIZE}, one change every {EVERY:.0f} s, {SECONDS} s each (% of one core)", header, rows)


async def join(
    server: servers.Server, numbers: str, which: range, recorded: Recorded | None
) -> list[Student]:
    """Let students come in one after the other, as a class does."""
    students = [Student(i if numbers == "own" else 0, server.address, recorded) for i in which]
    for student in students:
        next_one = time.monotonic() + (1 / JOINS if recorded else 0)
        await student.join()
        await asyncio.sleep(max(0.0, next_one - time.monotonic()))
    return students


async def leave(students: list[Student]) -> None:
    await asyncio.gather(*(each.leave() for each in students))


async def report(server: servers.Server, students: list[Student]) -> list[str]:
    """Let the students work; return the rest of the table's row."""
    measured, n = Measured(), len(students)
    before, start = _uses(server), time.monotonic()
    await asyncio.gather(
        *(each.work(EVERY * i / n, start + SECONDS, measured) for i, each in enumerate(students))
    )
    took = time.monotonic() - start
    *shares, all_of_them = [a.share_until(b) for a, b in zip(before, _uses(server), strict=True)]
    shares.append(max(0.0, all_of_them - sum(shares)))
    slowest = max(p95(times) for times in (measured.pictures, measured.settled) if times)
    return [
        f"{n}",
        f"{len(measured.pictures) / took:.0f}",
        *_times(measured.pictures),
        *_times(measured.settled),
        *(f"{share:.0f}%" for share in shares),
        f"{memory_mb(server.pid):.0f} MB",
        f"{measured.errors}",
        judged(f"p95 < {TARGET_MS} ms", slowest < TARGET_MS and not measured.errors),
    ]


def _uses(server: servers.Server) -> list[Use]:
    return [use(server.pid), use(*children(server.pid)), use(os.getpid()), machine()]


def _times(values: list[float]) -> list[str]:
    return [f"{median(values):.0f} ms", f"{p95(values):.0f} ms"] if values else ["", ""]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "students", nargs="*", type=int, default=list(LEVELS), help="sessions, in rising order"
    )
    asyncio.run(main(sorted(parser.parse_args().students)))
