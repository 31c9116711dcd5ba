"""Dragging the d_k slider up and down its whole length for 4 s, at 60 events a second.

Two ways, for they answer different questions. "events": the page itself fires the slider's input
event at its time, so nothing but the app is measured. "mouse": Chromium gets mouse events, as from a
hand; its own way from the mouse to the page, and this program's work for it, are in the numbers.
"""

import asyncio
import bisect
from dataclasses import dataclass

from playwright.async_api import Browser, Page

from bench.browser import Site, Size, opened

SECONDS, RATE = 4, 60
SETTLE_SECONDS = 2.0  # before the drag, and from the release to the last look
STOPS = 48  # places on the slider; even ones on the way up, odd ones on the way down: each is told apart
PATH = [*range(0, STOPS, 2), *range(STOPS - 1, 0, -2)]
THUMB = 16  # px


@dataclass(frozen=True)
class Drag:
    events: float  # a second, that reached the page
    paints: float  # a second, each of a new value
    lags: list[float]  # ms, from the event to the frame after its picture
    last_right: bool  # whether the picture shows what the slider says, after the release


async def drag(browser: Browser, site: Site, size: Size, *, by_mouse: bool) -> Drag:
    async with opened(browser, site, size) as page:
        await page.bring_to_front()
        await asyncio.sleep(SETTLE_SECONDS)
        await page.evaluate("slider => bench.record(slider)", site.slider)
        if by_mouse:
            await _mouse(page, site)
        else:
            await page.evaluate("way => bench.fire(...way)", [site.slider, PATH, SECONDS, RATE])
        log = await page.evaluate("bench.stop()")
        if by_mouse:
            await page.mouse.up()
        await asyncio.sleep(SETTLE_SECONDS)
        at = await page.evaluate("slider => bench.value(slider)", site.slider)
        right = await page.evaluate("bench.shown()") == at
    lags = [lag for lag in (_lag(log["asked"], *paint) for paint in log["painted"]) if lag is not None]
    return Drag(log["events"] / SECONDS, len(log["painted"]) / SECONDS, lags, right)


async def _mouse(page: Page, site: Site) -> None:
    """Send the events at their times, without waiting for the page, as a hand does."""
    box = await page.locator(site.track).first.bounding_box()
    assert box
    devtools = await page.context.new_cdp_session(page)
    loop = asyncio.get_running_loop()

    def send(kind: str, stop: int) -> asyncio.Future:
        x = box["x"] + THUMB / 2 + (box["width"] - THUMB) * stop / (STOPS - 1)
        where = {"x": x, "y": box["y"] + box["height"] / 2, "button": "left", "buttons": 1, "clickCount": 1}
        return asyncio.ensure_future(devtools.send("Input.dispatchMouseEvent", {"type": kind, **where}))

    await send("mousePressed", PATH[0])
    start, sent = loop.time(), []
    for i in range(SECONDS * RATE):
        await asyncio.sleep(start + i / RATE - loop.time())
        sent.append(send("mouseMoved", PATH[i % len(PATH)]))
    await asyncio.wait_for(asyncio.gather(*sent), timeout=10)


def _lag(asked: list[list[float]], painted: float, value: float) -> float | None:
    """Return how long before its picture a value was last asked for."""
    before = bisect.bisect(asked, painted, key=lambda event: event[0])
    times = [time for time, wanted in asked[:before] if wanted == value]
    return painted - times[-1] if times else None
