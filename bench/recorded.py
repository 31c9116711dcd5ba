"""What a browser sends to Streamlit for its first run and for one settled change, recorded once.

Replayed for each student with another address, seed and d_k, so that the load is what Chromium makes.
"""

import asyncio
from dataclasses import dataclass

from streamlit.proto.BackMsg_pb2 import BackMsg

from bench.browser import START, Size, chromium, opened, playground

WAIT_SECONDS = 10


@dataclass(frozen=True)
class Recorded:
    first: BackMsg
    change: BackMsg  # with {"d_k": ...} reported in the sliders' state
    rest: BackMsg  # the state of all other widgets, which a browser sends with every message


async def record(address: str, size: Size) -> Recorded:
    sent: list[BackMsg] = []

    def note(frame: bytes) -> None:
        message = BackMsg()
        message.ParseFromString(frame)
        if message.WhichOneof("type") == "rerun_script":
            sent.append(message)

    site = playground(address)
    async with chromium() as browser, opened(browser, site, size, seen=note) as page:
        await page.locator(site.slider).first.press("ArrowRight")
        for _ in range(WAIT_SECONDS * 10):
            changes = [message for message in sent if slider_state(message)]
            if changes:
                return _recorded(sent[0], changes[-1])
            await asyncio.sleep(0.1)
    raise RuntimeError(f"the page told no change of d_k = {START} within {WAIT_SECONDS} s")


def slider_state(message: BackMsg):
    """Return the state of the live sliders in a message, or None."""
    states = message.rerun_script.widget_states.widgets
    return next((state for state in states if '"d_k"' in state.json_value), None)


def _recorded(first: BackMsg, change: BackMsg) -> Recorded:
    """Leave out the names of what Chromium has kept already: the students keep nothing."""
    for message in (first, change):
        del message.rerun_script.cached_message_hashes[:]
    rest = BackMsg()
    rest.CopyFrom(change)
    rest.rerun_script.widget_states.widgets.remove(slider_state(rest))
    return Recorded(first, change, rest)
