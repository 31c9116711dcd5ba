"""What holds for every lesson: its printed numbers, its source, its next page, hidden controls."""

import re
from html import unescape

import pytest

from core.lessons.printed import PRINTED
from pages.ui.html import safe

FILES = {
    "soft-lookup": "soft_lookup.py",
    "scaling": "scaling.py",
    "masking": "masking.py",
    "heads": "heads.py",
    "cost": "cost.py",
    "block": "block.py",
    "positions": "positions.py",
    "kv-cache": "kv_cache.py",
    "trained-heads": "trained_heads.py",
}
WITH_NUMBERS = sorted({each.page for each in PRINTED})


@pytest.mark.parametrize("address", WITH_NUMBERS)
def test_every_printed_number_stands_on_its_page_as_computed(address, open_page):
    page = open_page(FILES[address], {}).open("printed")
    rows = re.findall(r"<tr>(.*?)</tr>", page.html, re.DOTALL)
    for each in (each for each in PRINTED if each.page == address):
        (row,) = [row for row in rows if safe(each.what) in row and safe(each.computed()) in row]
        assert ("wrong" in row) == (not each.right)


@pytest.mark.parametrize("address", FILES)
def test_the_order_of_a_lesson(address, open_page):
    """Question, formula, picture, what to notice, mistakes, numbers, source, next."""
    page = open_page(FILES[address], {})
    titles = re.findall(r"<h2[^>]*>(.*?)</h2>", page.html)
    assert titles[-1] == "Next" or "Next" in titles
    assert "What to notice" in titles
    assert any("mistakes" in title for title in titles)
    assert "?" in unescape(page.html[: page.html.index("</header>")])
    assert len(page.app.latex) >= 1
    assert page.app.get("page_link")


@pytest.mark.parametrize("address", FILES)
def test_the_source_is_that_of_the_files(address, open_page):
    page = open_page(FILES[address], {}).open("source_code")
    assert page.app.code
    for code in page.app.code:
        assert code.value.startswith(("def ", "@"))
        assert '"""' in code.value  # with its docstring: what goes in and comes out


@pytest.mark.parametrize(("file", "key", "name"), [
    ("scaling.py", "scaling_sliders", "d_k"),
    ("heads.py", "sliders", "heads"),
    ("block.py", "sliders", "d_model"),
    ("positions.py", "sliders", "rope_offset"),
    ("soft_lookup.py", "lookup_sliders", "temperature"),
])  # fmt: skip
def test_a_link_can_hide_a_slider(file, key, name, open_page):
    page = open_page(file, {"hide": name})
    assert name not in [each["name"] for each in page.data(key)["sliders"]]
    assert page.warnings == []
