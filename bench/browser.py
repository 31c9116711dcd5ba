"""Chromium, and the pages that are measured in it."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urlencode

from playwright.async_api import Browser, Page, async_playwright

from core.settings import AttentionSettings
from core.trace import trace_attention

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PROBE = Path(__file__).with_name("probe.js")
START = 16  # d_k


@dataclass(frozen=True)
class Size:
    heads: int
    tokens: int

    def __str__(self) -> str:
        return f"{self.heads} of {self.tokens}x{self.tokens}"

    @property
    def text(self) -> str:
        return " ".join(f"w{i}" for i in range(self.tokens))


@dataclass(frozen=True)
class Site:
    """A page to measure: the playground, or the plain one."""

    name: str
    address: str
    slider: str  # CSS of the range input that holds d_k
    track: str  # CSS of what the mouse drags along

    def url(self, size: Size) -> str:
        if self.name == "naive":
            return f"{self.address}/?{urlencode({'heads': size.heads, 'tokens': size.tokens})}"
        return f"{self.address}/playground?" + urlencode(
            {"heads": size.heads, "text": size.text, "d_k": START}
        )


def playground(address: str) -> Site:
    slider = ".lab-slider [type=range]"
    return Site("ours", address, slider, slider)


def plain(address: str) -> Site:
    slider = "[data-testid=stSlider] "
    return Site("naive", address, slider + "input[type=range]", slider + "[role=group] > div")


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def opened(
    browser: Browser, site: Site, size: Size, *, seen: Callable[[bytes], None] | None = None
) -> AsyncIterator[Page]:
    """Open a page with nothing cached and wait until it shows its first value.

    ``seen`` gets each message that the page sends to Streamlit.
    """
    context = await browser.new_context(viewport={"width": 1280, "height": 720})
    try:
        await context.add_init_script(path=PROBE)
        page = await context.new_page()
        if seen:
            page.on("websocket", lambda socket: socket.on("framesent", seen))
        await page.goto(site.url(size))
        await page.wait_for_selector(site.slider, state="attached", timeout=30_000)
        table = json.dumps(_weights(size))
        await page.evaluate(f"bench.expect({size.heads}, {size.tokens - 1}, {table})")
        await page.wait_for_function(f"bench.shown() === {START}", timeout=30_000)
        yield page
    finally:
        await context.close()


@cache
def _weights(size: Size) -> list[tuple[int, list[float]]]:
    """Return the last query's first weight in each head: enough to tell every d_k from any other."""
    every = (AttentionSettings(text=size.text, heads=size.heads, d_k=d_k) for d_k in range(2, 513, 2))
    return [(settings.d_k, trace_attention(settings).weights[:, -1, 0].tolist()) for settings in every]
