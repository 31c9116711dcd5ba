"""`make bench`: our playground against plain Streamlit, in one run, with the targets beside it.

Absolute times depend on the machine and on what else it does; the ratios are what counts.
"""

import argparse
import asyncio
import os

from playwright.async_api import Browser

from bench import load, servers
from bench.browser import Site, Size, chromium, plain, playground
from bench.drag import RATE, SECONDS, Drag, drag
from bench.first import first_heatmaps
from bench.keys import PRESSES, key_presses
from bench.numbers import judged, median, p95, table

SMALL, LARGE = Size(4, 16), Size(8, 32)
RATIOS = {SMALL: 4, LARGE: 6}  # at least: naive / ours
PAINTS, LAG_MS, FIRST_MS = 30, 60, 1500
ROUNDS = 2  # of each drag


async def main(parts: list[str]) -> None:
    print(_machine())
    browser_parts = [PARTS[part] for part in parts if part in PARTS]
    if browser_parts:
        with servers.ours() as mine, servers.naive() as other:
            async with chromium() as browser:
                print(f"Chromium {browser.version}")
                for measure in browser_parts:
                    await measure(browser, playground(mine.address), plain(other.address))
    if "load" in parts:
        await load.main(list(load.LEVELS))
    print(f"\nAt the end: {_machine()}")


async def first(browser: Browser, *sites: Site) -> None:
    times = await first_heatmaps(browser, sites, SMALL)
    rows = [[name, f"{median(ms):.0f} ms", f"{max(ms):.0f} ms", ""] for name, ms in times.items()]
    rows[0][-1] = judged(f"at most {FIRST_MS} ms", median(times["ours"]) <= FIRST_MS)
    table(f"First heatmap, {SMALL}: warm server, empty cache", ["page", "median", "worst", "target"], rows)


async def keys(browser: Browser, *sites: Site) -> None:
    rows = []
    for size, target in RATIOS.items():
        times = await key_presses(browser, sites, size)
        ratio = median(times["naive"]) / median(times["ours"])
        rows += [
            [str(size), name, f"{median(ms):.0f} ms", f"{p95(ms):.0f} ms", "", ""]
            for name, ms in times.items()
        ]
        rows[-2][-2:] = [f"{ratio:.1f}", judged(f"at least {target}", ratio >= target)]
    header = ["heads", "page", "median", "p95", "naive/ours", "target"]
    table(f"Key press to repaint, {PRESSES} presses each", header, rows)


async def drags(browser: Browser, ours: Site, naive: Site) -> None:
    rows = []
    for size in (SMALL, LARGE):
        for site, by_mouse in ((ours, False), (ours, True), (naive, True)):
            rounds = [await drag(browser, site, size, by_mouse=by_mouse) for _ in range(ROUNDS)]
            way = "mouse" if by_mouse else "events"
            rows.append([str(size), site.name, way, *drag_cells(rounds, aimed=site is ours)])
    header = ["heads", "page", "by", "events/s", "paints/s", "lag", "p95", "last value", "target"]
    table(f"Dragging for {SECONDS} s at {RATE} events a second, {ROUNDS} times each", header, rows)


def drag_cells(rounds: list[Drag], aimed: bool) -> list[str]:
    lags = [lag for each in rounds for lag in each.lags]
    events = sum(each.events for each in rounds) / len(rounds)
    paints = sum(each.paints for each in rounds) / len(rounds)
    right = all(each.last_right for each in rounds)
    met = paints >= PAINTS and bool(lags) and median(lags) < LAG_MS and right
    return [
        f"{events:.0f}",
        f"{paints:.0f}",
        *([f"{median(lags):.0f} ms", f"{p95(lags):.0f} ms"] if lags else ["", ""]),
        "right" if right else "WRONG",
        judged(f"{PAINTS}/s, under {LAG_MS} ms, right", met) if aimed else "",
    ]


PARTS = {"first": first, "keys": keys, "drag": drags}


def _machine() -> str:
    return f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "parts", nargs="*", help=f"which to measure: {', '.join(PARTS)}, load; by default all"
    )
    chosen = parser.parse_args().parts or [*PARTS, "load"]
    if unknown := set(chosen) - {*PARTS, "load"}:
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    asyncio.run(main(chosen))
