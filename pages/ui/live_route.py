"""The route that answers while a slider is dragged: a state in, its pictures out.

Streamlit's own way, from a component's message to a component's new data, renders the page's whole
React tree twice on the way: 35 to 45 ms, which leaves too little for 30 pictures a second. This
route keeps nothing and knows no session: the state in the question is all that the answer needs,
as for a link.
"""

import json
from typing import Any

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from pages.ui.pictures import VIEWS
from pages.ui.pictures.picture import View

ROUTE = "/lab-live/{view}"
_LARGEST = 100_000  # bytes; the longest text and the longest numbers take less than a third


async def serve(request: Request) -> Response:
    """Answer with the pictures of a state, as JSON. Bad values are repaired as those of a link."""
    view = VIEWS.get(request.path_params["view"])
    if view is None:
        return Response(status_code=404)
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _LARGEST:
            return Response("That is longer than any state.", status_code=413)
    try:
        question = json.loads(body)
        query, changed = dict(question["query"]), set(question["changed"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return Response('Send {"query": URL parameters, "changed": names}.', status_code=400)
    pictures = await run_in_threadpool(_pictures, view, query, changed)
    return Response(pictures, media_type="application/json", headers={"Cache-Control": "no-store"})


def path(view: str) -> str:
    """Return the route's address, relative to the app's root."""
    return f"lab-live/{view}"


def _pictures(view: View, query: dict[Any, Any], changed: set[Any]) -> bytes:
    settings, _ = view.kind.merged({str(name): str(value) for name, value in query.items()}, changed)
    return orjson.dumps({key: picture.data() for key, picture in view.pictures(settings).items()})
