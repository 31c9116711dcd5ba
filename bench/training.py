"""What a training costs the others: `.venv/bin/python -m bench.training [students]`.

Students change d_k on the playground as in `load.py`, each with numbers of their own. Meanwhile somebody
trains the longest model of the training lab in Chromium, and pauses and continues it every few seconds:
whatever else the machine does meets both halves alike, and their ratio is what counts.

A paused training computes nothing and keeps its memory. The browser that watches shares the cores, as no
real student's would, in both halves.
"""

import argparse
import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, Page, expect

from bench import servers
from bench.browser import chromium
from bench.load import EVERY, SIZE, Measured, Student, join, leave
from bench.numbers import median, p95, table
from bench.processes import children, machine, use
from bench.recorded import record

STUDENTS, ROUNDS, SECONDS, WARM_SECONDS = 50, 8, 6, 12
PAGE = "/training?experiment=scale&run=unscaled-64"
WAIT_MS = 120_000  # PyTorch is imported at a low priority
HALVES = ("paused", "training")


async def main(students: int) -> None:
    """Print the times of both halves, and their ratio."""
    found = {half: Measured() for half in HALVES}
    shares: dict[str, list[tuple[float, float, float]]] = {half: [] for half in HALVES}
    with servers.ours() as server:
        recorded = await record(server.address, SIZE)
        class_ = await join(server, "own", range(students), recorded)
        await work(class_, WARM_SECONDS, Measured())  # PyTorch is asked about everybody's numbers
        async with chromium() as browser, trained(browser, server.address) as page:
            for _ in range(ROUNDS):
                for half in HALVES:
                    await switch(page, half)
                    pids = ((server.pid,), children(server.pid))
                    before = [use(*pids[0]), use(*pids[1]), machine()]
                    await work(class_, SECONDS, found[half])
                    after = [use(*pids[0]), use(*pids[1]), machine()]
                    shares[half].append(
                        tuple(a.share_until(b) for a, b in zip(before, after, strict=True))  # type: ignore
                    )
        await leave(class_)
    rows = [_row(half, found[half], shares[half]) for half in HALVES]
    times = ["route p50", "p95", "script p50", "p95"]
    header = ["half", "changes", *times, "server", "PyTorch, training", "whole machine", "errors"]
    table(f"{students} students, {SIZE}, one change every {EVERY:.0f} s (% of one core)", header, rows)
    quotients = [f"{b / a:.2f}" for a, b in zip(*(_numbers(found[half]) for half in HALVES), strict=True)]
    table("Ratio", ["", *times], [["training / paused", *quotients]])


async def work(class_: list[Student], seconds: float, measured: Measured) -> None:
    """Let everybody work for some seconds."""
    end = time.monotonic() + seconds
    await asyncio.gather(
        *(each.work(EVERY * i / len(class_), end, measured) for i, each in enumerate(class_))
    )


@asynccontextmanager
async def trained(browser: Browser, address: str) -> AsyncIterator[Page]:
    """Open the training lab with a training under way."""
    context = await browser.new_context(viewport={"width": 1280, "height": 720})
    try:
        page = await context.new_page()
        await page.goto(address + PAGE)
        await start(page)
        yield page
    finally:
        await context.close()


async def start(page: Page) -> None:
    await page.get_by_role("button", name="Train it now").click()
    await expect(_progress(page)).to_contain_text(", seed 3: step", timeout=WAIT_MS)


async def switch(page: Page, half: str) -> None:
    """Let the training rest, or go on; begin another where it has come to its end."""
    if await page.get_by_role("button", name="Train it now").is_enabled():
        await start(page)
    words, button = ("Paused", "Pause") if half == "paused" else ("Training", "Continue")
    await page.get_by_role("button", name=button).click()
    await expect(_progress(page)).to_contain_text(words, timeout=WAIT_MS)


def _progress(page: Page):
    return page.locator("[data-testid=stProgress]")


def _numbers(measured: Measured) -> list[float]:
    return [each(values) for values in (measured.pictures, measured.settled) for each in (median, p95)]


def _row(half: str, measured: Measured, shares: list[tuple[float, float, float]]) -> list[str]:
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
