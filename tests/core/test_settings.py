"""Settings and links: every setting is a link, and no link can do harm."""

import dataclasses
import re
from urllib.parse import urlencode

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from core.errors import SettingError
from core.numbers import Numbers
from core.settings import AttentionSettings
from core.tokens import tokenize

DEFAULT = AttentionSettings()
PARAMETERS = [field.name for field in dataclasses.fields(AttentionSettings)]
ODD = Numbers(((1, 2, 3),), ((4, 5, 6), (7, 8, 9)), ((1,), (2,)))  # one query, two keys, width 3
EVEN = Numbers(((1, 2),), ((4, 5), (7, 8)), ((1,), (2,)))


def read(**query):
    return AttentionSettings.from_query(query)


# --- generated settings ------------------------------------------------------------------------

FLOATS = st.floats(-1e6, 1e6)


@st.composite
def texts(draw):
    words = tokenize(draw(st.text(max_size=80))).tokens
    assume(words)
    return " ".join(words)


@st.composite
def some_numbers(draw):
    n_queries, n_keys, d_k, d_v = (draw(st.integers(1, 4)) for _ in range(4))
    shapes = ((n_queries, d_k), (n_keys, d_k), (n_keys, d_v))
    return Numbers(*(draw(st.tuples(*[st.tuples(*[FLOATS] * width)] * rows)) for rows, width in shapes))


@st.composite
def unpinned_settings(draw):
    """Legal by the rules of the design, worked out here, not by the code under test."""
    text, numbers = draw(texts()), draw(some_numbers())
    source = draw(
        st.sampled_from(["random", "two-keys", "cat-sat-mat", "three-tokens", "patterns", "custom"])
    )
    heads = draw(st.integers(1, 16))
    d_k = draw(st.integers(2, 512))
    width = len(numbers.q[0]) if source == "custom" else 2
    rope = draw(st.booleans()) and width % 2 == 0
    n_tokens = len(text.split(" "))
    n_heads = {"random": heads, "patterns": 4}.get(source, 1)
    n_queries, n_keys = {
        "two-keys": (1, 2),
        "cat-sat-mat": (3, 3),
        "three-tokens": (3, 3),
        "custom": (len(numbers.q), len(numbers.k)),
    }.get(source, (n_tokens, n_tokens))
    cells = st.tuples(*(st.integers(0, n - 1) for n in (n_heads, n_queries, n_keys)))
    shifts = st.integers(-(10**6), 10**6)
    return AttentionSettings(
        text=text,
        source=source,
        d_k=d_k - d_k % 2 if rope else d_k,
        heads=heads,
        kv_heads=draw(st.sampled_from([n for n in range(1, heads + 1) if heads % n == 0])),
        causal=draw(st.booleans()),
        scale=draw(st.sampled_from(["sqrt_d_k", "none", "d_k"])),
        rope=rope,
        rope_base=draw(st.floats(1, 1e7)),
        rope_offset=draw(shifts),
        query_shift=draw(shifts),
        pairing=draw(st.sampled_from(["interleaved", "half"])),
        window=draw(st.none() | st.integers(1, 64)),
        seed=draw(st.integers(0, 2**31 - 1)),
        stage=draw(st.sampled_from(["scores", "scaled", "masked", "weights"])),
        head=draw(st.none() | st.integers(0, n_heads - 1)),
        cell=draw(st.none() | cells),
        panel=draw(st.sampled_from(["cell", "saturation"])),
        numbers=numbers,
    )


@st.composite
def all_settings(draw):
    settings = draw(unpinned_settings())
    pinned = draw(st.none() | st.just(settings) | unpinned_settings())
    if pinned is None:
        return settings
    settings, notes = settings.changed(compare=pinned.pin())
    assert notes == []
    return settings


@given(all_settings())
@example(DEFAULT)
@example(AttentionSettings(text="<b>x</b> $5 & a=b #? 100% \U0001f408 שלום +"))
def test_a_link_restores_the_settings_exactly(settings):
    assert AttentionSettings.from_query(settings.to_query()) == (settings, [])


@given(all_settings())
def test_a_link_names_every_parameter_and_its_version(settings):
    query = settings.to_query()
    assert set(query) == {"v", *PARAMETERS}
    assert query["v"] == "1"
    assert all(isinstance(value, str) for value in query.values())


def test_the_words_of_a_link_are_those_of_the_design():
    settings = AttentionSettings(causal=True, window=3, cell=(0, 1, 2), rope_base=500.0)
    query = settings.to_query()
    assert (query["causal"], query["rope"]) == ("true", "false")
    assert (query["window"], query["cell"], query["head"]) == ("3", "0,1,2", "all")
    assert (query["rope_base"], query["kv_heads"]) == ("500", "4")


# --- any link at all ---------------------------------------------------------------------------

WORDS = st.sampled_from(
    ["true", "false", "none", "all", "custom", "patterns", "half", "0,0,0", "1,2|3,4|5", "|", "0", "1"]
) | st.sampled_from(["-1", "3", "17", "0.5", "1e9", "1e999", "-1e999", "nan", "inf", "٣"])
VALUES = WORDS | st.just("") | st.text(st.characters(exclude_categories=()), max_size=30)
COMPARED = st.dictionaries(st.sampled_from(PARAMETERS), WORDS).map(urlencode)
NAMES = st.sampled_from([*PARAMETERS, "v", "embed", "lecture", "hide"]) | st.text(max_size=8)
KNOWN = dict.fromkeys(PARAMETERS, VALUES) | {
    "compare": COMPARED | VALUES,
    "cell": st.tuples(WORDS, WORDS, WORDS).map(",".join) | VALUES,
    "rope": st.just("true") | VALUES,
    "source": st.just("custom") | VALUES,
    "numbers": st.just(ODD.compact()) | VALUES,
}
LINKS = st.fixed_dictionaries({}, optional=KNOWN) | st.dictionaries(NAMES, VALUES)


def assert_stable(query):
    settings, notes = AttentionSettings.from_query(query)
    assert AttentionSettings.from_query(settings.to_query()) == (settings, [])
    for note in notes:
        assert note.endswith("."), note


@given(LINKS)
def test_no_link_raises_and_a_repaired_link_needs_no_repair(query):
    assert_stable(query)


@given(st.dictionaries(NAMES, st.lists(VALUES, max_size=3), max_size=6))
@example({"v": []})
def test_no_link_raises_where_parameters_are_given_several_times(query):
    assert_stable(query)


@pytest.mark.parametrize("cell", ["1e999,0,0", "0,-1e999,0", "0,0,1e999"])
def test_an_infinite_cell_does_not_raise(cell):
    settings, notes = read(cell=cell)
    assert settings.cell is None
    assert len(notes) == 1


# --- repairs -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "name", "value"),
    [
        ({"d_k": "-1"}, "d_k", 2),
        ({"d_k": "1e9"}, "d_k", 512),
        ({"d_k": "1e999"}, "d_k", 512),
        ({"d_k": "4.6"}, "d_k", 5),
        ({"d_k": "many"}, "d_k", 16),
        ({"d_k": ""}, "d_k", 16),
        ({"d_k": "nan"}, "d_k", 16),
        ({"d_k": "٣"}, "d_k", 16),
        ({"d_k": "17", "rope": "true"}, "d_k", 16),
        ({"d_k": "3", "rope": "true"}, "d_k", 2),
        ({"d_k": "511", "rope": "true"}, "d_k", 510),
        ({"heads": "99"}, "heads", 16),
        ({"heads": "0"}, "heads", 1),
        ({"heads": "8", "kv_heads": "3"}, "kv_heads", 2),
        ({"heads": "8", "kv_heads": "7"}, "kv_heads", 8),
        ({"heads": "8", "kv_heads": "0"}, "kv_heads", 1),
        ({"heads": "8", "kv_heads": "1e20"}, "kv_heads", 8),
        ({"heads": "8", "kv_heads": "1e999"}, "kv_heads", 8),
        ({"heads": "8", "kv_heads": "few"}, "kv_heads", 8),
        ({"causal": "yes"}, "causal", False),
        ({"causal": "True"}, "causal", False),
        ({"scale": "sqrt"}, "scale", "sqrt_d_k"),
        ({"rope": "maybe"}, "rope", False),
        ({"rope_base": "0"}, "rope_base", 1.0),
        ({"rope_base": "1e8"}, "rope_base", 1e7),
        ({"rope_base": "nan"}, "rope_base", 10000.0),
        ({"rope_offset": "2e6"}, "rope_offset", 10**6),
        ({"query_shift": "-1e9"}, "query_shift", -(10**6)),
        ({"pairing": "quarter"}, "pairing", "interleaved"),
        ({"window": "0"}, "window", 1),
        ({"window": "99"}, "window", 64),
        ({"window": "wide"}, "window", None),
        ({"seed": "abc"}, "seed", 0),
        ({"seed": "-5"}, "seed", 0),
        ({"seed": "1e12"}, "seed", 2**31 - 1),
        ({"stage": "output"}, "stage", "weights"),
        ({"source": "internet"}, "source", "random"),
        ({"panel": "everything"}, "panel", "cell"),
        ({"head": "7"}, "head", None),
        ({"head": "-1"}, "head", None),
        ({"head": "0.5"}, "head", None),
        ({"cell": "9,9,9"}, "cell", None),
        ({"cell": "0,0"}, "cell", None),
        ({"cell": "a,b,c"}, "cell", None),
        ({"cell": "0,0,2", "source": "two-keys"}, "cell", None),
        ({"compare": "hello"}, "compare", ""),
        ({"numbers": "1,2|3"}, "numbers", DEFAULT.numbers),
        ({"text": ""}, "text", DEFAULT.text),
        ({"text": " \t\u200b"}, "text", DEFAULT.text),
        ({"text": "word " * 65}, "text", " ".join(["word"] * 64)),
    ],
)
def test_a_bad_value_becomes_the_nearest_legal_one_or_the_default_with_a_note(query, name, value):
    settings, notes = AttentionSettings.from_query(query)
    assert getattr(settings, name) == value
    assert len(notes) == 1
    assert re.fullmatch(r"\S.* .*\.", notes[0])


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ({"d_k": "-1"}, "d_k = '-1' is not possible (2 to 512); 2 is used."),
        ({"seed": "abc"}, "seed = 'abc' is not a whole number; 0 is used."),
        ({"rope": "maybe"}, "rope = 'maybe' is not possible (true or false); false is used."),
        (
            {"heads": "8", "kv_heads": "3"},
            "kv_heads = '3' is not possible (it must divide 8 heads: 1, 2, 4, 8); 2 is used.",
        ),
        (
            {"d_k": "17", "rope": "true"},
            "d_k = '17' is not possible (RoPE turns pairs, so d_k must be even while it is on); 16 is used.",
        ),
        (
            {"colour": "red"},
            "The link names 'colour', which does not exist here; it is ignored.",
        ),
        ({"v": "2"}, "This link is of version '2'; it is read as 1."),
        ({"seed": ["1", "2"]}, "seed is given 2 times; the last one counts."),
        (
            {"text": "w " * 2000},
            "The text has 2,000 words; the first 64 are shown. Shorten it to choose which.",
        ),
        (
            {"compare": "d_k=-1"},
            "In the pinned setting: d_k = '-1' is not possible (2 to 512); 2 is used.",
        ),
        (
            {"numbers": "1|2"},
            "The numbers of the link cannot be read. "
            "Expected three matrices Q|K|V, got 2; put | between them.",
        ),
        (
            {"rope": "true", "source": "custom", "numbers": ODD.compact()},
            "RoPE turns pairs, so it needs an even width, and these keys have 3 columns; "
            "RoPE is off. Add or remove a column to use it.",
        ),
    ],
)
def test_the_note_says_what_was_wrong_and_what_is_used(query, note):
    assert AttentionSettings.from_query(query)[1] == [note]


def test_an_unknown_parameter_changes_nothing():
    settings, notes = read(colour="red")
    assert settings == DEFAULT
    assert len(notes) == 1


def test_of_a_parameter_given_twice_the_last_one_counts():
    settings, notes = read(d_k=["8", "32"])
    assert settings.d_k == 32
    assert len(notes) == 1


def test_each_bad_value_gets_a_note_of_its_own():
    _, notes = read(d_k="-1", seed="abc", rope="maybe", colour="red")
    assert len(notes) == 4


@pytest.mark.parametrize("name", ["embed", "embed_options", "lecture", "hide"])
def test_parameters_of_a_page_are_no_surprise(name):
    assert read(**{name: "true"}) == (DEFAULT, [])


def test_streamlit_takes_several_embed_options():
    assert read(embed_options=["show_toolbar", "light_theme"]) == (DEFAULT, [])


def test_rope_is_switched_off_where_the_numbers_have_an_odd_width():
    settings, notes = read(rope="true", source="custom", numbers=ODD.compact())
    assert settings.rope is False
    assert len(notes) == 1


def test_rope_stays_where_the_numbers_have_an_even_width():
    settings, notes = read(rope="true", source="custom", numbers=EVEN.compact())
    assert settings.rope is True
    assert notes == []


def test_an_odd_width_is_fine_without_rope():
    settings, notes = read(d_k="17")
    assert settings.d_k == 17
    assert notes == []


def test_without_a_word_about_them_there_are_as_many_key_heads_as_heads():
    settings, notes = read(heads="6")
    assert settings.kv_heads == 6
    assert notes == []


def test_an_empty_link_is_the_default():
    assert AttentionSettings.from_query({}) == (DEFAULT, [])


def test_repaired_text_is_what_the_settings_hold():
    settings, notes = read(text=" the\tcat\u200b ")
    assert settings.text == "the cat"
    assert notes == []


# --- made directly -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        {"d_k": 1},
        {"d_k": 513},
        {"d_k": 2.5},
        {"d_k": True},
        {"d_k": 17, "rope": True},
        {"heads": 0},
        {"heads": 17},
        {"heads": 8, "kv_heads": 3},
        {"kv_heads": -1},
        {"causal": 1},
        {"scale": "log"},
        {"rope": "maybe"},
        {"rope": True, "source": "custom", "numbers": ODD},
        {"rope_base": 0.5},
        {"rope_base": float("nan")},
        {"rope_base": float("inf")},
        {"rope_offset": 10**6 + 1},
        {"query_shift": 0.5},
        {"pairing": "quarter"},
        {"window": 0},
        {"window": 65},
        {"seed": -1},
        {"seed": 2**31},
        {"stage": "output"},
        {"source": "internet"},
        {"panel": "everything"},
        {"head": 4},
        {"head": 1, "source": "two-keys"},
        {"cell": (0, 0, 99)},
        {"cell": (0, 0)},
        {"text": ""},
        {"text": "w " * 65},
        {"text": "w" * 49},
        {"compare": "hello"},
    ],
)
def test_an_illegal_value_given_directly_raises(values):
    with pytest.raises(SettingError, match=r"\.$"):
        AttentionSettings(**values)


def test_settings_cannot_be_written_to_and_can_be_a_key_of_a_cache():
    with pytest.raises(dataclasses.FrozenInstanceError):
        DEFAULT.d_k = 8
    assert {DEFAULT: 1}[AttentionSettings()] == 1


def test_values_are_held_in_one_form():
    assert AttentionSettings(d_k=16.0, text=" the  cat ") == AttentionSettings(text="the cat")


@given(st.floats(1, 1e7))
def test_a_base_is_held_to_its_last_digit(base):
    assert AttentionSettings(rope_base=base).rope_base == base


@given(some_numbers())
def test_numbers_are_held_to_their_last_digit(numbers):
    assert AttentionSettings(numbers=numbers).numbers == numbers


# --- what is in force --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "shape", "width"),
    [
        ({"text": "the cat sat", "heads": 8, "d_k": 6}, (8, 3, 3), 6),
        ({"text": "the cat", "heads": 8, "d_k": 6, "source": "patterns"}, (4, 2, 2), 6),
        ({"source": "two-keys"}, (1, 1, 2), 2),
        ({"source": "cat-sat-mat"}, (1, 3, 3), 4),
        ({"source": "three-tokens"}, (1, 3, 3), 2),
        ({"source": "custom", "numbers": ODD}, (1, 1, 2), 3),
    ],
)
def test_the_shape_in_force_is_that_of_the_source(values, shape, width):
    settings = AttentionSettings(**values)
    assert settings.shape == shape
    assert settings.width == width


@pytest.mark.parametrize(("source", "in_force"), [("random", 2), ("patterns", 4), ("two-keys", 1)])
def test_the_key_heads_in_force_are_those_of_the_source(source, in_force):
    assert AttentionSettings(heads=8, kv_heads=2, source=source).n_kv_heads == in_force


# --- changing and pinning ----------------------------------------------------------------------


def test_changing_one_value_changes_no_other():
    settings, notes = DEFAULT.changed(d_k=32, causal=True)
    assert settings == dataclasses.replace(DEFAULT, d_k=32, causal=True)
    assert notes == []


def test_plain_multi_head_stays_so_for_another_number_of_heads():
    settings, notes = DEFAULT.changed(heads=6)
    assert (settings.heads, settings.kv_heads) == (6, 6)
    assert notes == []


def test_shared_key_heads_are_repaired_with_a_note():
    settings, notes = AttentionSettings(heads=4, kv_heads=2).changed(heads=9)
    assert settings.kv_heads == 1
    assert len(notes) == 1


def test_a_head_and_a_cell_that_are_gone_are_let_go_in_silence():
    settings, notes = AttentionSettings(head=3, cell=(3, 0, 0)).changed(heads=2)
    assert (settings.head, settings.cell) == (None, None)
    assert notes == []


def test_a_cell_that_is_chosen_and_does_not_exist_is_noted():
    settings, notes = DEFAULT.changed(cell=(0, 0, 99))
    assert settings.cell is None
    assert len(notes) == 1


def test_switching_rope_on_makes_the_width_even_with_a_note():
    settings, notes = AttentionSettings(d_k=17).changed(rope=True)
    assert (settings.rope, settings.d_k) == (True, 16)
    assert len(notes) == 1


def test_nothing_is_pinned_at_first():
    assert DEFAULT.pinned() is None


def test_the_pinned_setting_keeps_its_controls_and_takes_the_present_inputs():
    pinned = AttentionSettings(d_k=8, heads=2, causal=True, window=3, rope_base=7.5)
    settings, _ = DEFAULT.changed(compare=pinned.pin(), text="the cat", seed=5)
    expected = dataclasses.replace(pinned, text="the cat", seed=5)
    assert settings.pinned() == expected


def test_the_pinned_setting_survives_a_link():
    settings, _ = DEFAULT.changed(compare=AttentionSettings(d_k=8).pin(), d_k=64)
    restored, notes = AttentionSettings.from_query(settings.to_query())
    assert restored.pinned() == settings.pinned() == AttentionSettings(d_k=8)
    assert notes == []


def test_a_pinned_rope_that_the_present_numbers_cannot_have_is_no_fault_of_the_link():
    settings, _ = DEFAULT.changed(compare=AttentionSettings(rope=True).pin())
    settings, notes = settings.changed(source="custom", numbers=ODD)
    assert settings.pinned().rope is False
    assert notes == []


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({}, set()),
        ({"seed": 5}, {"seed"}),
        ({"heads": 8, "kv_heads": 2}, {"heads", "kv_heads"}),
        ({"heads": 8, "kv_heads": 8}, {"heads"}),  # KV heads follow
        ({"text": "a b"}, {"text"}),
    ],
)
def test_a_short_query_means_the_same_and_names_only_what_is_needed(values, named):
    settings = AttentionSettings(**values)
    short = settings.short_query()
    assert AttentionSettings.from_query(short) == (settings, [])
    assert short.keys() == {"v", *named}
