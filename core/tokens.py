"""Text -> tokens. Words are cut at white space and shown literally; nothing is interpreted."""

import unicodedata
from typing import NamedTuple

MAX_TOKENS = 64
MAX_TOKEN_LENGTH = 48  # characters: longer than any word, short enough for a link
_JOINERS = "\u200c\u200d"  # these two hold emoji and some scripts together


class Tokens(NamedTuple):
    """Tokens, and what had to be changed to get them, in plain words."""

    tokens: tuple[str, ...]
    notes: tuple[str, ...]


def tokenize(text: str) -> Tokens:
    """Return the words of a text, at most 64, and a note for each thing that was cut.

    Args:
        text: anything a person may type or paste.

    Returns:
        Tokens without white space or invisible characters, in Unicode's composed form (so that
        the same word typed in two ways is one word). Empty if the text holds no word.
    """
    words = "".join(map(_visible, unicodedata.normalize("NFC", text))).split()
    words = [unicodedata.normalize("NFC", word) for word in words if word.strip(_JOINERS)]
    notes = []
    if len(words) > MAX_TOKENS:
        notes.append(
            f"The text has {len(words):,} words; the first {MAX_TOKENS} are shown. "
            "Shorten it to choose which."
        )
    words = words[:MAX_TOKENS]
    if any(len(word) > MAX_TOKEN_LENGTH for word in words):
        notes.append(f"Words of more than {MAX_TOKEN_LENGTH} characters are cut to that length.")
        words = [_cut(word) for word in words]
    return Tokens(tuple(words), tuple(notes))


def _visible(character: str) -> str:
    """The character, a space for a control character, or nothing for an invisible one."""
    category = unicodedata.category(character)
    if category == "Cc":
        return " "
    if category == "Cs" or (category == "Cf" and character not in _JOINERS):
        return ""
    return character


def _cut(word: str) -> str:
    return unicodedata.normalize("NFC", word[:MAX_TOKEN_LENGTH])
