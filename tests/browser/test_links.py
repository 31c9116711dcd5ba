"""Every state is a link: opened cold, by Back and Forward, or copied, it restores the picture."""

import re

from playwright.sync_api import expect

from core.numbers import Numbers
from core.settings import AttentionSettings
from tests.browser.lab import settings_of

FULL = AttentionSettings(
    text="to be or not to be",
    d_k=24,
    heads=6,
    kv_heads=3,
    causal=True,
    scale="none",
    rope=True,
    rope_base=500_000.0,
    rope_offset=7,
    query_shift=-2,
    pairing="half",
    window=4,
    seed=11,
    stage="masked",
    head=5,
    cell=(5, 4, 2),
)
CUSTOM = AttentionSettings(
    source="custom",
    numbers=Numbers(
        q=((1.0, 0.25), (-3.0, 1 / 3)), k=((0.5, 1.0), (2.0, 0.0), (0.0, 1.0)), v=((1.0,), (2.0,), (3.0,))
    ),
    stage="scaled",
    panel="saturation",
)


def test_a_full_link_opened_cold(visit):
    lab = visit(**FULL.to_query())
    expect_state_of(lab, FULL)
    expect(lab.switch("causal")).to_be_checked()
    expect(lab.switch("rope")).to_be_checked()
    expect(lab.field("d_k")).to_have_value("24")
    expect(lab.field("rope_offset")).to_have_value("7")
    expect(lab.field("query_shift")).to_have_value("-2")
    expect(lab.number("heads")).to_have_value("6")
    expect(lab.number("window")).to_have_value("4")
    expect(lab.number("seed")).to_have_value("11")
    expect(lab.control("text").get_by_role("textbox")).to_have_value("to be or not to be")
    expect_state_of(lab.go("/playground", **CUSTOM.to_query()), CUSTOM)


def expect_state_of(lab, settings):
    """The picture, the address bar and the page's script hold the settings, without a repair."""
    lab.expect_drawn(settings)
    assert lab.link == settings
    assert settings_of(lab.copied_link()) == settings
    expect(lab.warnings).to_have_count(0)


def test_back_and_forward(visit):
    lab = visit()
    states = [lab.link]
    lab.slider("d_k").press("End")
    states.append(lab.expect_settled(d_k=512))
    lab.flip("causal")
    states.append(lab.expect_settled(causal=True))
    lab.click_cell(5, 3)
    states.append(lab.expect_settled(cell=(0, 5, 3)))

    def expect_state(state):
        lab.page.wait_for_url(lambda url: settings_of(url) == state)
        lab.expect_drawn(state)
        expect(lab.field("d_k")).to_have_value(str(state.d_k))
        expect(lab.switch("causal")).to_be_checked(checked=state.causal)
        assert settings_of(lab.copied_link()) == state

    entries = lab.entries
    for state in states[-2::-1]:
        lab.page.go_back()
        expect_state(state)
    for state in states[1:]:
        lab.page.go_forward()
        expect_state(state)
    assert lab.entries == entries  # going to and fro writes nothing
    lab.page.go_back()
    expect_state(states[-2])
    lab.slider("d_k").press("Home")  # and on from there
    lab.expect_settled(d_k=2, causal=True, cell=None)


def test_the_copied_link_restores(visit):
    lab = visit(hide="seed")
    text = "50% a&b=c #1 +1 ?q ü 猫 «x»"
    lab.control("text").get_by_role("textbox").fill(text)
    lab.control("text").get_by_role("textbox").press("Enter")
    lab.expect_settled(text=text)
    lab.flip("causal")
    lab.slider("d_k").press("ArrowRight")
    lab.click_cell(7, 1, tile=2)
    settings = lab.expect_settled(d_k=18, causal=True, cell=(2, 7, 1))
    link = lab.copied_link()
    assert "hide=seed" in link
    again = visit(None)
    again.page.goto(link)
    again.painted().expect_drawn(settings)
    expect(again.control("seed")).to_have_count(0)
    assert again.link == settings
    assert again.tick_labels("y")[-1].endswith("«x»")


def test_bad_values_are_repaired_with_sentences(visit):
    lab = visit(d_k="9999", heads="abc", kv_heads="3", scale="<b>big</b>", colour="$red$", cell="9,9,9")
    lab.expect_drawn(AttentionSettings(d_k=512, kv_heads=2))
    expect(lab.warnings).to_have_count(6)
    expect(lab.warnings.filter(has_text="d_k =")).to_contain_text(re.compile("9999.*512"))
    expect(lab.warnings.filter(has_text="heads =").first).to_contain_text("abc")
    expect(lab.warnings.filter(has_text="scale")).to_contain_text("<b>big</b>")
    expect(lab.warnings.filter(has_text="colour")).to_contain_text("colour")

    lab.page.goto(lab.address() + "?d_k=8&d_k=32")  # given twice
    lab.painted().expect_drawn(AttentionSettings(d_k=32))
    expect(lab.warnings).to_contain_text("d_k")
