"""Every control answers with the picture of what it says, and hidden cells are hatched."""

from playwright.sync_api import expect

from core.settings import AttentionSettings
from pages.ui.controls import SOURCE_NAMES


def test_the_causal_mask_blanks_and_hatches_the_future(visit):
    lab = visit()
    lab.mark()
    expect(lab.hatchings).to_have_count(0)
    lab.flip("causal")
    lab.expect_settled(causal=True)
    expect(lab.hatchings).to_have_count(4)  # one for each head
    lab.choose("stage", "Scores")  # before the mask: nothing is hidden yet
    lab.expect_settled(stage="scores")
    expect(lab.hatchings).to_have_count(0)
    lab.choose("stage", "Masked")
    lab.expect_settled(stage="masked")
    expect(lab.hatchings).to_have_count(4)
    lab.flip("causal")
    lab.expect_settled(causal=False)
    expect(lab.hatchings).to_have_count(0)
    lab.choose("stage", "Scaled")
    lab.expect_settled(stage="scaled")
    lab.expect_same_instance()


def type_number(lab, name, text):
    lab.number(name).fill(text)
    lab.number(name).press("Enter")


def test_the_numbers_the_scale_and_reset(visit):
    lab = visit()
    type_number(lab, "heads", "6")
    assert lab.expect_settled(heads=6).kv_heads == 6  # as many, as before
    lab.select("kv_heads", "2")
    lab.expect_settled(kv_heads=2)
    lab.select("head", "Head 5")
    lab.expect_settled(head=5)
    assert len(lab.drawn) == 1
    type_number(lab, "seed", "7")
    lab.expect_settled(seed=7)
    type_number(lab, "window", "3")
    lab.expect_settled(window=3)
    type_number(lab, "window", "")
    lab.expect_settled(window=None)
    lab.choose("scale", "none")
    lab.expect_settled(scale="none")
    lab.choose("scale", "÷ d_k")
    settings = lab.expect_settled(scale="d_k")
    assert settings == AttentionSettings(heads=6, kv_heads=2, head=5, seed=7, scale="d_k")

    lab.button("Reset").filter(has_not_text="zoom").click()
    assert lab.expect_settled(heads=4) == AttentionSettings()
    expect(lab.number("heads")).to_have_value("4")


def test_sources_and_the_sentence(visit):
    lab = visit(causal="true")
    lab.control("text").get_by_role("textbox").fill("one two  one")
    lab.control("text").get_by_role("textbox").press("Enter")
    lab.expect_settled(text="one two one")
    assert lab.tick_labels("x")[:3] == ["0 one", "1 two", "2 one"]  # repeats do not collapse
    lab.select("source", SOURCE_NAMES["two-keys"])
    assert lab.expect_settled(source="two-keys").causal
    assert lab.drawn.shape == (1, 1, 2)
    for source in ("cat-sat-mat", "three-tokens", "patterns", "custom"):
        lab.go("/playground", source=source)
        lab.expect_drawn(AttentionSettings(source=source))
        expect(lab.warnings).to_have_count(0)


def test_controls_that_a_link_hides_are_not_there(visit):
    lab = visit(hide="seed,window,d_k", d_k=32)
    expect(lab.control("seed")).to_have_count(0)
    expect(lab.control("window")).to_have_count(0)
    expect(lab.slider("d_k")).to_have_count(0)
    lab.expect_drawn(AttentionSettings(d_k=32))
    lab.flip("causal")
    lab.expect_settled(causal=True, d_k=32)
    assert "hide=seed%2Cwindow%2Cd_k" in lab.page.url
