"""A server of the app and a Chromium, once for all browser tests of a process; tabs to visit pages in.

Whatever a test does, at its end there must have been no error in the console or in a script, no
dialog, and no request to another host (the browser could not reach one: it resolves no names).
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserType, Error, expect, sync_playwright

from tests.browser.lab import PATIENCE, Lab
from tests.browser.tabs import Tab, Tabs

ROOT = Path(__file__).parents[2]
HOW_TO_GET_ONE = (
    "No Chromium: get one with `sudo apt install chromium` or `.venv/bin/playwright install chromium`"
)
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
OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"

expect.set_options(timeout=PATIENCE)


@dataclass(frozen=True)
class Server:
    """The running app."""

    url: str
    process: subprocess.Popen
    output: Path

    @property
    def last_words(self) -> str:
        """The end of its output, and whether it runs on."""
        code = self.process.poll()
        return "".join(self.output.open().readlines()[-20:]) + f"\nexit code: {code}"


def free_port():
    """Return a port that nobody uses."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextmanager
def serving(port, output):
    """Serve the app on a port; what it says goes to a file."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    command += ["--server.address", "127.0.0.1", "--server.fileWatcherType", "none"]
    own_group = {"start_new_session": True} if os.name == "posix" else {}
    with output.open("w") as file:
        # Whoever has fetched the trained models tests the same app as whoever has not.
        environment = os.environ | {"LAB_MODELS": str(output.parent / "models")}
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, env=environment, **own_group
        )
    running = Server(f"http://127.0.0.1:{port}", process, output)
    try:
        _wait_for(running)
        yield running
    finally:
        if os.name == "posix" and process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)  # the process that asks PyTorch too
        else:
            process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


@pytest.fixture(scope="package")
def server(tmp_path_factory):
    """Serve the app on a free port until all tests have run."""
    with serving(free_port(), tmp_path_factory.mktemp("server") / "output.txt") as running:
        yield running


def _wait_for(server):
    end = time.monotonic() + 60
    while time.monotonic() < end and server.process.poll() is None:
        try:
            with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"The server did not come up:\n{server.last_words}", pytrace=False)


@pytest.fixture(scope="package")
def browser():
    """Return the Chromium that is there; without one, skip, or fail where nothing may be skipped.

    Not for the whole session: while Playwright runs, no test may run an event loop of its own.
    """
    with sync_playwright() as playwright:
        chromium = launched(playwright.chromium, OFFLINE)
        if chromium:
            yield chromium
            chromium.close()
            return
        if os.environ.get("LAB_NO_SKIPS"):
            pytest.fail(HOW_TO_GET_ONE, pytrace=False)
        pytest.skip(HOW_TO_GET_ONE)


def launched(kind: BrowserType, *more: str) -> Browser | None:
    """Start the Chromium that is there, with more arguments; None if there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    for path in [*filter(None, map(shutil.which, names)), None]:  # None: Playwright's own
        try:
            return kind.launch(executable_path=path, args=[*ARGUMENTS, *more])
        except Error:
            continue
    return None


@pytest.fixture(scope="package")
def tabs(browser: Browser, server: Server):
    """Return the tabs that tests hand on, each in a context of its own."""
    return Tabs(browser, server)


@pytest.fixture
def visit(tabs: Tabs, server: Server, request, tmp_path):
    """Return a function that opens a page: visit(path, context={...}, fresh=False, **query).

    In a tab as good as new, or in a new one if a test says ``fresh`` or wants to prepare it first: then the
    path is None.
    """
    open_tabs: list[tuple[Tab, Lab]] = []
    problems: list[str] = []

    if server.process.poll() is not None:
        pytest.fail(f"The server has ended:\n{server.last_words}", pytrace=False)

    def visit(
        path: str | None = "/playground", *, context: dict | None = None, fresh: bool | None = None, **query
    ) -> Lab:
        tab = tabs.take(context or {}, fresh=path is None if fresh is None else fresh)
        lab = Lab(tab.page, server.url)
        open_tabs.append((tab, lab))
        tab.watch(lab, problems)
        return lab.go(path, **query) if path is not None else lab

    yield visit

    failed = getattr(request.node, "lab_failed", False)
    for number, (tab, lab) in enumerate(open_tabs):
        lab.page.evaluate("0")  # whatever has been reported by now has arrived
        if failed:
            shot = tmp_path / f"{number}.png"
            lab.page.screenshot(path=shot)
            text = f"{lab.page.url}\n{shot}\n{server.last_words}"
            request.node.add_report_section("teardown", "page, its picture, the server's last words", text)
        lab.stop_listening()
        tabs.give_back(tab, spoilt=failed)
    assert problems == []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    """Let the fixture know at its end whether the test has failed."""
    report = yield
    if report.when == "call":
        item.lab_failed = report.failed
    return report
