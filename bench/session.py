"""A Streamlit session without a browser: the messages of one, over a real websocket."""

import asyncio
import json
import time
from collections.abc import Coroutine
from typing import Any
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from bench.recorded import Recorded, slider_state

TIMEOUT = 10  # seconds


class Session:
    """One student's connection. Fragments that run by themselves do so as in a browser."""

    READY = "d_k="  # in the link once the page stands

    def __init__(self, recorded: Recorded, query: dict[str, str]) -> None:
        self.query = urlencode(query)  # the address bar
        own = (
            _with_seed(message, query["seed"]) for message in (recorded.first, recorded.change, recorded.rest)
        )
        self.first, self.change, self._last = own  # _last: what the page's widgets hold
        self._exceptions = 0
        self.socket: ClientConnection
        self._reader: asyncio.Task
        self._repeated: list[asyncio.Task] = []
        self._wanted, self._finished = "", asyncio.Event()

    async def open(self, address: str) -> None:
        self.socket = await connect(
            f"ws{address.removeprefix('http')}/_stcore/stream", subprotocols=["streamlit"], max_size=None,
            compression=None, proxy=None, ping_interval=None,
        )  # fmt: skip
        self._reader = asyncio.create_task(self._read())
        await self._run(self.first, self.READY)

    async def settle(self, d_k: int) -> float:
        """Tell the script a change; return the seconds until it has finished with that d_k in its link."""
        slider_state(self.change).json_value = json.dumps(
            {"changes": {"serial": d_k, "values": {"d_k": d_k}}}
        )
        self._last = self.change
        start = time.perf_counter()
        await self._run(self.change, f"d_k={d_k}&")
        return time.perf_counter() - start

    def exceptions(self) -> int:
        """Return how many the page has shown since this was last asked."""
        count, self._exceptions = self._exceptions, 0
        return count

    async def close(self) -> None:
        self._stop_repeating()
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)
        await self.socket.close()

    async def _run(self, message: BackMsg, wanted: str) -> None:
        self._wanted = wanted
        self._finished.clear()
        await self._send(message)
        await asyncio.wait_for(self._finished.wait(), TIMEOUT)

    async def _send(self, message: BackMsg) -> None:
        message.rerun_script.query_string = self.query
        await self.socket.send(message.SerializeToString())

    async def _read(self) -> None:
        async for frame in self.socket:
            message = ForwardMsg.FromString(frame)
            match message.WhichOneof("type"):
                case "new_session" if not message.metadata.run.fragment_ids:
                    self._stop_repeating()
                case "page_info_changed":
                    self.query = message.page_info_changed.query_string
                case "auto_rerun":
                    again = message.auto_rerun
                    self._repeat(self._fragment(again.fragment_id, again.interval))
                case "delta" if message.delta.new_element.WhichOneof("type") == "exception":
                    self._exceptions += 1
                case "script_finished" if message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                    if self._wanted in self.query + "&":
                        self._finished.set()

    async def _fragment(self, name: str, seconds: float) -> None:
        while True:  # until the next run of the whole script
            await asyncio.sleep(seconds)
            message = BackMsg()
            message.CopyFrom(self._last)
            message.rerun_script.fragment_id = name
            message.rerun_script.is_auto_rerun = True
            await self._send(message)

    def _repeat(self, work: Coroutine[Any, Any, None]) -> None:
        self._repeated.append(asyncio.create_task(work))

    def _stop_repeating(self) -> None:
        for task in self._repeated:
            task.cancel()
        self._repeated = []


def _with_seed(message: BackMsg, seed: str) -> BackMsg:
    own = BackMsg()
    own.CopyFrom(message)
    for state in own.rerun_script.widget_states.widgets:
        if state.id.endswith("-seed"):
            state.int_value = int(seed)
    return own
