"""The d_k slider under the hand: pictures at once, in place, the last value last, the link at rest."""

import numpy as np
import pytest

from core.settings import AttentionSettings
from tests.browser.lab import settings_of, weights


def value(lab):
    """What stands on the d_k slider."""
    return int(lab.slider("d_k").get_attribute("aria-valuetext"))


@pytest.fixture(scope="module")
def rows():
    """The first head's last row of weights for every d_k that may pass under the hand."""
    return {d_k: weights(d_k=d_k, heads=1)[0, -1] for d_k in range(2, 513, 2)}


def shown_widths(drawings, rows):
    """Which d_k each drawing shows; each must be exactly one of the possible ones."""
    widths, table = list(rows), np.array(list(rows.values()))
    for drawing in drawings:
        errors = np.abs(table - np.array(drawing["row"])).max(axis=-1)
        assert errors.min() < 1e-6
        yield widths[errors.argmin()]


@pytest.mark.alone
def test_dragging_draws_on_the_way_and_writes_the_link_at_rest(visit, rows):
    lab = visit()
    link, entries = lab.page.url, lab.entries
    lab.mark()
    lab.record()
    with lab.dragging("d_k") as move:
        for step in range(30):
            move(0.2 + 0.6 * step / 29)
        moving = lab.drawings
        assert lab.page.url == link
        held = value(lab)
        lab.expect_drawn(AttentionSettings(d_k=held))  # before release
    settings = lab.expect_settled(d_k=held)

    assert {(each["link"], each["entries"]) for each in moving} == {(link, entries)}
    assert len(set(shown_widths(moving, rows))) >= 4, "pictures on the way"
    shown = list(shown_widths(lab.drawings, rows))
    assert shown == sorted(shown), "a picture of an earlier value came after one of a later value"
    assert shown[-1] == held == value(lab)
    assert lab.traffic.most_in_flight == 1
    assert lab.entries == entries + 1
    assert settings_of(lab.copied_link()) == settings, "what the page's script holds"
    lab.expect_same_instance()

    with lab.dragging("d_k") as move:  # the next rest is the next step in the history
        for step in range(12):
            move(0.8 - 0.6 * step / 11)
    lab.expect_settled(d_k=value(lab))
    assert lab.entries == entries + 2


def test_changes_right_after_one_another_lose_nothing(visit):
    lab = visit(rope="true")
    lab.slider("query_shift").press("ArrowRight")
    lab.slider("d_k").press("ArrowRight")
    lab.slider("query_shift").press("ArrowRight")
    settings = lab.expect_settled(d_k=18, query_shift=2)
    assert settings == AttentionSettings(rope=True, d_k=18, query_shift=2)

    lab.slider("d_k").press("ArrowRight")
    lab.flip("causal")  # Streamlit's own widget, while the slider has not come to rest
    settings = lab.expect_settled(d_k=20, causal=True)
    assert settings == AttentionSettings(rope=True, d_k=20, query_shift=2, causal=True)
    assert settings_of(lab.copied_link()) == settings


def test_a_key_press_changes_the_numbers_in_place(visit):
    lab = visit(panel="saturation")
    lab.mark()
    before = lab.drawn
    lab.slider("d_k").press("ArrowRight")
    lab.expect_settled(d_k=18)
    assert np.abs(lab.drawn - before).max() > 0.01
    assert lab.traffic.count == 1
    lab.slider("d_k").press("End")
    lab.expect_settled(d_k=512)
    lab.expect_same_instance()
    lab.page.wait_for_function(
        "labTest.canvas(1).data.filter((trace) => trace.mode === 'markers')"
        ".every((trace) => [...trace.x][0] === 512)"  # the picture beside it
    )


def test_the_same_change_again_after_a_reset_is_told_again(visit):
    lab = visit()
    lab.slider("d_k").press("End")
    lab.expect_settled(d_k=512)
    lab.button("Reset").filter(has_not_text="zoom").click()
    lab.expect_settled(d_k=16)
    lab.slider("d_k").press("End")
    lab.expect_settled(d_k=512)
    lab.click_cell(2, 3)
    lab.expect_settled(cell=(0, 2, 3))
    lab.page.go_back()
    lab.expect_settled(cell=None)
    lab.click_cell(2, 3)
    settings = lab.expect_settled(cell=(0, 2, 3), d_k=512)
    assert settings_of(lab.copied_link()) == settings
