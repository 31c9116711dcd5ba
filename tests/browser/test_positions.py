"""Positions under the hand: both are dragged and the score stays; words are swapped by keyboard."""

import pytest
from playwright.sync_api import expect

# Of the canvas with the dials: where the marked score stands, and the tip of the query's first hand.
CANVAS = "[...document.querySelectorAll('.lab-canvas')].find((each) => each.data?.length === 9)"
MARK = f"() => {{ const mark = {CANVAS}.data.at(-1); return [mark.x[0], mark.y[0]] }}"
HAND = f"() => {CANVAS}.calcdata[6][1].x"


@pytest.fixture
def positions(visit):
    """Return a function that opens the page by a link."""
    return lambda **query: visit("/positions", **query)


def words(lab):
    return lab.page.get_by_role("region", name="The score in numbers")


def test_dragging_both_turns_the_hands_and_keeps_the_score_and_one_alone_moves_it(positions):
    lab = positions()
    lab.slider("m").scroll_into_view_if_needed()
    before, hand = lab.page.evaluate(MARK), lab.page.evaluate(HAND)
    with lab.dragging("both") as move:
        link_then = lab.watch_for(f"(hand) => Math.abs(({HAND})() - hand) > 0.02", hand)
        move(0.3)
        assert "rope_offset=" not in link_then(), "the link is written at rest"
        assert lab.page.evaluate(MARK) == pytest.approx(before, abs=1e-9)
    with lab.dragging("m") as move:
        move(0.2)
        lab.page.wait_for_function(f"(before) => ({MARK})()[0] > before[0] + 3", arg=before)
        assert abs(lab.page.evaluate(MARK)[1] - before[1]) > 1e-6
    lab.expect_parameter(m=lambda m: int(m) > 9, rope_offset=lambda x: int(x) > 0)


def test_two_words_are_swapped_by_keyboard_and_the_button_keeps_the_focus(positions):
    lab = positions()
    block = lab.page.get_by_role("region", name="Two orders")
    expect(block).to_contain_text("reordered: man bites dog")
    block.get_by_role("button", name="swap man and bites").press("Enter")
    expect(block).to_contain_text("reordered: bites man dog")
    expect(block).to_contain_text("Equivariant.")
    focused = lab.page.evaluate("() => document.activeElement.getAttribute('aria-label')")
    assert focused == "swap bites and man"
    lab.expect_parameter(order="1,2,0")
    lab.page.get_by_text("Causal mask", exact=True).click()
    expect(block).to_contain_text("Not equivariant")


def test_the_lessons_pair_is_one_click_away(positions):
    lab = positions()
    for m, n, score in ((3, 1, "−1.5058"), (7, 5, "−1.5058"), (5, 7, "6.9089")):
        lab.page.get_by_role("button", name=f"Lesson: q at {m}, k at {n}").click()
        expect(words(lab)).to_contain_text(f"q at {m}, k at {n}: score {score}")
    lab.expect_parameter(example="lesson", m="5", n="7")
