"""Text -> tokens: nothing is interpreted, nothing invisible stays, the cut is said."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.tokens import MAX_TOKEN_LENGTH, MAX_TOKENS, tokenize


@pytest.mark.parametrize(
    "word",
    [
        "<b>x</b>",
        "</script>",
        "%{x}",
        "$x$",
        "&amp;",
        "🐈",
        "👩\u200d👩\u200d👧",
        "שלום",
        "مرحبا",
        "猫",
        "didn't",
        "é",
    ],
)
def test_a_word_is_kept_as_it_is(word):
    assert tokenize(f"a {word} b") == (("a", word, "b"), ())


def test_prices_are_no_mathematics():
    assert tokenize("$5 or $6").tokens == ("$5", "or", "$6")


@pytest.mark.parametrize("space", [" ", "\t", "\n", "\r\n", "\u00a0", "\u3000", "\u2028", "\0", "   "])
def test_words_are_cut_at_any_white_space_or_control_character(space):
    assert tokenize(f"{space}the{space}cat{space}").tokens == ("the", "cat")


@pytest.mark.parametrize("invisible", ["\u200b", "\ufeff", "\u202e", "\u2066", "\u00ad", "\ud800"])
def test_invisible_characters_are_dropped(invisible):
    """A zero-width space would make two words that look the same different."""
    assert tokenize(f"{invisible}c{invisible}at").tokens == ("cat",)


@pytest.mark.parametrize("text", ["", "  \t\n", "\u200b", "\0"])
def test_a_text_without_a_word_has_no_tokens(text):
    assert tokenize(text) == ((), ())


@pytest.mark.parametrize("joiner", ["\u200d", "\u200c"])
def test_a_joiner_with_nothing_to_join_is_no_word(joiner):
    """It would be a row of the picture without a name."""
    assert tokenize(f"a {joiner} b").tokens == ("a", "b")


def test_one_word_typed_in_two_ways_is_one_word():
    composed, decomposed = tokenize("caf\u00e9 cafe\u0301").tokens
    assert composed == decomposed == "caf\u00e9"


def test_a_mark_and_its_letter_are_composed_across_a_dropped_character():
    assert tokenize("e\u200b\u0301").tokens == ("\u00e9",)


def test_two_thousand_words_are_cut_to_64_with_the_count():
    tokens, notes = tokenize(" ".join(f"w{i}" for i in range(2000)))
    assert tokens == tuple(f"w{i}" for i in range(64))
    assert notes == ("The text has 2,000 words; the first 64 are shown. Shorten it to choose which.",)


def test_64_words_are_no_reason_for_a_note():
    tokens, notes = tokenize("w " * 64)
    assert (len(tokens), notes) == (64, ())


def test_a_word_longer_than_any_is_cut_with_a_note():
    tokens, notes = tokenize("x" * 48 + " " + "y" * 49)
    assert tokens == ("x" * 48, "y" * 48)
    assert notes == ("Words of more than 48 characters are cut to that length.",)


def test_a_long_word_beyond_the_cut_gets_no_note_of_its_own():
    assert len(tokenize("w " * 64 + "x" * 99).notes) == 1


TEXTS = st.text(st.characters(exclude_categories=()), max_size=200)


@given(TEXTS)
def test_tokens_are_tokens_already(text):
    tokens = tokenize(text).tokens
    assert tokenize(" ".join(tokens)) == (tokens, ())


@given(TEXTS)
def test_tokens_hold_their_promises(text):
    tokens = tokenize(text).tokens
    assert len(tokens) <= MAX_TOKENS
    for token in tokens:
        assert 1 <= len(token) <= MAX_TOKEN_LENGTH
        assert token.split() == [token]
        assert unicodedata.is_normalized("NFC", token)
        token.encode()  # a link and a hash need it
