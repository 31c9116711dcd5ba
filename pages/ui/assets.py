"""The files that the browser loads from us: our JavaScript and Plotly's, at unchanging addresses.

The address holds a hash of the contents, so a browser may keep a file for ever, and a new version
has a new address. Everything is compressed once, not once for each of 300 students.
"""

import gzip
import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.ui import streamlit_modules

ROUTE = "/lab-assets/{version}/{name}"
FOLDER = Path(__file__).parents[2] / "assets" / "live"
PLOTLY = FOLDER.parent / "vendor" / "plotly.min.js"
_LATER = {  # what no first picture needs
    "copy_link.js", "share_link.js", "add_state.js", "order_keeper.js", "start_lecture.js", "conductor.js",
    "projected.js", "program.js", "clipboard.js", "awake.js", "code.js", "attempts.js",
    "elsewhere.js", "hands.js",
}  # fmt: skip
_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}


class Asset(NamedTuple):
    """A file as it is and compressed."""

    media_type: str
    raw: bytes
    compressed: bytes


class Bundle(NamedTuple):
    """All files under one version, the hash of their contents."""

    version: str
    files: dict[str, Asset]


@cache
def bundle() -> Bundle:
    """Return the files, read and compressed at the first call."""
    paths = [*sorted(FOLDER.iterdir()), PLOTLY]
    files = {path.name: _asset(path) for path in paths if path.suffix in _TYPES}
    version = hashlib.sha256(b"".join(file.raw for file in files.values())).hexdigest()[:16]
    return Bundle(version, files)


async def serve(request: Request) -> Response:
    """Answer with a file, compressed where the browser takes it."""
    version, files = bundle()
    file = files.get(request.path_params["name"])
    if file is None or request.path_params["version"] != version:
        return Response(status_code=404)
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable",
        "Vary": "Accept-Encoding",
        "X-Content-Type-Options": "nosniff",
    }
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(file.compressed, media_type=file.media_type, headers=headers)
    return Response(file.raw, media_type=file.media_type, headers=headers)


class Preload:
    """Middleware that lets the browser fetch what a picture needs along with the page itself.

    Without it, Plotly is asked for only after Streamlit has started, connected and run the script.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass all on; pages of HTML get a Link header."""

        async def with_link(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("Link", _links(scope.get("root_path", "")))
            await send(message)

        await self.app(scope, receive, with_link if scope["type"] == "http" else send)


@cache
def _links(root: str) -> str:
    _, files = bundle()
    scripts = [f"<{root}/{path(PLOTLY.name)}>; rel=preload; as=script"]
    modules = [
        name
        for name in files
        if name.endswith(".js")
        and name not in (PLOTLY.name, "stepper.js", "lecture.js", *_LATER)
        and not name.startswith("answer")
    ]
    addresses = [path(name) for name in modules]
    addresses += [f"{streamlit_modules.ROUTE}/{name}" for name in streamlit_modules.needed()]
    return ", ".join([*scripts, *(f"<{root}/{address}>; rel=modulepreload" for address in addresses)])


def path(name: str) -> str:
    """Return a file's address, relative to the app's root."""
    version, files = bundle()
    if name not in files:
        raise KeyError(name)
    return f"lab-assets/{version}/{name}"


def text(name: str) -> str:
    """Return a file's contents."""
    return bundle().files[name].raw.decode()


def _asset(file: Path) -> Asset:
    raw = file.read_bytes()
    return Asset(_TYPES[file.suffix], raw, gzip.compress(raw, 6, mtime=0))
