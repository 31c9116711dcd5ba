"""Every state is a link: opened exactly, repaired visibly, written when a control has come to rest."""

import pytest

from core.settings import AttentionSettings

GOOD = {"text": "a b c", "causal": "true", "stage": "scaled"}
FULL = {
    "v": "1", "text": "the cat sat on the mat", "source": "random", "numbers": "0,2|1,0;0,1|10,0;0,6",
    "seed": "5", "rope": "true", "d_k": "8", "heads": "4", "kv_heads": "2", "causal": "true",
    "scale": "none", "rope_base": "500", "rope_offset": "3", "query_shift": "-2", "pairing": "half",
    "window": "4", "stage": "scaled", "head": "1", "cell": "1,2,0", "panel": "saturation", "compare": "",
}  # fmt: skip

BAD = [
    ({"d_k": "-1"}, {"d_k": "2"}),
    ({"d_k": "1e9"}, {"d_k": "512"}),
    ({"d_k": "7", "rope": "true"}, {"d_k": "6", "rope": "true"}),
    ({"heads": "99"}, {"heads": "16", "kv_heads": "16"}),
    ({"heads": "8", "kv_heads": "3"}, {"heads": "8", "kv_heads": "2"}),
    ({"seed": "abc"}, {"seed": "0"}),
    ({"seed": ""}, {"seed": "0"}),
    ({"seed": "NaN"}, {"seed": "0"}),
    ({"rope": "maybe"}, {"rope": "false"}),
    ({"source": "<b>x</b>"}, {"source": "random"}),
    ({"window": "0"}, {"window": "1"}),
    ({"window": "-inf"}, {"window": "none"}),
    ({"head": "77"}, {"head": "all"}),
    ({"cell": "0,0,99"}, {"cell": "none"}),
    ({"numbers": "1,2|3"}, {}),
    ({"numbers": "1|nan|2"}, {}),
    ({"compare": "d_k=-1"}, None),
    ({"v": "9"}, {"v": "1"}),
    ({"nonsense": "1"}, {}),
    ({"$x$ **y** <b>z</b>": "1"}, {}),
    ({"seed": ["1", "2"]}, {"seed": "2"}),
    ({"text": ["x", "a b c"]}, {}),
]


@pytest.mark.parametrize(("link", "repaired"), BAD, ids=str)
def test_a_bad_value_is_repaired_with_one_visible_note_and_nothing_else_is_touched(
    link, repaired, playground
):
    page = playground(**{**GOOD, **link})
    assert len(page.warnings) == 1
    assert any(name in page.warnings[0] for name in (*link, "version", "pinned", "numbers"))
    if repaired is not None:
        assert page.query == {**AttentionSettings().to_query(), **GOOD, **repaired}


def test_several_bad_values_are_each_said(playground):
    page = playground(d_k="-1", seed="abc", rope="maybe", nonsense="1", text="a b")
    assert len(page.warnings) == 4
    assert page.query["text"] == "a b"


@pytest.mark.parametrize(
    "hostile", ["**b** $x$ $y$", "[a](http://b.c)", "<img src=x>", ":material/home:", "`code`"]
)
def test_what_a_link_says_is_shown_literally_in_the_note(hostile, playground):
    page = playground(seed=hostile)
    (markdown,) = [warning.value for warning in page.app.warning]
    for character in "*$[]()<>:`":
        assert markdown.count(character) == markdown.count("\\" + character)
    assert hostile in page.warnings[0]


def test_a_link_to_a_full_state_gives_exactly_that_state(playground):
    page = playground(**FULL)
    assert page.query == FULL
    assert page.warnings == []


@pytest.mark.parametrize("link", [{}, GOOD, FULL, {"d_k": "-1"}], ids=["none", "short", "full", "bad"])
def test_a_link_is_not_rewritten_when_it_is_opened(link, playground):
    page = playground(**link)
    assert page.link == link
    assert page.run().link == link


def test_after_a_change_the_address_holds_the_whole_new_state(playground):
    page = playground(**GOOD).set("seed", 3)
    assert page.link == {**AttentionSettings().to_query(), **GOOD, "seed": "3"}
    assert page.link["v"] == "1"


def test_the_address_after_a_change_opens_the_same_picture(playground):
    page = playground(**FULL).change("plot_heads", cell="0,1,1")
    again = playground(**page.link)
    assert again.warnings == []
    assert again.query == page.query
    assert again.data("plot_heads")["figure"] == page.data("plot_heads")["figure"]


def test_a_note_goes_away_with_the_next_change(playground):
    page = playground(d_k="-1")
    assert len(page.run().warnings) == 1  # not by itself
    assert page.set("causal", True).warnings == []


def test_a_step_back_in_the_history_brings_the_old_state_back(playground):
    page = playground(**GOOD).set("seed", 3)
    older = page.link
    page.set("seed", 4).change("sliders", d_k=64)
    page.go(older)
    assert page.query == older
    assert page.app.get_by_key("seed").value == 3
    page.go(GOOD)
    assert page.query == {**AttentionSettings().to_query(), **GOOD}


def test_a_step_back_to_the_bare_address_brings_the_first_state_back(playground):
    page = playground().set("seed", 3)
    page.go({})
    assert page.query == AttentionSettings().to_query()


def test_the_state_is_kept_while_another_page_is_looked_at(playground):
    page = playground(**FULL)
    page.visit("home.py").visit("playground.py")
    assert page.query == FULL
    assert page.link == FULL


def test_a_link_from_another_page_replaces_the_state(playground):
    page = playground(**FULL).visit("home.py").visit("playground.py", scale="none")
    assert page.query == {**AttentionSettings().to_query(), "scale": "none"}


# --- hidden controls ---------------------------------------------------------------------------

WIDGETS = [
    "source", "text", "scale", "causal", "window", "heads", "kv_heads", "rope", "rope_base", "pairing",
    "seed", "stage", "head", "panel",
]  # fmt: skip


@pytest.mark.parametrize("name", WIDGETS)
def test_hide_takes_a_control_away_and_no_other(name, playground):
    everything = playground(rope="true").keys
    assert playground(rope="true", hide=name).keys == everything - {name}


def test_hide_takes_sliders_away(playground):
    page = playground(hide="d_k,query_shift")
    assert [slider["name"] for slider in page.data("sliders")["sliders"]] == ["rope_offset"]
    page = playground(hide="d_k, query_shift, rope_offset")
    assert page.data("sliders")["sliders"] == []  # it stays, as what a chosen cell is asked by


def test_hide_takes_the_comparison_away(playground):
    everything = {button.label for button in playground().app.button}
    left = {button.label for button in playground(hide="compare").app.button}
    assert everything - left == {"Pin as A and compare"}
    assert left < everything


def test_hidden_controls_stay_hidden_after_a_change_and_the_state_is_theirs_still(playground):
    page = playground(hide="seed,causal", seed="5", causal="true", lecture="3", embed="true")
    page.set("rope", True)
    assert page.keys.isdisjoint({"seed", "causal"})
    assert (page.query["seed"], page.query["causal"], page.query["rope"]) == ("5", "true", "true")
    assert page.link == {**page.query, "hide": "seed,causal", "lecture": "3", "embed": "true"}


def test_hiding_what_does_not_exist_hides_nothing(playground):
    page = playground(hide="nonsense,,")
    assert page.warnings == []
    assert page.keys == playground().keys
