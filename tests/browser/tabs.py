"""Tabs of Chromium that tests hand on to one another.

A context's first page costs twice the work of its next: nothing is cached, no script compiled. So a tab
goes from test to test, and between two of them it loses whatever a test could have left in it. One test
at a time has it: a second visit within a test gets another tab, with a storage of its own.
"""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page

from tests.browser.lab import PATIENCE, PROBE, Lab

# Streamlit looks for its server under the page's own path first when a page is opened cold.
KNOWN = re.compile(r"404 .*/[^/]+/_stcore/(health|host-config)$")
OPTIONS = {
    "viewport": {"width": 1280, "height": 720},
    "locale": "en-GB",
    "permissions": ["clipboard-read", "clipboard-write"],
    "color_scheme": "light",
    "reduced_motion": "no-preference",
}


MOST_USES = 15  # by then its process holds half a gigabyte, and is slower for it


@dataclass
class Tab:
    """A page in a context of its own."""

    page: Page
    options: dict
    fresh: bool  # not to be handed on
    uses: int = 1

    def watch(self, lab: Lab, problems: list[str]) -> None:
        """Note whatever must never happen."""
        host = urlsplit(lab.root).netloc

        def console(message):
            if message.type != "error":
                return
            text = f"{message.text} {message.location['url']}"
            if not KNOWN.search(text) and not any(pattern.search(text) for pattern in lab.allowed):
                problems.append(f"console: {text}")

        def asked(url):
            parts = urlsplit(url)
            if parts.scheme not in ("data", "blob", "file", "about") and parts.netloc != host:
                problems.append(f"request to another host: {url}")

        def dialog(each):
            problems.append(f"dialog: {each.message}")
            each.dismiss()

        context = self.page.context
        lab.listen(context, "console", console)
        lab.listen(context, "weberror", lambda each: problems.append(f"script: {each.error}"))
        lab.listen(context, "request", lambda each: asked(each.url))
        lab.listen(context, "dialog", dialog)
        lab.listen(self.page, "websocket", lambda each: asked(each.url))

    def clean(self, root: str) -> None:
        """Make the tab as good as new: no window beside it, no storage, no history."""
        context = self.page.context
        for page in context.pages:
            if page is not self.page:
                page.close()
        self.page.unroute_all(behavior="ignoreErrors")
        self.page.goto(f"{root}/_stcore/health")  # of the app's origin, and no page of it: nothing runs
        self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear() }")
        context.clear_cookies()
        session = context.new_cdp_session(self.page)
        session.send("Page.resetNavigationHistory")
        session.detach()
        self.page.set_viewport_size(self.options["viewport"])
        looks = {name: self.options[name] for name in ("color_scheme", "reduced_motion")}
        self.page.emulate_media(media="null", **looks)
        self.page.mouse.move(0, 0)


class Tabs:
    """The tabs at rest, by their contexts' options."""

    def __init__(self, browser: Browser, server) -> None:
        self._browser = browser
        self._server = server
        self._resting: dict[str, Tab] = {}

    def take(self, options: dict, fresh: bool) -> Tab:
        """Return a tab whose context has these options beside the usual ones."""
        options = {**OPTIONS, **options}
        resting = None if fresh else self._resting.pop(str(options), None)
        return resting or Tab(self._new_page(options), options, fresh)

    def give_back(self, tab: Tab, spoilt: bool) -> None:
        """Take a tab back: for another test, if it can be handed on."""
        worn = tab.fresh or tab.uses >= MOST_USES or str(tab.options) in self._resting
        if spoilt or worn or tab.page.is_closed():
            tab.page.context.close()
            return
        tab.uses += 1
        tab.clean(self._server.url)
        self._resting[str(tab.options)] = tab

    def _new_page(self, options: dict) -> Page:
        context = self._browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        context.add_init_script(PROBE)
        return context.new_page()
