"""From a key press on the d_k slider to the frame after the last heatmap shows the new value."""

import asyncio
import random
from collections.abc import Sequence
from itertools import cycle

from playwright.async_api import Browser, Page

from bench.browser import START, Site, Size, opened

PRESSES, WARM_UP, BURST = 40, 5, 5
TIMEOUT_MS = 5000
PAUSES = (0.1, 0.8)  # seconds: some presses find the page at rest, some in the work after the last one
TURN = 6  # presses in one direction


async def key_presses(browser: Browser, sites: Sequence[Site], size: Size) -> dict[str, list[float]]:
    """Return milliseconds for each site. They take turns, so that the machine's noise hits all."""
    pauses = random.Random(0)
    times: dict[str, list[float]] = {site.name: [] for site in sites}
    async with opened(browser, sites[0], size) as first, opened(browser, sites[1], size) as second:
        hands = [_Hand(page, site) for page, site in zip((first, second), sites, strict=True)]
        for start in range(0, WARM_UP + PRESSES, BURST):
            for hand in hands:
                await hand.take()
                for _ in range(BURST):
                    await asyncio.sleep(pauses.uniform(*PAUSES))
                    took = await hand.press()
                    if start >= WARM_UP:
                        times[hand.site.name].append(took)
    return times


class _Hand:
    def __init__(self, page: Page, site: Site) -> None:
        self.page, self.site, self.d_k = page, site, START
        self.steps = cycle([2] * TURN + [-2] * TURN)

    async def take(self) -> None:
        await self.page.bring_to_front()
        await self.page.locator(self.site.slider).first.focus()

    async def press(self) -> float:
        step = next(self.steps)
        self.d_k += step
        await self.page.evaluate(f"bench.arm({self.d_k}, {TIMEOUT_MS})")
        await self.page.keyboard.press("ArrowRight" if step > 0 else "ArrowLeft")
        took = await self.page.evaluate("bench.result()")
        if took is None:
            raise RuntimeError(f"{self.site.name}: d_k = {self.d_k} was not drawn within {TIMEOUT_MS} ms")
        return took
