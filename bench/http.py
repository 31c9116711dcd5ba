"""One kept-alive HTTP connection, as a browser holds one; nothing but POST and a known length."""

import asyncio
import json
import time
from urllib.parse import urlsplit


class Connection:
    def __init__(self, address: str) -> None:
        self.host = urlsplit(address).netloc

    async def open(self) -> None:
        host, port = self.host.split(":")
        self.reader, self.writer = await asyncio.open_connection(host, int(port))

    async def post(self, path: str, value: object) -> tuple[float, bytes]:
        """Return the seconds from the question to the whole answer, and the answer."""
        body = json.dumps(value).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: {self.host}\r\nContent-Type: application/json\r\n"
        start = time.perf_counter()
        if self.reader.at_eof():  # the server lets go of a connection that is idle for 5 s
            await self.open()
        self.writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = await self.reader.readuntil(b"\r\n\r\n")
        status, *lines = answer.decode("latin-1").split("\r\n")
        if status.split()[1] != "200":
            raise OSError(f"{path} answered {status}")
        headers = dict(line.lower().split(": ", 1) for line in lines if ": " in line)
        content = await self.reader.readexactly(int(headers["content-length"]))
        return time.perf_counter() - start, content

    def close(self) -> None:
        self.writer.close()
