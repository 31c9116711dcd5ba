"""Numbers as people type them. Values by hand."""

import pytest

from core.errors import NumbersError
from core.exercises.exercise import Part
from core.exercises.place import BY_ID
from core.exercises.typed import read_typed
from core.exercises.verdict import is_right, read_numbers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2^17", 131072), ("2**17", 131072), (" 2 ^ 17 ", 131072), ("10^-3", 0.001), ("-2^2", -4),
        ("2^0.5", 1.4142135623730951), ("0^2", 0),
        ("33%", 0.33), ("33 %", 0.33), ("12,5%", 0.125), ("\u22125 %", -0.05),
        ("\u00bd", 0.5), ("1\u00bd", 1.5), ("2 \u00be", 2.75), ("-\u00bc", -0.25), ("\u2153", 1 / 3),
        ("1 048 576", 1048576), ("131\u202f072", 131072), ("131\u00a0072", 131072),
        ("0.5", 0.5), ("0,5", 0.5), ("1/3", 1 / 3), ("1,048,576", 1048576), ("131.072", 131.072),
    ],
)  # fmt: skip
def test_a_number_as_people_type_it(text, value):
    assert read_typed(text) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("131,072", 131072), ("131.072", 131072), ("1.048.576", 1048576), ("1,048,576", 1048576),
        ("-4,096", -4096), ("131072", 131072), ("131072.0", 131072),
        ("0.125", 0.125), ("0,125", 0.125), ("131.07", 131.07), ("131,0720", 131.072), ("1310,072", 1310.072),
    ],
)  # fmt: skip
def test_where_thousands_are_asked_for_three_digits_after_a_separator_are_thousands(text, value):
    assert read_typed(text, counted=True) == value


NO_NUMBERS = ["1,048.576", "3/2^2", "2^", "^2", "2^1/2", "%", "x%", "2^x", "1.048.576", "9^9^9"]


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_could_mean_anything_is_refused(text):
    with pytest.raises(NumbersError, match="is not a number"):
        read_typed(text)


@pytest.mark.parametrize("text", ["2^999", "10^16", "0^-1", "1e16", "10^999999999"])
def test_what_is_too_large_is_refused(text):
    with pytest.raises(NumbersError, match="too large"):
        read_typed(text)


def test_elsewhere_a_comma_is_asked_about():
    with pytest.raises(NumbersError, match="two ways"):
        read_typed("131,072")


@pytest.mark.parametrize("text", ["131,072", "131.072", "131 072", "2^17", "2**17", "131072", "128 * 1024"])
def test_the_bytes_of_a_token(text):
    """X40: 2 x 32 layers x 8 heads x 128 numbers x 2 bytes = 131,072 = 2^17."""
    (part,) = BY_ID["X40"].make(0).parts
    if "*" in text and "**" not in text:
        with pytest.raises(NumbersError):
            read_numbers(part, [text])
    else:
        assert is_right(part, read_numbers(part, [text]))


def test_a_small_whole_number_is_no_count_of_thousands():
    """X25 asks for a factor of 4, and "4.000" is 4."""
    (part,) = BY_ID["X25"].make(0).parts
    assert read_numbers(part, ["4.000"]) == 4
    with pytest.raises(NumbersError, match="two ways"):
        read_numbers(part, ["4,000"])


def test_a_tolerance_or_a_fraction_keeps_the_decimal_point():
    for part in (Part("number", 2048.0, tolerance=2), Part("numbers", (2048.0, 0.5))):
        assert read_numbers(part, ["2.048"] * (1 if part.kind == "number" else 2)) in (2.048, (2.048, 2.048))


def test_of_several_numbers_without_names_the_bad_one_is_counted():
    with pytest.raises(NumbersError, match=r"^number 2: "):
        read_numbers(Part("numbers", (1.0, 2.0)), ["1", "two"])
