"""Whatever is typed is shown literally: in the state, in the picture, in the HTML around it."""

from html import escape

import pytest

from core.settings import AttentionSettings

TEXTS = {
    "one token": "word",
    "emoji": "👩‍👩‍👧 and 🙂",
    "right to left": "שלום hello مرحبا",
    "markup": "<b>x</b> <script>alert(1)</script> <img src=x onerror=alert(1)>",
    "money": "$5 or $6",
    "end of script": "</script> x",
    "template": "%{x} {x} {0}",
    "markdown": "**a** `b` [c](http://d.e) :material/home:",
    "quotes": "'a' \"b\" &lt; &amp;",
    "same word twice": "the the",
}
SEVERAL = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)


def is_shown_literally(page, text):
    """Each word is in the HTML that was sent, escaped, and never as markup."""
    for word in text.split():
        assert escape(word) in page.html
        assert "<" not in word or word not in page.html


@SEVERAL
@pytest.mark.parametrize("panel", ["cell", "saturation"])
def test_a_text_from_a_link_is_shown_literally(text, panel, playground):
    page = playground(text=text, panel=panel)
    page.app.session_state["take_away"] = True  # with the table of numbers
    page.run()
    assert page.query["text"] == text
    assert page.warnings == []
    is_shown_literally(page, text)


@SEVERAL
def test_a_text_that_is_typed_is_shown_literally(text, playground):
    page = playground(text="before").set("text", text)
    assert page.query == {**AttentionSettings().to_query(), "text": text}
    assert page.warnings == []
    words = page.data("plot_heads")["figure"]
    assert "<b>x" not in words
    assert page.app.get_by_key("text").value == text


def test_right_to_left_words_do_not_reorder_what_stands_beside_them(playground):
    html = playground(text="שלום", panel="saturation").html
    assert "\u2068שלום\u2069" in html


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u200b\u200d"])
def test_a_text_without_a_word_is_replaced_and_that_is_said(text, playground):
    page = playground(text="before").set("text", text)
    assert len(page.warnings) == 1
    assert page.query == AttentionSettings().to_query()


def test_two_thousand_words_are_cut_and_counted(playground):
    page = playground(text="before").set("text", " ".join(f"w{i}" for i in range(2000)))
    assert page.query["text"].split() == [f"w{i}" for i in range(64)]
    (note,) = page.warnings
    assert "2,000" in note
    assert "64" in note


def test_two_thousand_words_in_a_link_are_cut_and_counted(playground):
    page = playground(text=" ".join(f"w{i}" for i in range(2000)))
    assert len(page.query["text"].split()) == 64
    assert "2,000" in page.warnings[0]


def test_the_page_says_that_random_vectors_mean_nothing(playground):
    assert any("random" in caption.value.lower() for caption in playground().app.caption)
