"""Whatever a person types is shown as typed, everywhere, and runs nothing."""

import re

from playwright.sync_api import expect

from core.settings import AttentionSettings

WORDS = [
    "<b>x</b>",
    "</script>",
    "%{x}",
    "$5",
    "$x$",
    "&lt;",
    "**b**",
    "😀",
    "👩‍👩‍👧",
    "שלום",
    "مرحبا",
    "[a](b)",
]
LONG = "<img/src=x/onerror=alert(1)>"
ISOLATES = str.maketrans("", "", "\u2066\u2067\u2068\u2069\u200e\u200f")


def test_labels_panel_and_readout_show_words_literally(visit):
    words = [*WORDS, LONG]
    lab = visit(text=" ".join(words), head=0)
    lab.expect_drawn(AttentionSettings(text=" ".join(words), head=0))
    for axis in "xy":
        labels = [label.translate(ISOLATES) for label in lab.tick_labels(axis)]
        assert labels[:-1] == [f"{i} {word}" for i, word in enumerate(WORDS)]
        assert labels[-1].startswith(f"{len(WORDS)} {LONG[:8]}")  # long words are cut on an axis
    assert lab.canvas.locator("b, img, script").count() == 0
    for i, word in enumerate(words):
        lab.hover(i, 0)
        expect(lab.readout).to_contain_text(f"query {i} ")
        assert f"“{word}”" in lab.readout.inner_text().translate(ISOLATES)
        lab.click_cell(i, i)
        expect(lab.panel.get_by_role("heading")).to_contain_text(f"query {i} ")
        assert lab.panel.inner_text().translate(ISOLATES).count(f"“{word}”") == 2
    assert lab.panel.locator("b:has-text('x'), img, script").count() == 0


def test_other_places_show_words_literally(visit):
    text = f"{LONG} <b>x</b> $5 or $6 </script>"
    lab = visit(text=text, panel="saturation", d_k=LONG)
    expect(lab.warnings).to_contain_text(LONG[:20])
    lab.open_take_away()
    expect(lab.page.get_by_text("</script>").first).to_be_attached()
    sharpness = lab.page.get_by_role("region", name="Sharpness of each row")
    expect(sharpness).to_contain_text("<b>x</b>")
    expect(sharpness).to_contain_text(LONG)
    lab.page.get_by_role("tab", name="Numbers").click()
    table = lab.page.get_by_role("tabpanel").filter(has_text="rows are queries").last
    expect(table).to_contain_text("<b>x</b>")
    expect(table).to_contain_text("$5")

    lab.go("/playground", text=LONG, heads=1, **{"$a$ **b**": "1"})
    expect(lab.canvas).to_have_attribute("aria-label", re.compile(re.escape(f"“{LONG}”")))
    expect(lab.warnings).to_contain_text("$a$ **b**")
