"""Every control changes what it names, leaves everything else as it was, and the picture follows."""

import numpy as np
import pytest

from core.settings import AttentionSettings
from core.trace import trace_attention
from pages.ui.pictures import playground as pictures_of

# A state in which hardly a value is the default one, so that nothing can be lost unseen.
FULL = {
    "v": "1", "text": "the cat sat on the mat", "source": "random", "numbers": "0,2|1,0;0,1|10,0;0,6",
    "seed": "5", "rope": "true", "d_k": "8", "heads": "4", "kv_heads": "2", "causal": "true",
    "scale": "none", "rope_base": "500", "rope_offset": "3", "query_shift": "-2", "pairing": "half",
    "window": "4", "stage": "scaled", "head": "1", "cell": "1,2,0", "panel": "cell", "compare": "",
}  # fmt: skip

# (what differs in the state, key of the widget, its new value, what has changed after that)
CONTROLS = [
    ({}, "source", "patterns", {"source": "patterns"}),
    ({}, "source", "custom", {"source": "custom", "head": "all", "cell": "none"}),
    ({}, "text", "a  dog barks at me", {"text": "a dog barks at me"}),
    ({}, "text", "dog", {"text": "dog", "cell": "none"}),
    ({}, "seed", 7, {"seed": "7"}),
    ({}, "scale", "d_k", {"scale": "d_k"}),
    ({}, "causal", False, {"causal": "false"}),
    ({}, "window", 2, {"window": "2"}),
    ({}, "window", None, {"window": "none"}),
    ({"window": "none"}, "window", 3, {"window": "3"}),
    ({}, "heads", 8, {"heads": "8"}),
    ({}, "heads", 3, {"heads": "3", "kv_heads": "1"}),
    ({"kv_heads": "4"}, "heads", 6, {"heads": "6", "kv_heads": "6"}),
    ({"head": "3", "cell": "3,0,0"}, "heads", 2, {"heads": "2", "head": "all", "cell": "none"}),
    ({}, "kv_heads", 1, {"kv_heads": "1"}),
    ({}, "rope", False, {"rope": "false"}),
    ({"d_k": "7", "rope": "false"}, "rope", True, {"rope": "true", "d_k": "6"}),
    ({}, "rope_base", 10000.0, {"rope_base": "10000"}),
    ({}, "pairing", "interleaved", {"pairing": "interleaved"}),
    ({}, "stage", "weights", {"stage": "weights"}),
    ({}, "head", 3, {"head": "3"}),
    ({}, "head", -1, {"head": "all"}),
    ({"head": "all"}, "head", 0, {"head": "0"}),
    ({}, "panel", "saturation", {"panel": "saturation"}),
]
LIVE = [
    ("sliders", {"d_k": 32}, {"d_k": "32"}),
    ("sliders", {"d_k": 500}, {"d_k": "500"}),
    ("sliders", {"rope_offset": -64}, {"rope_offset": "-64"}),
    ("sliders", {"query_shift": 1000000}, {"query_shift": "1000000"}),
    ("sliders", {"d_k": 4, "query_shift": 0}, {"d_k": "4", "query_shift": "0"}),
    ("plot_heads", {"cell": "0,5,1"}, {"cell": "0,5,1"}),
    ("plot_heads", {"cell": "1,0,5", "d_k": 16}, {"cell": "1,0,5", "d_k": "16"}),
]  # fmt: skip


def everything_agrees(page):
    """The plots, the button that copies the link and the address are all of the sliders' state."""
    settings, notes = AttentionSettings.from_query(page.query)
    assert notes == []
    for plot, picture in pictures_of(settings).items():
        assert page.data(f"plot_{plot}").items() >= picture.data().items()
    assert page.data("copy_link")["query"] == page.query
    assert page.link == page.query


def name_of(value):
    return value if isinstance(value, str) else str(value)[:40]


@pytest.mark.parametrize(("state", "key", "value", "changes"), CONTROLS, ids=name_of)
def test_a_control_changes_what_it_names_and_nothing_else(state, key, value, changes, playground):
    page = playground(**{**FULL, **state})
    assert page.warnings == []
    page.set(key, value)
    assert page.query == {**FULL, **state, **changes}
    everything_agrees(page)


@pytest.mark.parametrize(("key", "sent", "changes"), LIVE, ids=name_of)
def test_a_live_component_changes_what_it_names_and_nothing_else(key, sent, changes, playground):
    page = playground(**FULL)
    page.change(key, **sent)
    assert page.query == {**FULL, **changes}
    assert page.warnings == []
    everything_agrees(page)


def test_repairs_that_a_control_causes_are_said(playground):
    page = playground(**FULL).set("heads", 3)
    (note,) = page.warnings
    assert "kv_heads" in note
    assert page.set("causal", False).warnings == []  # said once


@pytest.mark.parametrize(("key", "shown"), [("heads", 4), ("seed", 5), ("rope_base", 500)])
def test_a_field_that_is_cleared_keeps_its_value(key, shown, playground):
    page = playground(**FULL).set(key, None)
    assert page.query == FULL
    assert page.app.get_by_key(key).value == shown


def test_the_controls_show_the_state_of_the_link(playground):
    page = playground(**FULL)
    shown = {key: page.app.get_by_key(key).value for key in FULL.keys() & page.keys}
    assert shown == {
        "text": FULL["text"], "source": "random", "seed": 5, "rope": True, "heads": 4, "kv_heads": 2,
        "causal": True, "scale": "none", "rope_base": 500, "pairing": "half", "window": 4,
        "stage": "scaled", "head": 1, "panel": "cell",
    }  # fmt: skip
    values = {slider["name"]: slider["value"] for slider in page.data("sliders")["sliders"]}
    assert values == {"d_k": 8, "rope_offset": 3, "query_shift": -2}


@pytest.mark.parametrize("changes", [[1, 2], "d_k=3", 7, None])
def test_a_report_that_is_no_table_of_changes_changes_nothing(changes, playground):
    page = playground(**FULL).send("sliders", changes=changes)
    assert page.query == FULL


@pytest.mark.parametrize(
    ("key", "name", "value"),
    [("sliders", "d_k", "abc"), ("sliders", "d_k", -5), ("sliders", "d_k", None), ("sliders", "d_k", [1]),
     ("sliders", "d_k", 1e300), ("sliders", "nonsense", 1), ("plot_heads", "cell", "9,9,9"),
     ("plot_heads", "cell", "1,2"), ("plot_heads", "cell", {"a": "<b>x</b>"})],
)  # fmt: skip
def test_a_bad_report_is_repaired_with_a_note_and_loses_nothing_else(key, name, value, playground):
    page = playground(**FULL).change(key, **{name: value})
    assert len(page.warnings) == 1
    assert {k: v for k, v in page.query.items() if k != name} == {k: v for k, v in FULL.items() if k != name}


def test_reset_goes_back_to_the_first_state(playground):
    page = playground(**FULL).click("Reset")
    assert page.query == AttentionSettings().to_query()
    assert page.link == page.query
    assert page.app.get_by_key("seed").value == 0


# --- what must stay the same, bit for bit ------------------------------------------------------


def inputs_of(page):
    trace = trace_attention(AttentionSettings.from_query(page.query)[0])
    return trace.q, trace.k, trace.v


@pytest.mark.parametrize(
    ("key", "value"),
    [("scale", "d_k"), ("causal", False), ("window", 1), ("rope", False), ("rope_base", 9.0),
     ("pairing", "interleaved"), ("stage", "masked"), ("head", 0), ("panel", "saturation")],
)  # fmt: skip
def test_a_control_that_names_no_input_leaves_q_k_and_v_alone(key, value, playground):
    page = playground(**FULL)
    before = inputs_of(page)
    for a, b in zip(before, inputs_of(page.set(key, value)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_shifts_leave_q_k_and_v_alone(playground):
    page = playground(**FULL)
    before = inputs_of(page)
    for a, b in zip(before, inputs_of(page.change("sliders", rope_offset=9, query_shift=9)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_larger_d_k_extends_q_k_and_v(playground):
    page = playground(**FULL)
    before = inputs_of(page)
    for a, b in zip(before, inputs_of(page.change("sliders", d_k=64)), strict=True):
        assert b.shape[-1] == 64
        np.testing.assert_array_equal(a, b[..., :8])


def test_more_heads_leave_the_first_ones_as_they_are(playground):
    page = playground(**{**FULL, "kv_heads": "4"})
    before = inputs_of(page)
    for a, b in zip(before, inputs_of(page.set("heads", 8)), strict=True):
        assert len(b) == 8
        np.testing.assert_array_equal(a, b[:4])


# --- controls that are not there ---------------------------------------------------------------


@pytest.mark.parametrize("source", ["two-keys", "cat-sat-mat", "three-tokens", "custom"])
def test_numbers_that_are_given_cannot_be_dragged_or_drawn_anew(source, playground):
    page = playground(source=source)
    assert page.keys.isdisjoint({"text", "seed", "heads", "kv_heads"})
    d_k = page.data("sliders")["sliders"][0]
    assert d_k["disabled"]
    assert d_k["value"] == AttentionSettings.from_query(page.query)[0].width


def test_without_rope_positions_cannot_be_moved(playground):
    page = playground(rope="false")
    assert page.keys.isdisjoint({"rope_base", "pairing"})
    disabled = {slider["name"]: bool(slider["disabled"]) for slider in page.data("sliders")["sliders"]}
    assert disabled == {"d_k": False, "rope_offset": True, "query_shift": True}


def test_a_state_that_a_control_cannot_show_now_is_kept_for_later(playground):
    page = playground(**FULL)
    page.set("rope", False).set("rope", True)
    page.set("source", "two-keys").set("source", "random")
    assert page.query == {**FULL, "head": "all", "cell": "none"}


def test_a_control_has_its_value_as_default_too(open_page):
    """A run that overtakes the first, in a slow browser, does not send the value again."""
    page = open_page("heads.py", {"seed": "7", "causal": "true", "text": "one two"}).run()
    assert page.app.number_input(key="seed").proto.default == 7
    assert page.app.toggle(key="causal").proto.default is True
    assert page.app.text_input(key="text").proto.default == "one two"
    page = open_page("masking.py", {"mask": "window"}).run()
    box = page.app.selectbox(key="mask").proto
    assert box.options[box.default] == "sliding window"
    assert open_page("playground.py", {"window": "3"}).run().app.number_input(key="window").proto.value == 3
