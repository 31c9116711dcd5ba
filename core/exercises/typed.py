"""A number as people type it into an answer: "131,072", "2^17", "33 %", "½", and all that a table takes."""

import math
import re
import unicodedata

from core.errors import NumbersError
from core.numbers import parse_number

LARGEST = 1e15  # parameters and bytes are counted in full
_SPACES = re.compile(r"(?<=\d)[ \u00a0\u2009\u202f](?=\d{3}(?!\d))")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:(,\d{3})+|(\.\d{3})+)")
_POWER = re.compile(r"([+-]?)([\d.,]+)\s*(?:\^|\*\*)\s*([+-]?[\d.,]+)")  # 3/2^2 could be read in two ways
_FRACTION = re.compile(r"([+-]?)(\d*)\s*([\u00bc-\u00be\u2150-\u215e])")


def read_typed(text: str, counted: bool = False) -> float:
    """Return a number that a person typed as an answer.

    Args:
        text: as ``core.numbers.parse_number`` reads it, or a power, a percentage, a fraction of one
            character, or with spaces between thousands.
        counted: whether thousands are asked for: then "131,072" and "131.072" are whole numbers. Elsewhere
            the first could be either and is asked about, and the second is a decimal number.

    Raises:
        NumbersError: what cannot be read, without a full stop.
    """
    plain = _SPACES.sub("", text.strip().replace("\u2212", "-"))
    if counted and _THOUSANDS.fullmatch(plain):
        plain = re.sub("[,.]", "", plain)
    if plain.endswith("%"):
        return parse_number(plain[:-1], LARGEST) / 100
    if power := _POWER.fullmatch(plain):
        sign, base, exponent = power.groups()
        return _signed(sign, _power(text, parse_number(base, LARGEST), parse_number(exponent, LARGEST)))
    if fraction := _FRACTION.fullmatch(plain):
        sign, whole, part = fraction.groups()
        return _signed(sign, parse_number(whole or "0", LARGEST) + unicodedata.numeric(part))
    return parse_number(plain, LARGEST)


def _signed(sign: str, size: float) -> float:
    return -size if sign == "-" else size


def _power(text: str, base: float, exponent: float) -> float:
    try:
        found = float(base**exponent)
    except (OverflowError, ZeroDivisionError):
        found = math.inf
    if found > LARGEST:
        raise NumbersError(f"{text[:40]!r} is too large; stay within {LARGEST:,.0f} either way")
    return found
