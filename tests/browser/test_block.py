"""The page about the block in Chromium: steps by key, pictures under the hand, PyTorch, a phone."""

import re

from playwright.sync_api import expect

ENTRY = """(words) => document.querySelector("section[aria-label='One entry of SwiGLU']")
    .textContent.includes(words)"""


def step(lab):
    return lab.page.get_by_role("region", name=re.compile("^Step "))


def test_page_down_walks_through_the_block(visit):
    lab = visit("/block")
    for name in ("Attention", "Add", "Norm 2", "MLP", "Add 2"):
        lab.page.keyboard.press("PageDown")
        expect(step(lab)).to_have_attribute("aria-label", f"Step {name}")
        expect(step(lab).locator(".lab-flow .lab-here")).to_have_count(1)
    lab.page.wait_for_url(re.compile("step=5"))


def test_the_entry_follows_the_hand(visit):
    lab = visit("/block")
    entry = lab.page.get_by_role("region", name="One entry of SwiGLU")
    expect(entry).to_contain_text("0.8808")
    lab.slider("b").evaluate("(each) => each.scrollIntoView({ block: 'center', behavior: 'instant' })")
    with lab.dragging("b") as move:
        link_then = lab.watch_for(ENTRY, "SiLU(a) · b0.0000")
        move(0.5)
        assert not re.search("&b=0(&|$)", link_then())  # said at once, the link is written at rest
    lab.page.wait_for_url(re.compile("&b=0(&|$)"))
    expect(entry).to_contain_text("1.7616")


def test_pytorch_shows_a_gradient_for_every_depth(visit):
    lab = visit("/block", layers=3)
    said = lab.page.locator(".lab-torch")
    expect(said.locator("tbody tr")).to_have_count(4, timeout=30_000)
    expect(said).to_contain_text("without residuals and norms")
    lab.slider("layers").press("ArrowRight")
    expect(said.locator("tbody tr")).to_have_count(5, timeout=30_000)


def test_on_a_phone_the_block_runs_downwards(visit):
    lab = visit("/block", context={"viewport": {"width": 390, "height": 844}}, d_model=32, step=4)
    wide = lab.page.evaluate(
        "[document.scrollingElement, document.querySelector('[data-testid=stMain]')]"
        ".map((each) => each.scrollWidth - each.clientWidth)"
    )
    assert max(wide) <= 0
    boxes = (
        step(lab).locator(".lab-box").evaluate_all("(all) => all.map((b) => b.getBoundingClientRect().top)")
    )
    assert boxes == sorted(boxes)
    assert len(set(boxes)) == 7
