"""The app as a person meets it in Chromium. Every selector of the browser tests is in this file.

Tests read what is *drawn* from Plotly's own data, and compare it with ``core`` computed here.
"""

import re
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import numpy as np
from playwright.sync_api import (
    BrowserContext,
    Error,
    Locator,
    Page,
    Request,
    Response,
    WebSocketRoute,
    expect,
)

from core.exercises.in_lessons import LESSONS
from core.settings import AttentionSettings
from core.trace import AttentionTrace, trace_attention

# How long to wait for what must come: in ms, for a machine that does much else. It is no test of speed.
PATIENCE = 30_000
TOLERANCE = 1e-6  # pictures hold 32-bit floats; scores are compared relative to their size

# Loaded into every page: what is drawn, as plain arrays, and a recorder of every drawing.
PROBE = """
window.labTest = {
  // the n-th that draws: where words are the picture, there is an empty one
  canvas: (n = 0) => document.querySelectorAll(".lab-plot:not(.lab-words) .lab-canvas")[n],
  grids: (gd) => gd.data.map((trace) => trace.z._inputArray ?? trace.z),
  number(value) {
    return value === null || value === undefined || Number.isNaN(Number(value)) ? null : Number(value)
  },
  // [tile][query][key]; null where nothing is drawn
  tiles(gd) {
    if (!gd?.data?.[0]?.z || !gd.layout?.meta?.heads) return null
    const { stride, columns, query_tokens: queries, key_tokens: keys, heads } = gd.layout.meta
    const grids = labTest.grids(gd)
    const each = (row, column) => grids.map((z) => labTest.number(z[row]?.[column]))
    const at = (row, column) => each(row, column).find((z) => z !== null) ?? null
    return heads.map((_, tile) => queries.map((_, query) => keys.map((_, key) =>
      at(Math.floor(tile / columns) * stride[0] + query, (tile % columns) * stride[1] + key))))
  },
  // every picture on the page, be it a heatmap, another plot, or words alone
  painted() {
    const plots = [...document.querySelectorAll(".lab-plot")] // the glossary and the exercises have none
    const words = ".lab-glossary, [class*=st-key-X], .st-key-lab_sets, .st-key-lab_nav, " +
      "[class*=st-key-predict_]"
    const found = plots.length > 0 || document.querySelector(words)
    return found && plots.every((plot) => {
      const gd = plot.querySelector(".lab-canvas")
      if (plot.classList.contains("lab-words")) return plot.querySelector(".lab-below").childElementCount > 0
      return gd.layout?.meta?.heads ? labTest.tiles(gd)?.length > 0 : Boolean(gd._fullLayout)
    })
  },
  // whether pictures are as wide as their room, and nothing has moved for some frames
  still() {
    const drawn = [...document.querySelectorAll(".lab-canvas")]
      .filter((gd) => gd._fullLayout && gd.clientWidth)
    const { scrollWidth, scrollHeight } = document.querySelector("[data-testid=stMain]")
    const state = JSON.stringify([innerWidth, scrollWidth, scrollHeight, ...drawn.map((gd) => {
      const { left, top, width, height } = gd.getBoundingClientRect()
      return [left, top, width, height, gd._fullLayout.width, gd._fullLayout.height]
    })])
    labTest.frames = state === labTest.state ? labTest.frames + 1 : 0
    labTest.state = state
    return labTest.frames > 5 && drawn.every((gd) => Math.abs(gd._fullLayout.width - gd.clientWidth) <= 2)
  },
  equal(drawn, wanted, tolerance) {
    if (Array.isArray(wanted)) {
      return Array.isArray(drawn) && drawn.length === wanted.length &&
        wanted.every((each, i) => labTest.equal(drawn[i], each, tolerance))
    }
    if (wanted === null || drawn === null) return wanted === drawn
    return Math.abs(wanted - drawn) <= tolerance * Math.max(1, Math.abs(wanted))
  },
  record() {
    const gd = labTest.canvas()
    labTest.drawings = []
    gd.on("plotly_afterplot", () => labTest.drawings.push({
      row: labTest.tiles(gd)[0].at(-1), link: location.href, entries: history.length,
    }))
  },
}
"""

TILES_ARE = "([wanted, tolerance]) => labTest.equal(labTest.tiles(labTest.canvas()), wanted, tolerance)"

# A slider's name is its setting's; what stands on it is told apart by a word of its label.
_SLIDERS = {
    "d_k": re.compile(r"^d_k"),
    "rope_offset": re.compile("all positions"),
    "query_shift": re.compile("queries alone"),
    "temperature": re.compile("^Temperature"),
    "q0": re.compile("q, entry 0"),
    "q1": re.compile("q, entry 1"),
    "kv_heads": re.compile("^H_kv, KV heads"),
    "context": re.compile("^tokens in the cache"),
    "reader": re.compile("looks back"),
    "offset": re.compile("Added to every score"),
    "heads": re.compile("^H, heads"),
    "head": re.compile("^head looked at"),
    "wide": re.compile("^D, width of a layer"),
    "n": re.compile("^n, tokens"),
    "tile": re.compile("^tile: keys"),
    "depth": re.compile("^L, layers in the picture"),
    "d_model": re.compile("^D, width of a token"),
    "layers": re.compile("^(layers|L, blocks)"),
    "a": re.compile("^a, one entry"),
    "b": re.compile("^b, the same entry"),
    "m": re.compile("^m, position of q"),
    "both": re.compile("^move both by"),
}


class Lab:
    """One page in a browser context of its own."""

    def __init__(self, page: Page, root: str) -> None:
        self.page = page
        self.root = root
        self.allowed: list[re.Pattern[str]] = []  # errors in the console that the test brings about
        self._listening: list[tuple[Page | BrowserContext, str, Callable]] = []
        self.traffic = Traffic(self)

    # --- going somewhere ---

    def go(self, path: str = "/playground", **query: object) -> "Lab":
        """Open a page cold, and wait for its first picture.

        A lesson opened by its address alone asks for a prediction first (``ask``); a link with settings,
        be it the version alone, shows its pictures at once.
        """
        self.page.goto(self.address(path, **(query or ({"v": 1} if path[1:] in LESSONS else {}))))
        return self.painted()

    def ask(self, path: str, **query: object) -> "Lab":
        """Open a lesson as a student does, who is to predict first."""
        self.page.goto(self.address(path, **query))
        return self.painted()

    def listen(self, to: Page | BrowserContext, event: str, listener: Callable) -> None:
        """Call a function at each such event until the test ends."""
        to.on(event, listener)
        self._listening.append((to, event, listener))

    def stop_listening(self) -> None:
        """Hear nothing any more."""
        while self._listening:
            to, event, listener = self._listening.pop()
            to.remove_listener(event, listener)

    def heard(self) -> list[bytes]:
        """Return a list of all that the server says from the next page on, over the socket or by itself."""
        said: list[bytes] = []

        def frame(data: str | bytes) -> None:
            said.append(data if isinstance(data, bytes) else data.encode())

        def answer(response: Response) -> None:
            if "/lab-live/" in response.url:
                frame(response.url)

        self.listen(self.page, "websocket", lambda socket: socket.on("framereceived", frame))
        self.listen(self.page, "response", answer)
        return said

    def resize(self, width: int, height: int) -> None:
        """Give the page another size, and wait until its pictures have followed and nothing moves."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.wait_for_function("labTest.still()")

    def address(self, path: str = "/playground", **query: object) -> str:
        return self.root + path + ("?" + urlencode(query, quote_via=quote) if query else "")

    def painted(self) -> "Lab":
        """Wait until every picture on the page is drawn and the script has run to its end."""
        self.page.wait_for_function("labTest.painted()")
        return self.rested()

    def rested(self) -> "Lab":
        """Wait until Streamlit has nothing left to run."""
        expect(self.page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
        return self

    # --- what is drawn ---

    @property
    def canvas(self) -> Locator:
        return self.page.locator(".lab-plot:not(.lab-words) .lab-canvas").first

    @property
    def drawn(self) -> np.ndarray:
        """``[tile, query, key]``; NaN where nothing is drawn."""
        return np.array(self.page.evaluate("labTest.tiles(labTest.canvas())"), dtype=float)

    def expect_drawn(self, settings: AttentionSettings, timeout: float = PATIENCE) -> None:
        """Wait until exactly what ``core`` computes for the settings is drawn."""
        self.expect_tiles(picture(trace_attention(settings)), timeout)

    def expect_tiles(self, wanted: np.ndarray, timeout: float = PATIENCE) -> None:
        """Wait until exactly these tiles are drawn, ``[tile, query, key]``."""
        try:
            self.page.wait_for_function(TILES_ARE, arg=[_with_none(wanted), TOLERANCE], timeout=timeout)
        except Error:
            assert_close(self.drawn, wanted)
            raise

    def watch_for(self, holds: str, arg: object = None) -> Callable[[], str]:
        """Look at every frame from now on whether a function of JavaScript holds.

        Return how to wait for it and to learn what the address bar said *at that moment*: a look from
        here comes when it comes, on a busy machine after a link that was written in good time.
        """
        self.page.evaluate(
            f"""(arg) => {{
                delete labTest.linkThen
                const look = () => {{
                    if (({holds})(arg)) labTest.linkThen = location.href
                    else requestAnimationFrame(look)
                }}
                look()
            }}""",
            arg,
        )

        def link_then() -> str:
            self.page.wait_for_function("labTest.linkThen")
            return self.page.evaluate("labTest.linkThen")

        return link_then

    def watch_for_tiles(self, wanted: np.ndarray) -> Callable[[], str]:
        """The same for these tiles, ``[tile, query, key]``."""
        return self.watch_for(TILES_ARE, [_with_none(wanted), TOLERANCE])

    def layout(self, path: str) -> object:
        """A part of the picture's layout, such as ``_fullLayout.xaxis.range``."""
        return self.page.evaluate(f"labTest.canvas().{path}")

    def mark(self) -> None:
        """Mark the picture's element and Plotly's instance in it, to see later whether they stayed."""
        self.page.evaluate(
            "() => { const gd = labTest.canvas(); gd.labMark = 'stays';"
            " labTest.uid = gd._fullLayout._uid; labTest.svg = gd.querySelector('.main-svg') }"
        )

    def expect_same_instance(self) -> None:
        """The marked element, Plotly's instance and its SVG are still the ones on the page."""
        stayed = self.page.evaluate(
            "() => { const gd = labTest.canvas(); return [gd.labMark === 'stays',"
            " gd._fullLayout._uid === labTest.uid, gd.querySelector('.main-svg') === labTest.svg] }"
        )
        assert stayed == [True, True, True], "element, Plotly's instance, its SVG"

    def record(self) -> None:
        """Note every drawing from now on."""
        self.page.evaluate("labTest.record()")

    @property
    def drawings(self) -> list[dict]:
        """Every drawing since ``record``: the first tile's last row, the address bar, the history."""
        return self.page.evaluate("labTest.drawings")

    def tick_labels(self, axis: str) -> list[str]:
        """The labels of the x or y axis as the SVG shows them, in order of place."""
        return self.page.evaluate(
            f"[...labTest.canvas().querySelectorAll('.{axis}tick text')].map((text) => text.textContent)"
        )

    @property
    def hatchings(self) -> Locator:
        """The images that mark hidden cells."""
        return self.canvas.locator(".layer-below .imagelayer image, .imagelayer image")

    def cell_box(self, query: int, key: int, tile: int = 0) -> dict[str, float]:
        """A cell's place on the screen: x, y of its middle, width and height."""
        return self.page.evaluate(
            """([tile, query, key]) => {
                const gd = labTest.canvas()
                gd.scrollIntoView({ block: "center", behavior: "instant" })
                const { xaxis, yaxis } = gd._fullLayout
                const { stride, columns } = gd.layout.meta
                const row = Math.floor(tile / columns) * stride[0] + query
                const column = (tile % columns) * stride[1] + key
                const box = gd.getBoundingClientRect()
                return {
                    x: box.left + xaxis._offset + xaxis.d2p(column),
                    y: box.top + yaxis._offset + yaxis.d2p(row),
                    width: xaxis.d2p(1) - xaxis.d2p(0),
                    height: yaxis.d2p(1) - yaxis.d2p(0),
                }
            }""",
            [tile, query, key],
        )

    def hover(self, query: int, key: int, tile: int = 0) -> None:
        box = self.cell_box(query, key, tile)
        self.page.mouse.move(box["x"], box["y"])

    def click_cell(self, query: int, key: int, tile: int = 0) -> None:
        box = self.cell_box(query, key, tile)
        self.page.mouse.click(box["x"], box["y"])

    def zoom(self, first: tuple[int, int], last: tuple[int, int]) -> None:
        """Drag a box from one (query, key) to another."""
        start, end = (self.cell_box(query, key) for query, key in (first, last))
        self.page.mouse.move(start["x"], start["y"])
        self.page.mouse.down()
        self.page.mouse.move(end["x"], end["y"], steps=6)
        self.page.mouse.up()

    @property
    def ranges(self) -> list[float]:
        """What of the picture's axes is in view."""
        return self.page.evaluate(
            "() => { const { xaxis, yaxis } = labTest.canvas()._fullLayout;"
            " return [...xaxis.range, ...yaxis.range] }"
        )

    # --- what stands around it ---

    @property
    def readout(self) -> Locator:
        return self.page.locator(".lab-readout").first

    @property
    def panel(self) -> Locator:
        """One cell's arithmetic."""
        return self.page.get_by_role("region", name="One cell explained")

    @property
    def checks(self) -> Locator:
        """The truth strip."""
        return self.page.get_by_role("region", name="Checks").first

    @property
    def warnings(self) -> Locator:
        return self.page.get_by_test_id("stAlert")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name)

    # --- controls ---

    def control(self, name: str) -> Locator:
        """A Streamlit control: its key is the setting's name."""
        return self.page.locator(f".st-key-{name}")

    def switch(self, name: str) -> Locator:
        return self.control(name).get_by_role("switch")

    def flip(self, name: str) -> None:
        """Click a toggle."""
        self.control(name).get_by_test_id("stCheckbox").locator("label").first.click()

    def choose(self, name: str, option: str) -> None:
        """Click an option of a row of options."""
        self.control(name).locator("label").filter(has_text=re.compile(f"^{re.escape(option)}$")).click()

    def select(self, name: str, option: str) -> None:
        """Choose from a list that opens."""
        box, choice = self.control(name).get_by_role("combobox"), self.page.get_by_role("option")
        box.click()
        try:
            choice.first.wait_for(timeout=2000)
        except Error:  # Streamlit's list closes again when the page moves under it
            box.press("ArrowDown")
        choice.filter(has_text=re.compile(f"^{re.escape(option)}$")).click()

    def number(self, name: str) -> Locator:
        return self.control(name).get_by_role("spinbutton")

    def slider(self, name: str) -> Locator:
        return self.page.get_by_role("slider", name=_SLIDERS[name])

    def field(self, name: str) -> Locator:
        """The field for a slider's exact value."""
        return self.page.get_by_role("textbox", name=_SLIDERS[name])

    def note(self, name: str) -> Locator:
        """The sentence that belongs to a slider, as a screen reader finds it."""
        return self.page.locator(f"#{self.slider(name).get_attribute('aria-describedby')}")

    def type_exact(self, name: str, text: str) -> None:
        self.field(name).fill(text)
        self.field(name).press("Enter")

    @contextmanager
    def dragging(self, name: str):
        """Hold a slider's thumb; yields how to move it to a share of its way."""
        box = self.slider(name).bounding_box()
        at, last = self.slider(name).evaluate("(range) => [Number(range.value), Number(range.max)]")
        thumb = 22  # pixels, about: a press beside it moves it there

        def place(share: float) -> tuple[float, float]:
            left, way = box["x"] + thumb / 2, box["width"] - thumb
            return left + way * share, box["y"] + box["height"] / 2

        self.page.mouse.move(*place(at / last))
        self.page.mouse.down()
        yield lambda share: self.page.mouse.move(*place(share))
        self.page.mouse.up()

    def table(self, name: str) -> Locator:
        """One of the three tables of "My numbers": Q, K or V."""
        return self.page.get_by_role("region", name=re.compile(f"^{name},"))

    def table_cell(self, name: str, row: int, column: int) -> Locator:
        """A cell of a table, as a screen reader finds it: the table itself is painted on a canvas."""
        return self.table(name).get_by_test_id(f"glide-cell-{column + 1}-{row}")

    def enter_table(self, name: str, row: int = 0, column: int = 0) -> None:
        """Click a table's first cell, then go to another with the arrow keys."""
        grid = self.table(name).get_by_test_id("data-grid-canvas")
        grid.evaluate("(grid) => grid.scrollIntoView({ block: 'center', behavior: 'instant' })")
        box = grid.bounding_box()
        first = box["x"] + 60, box["y"] + 52  # the first cell under the header
        self.page.mouse.move(*first)
        self.wait_frames(5)  # the table first learns where the pointer is, as from a hand
        self.page.mouse.click(*first)
        expect(self.table_cell(name, 0, 0)).to_have_attribute("aria-selected", "true")
        for key in ["ArrowDown"] * row + ["ArrowRight"] * column:
            self.page.keyboard.press(key)

    def type_in_table(self, name: str, row: int, column: int, text: str) -> None:
        """Replace what is in a cell, by keyboard."""
        self.enter_table(name, row, column)
        self.page.keyboard.press("Enter")
        editor = self.page.locator("textarea:focus, input:focus")  # it opens over the table
        editor.fill(text)
        editor.press("Enter")

    def paste(self, text: str) -> None:
        """Paste a text where the focus is."""
        self.page.evaluate("(text) => navigator.clipboard.writeText(text)", text)
        self.page.keyboard.press("Control+v")

    def open_take_away(self) -> None:
        """Open the box with everything that can be taken away."""
        self.page.get_by_text("Take it away").click()
        self.button("NPZ").wait_for()

    def download(self, name: str) -> Path:
        """Press a button that downloads; return the file."""
        with self.page.expect_download() as download:
            self.button(name).click()
        return download.value.path()

    @property
    def colours(self) -> "Colours":
        """The colours of a tick label and of what is behind it."""
        text, background = self.page.evaluate(
            "() => { const gd = labTest.canvas(); return ["
            "getComputedStyle(gd.querySelector('.xtick text')).fill,"
            " getComputedStyle(gd.querySelector('.main-svg')).backgroundColor] }"
        )
        return Colours(text, background)

    def switch_theme(self, scheme: str) -> None:
        """Let the system ask for "light" or "dark", and wait until the page and its picture follow."""
        self.page.emulate_media(color_scheme=scheme)
        self.page.wait_for_function(
            """(dark) => {
                const page = getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor
                const light = page.match(/\\d+/g).slice(0, 3).every((part) => Number(part) > 127)
                const drawing = document.querySelector('.lab-canvas .main-svg') // not every page has one
                const picture = drawing ? getComputedStyle(drawing).backgroundColor : page
                return light !== dark && picture === page
            }""",
            arg=scheme == "dark",
        )
        # A colour on its way from one theme to the other belongs to neither.
        self.page.wait_for_function(
            "() => document.getAnimations().every((each) => each.playState !== 'running' ||"
            " each.effect.getComputedTiming().iterations === Infinity)"
        )

    # --- the state ---

    @property
    def link(self) -> AttentionSettings:
        """The settings of the address bar."""
        return settings_of(self.page.url)

    def expect_link(self, **values: object) -> AttentionSettings:
        """Wait until the address bar holds these values; return all its settings."""

        def holds(url: str) -> bool:
            settings = settings_of(url)
            return all(getattr(settings, name) == value for name, value in values.items())

        self.page.wait_for_url(holds, timeout=PATIENCE)
        return self.link

    def expect_settled(self, **values: object) -> AttentionSettings:
        """Wait until the address bar holds these values and what it says is drawn."""
        settings = self.expect_link(**values)
        self.rested()
        self.expect_drawn(settings)
        return settings

    def expect_parameter(self, **wanted: str | Callable[[str], bool]) -> None:
        """Wait until the address bar holds these parameters, as texts or as what a function says of them."""

        def holds(url: str) -> bool:
            query = parse_qs(urlsplit(url).query, keep_blank_values=True)
            return all(
                name in query and (want(query[name][-1]) if callable(want) else query[name][-1] == want)
                for name, want in wanted.items()
            )

        self.page.wait_for_url(holds, timeout=PATIENCE)
        self.rested()

    @property
    def entries(self) -> int:
        """The length of the browser's history."""
        return self.page.evaluate("history.length")

    def wait_until(self, holds: Callable[[], object]) -> None:
        """Let the browser work until something holds here."""
        end = time.monotonic() + PATIENCE / 1000
        while time.monotonic() < end:
            if holds():
                return
            self.wait_frames(1)
        raise AssertionError("waited in vain")

    def copied_link(self) -> str:
        """Press the button that copies the link: it copies what the page's script holds."""
        self.page.evaluate("navigator.clipboard.writeText('nothing')")
        self.page.get_by_role("button", name=re.compile("^(Copy link|Link copied)$")).click()
        self.page.wait_for_function("async () => (await navigator.clipboard.readText()) !== 'nothing'")
        return self.page.evaluate("navigator.clipboard.readText()")

    def after(self, seconds: float, act: Callable[[], object]) -> None:
        """Let something happen later, while the browser works on."""
        if not seconds:
            act()
            return
        loop = self.page._impl_obj._loop  # Playwright's own: the browser is driven from it
        loop.call_later(seconds, act)

    def late(self) -> dict[str, float]:
        """Let what the script says come late: by ``["by"]`` seconds, none at first."""
        late = {"by": 0.0}

        def connect(socket: WebSocketRoute) -> None:
            server = socket.connect_to_server()
            server.on_message(lambda message: self.after(late["by"], lambda: socket.send(message)))

        self.page.route_web_socket("**/_stcore/stream", connect)
        return late

    def wait_frames(self, n: int = 2) -> None:
        """Let the browser draw some frames."""
        self.page.evaluate(
            "(n) => new Promise((done) => {"
            " const next = () => (n-- > 0 ? requestAnimationFrame(next) : done()); next() })",
            n,
        )


class Traffic:
    """The requests for pictures while something moves."""

    def __init__(self, lab: Lab) -> None:
        self.count = 0
        self.most_in_flight = 0
        self._open: set[Request] = set()
        lab.listen(lab.page, "request", self._started)
        lab.listen(lab.page, "response", lambda response: self._ended(response.request))
        lab.listen(lab.page, "requestfailed", self._ended)

    @property
    def in_flight(self) -> int:
        return len(self._open)

    def _started(self, request: Request) -> None:
        if "/lab-live/" in request.url and request.method == "POST":
            self.count += 1
            self._open.add(request)
            self.most_in_flight = max(self.most_in_flight, len(self._open))

    def _ended(self, request: Request) -> None:
        self._open.discard(request)


# --- what core says --------------------------------------------------------------------------


def settings_of(url: str) -> AttentionSettings:
    """The settings that a link names."""
    settings, _ = AttentionSettings.from_query(parse_qs(urlsplit(url).query, keep_blank_values=True))
    return settings


def picture(trace: AttentionTrace) -> np.ndarray:
    """What must be drawn: the stage in view of the heads in view, ``[head, query, key]``."""
    settings = trace.settings
    values = getattr(trace, settings.stage)
    if settings.stage in ("masked", "weights"):
        values = np.where(trace.mask, values, np.nan)
    return values if settings.head is None else values[[settings.head]]


def weights(**settings: object) -> np.ndarray:
    """The weights of some settings, NaN where hidden."""
    return picture(trace_attention(AttentionSettings(**settings)))


def assert_close(drawn: np.ndarray, wanted: np.ndarray) -> None:
    """What is drawn equals what is wanted; a cell is blank exactly where it is hidden."""
    np.testing.assert_allclose(drawn, wanted, rtol=TOLERANCE, atol=TOLERANCE)


def _with_none(array: np.ndarray) -> list:
    return np.where(np.isnan(array), None, array.astype(object)).tolist()


# --- colours ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Colours:
    """Text and what is behind it, as CSS writes them."""

    text: str
    background: str

    @property
    def contrast(self) -> float:
        """WCAG's contrast ratio, 1 to 21."""
        light, dark = sorted((_luminance(self.text), _luminance(self.background)), reverse=True)
        return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    if colour.startswith("#"):
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    else:
        channels = [float(part) / 255 for part in re.findall(r"[\d.]+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))
