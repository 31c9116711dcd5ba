"""The glossary's page, and the links that lead to it."""

import re
from pathlib import Path

import pytest

from core.glossary import TERMS

PAGES = Path(__file__).parents[2] / "pages"
LESSONS = sorted(
    file.name for file in PAGES.glob("*.py") if "lesson.opening" in file.read_text(encoding="utf-8")
)


@pytest.fixture
def glossary(open_page):
    """Return a function that opens the page by a link."""
    return lambda **link: open_page("glossary.py", link)


def test_every_entry_is_there(glossary):
    html = glossary().html
    assert html.count("<tr>") == len(TERMS) + 1
    assert "d<sub>k</sub>" in html
    assert "embed_dim" in html


def test_a_link_shows_its_entry_first(glossary):
    page = glossary(term="causal mask")
    assert page.html.index("lab-card") < page.html.index("<table>")
    assert "tril" in page.html[: page.html.index("<table>")]


def test_the_search_leaves_what_fits_and_keeps_the_entry(glossary):
    page = glossary(term="d_k")
    page.set("find", "head_dim")
    assert page.html.count("<tr>") == 2
    assert page.link == {"v": "1", "term": "d_k", "find": "head_dim"}
    page.set("find", "<b>nothing</b>")
    assert page.html.count("<tr>") == 0
    assert "No entry" in page.app.info[0].value


def test_an_unknown_entry_is_told(glossary):
    page = glossary(term="<b>x</b>")
    assert "no entry '<b>x</b>'" in page.warnings[0]


@pytest.mark.parametrize("file", ["playground.py", "home.py", *LESSONS])
def test_symbols_on_a_page_lead_to_entries(file, open_page):
    keys = re.findall(r"href='glossary\?term=([^']+)'", open_page(file, {}).html)
    assert keys
    assert {key.replace("+", " ") for key in keys} <= TERMS.keys()
