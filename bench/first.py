"""From the start of a navigation to the first heatmap: warm server, empty browser cache."""

from collections.abc import Sequence

from playwright.async_api import Browser

from bench.browser import Site, Size, opened

ROUNDS = 5


async def first_heatmaps(browser: Browser, sites: Sequence[Site], size: Size) -> dict[str, list[float]]:
    """Return milliseconds for each site; the first visit of each warms its server and is dropped."""
    times: dict[str, list[float]] = {site.name: [] for site in sites}
    for round_ in range(1 + ROUNDS):
        for site in sites:
            async with opened(browser, site, size) as page:
                took = await page.evaluate("benchFirst")
            if round_:
                times[site.name].append(took)
    return times
