"""What a training costs the others: `.venv/bin/python -m bench.training [students]`.

Students change d_k on the playground as in `load.py`, all with numbers of their own. In every second round
somebody trains the longest model of the training lab meanwhile, watched in Chromium. Rounds take turns, so
that whatever else the machine does meets both; the ratio of the two is what counts.

"PyTorch" is what checks results, and in every second round the training too. The browser that watches is
among the others, and shares the cores as no real student's would.
"""

import argparse
import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, Page, expect

from bench import servers
from bench.browser import chromium
from bench.load import EVERY, SECONDS, SIZE, join, leave, report
from bench.numbers import table
from bench.recorded import record

STUDENTS, ROUNDS = 50, 2
PAGE = "/training?experiment=scale&run=unscaled-64"
START_MS = 120_000  # PyTorch is imported at the lowest priority but a few


async def main(students: int) -> None:
    """Print the times of rounds without and with a training, and their ratio."""
    rows: list[list[str]] = []
    with servers.ours() as server:
        recorded = await record(server.address, SIZE)
        class_ = await join(server, "own", range(students), recorded)
        await report(server, class_)  # the first round also asks PyTorch about everybody's numbers
        async with chromium() as browser:
            for _ in range(ROUNDS):
                rows.append(["nobody trains", *await report(server, class_)])
                async with training(browser, server.address):
                    rows.append(["one trains", *await report(server, class_)])
        await leave(class_)
    times, shares = ["route p50", "p95", "script p50", "p95"], ["server", "PyTorch", "client", "others"]
    header = ["", "students", "changes/s", *times, *shares, "memory", "errors", "target"]
    table(f"Server, {SIZE}, one change every {EVERY:.0f} s, {SECONDS} s each (% of one core)", header, rows)
    ratios = [[name, *(f"{_ratio(rows, i):.2f}" for i in range(3, 7))] for name in ("one trains / nobody",)]
    table("Ratio of the means over all rounds", ["", *times], ratios)


@asynccontextmanager
async def training(browser: Browser, address: str) -> AsyncIterator[Page]:
    """Let somebody train and watch; it must run on until the end, or the round says nothing."""
    context = await browser.new_context(viewport={"width": 1280, "height": 720})
    page = await context.new_page()
    try:
        await page.goto(address + PAGE)
        await page.get_by_role("button", name="Train it now").click()
        progress = page.locator("[data-testid=stProgress]")
        await expect(progress).to_contain_text(", seed 3: step", timeout=START_MS)
        yield page
        await expect(progress).to_contain_text(", seed 3: step")
        await page.get_by_role("button", name="Cancel").click()
        await expect(progress).to_contain_text("Cancelled", timeout=START_MS)
    finally:
        await context.close()


def _ratio(rows: list[list[str]], column: int) -> float:
    """Every second row's mean, divided by that of the rows before them."""
    without, with_ = ([float(row[column].split()[0]) for row in rows[i::2]] for i in (0, 1))
    return sum(with_) / sum(without)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("students", nargs="?", type=int, default=STUDENTS)
    asyncio.run(main(parser.parse_args().students))
