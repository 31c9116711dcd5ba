"""One cell explained: chosen by click or keyboard, with the numbers that core has."""

import re

from playwright.sync_api import expect

from core.cell import explain_cell
from core.settings import AttentionSettings
from core.trace import trace_attention


def expect_explained(lab, settings):
    """The panel shows the arithmetic of the settings' cell."""
    cell = explain_cell(trace_attention(settings), *settings.cell)
    expect(lab.panel).to_contain_text(
        re.compile(
            rf"query {cell.query}\b.*{re.escape(cell.query_token)}"
            rf".*key {cell.key}\b.*{re.escape(cell.key_token)}"
        )
    )
    for value in (cell.score, cell.scaled, cell.exponential, cell.row_sum, cell.weight):
        small = 0 < abs(value) < 1e-4
        expect(lab.panel).to_contain_text((f"{value:.3e}" if small else f"{value:.4f}").replace("-", "−"))


def test_a_click_explains_the_cell_under_it(visit):
    lab = visit()
    for cell in [(0, 3, 5), (3, 9, 0)]:
        head, query, key = cell
        lab.click_cell(query, key, tile=head)
        settings = lab.expect_settled(cell=cell)
        expect_explained(lab, settings)
    # It follows the controls.
    lab.slider("d_k").press("ArrowRight")
    expect_explained(lab, lab.expect_settled(d_k=18))
    lab.choose("scale", "none")
    expect_explained(lab, lab.expect_settled(scale="none"))
    # And in the picture of one head alone.
    lab.select("head", "Head 2")
    lab.expect_settled(head=2)
    lab.click_cell(4, 6)
    expect_explained(lab, lab.expect_settled(cell=(2, 4, 6)))


def test_by_keyboard(visit):
    lab = visit()
    lab.slider("d_k").focus()
    for _ in range(5):
        lab.page.keyboard.press("Tab")
        if lab.canvas.evaluate("(canvas) => canvas === document.activeElement"):
            break
    expect(lab.canvas).to_be_focused()
    for key in ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "]"]:  # the first enters at 0, 0
        lab.page.keyboard.press(key)
    expect(lab.readout).to_contain_text(
        re.compile(r"query 2 “didn't” \(row\) attends to key 1 “animal” \(column\)")
    )
    lab.page.keyboard.press("Enter")
    expect_explained(lab, lab.expect_settled(cell=(1, 2, 1)))

    for _ in range(4):  # and the edge is the end
        lab.page.keyboard.press("ArrowUp")
        lab.page.keyboard.press("ArrowLeft")
    expect(lab.readout).to_contain_text(re.compile(r"query 0 .*key 0 "))
    for _ in range(15):
        lab.page.keyboard.press("ArrowDown")
        lab.page.keyboard.press("ArrowRight")
    expect(lab.readout).to_contain_text(re.compile(r"query 10 .*key 10 "))


def test_the_readout_says_what_is_under_the_pointer(visit):
    lab = visit()
    for stage, head, query, key in [("weights", 0, 5, 5), ("weights", 1, 10, 2), ("scores", 2, 4, 8)]:
        trace = trace_attention(AttentionSettings(stage=stage))
        if lab.link.stage != stage:
            lab.choose("stage", stage.capitalize())
            lab.expect_settled(stage=stage)
        lab.hover(query, key, tile=head)
        tokens = trace.key_tokens
        sentence = f"query {query} “{tokens[query]}” (row) attends to key {key} “{tokens[key]}” (column)"
        expect(lab.readout).to_contain_text(sentence)
        expect(lab.readout).to_contain_text(f"head {head}")
        expect(lab.readout).to_contain_text(f"{abs(getattr(trace, stage)[head, query, key]):.4f}")
    # It follows what changes under a resting pointer.
    lab.slider("d_k").press("End")
    settings = lab.expect_settled(d_k=512)
    value = trace_attention(settings).scores[head, query, key]
    expect(lab.readout).to_contain_text(f"{abs(value):.4f}")


def test_a_hidden_cell_can_be_chosen_and_says_so(visit):
    lab = visit(causal="true")
    lab.hover(2, 7)
    expect(lab.readout).to_contain_text(re.compile("query 2 .*key 7 .*hidden"))
    lab.click_cell(2, 7)
    lab.expect_settled(cell=(0, 2, 7))
    expect(lab.panel).to_contain_text(re.compile(r"query 2\b.*key 7\b"))
    expect(lab.panel).to_contain_text(re.compile(r"hid(es|den)"))
    expect(lab.panel).to_contain_text("−∞")

    # A cell that the picture no longer has is let go without a word.
    lab.go("/playground", cell="3,2,1")
    lab.number("heads").fill("2")
    lab.number("heads").press("Enter")
    assert lab.expect_settled(heads=2).cell is None
    expect(lab.warnings).to_have_count(0)
