"""A page as a browser sees it: what it was sent, and a way to answer as its components do."""

import json
import re
from concurrent.futures import Future
from pathlib import Path

import pytest
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from core.exercises.in_lessons import LESSONS
from pages.ui import judge, predict, torch_says

MAIN = Path(__file__).parents[2] / "pages" / "main.py"


class Page:
    """One session on one page, opened by a link; a lesson asks for predictions only if told to."""

    def __init__(self, file, link, asking=False):
        self.app = AppTest.from_file(MAIN, default_timeout=30)
        self.reports = 0  # of live components, which the browser numbers
        # AppTest would look for components in every installed package, each time: most of a test's time.
        self.app._bidi_component_manager = BidiComponentManager()
        self.app.query_params.update(link)
        if not asking:
            self.app.session_state[predict.LOOKING] = set(LESSONS)
        if file != "home.py":  # opened cold: its address is the first that the server hears of
            self._switch(file)
        self.run()

    def run(self):
        """Run the script as it stands; no page may ever show an exception."""
        self.app.run()
        return self._seen()

    def set(self, key, value):
        """Move the control of that key."""
        self.app.get_by_key(key).set_value(value)
        return self.run()

    def open(self, key):
        """Open the box of that key."""
        self.app.session_state[key] = True
        return self.run()

    def click(self, label):
        """Press the button with that label."""
        (button,) = [each for each in self.app.button if each.label == label]
        button.click()
        return self.run()

    def send(self, key, **state):
        """Answer as a component or a table does in the browser: by its state as JSON."""
        node = self.app.get_by_key(key)
        states = self.app._tree.get_widget_states()  # AppTest has no public way to these two kinds
        sent = states.widgets.add()
        sent.id = node.proto.id
        setattr(sent, "json_value" if node.type == "bidi_component" else "string_value", json.dumps(state))
        self.app._run(states)
        return self._seen()

    def change(self, key, **changes):
        """Let a live component report changes."""
        self.reports += 1
        return self.send(key, changes={"serial": self.reports, "values": changes})

    def answer(self, key, **value):
        """Answer a part of an exercise, as its field does in the browser."""
        self.reports += 1
        return self.send(key, given={"serial": self.reports, "value": value})

    def edit(self, table, rows=None, added=(), deleted=()):
        """Leave these edits in the table q, k or v: {row: {column: text}}, new rows, rows taken out."""
        (key,) = [key for key in self.keys if key.startswith(f"table_{table}_")]
        return self.send(key, edited_rows=rows or {}, added_rows=list(added), deleted_rows=list(deleted))

    def widen(self, table, width):
        """Give the table q, k or v so many columns."""
        (key,) = [key for key in self.keys if key.startswith(f"width_{table}_")]
        return self.set(key, width)

    def go(self, link):
        """Take a link within the same session: a step in the browser's history, or another address."""
        self.app.query_params.clear()
        self.app.query_params.update(link)
        return self.run()

    def visit(self, file, **link):
        """Change to another page, as by the navigation: its address brings no other parameters."""
        self.app.query_params.clear()
        self.app.query_params.update(link)
        self._switch(file)
        return self.run()

    def _switch(self, file):
        """As AppTest does, which takes a page's address to be the name of its file, underscores and all."""
        self.app.switch_page(file)
        address = file.removesuffix(".py").replace("_", "-")
        self.app._page_hash = calc_hash("" if address == "home" else address)

    def data(self, key):
        """What the live component of that key was given."""
        return json.loads(self.app.get_by_key(key).proto.json)

    @property
    def query(self):
        """The whole state, as the sliders hold it; they stand on the playground only."""
        return self.data("sliders")["query"]

    @property
    def link(self):
        """The parameters in the address bar, each as a text."""
        return {k: v[-1] if isinstance(v, list) else v for k, v in self.app.query_params.items()}

    @property
    def warnings(self):
        """The visible warnings, as they read once Markdown has taken its backslashes away."""
        return [re.sub(r"\\([^a-zA-Z0-9\s])", r"\1", warning.value) for warning in self.app.warning]

    @property
    def keys(self):
        """The keys of everything on the page that has one."""
        nodes = [*self.app.main, *self.app.sidebar]
        return {node.key for node in nodes if getattr(node, "key", None)}

    @property
    def html(self):
        """All HTML that the browser is told to draw."""
        pieces = [node.proto.body for node in self.app.get("html")]
        for node in self.app.get("bidi_component"):
            data = json.loads(node.proto.json or "{}")  # "projected" is given nothing
            pieces += [data.get("beside", ""), data.get("below", "")]
        return "\n".join(pieces)

    def _seen(self):
        assert [each.message for each in self.app.exception] == []
        return self


@pytest.fixture(autouse=True)
def _nobody_asks_pytorch(monkeypatch):
    """Leave PyTorch's answer out: it would change a picture at a moment of its own.

    A lecture's page waits for it before it comes to its end; here it would wait for ever.
    """
    monkeypatch.setattr(judge, "ask", lambda settings: Future())
    monkeypatch.setattr(torch_says, "_wait_here", lambda question: None)


@pytest.fixture
def open_page():
    """Return a function that opens a page by its file and a link."""
    return Page


@pytest.fixture
def playground():
    """Return a function that opens the playground by a link, given as parameters."""
    return lambda **link: Page("playground.py", link)
