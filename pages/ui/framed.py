"""What is said in a frame that its page has shut off from everything, where no app could run.

In a frame with ``sandbox`` but without ``allow-same-origin`` the browser refuses to load our files: they
belong to nobody there. Without this, the frame would stay white.
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

NOTICE = (
    "Attention Lab cannot run in this frame: the page around it has given the frame a sandbox without "
    "allow-same-origin. Add allow-same-origin to the sandbox, or open the address of this frame in a window "
    "of its own."
)
_SCRIPT = (
    '<script>if (self.origin === "null") document.body.innerHTML = '
    f"'<p style=\"font: 20px/1.5 sans-serif; margin: 2rem\">{NOTICE}</p>'</script>"
).encode()
# Request headers that would bring something else than the whole text, to which ours can be added.
_UNWANTED = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")


class Sandboxed:
    """Middleware that lets the pages of frames say why they stay empty, where they do."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass all on; a frame's page of HTML gets a script at its end."""
        if scope["type"] != "http" or Headers(scope=scope).get("sec-fetch-dest") not in ("iframe", "frame"):
            return await self.app(scope, receive, send)
        headers = [(name, value) for name, value in scope["headers"] if name not in _UNWANTED]
        page = False

        async def appended(message: Message) -> None:
            nonlocal page
            if message["type"] == "http.response.start":
                found = MutableHeaders(raw=message["headers"])
                page = message["status"] == 200 and found.get("content-type", "").startswith("text/html")
                if page:
                    del found["etag"], found["last-modified"]
                    if "content-length" in found:
                        found["content-length"] = str(int(found["content-length"]) + len(_SCRIPT))
                    message = {**message, "headers": found.raw}
            elif page and not message.get("more_body"):
                message = {**message, "body": message.get("body", b"") + _SCRIPT}
            await send(message)

        return await self.app({**scope, "headers": headers}, receive, appended)
