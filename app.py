"""The server: `streamlit run app.py`. The pages hang from pages/main.py."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Route

from pages.ui import assets, framed, live_route, training_pool


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Import what every page needs before the first visitor comes, then freeze the collector.

    A collection that walks the imported modules costs more than any change a student makes.
    """
    import pandas  # noqa: F401 - Streamlit imports it at the first page otherwise
    import plotly.graph_objects  # noqa: F401

    import core.trace  # noqa: F401

    assets.bundle()
    gc.collect()
    gc.freeze()
    path = st.get_option("server.baseUrlPath").strip("/")
    print(f"\n  Attention Lab is at http://localhost:{st.get_option('server.port')}/{path}\n", flush=True)
    yield
    training_pool.close()


app = st.App(
    "pages/main.py",
    routes=[
        Route(assets.ROUTE, assets.serve),
        Route(live_route.ROUTE, live_route.serve, methods=["POST"]),
    ],
    middleware=[Middleware(framed.Sandboxed), Middleware(assets.Preload)],
    lifespan=lifespan,
)
