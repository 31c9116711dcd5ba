"""Pin A, change something: A, B and B - A stand side by side with the right numbers."""

import numpy as np
from playwright.sync_api import expect

from core.settings import AttentionSettings
from tests.browser.lab import weights


def expect_compared(lab, a, b, hidden):
    """A, B and B - A of head 0 are drawn; the difference is blank where both are hidden."""
    difference = np.where(hidden, np.nan, np.nan_to_num(b) - np.nan_to_num(a))
    lab.expect_tiles(np.stack([a, b, difference]))


def test_pin_and_change_the_mask(visit):
    lab = visit()
    lab.button("Pin as A").click()
    lab.expect_link(compare=AttentionSettings().pin())
    lab.flip("causal")
    lab.expect_link(causal=True)
    none = np.zeros((11, 11), bool)
    expect_compared(lab, weights()[0], weights(causal=True)[0], none)

    lab.slider("d_k").press("End")  # B alone follows
    lab.expect_link(d_k=512)
    expect_compared(lab, weights()[0], weights(causal=True, d_k=512)[0], none)

    lab.hover(3, 1, tile=2)
    expect(lab.readout).to_contain_text("query 3")
    expect(lab.readout).to_contain_text("B − A")

    lab.button("Unpin").click()
    lab.expect_settled(compare="", causal=True, d_k=512)


def test_the_link_of_a_comparison_opened_cold(visit):
    pinned = AttentionSettings(causal=True, d_k=8)
    settings = AttentionSettings(causal=True, d_k=32, head=1, compare=pinned.pin())
    lab = visit(**settings.to_query())
    hidden = ~np.tri(11, dtype=bool)
    expect_compared(lab, weights(causal=True, d_k=8)[1], weights(causal=True, d_k=32)[1], hidden)
    assert lab.link == settings
    expect(lab.warnings).to_have_count(0)

    lab.click_cell(6, 2, tile=0)  # a cell of any tile is explained for B
    assert lab.expect_link(cell=(1, 6, 2)).compare == settings.compare
    expect(lab.panel).to_contain_text(f"{weights(causal=True, d_k=32)[1, 6, 2]:.4f}")
