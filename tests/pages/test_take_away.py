"""What can be taken away: made when it is wanted, and of the picture that is on the screen."""

import re

import pytest

from core.export.code import numpy_code, torch_code
from core.settings import AttentionSettings
from core.trace import trace_attention
from pages.ui import take_away
from pages.ui.assets import FOLDER
from pages.ui.html import number


def opened(page):
    page.app.session_state["take_away"] = True
    return page.run()


def test_nothing_is_made_before_it_is_wanted(playground):
    page = playground()
    assert list(page.app.code) == []
    assert list(page.app.download_button) == []


@pytest.mark.parametrize("link", [{}, {"text": "a b", "heads": "1", "d_k": "4"}, {"source": "cat-sat-mat"}])
def test_the_code_is_that_of_the_picture(link, playground):
    page = opened(playground(**link)).set("causal", True)
    trace = trace_attention(AttentionSettings.from_query(page.query)[0])
    assert [block.value for block in page.app.code] == [numpy_code(trace).strip(), torch_code(trace).strip()]
    assert len(page.app.download_button) == 3


def test_the_table_shows_every_number_of_the_head_in_view(playground):
    page = opened(playground(text="a b c", head="1", stage="masked", causal="true"))
    masked = trace_attention(AttentionSettings.from_query(page.query)[0]).masked[1]
    for value in masked.ravel().tolist():
        assert f"<td>{number(value)}</td>" in page.html
    assert page.html.count("<td>−∞</td>") == 3


def test_opening_it_changes_neither_the_state_nor_the_link(playground):
    page = playground(text="a b")
    before = page.query
    opened(page)
    assert page.query == before
    assert page.link == {"text": "a b"}


def test_a_page_of_its_own_holds_every_script_that_its_scripts_ask_for():
    held = set(take_away._SCRIPTS)
    for name in held:
        asked = set(re.findall(r'from "\./([\w.]+)"', (FOLDER / name).read_text()))
        assert asked <= held, name
