"""The order of the tests."""

from pathlib import Path

BROWSER = Path(__file__).parent / "browser"


def pytest_collection_modifyitems(items):
    """Put the browser tests last: Playwright keeps an event loop running, and others start their own.

    And a server and a Chromium serve all browser tests of a process only while no other test comes between.
    """
    items.sort(key=lambda item: BROWSER in item.path.parents)
