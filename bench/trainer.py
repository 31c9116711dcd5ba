"""Somebody who trains and watches, without a browser: the messages of Chromium, recorded once."""

import asyncio
import time
from dataclasses import dataclass
from urllib.parse import urlencode

from playwright.async_api import expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from bench.browser import chromium
from bench.processes import children, use
from bench.recorded import Recorded
from bench.servers import Server
from bench.session import Session

QUERY = {"experiment": "scale", "run": "unscaled-64", "seed": "3"}
_WAIT_MS = 120_000  # PyTorch is imported at a low priority
_IMPORTED = 5.0  # seconds of computing, after which a process trains


@dataclass(frozen=True)
class Clicks:
    first: BackMsg
    train: BackMsg
    pause: BackMsg
    go_on: BackMsg


async def record_clicks(address: str) -> Clicks:
    """Train, pause, continue and cancel in Chromium; return what it has sent."""
    sent: list[BackMsg] = []

    def note(frame: bytes) -> None:
        message = BackMsg()
        message.ParseFromString(frame)
        if message.WhichOneof("type") == "rerun_script" and not message.rerun_script.fragment_id:
            del message.rerun_script.cached_message_hashes[:]
            sent.append(message)

    async with chromium() as browser:
        page = await (await browser.new_context()).new_page()
        page.on("websocket", lambda socket: socket.on("framesent", note))
        await page.goto(f"{address}/training?{urlencode(QUERY)}")
        progress, clicks = page.locator("[data-testid=stProgress]"), []
        for button, words in (("Train it now", "Training"), ("Pause", "Paused"), ("Continue", "Training")):
            await page.get_by_role("button", name=button).click()
            await expect(progress).to_contain_text(words, timeout=_WAIT_MS)
            clicks.append(next(each for each in reversed(sent) if _is_click(each)))
        await page.get_by_role("button", name="Cancel").click()
        await expect(progress).to_contain_text("Cancelled", timeout=_WAIT_MS)
        return Clicks(sent[0], *clicks)


class Trainer(Session):
    READY = ""

    def __init__(self, clicks: Clicks, server: Server) -> None:
        rest = BackMsg()  # what the widgets hold, nothing pressed: fragments are run with it
        rest.CopyFrom(clicks.first)
        super().__init__(Recorded(clicks.first, clicks.train, rest), QUERY)
        self.clicks, self.server = clicks, server
        self.pid, self.half = 0, "training"

    async def train(self) -> None:
        """Start a training, and wait until it has begun."""
        before = set(children(self.server.pid))
        await self._run(self.clicks.train, "")
        end = time.monotonic() + _WAIT_MS / 1000
        while time.monotonic() < end:
            new = set(children(self.server.pid)) - before
            if new and use(*new).cpu > _IMPORTED:
                (self.pid,), self.half = new, "training"
                return
            await asyncio.sleep(0.2)
        raise RuntimeError("the training did not begin")

    async def set(self, half: str) -> None:
        """Let it rest ("paused") or go on ("training")."""
        if half != self.half:  # it is one button
            await self._run(self.clicks.pause if half == "paused" else self.clicks.go_on, "")
            self.half = half

    def trains(self) -> bool:
        return self.pid in children(self.server.pid)


def _is_click(message: BackMsg) -> bool:
    return any(state.trigger_value for state in message.rerun_script.widget_states.widgets)
