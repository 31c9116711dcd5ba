"""The page that works offline: nothing from outside, and no text of a person's becomes markup."""

import base64
import json
import re
from html.parser import HTMLParser

import pytest

from core.export.page import standalone_page
from core.figures.heatmap import describe_heads, heads_figure
from core.settings import AttentionSettings
from core.trace import trace_attention

HOSTILE = "</script><script>alert(1)</script>"
PLOTLY = 'var docs = "https://plotly.com/"; var html = "<script></script>"'
SCRIPTS = {
    "live_plot.js": 'import { change } from "./live.js"\nexport default function mount() { change() }\n',
    "live.js": 'export function change() { return "ünïcode → ✓" }\n',
}


class Reading(HTMLParser):
    """The elements, attributes and scripts that a browser would find."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.scripts, self.words = [], [], []
        self.inside = None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts[-1] += data
        else:
            self.words.append(data)


def picture_of(settings):
    trace = trace_attention(settings)
    return {
        "figure": heads_figure(trace).to_json(),
        "alt": describe_heads(trace),
        "fileName": "attention",
        "beside": "<p>one & two</p>\u2028",
        "below": "",
    }


@pytest.fixture(params=["the cat sat", HOSTILE, "a <!--<script> b", "{braces} {0} %s"])
def settings(request):
    return AttentionSettings(text=request.param, heads=1)


@pytest.fixture
def page(settings):
    return standalone_page(
        picture_of(settings),
        title=f"Attention of {settings.text}",
        settings=settings.to_query(),
        scripts=SCRIPTS,
        css="p { color: red }",
        plotly_js=PLOTLY,
    )


def test_there_are_three_scripts_whatever_the_words(page):
    plotly, imports, module = Reading(page).scripts
    assert "plotly.com" in plotly
    assert json.loads(imports)["imports"].keys() == {"lab/live_plot.js", "lab/live.js"}
    assert "mount(" in module
    assert "<" not in module  # so that nothing can end it


def test_nothing_is_fetched_from_anywhere(page):
    for tag, attributes in Reading(page).tags:
        assert tag not in ("iframe", "object", "embed", "base", "link", "img")
        for name in ("src", "href", "action", "data"):
            assert attributes.get(name, "data:").startswith("data:")
    for address in json.loads(Reading(page).scripts[1])["imports"].values():
        assert address.startswith("data:text/javascript")


def test_the_modules_find_each_other_by_their_names_in_the_map(page):
    imports = json.loads(Reading(page).scripts[1])["imports"]
    for name, source in SCRIPTS.items():
        module = base64.b64decode(imports[f"lab/{name}"].split("base64,")[1]).decode()
        assert module == source.replace("./live.js", "lab/live.js")


def test_the_picture_arrives_as_it_is(page, settings):
    data = re.search(r"data: (\{.*\}) \}\)", Reading(page).scripts[2])[1]
    sent = json.loads(data)
    assert sent.items() >= picture_of(settings).items()
    assert "\u2028" not in page.split("</script>")[-2]


def test_the_settings_are_listed_and_shown_literally(page, settings):
    reading = Reading(page)
    words = "".join(reading.words)
    for name, value in settings.to_query().items():
        assert f"{name}{value}" in words
    assert f"Attention of {settings.text}" in words


def test_the_page_says_what_it_is_to_a_screen_reader_and_a_telephone(page):
    tags = Reading(page).tags
    assert ("html", {"lang": "en"}) in tags
    assert ("meta", {"charset": "utf-8"}) in tags
    assert any(attributes.get("name") == "viewport" for tag, attributes in tags if tag == "meta")
