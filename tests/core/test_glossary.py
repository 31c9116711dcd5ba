"""The glossary: complete entries, pages that exist, and a search that finds."""

from pathlib import Path

import pytest

from core.glossary import TERMS, GlossarySettings, found

PAGES = Path(__file__).parents[2] / "pages"


@pytest.mark.parametrize("key", TERMS)
def test_an_entry_is_complete(key):
    term = TERMS[key]
    assert term.symbol
    assert term.name
    assert term.meaning.rstrip().endswith((".", ")", "saturated"))
    assert (PAGES / f"{term.page.replace('-', '_')}.py").exists()


@pytest.mark.parametrize("key", ["B", "T", "D", "H", "d_k", "d_v", "Q", "K", "V", "W_Q", "W_O", "A", "X"])
def test_a_symbol_has_a_shape_and_a_unit(key):
    assert TERMS[key].shape
    assert TERMS[key].unit


def test_the_search_finds_other_libraries_names():
    assert "d_k" in found("head_dim")
    assert "M" in found("ATTN_MASK")
    assert found("") == TERMS
    assert found("zzz") == {}


def test_a_link_to_an_unknown_entry_is_told():
    settings, notes = GlossarySettings.from_query({"term": "<b>x</b>"})
    assert settings.term == ""
    assert "no entry" in notes[0]


def test_a_long_search_is_cut_with_a_note():
    settings, notes = GlossarySettings.from_query({"find": "a " * 200})
    assert len(settings.find) <= 60
    assert len(notes) == 1
    assert GlossarySettings.from_query(settings.to_query()) == (settings, [])
