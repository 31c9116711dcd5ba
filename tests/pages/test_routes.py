"""The two routes past Streamlit: pictures while a slider moves, and our files at fixed addresses."""

import asyncio
import gzip
import hashlib
import json
import re
from pathlib import Path

import plotly
import pytest
import streamlit
from starlette.applications import Starlette
from starlette.routing import Route

from core.numbers import MAX_COMPACT, Numbers
from core.settings import AttentionSettings
from pages.ui import assets, live_route, streamlit_modules

SERVER = Starlette(
    routes=[
        Route(assets.ROUTE, assets.serve),
        Route(live_route.ROUTE, live_route.serve, methods=["POST"]),
    ]
)


class Answer:
    """What a browser gets for one question to the server."""

    def __init__(self, method, path, body=b"", headers=None, chunk=65536):
        self.status, self.headers, self.body, self.n_read = 0, {}, b"", 0
        scope = {
            "type": "http", "http_version": "1.1", "method": method, "path": path, "query_string": b"",
            "root_path": "", "scheme": "http", "server": ("lab", 80),
            "headers": [(k.lower().encode(), v.encode()) for k, v in (headers or {}).items()],
        }  # fmt: skip

        async def receive():
            piece, self.n_read = body[self.n_read : self.n_read + chunk], self.n_read + chunk
            return {"type": "http.request", "body": piece, "more_body": self.n_read < len(body)}

        async def send(message):
            if message["type"] == "http.response.start":
                self.status = message["status"]
                self.headers = {k.decode(): v.decode() for k, v in message["headers"]}
            else:
                self.body += message.get("body", b"")

        asyncio.run(SERVER(scope, receive, send))

    def json(self):
        return json.loads(self.body)


def ask(view, query):
    """Ask for the pictures of a view, as the sliders do."""
    body = query if isinstance(query, bytes) else json.dumps({"query": query, "changed": []}).encode()
    return Answer("POST", "/" + live_route.path(view), body)


# --- pictures ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "link",
    [
        {},
        {"text": "שלום <b>x</b> the the", "panel": "saturation", "causal": "true"},
        {"source": "custom", "numbers": "1,0;0,1;1,1|1,0;0,1|1;2", "causal": "true", "stage": "masked"},
        {"compare": "causal=true&d_k=4", "head": "2", "cell": "2,0,1"},
    ],
    ids=["default", "saturation", "custom", "compared"],
)
def test_the_route_answers_with_the_pictures_that_the_page_shows(link, playground):
    page = playground(**link)
    question = page.data("sliders")
    assert question["view"] == live_route.path("playground")
    answer = ask("playground", question["query"])
    assert answer.status == 200
    for plot, picture in answer.json().items():
        assert page.data(f"plot_{plot}").items() >= picture.items()


def test_the_route_answers_for_home_too(open_page):
    page = open_page("home.py", {})
    question = page.data("home_sliders")
    answer = ask("home", {**question["query"], "d_k": 64})
    page.change("home_sliders", d_k=64)
    assert page.data("plot_home").items() >= answer.json()["home"].items()


def test_a_change_under_the_hand_shows_what_the_page_will_show_at_rest(playground):
    page = playground(text="a b c", rope="true")
    while_moving = ask("playground", {**page.query, "d_k": 32, "query_shift": -7}).json()["heads"]
    page.change("sliders", d_k=32, query_shift=-7)
    assert page.data("plot_heads").items() >= while_moving.items()


@pytest.mark.parametrize(
    "bad",
    [{"d_k": 1e300}, {"d_k": None}, {"d_k": [1]}, {"d_k": {"a": 1}}, {"d_k": True}, {"nonsense": "x"},
     {"text": 7}, {"text": "\ud800 x"}, {"seed": "\ud800"}, {"numbers": "\ud800"}, {"\ud800": 1},
     {"heads": 99, "kv_heads": 3}, {"compare": "%"}, {"cell": "9,9,9"}],
    ids=str,
)  # fmt: skip
def test_bad_values_are_repaired_as_those_of_a_link(bad):
    answer = ask("playground", {**AttentionSettings(stage="scores").to_query(), **bad})
    assert answer.status == 200
    assert "score" in answer.json()["heads"]["alt"]


def test_an_answer_may_not_be_kept_by_the_browser():
    answer = ask("playground", {})
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("view", ["nonsense", "Playground", "playground.json", "__init__"])
def test_a_view_that_does_not_exist_is_not_found(view):
    assert ask(view, {}).status == 404


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"d_k=3",
        b"\xff\xfe",
        b"[]",
        b'"text"',
        b"7",
        b"null",
        b"1" * 5000,
        b"{}",
        b'{"query": 7, "changed": []}',
        b'{"query": {}, "changed": [[]]}',
        b'{"query": {}, "changed": 1}',
    ],
    ids=lambda body: repr(body[:30]),
)
def test_what_is_no_table_of_parameters_is_refused(body):
    assert ask("playground", body).status == 400


@pytest.mark.parametrize("opening", [b"[", b'{"a":'], ids=["lists", "objects"])
def test_deep_nesting_is_refused(opening):
    assert ask("playground", opening * 5000).status == 400


def test_a_huge_body_is_refused_before_all_of_it_is_read():
    answer = ask("playground", json.dumps({"text": "x " * 4_000_000}).encode())
    assert answer.status in (400, 413)
    assert answer.n_read < 2_000_000


def test_the_longest_state_that_settings_can_hold_is_answered():
    row = tuple(0.1 + 1 / (3 + i) for i in range(20))
    numbers = Numbers(*(tuple(row for _ in range(9)) for _ in "qkv"))
    assert len(numbers.compact()) > 0.85 * MAX_COMPACT  # little more would be refused
    settings = AttentionSettings(text=" ".join(["ü" * 48] * 64), source="custom", numbers=numbers)
    assert ask("playground", settings.to_query()).status == 200


def test_asking_by_an_address_alone_is_refused():
    assert Answer("GET", "/" + live_route.path("playground")).status == 405


# --- files -------------------------------------------------------------------------------------

NAMES = sorted(assets.bundle().files)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_the_same_raw_and_compressed_and_may_be_kept_for_ever(name):
    raw = Answer("GET", "/" + assets.path(name))
    packed = Answer("GET", "/" + assets.path(name), headers={"Accept-Encoding": "br, gzip"})
    assert (raw.status, packed.status) == (200, 200)
    assert raw.body.decode() == assets.text(name)
    assert gzip.decompress(packed.body) == raw.body
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in raw.headers
    for answer in (raw, packed):
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers["vary"] == "Accept-Encoding"
        assert answer.headers["content-type"].split(";")[0] == (
            "text/css" if name.endswith("css") else "text/javascript"
        )


def test_plotly_is_sent_compressed_to_a_third():
    assert len(assets.bundle().files["plotly.min.js"].compressed) < len(assets.text("plotly.min.js")) / 3


def test_the_browsers_plotly_is_the_version_that_plotly_py_writes_for():
    version = re.search(r"plotly\.js (?:\(.*?\) )?v([\d.]+)", assets.text("plotly.min.js")[:200])[1]
    whole = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    assert f"plotly.js v{version}" in whole.read_text(encoding="utf-8")[:200]


def test_plotly_is_unchanged():
    digest = hashlib.sha256(assets.PLOTLY.read_bytes()).hexdigest()
    assert digest in (assets.PLOTLY.parent / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["nonsense.js", "..%2f..%2fapp.py", "../assets.py", "live.js.map", ""])
def test_a_file_that_is_not_ours_is_not_found(name):
    folder = "/" + assets.path("live.js").rpartition("/")[0]
    assert Answer("GET", f"{folder}/{name}").status == 404


def test_another_version_is_not_found():
    version, name = assets.path("live.js").split("/")[1:]
    assert Answer("GET", f"/lab-assets/{version[::-1]}/{name}").status == 404


def test_a_file_that_does_not_exist_has_no_address():
    with pytest.raises(KeyError, match="nonsense"):
        assets.path("nonsense.js")


def test_another_content_has_another_address(tmp_path, monkeypatch):
    monkeypatch.setattr(assets, "FOLDER", tmp_path)
    versions = set()
    for text in ("let a", "let b"):
        (tmp_path / "x.js").write_text(text)
        versions.add(assets.bundle.__wrapped__().version)
    assert len(versions) == 2


@pytest.mark.parametrize("name", [name for name in NAMES if name != "plotly.min.js"])
def test_whatever_a_file_asks_for_stands_beside_it(name):
    text = assets.text(name)
    asked = re.findall(r'(?:from|import|URL\() ?\(?"\./([^"]+)"', text) + re.findall(
        r"url\(['\"]?([^)'\"]+)", text
    )
    assert set(asked) <= set(NAMES)
    assert not re.search(r"https?://(?!www\.w3\.org)", text)  # nothing from another host


# --- what the browser is told to fetch early ---------------------------------------------------


def test_streamlits_modules_that_our_pages_need_are_announced():
    folder = Path(streamlit.__file__).parent / "static" / "static" / "js"
    names = streamlit_modules.needed()
    assert len(names) == len(set(names))
    assert any(name.startswith("BidiComponent.") for name in names)
    assert any(name.startswith("Radio.") for name in names)
    for name in names:
        text = (folder / name).read_text(encoding="utf-8")  # it exists
        for imported in re.findall(r'from"\./([\w.-]+\.js)"', text):
            assert imported in names  # and so does what it imports


def test_a_streamlit_without_a_kind_of_widget_is_no_fault(monkeypatch, tmp_path):
    monkeypatch.setattr(streamlit_modules, "_FOLDER", tmp_path)
    assert streamlit_modules.needed.__wrapped__() == ()


def test_a_page_announces_its_modules_and_other_answers_do_not():
    async def page(scope, receive, send):
        kind = b"text/html; charset=utf-8" if scope["path"] == "/x" else b"application/json"
        headers = [(b"content-type", kind)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"<p>"})

    def link_of(path, root=""):
        sent = []

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "path": path, "root_path": root}
        asyncio.run(assets.Preload(page)(scope, None, send))
        return dict(sent[0]["headers"]).get(b"link", b"").decode()

    assert f"</{assets.path('live_plot.js')}>; rel=modulepreload" in link_of("/x")
    assert "</base/static/js/BidiComponent." in link_of("/x", "/base")
    assert link_of("/y") == ""
