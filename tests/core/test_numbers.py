"""Numbers typed by a person: what is read, and the sentence about what cannot be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import NumbersError
from core.numbers import Numbers, parse_cells, parse_compact, parse_number

EYE = [["1", "0"], ["0", "1"]]
FLOATS = st.floats(-1e6, 1e6)
SIZES = st.integers(1, 6)


def matrices(n_rows, n_columns):
    row = st.tuples(*[FLOATS] * n_columns)
    return st.tuples(*[row] * n_rows)


@st.composite
def all_numbers(draw):
    n_queries, n_keys, d_k, d_v = (draw(SIZES) for _ in range(4))
    shapes = ((n_queries, d_k), (n_keys, d_k), (n_keys, d_v))
    return Numbers(*(draw(matrices(*shape)) for shape in shapes))


# --- one number --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.5", 0.5),
        ("0,5", 0.5),
        ("1/3", 1 / 3),
        ("-1/4", -0.25),
        ("\u22122", -2),
        (" 7 ", 7),
        ("-2e-3", -0.002),
        ("1000000", 1e6),
        (3, 3),
        (2.5, 2.5),
    ],
)
def test_a_number_as_people_write_it(text, expected):
    assert parse_number(text) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("text", ["-0", "-0.0", "\u22120"])
def test_minus_zero_is_zero(text):
    assert str(parse_number(text)) == "0.0"


@pytest.mark.parametrize("text", ["abc", "", " ", "1/0", "1/", "/2", "1/2/3", "1 2", "1.2.3", "0x1"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(NumbersError) as caught:
        parse_number(text)
    assert str(caught.value) == f"{text!r} is not a number; write it as 0.5 or 1/3"


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e999", "inf/inf", "1/inf", "1/nan"])
def test_what_is_not_finite_is_refused(text):
    with pytest.raises(NumbersError) as caught:
        parse_number(text)
    assert str(caught.value) == f"{text!r} is not finite; write an ordinary number"


@pytest.mark.parametrize("text", ["1e7", "-1e7", "1000001", "1e6/0.5"])
def test_what_is_too_large_is_refused(text):
    with pytest.raises(NumbersError) as caught:
        parse_number(text)
    assert str(caught.value) == f"{text!r} is too large; stay within 1,000,000 either way"


def test_a_pasted_novel_is_not_repeated_in_the_message():
    with pytest.raises(NumbersError) as caught:
        parse_number("x" * 1000)
    assert len(str(caught.value)) < 100


# --- three tables ------------------------------------------------------------------------------


def test_three_tables_of_text():
    numbers = parse_cells([["1", "0,5"]], EYE, [["1/2"], ["-3"]])
    assert numbers == Numbers(((1, 0.5),), ((1, 0), (0, 1)), ((0.5,), (-3,)))


@pytest.mark.parametrize("blank", [["", " "], [None, ""], []])
def test_blank_rows_at_the_end_are_left_out(blank):
    assert parse_cells([*EYE, blank, blank], EYE, EYE) == parse_cells(EYE, EYE, EYE)


@pytest.mark.parametrize(
    ("tables", "sentence"),
    [
        (
            ([["1", ""]], EYE, EYE),
            "Q, row 0, column 1 is blank; fill it in, or clear the whole row.",
        ),
        (
            (EYE, [["1", "0"], [None, "1"]], EYE),
            "K, row 1, column 0 is blank; fill it in, or clear the whole row.",
        ),
        (
            (EYE, EYE, [["1"], ["abc"]]),
            "V, row 1, column 0: 'abc' is not a number; write it as 0.5 or 1/3.",
        ),
        (
            (EYE, EYE, [["nan"], ["1"]]),
            "V, row 0, column 0: 'nan' is not finite; write an ordinary number.",
        ),
        (
            (EYE, [["1", "0"], ["0", "1e7"]], EYE),
            "K, row 1, column 1: '1e7' is too large; stay within 1,000,000 either way.",
        ),
        (
            ([["1", "0"], ["1"]], EYE, EYE),
            "The rows of Q have 1 to 2 columns; give all the same number.",
        ),
        (
            (EYE, EYE, [["1", "0", "0"], ["1", "0"]]),
            "The rows of V have 2 to 3 columns; give all the same number.",
        ),
        (
            ([["1", "0", "0"]], EYE, EYE),
            "Q has 3 columns and K has 2; give both the same number, d_k: a dot product pairs their entries.",
        ),
        (
            (EYE, EYE, [["1"], ["2"], ["3"]]),
            "K has 2 rows and V has 3; give each key one value.",
        ),
        ((EYE, [["", ""]], EYE), "K is empty; fill in at least one row."),
        (([], EYE, EYE), "Q is empty; fill in at least one row."),
        (([["1", "0"]] * 65, EYE, EYE), "Q has 65 rows; give it 1 to 64."),
        ((EYE, EYE, [["1"] * 65] * 2), "V has 65 columns; give it 1 to 64."),
    ],
)
def test_the_sentence_names_the_place(tables, sentence):
    with pytest.raises(NumbersError) as caught:
        parse_cells(*tables)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 1e7])
def test_numbers_cannot_be_made_of_what_no_table_would_take(bad):
    with pytest.raises(NumbersError):
        Numbers(((bad,),), ((1.0,),), ((1.0,),))


# --- the link ----------------------------------------------------------------------------------


def test_the_compact_form():
    numbers = Numbers(((1, 0), (0, 0.5)), ((1, 0),), ((-10,),))
    assert numbers.compact() == "1,0;0,0.5|1,0|-10"


@given(all_numbers())
def test_the_compact_form_is_read_back_to_the_same_numbers(numbers):
    assert parse_compact(numbers.compact()) == numbers


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1|2", "Expected three matrices Q|K|V, got 2; put | between them."),
        ("", "Expected three matrices Q|K|V, got 1; put | between them."),
        ("||", "Q is empty; fill in at least one row."),
        ("1,x|1,0|1", "Q, row 0, column 1: 'x' is not a number; write it as 0.5 or 1/3."),
    ],
)
def test_a_link_that_cannot_be_read(text, sentence):
    with pytest.raises(NumbersError) as caught:
        parse_compact(text)
    assert str(caught.value) == sentence


@given(st.text(st.sampled_from("0123456789.,;|-/e \u2212naif"), max_size=60) | st.text(max_size=30))
def test_any_text_is_read_or_refused_in_a_sentence(text):
    try:
        numbers = parse_compact(text)
    except NumbersError as error:
        sentence = str(error)
        assert sentence.endswith(".")
    else:
        assert parse_compact(numbers.compact()) == numbers


def test_numbers_too_long_for_a_link_are_refused():
    """A link that no server opens is no link."""
    row = tuple(1 / (3 + i) for i in range(64))
    with pytest.raises(NumbersError, match="use fewer rows, columns or digits"):
        Numbers(*(tuple(row for _ in range(64)) for _ in "qkv"))
