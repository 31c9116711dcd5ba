"""What holds for every lesson: it fits every size, axe finds nothing, a drag answers before release."""

import pytest

from tests.browser.test_access import faults
from tests.browser.test_sizes import at_every_size

LESSONS = {
    "soft lookup": ("/soft-lookup", {"step": "4", "source": "cat-sat-mat"}),
    "scaling": ("/scaling", {"scale": "d_k"}),
    "masking": ("/masking", {}),
    "heads": ("/heads", {}),
    "cost": ("/cost", {"step": "2"}),
    "block": ("/block", {}),
    "positions": ("/positions", {"d_k": "16", "causal": "true"}),
    "kv-cache": ("/kv-cache", {}),
    "trained heads": ("/trained-heads", {"head": "17,4", "rope": "off"}),
    "trained heads, sorted": ("/trained-heads", {"model": "minilm", "head": "3,1", "order": "first"}),
    "exercises": ("/exercises", {"id": "X11"}),
    "training": ("/training", {"experiment": "mask", "run": "text-open"}),
    "glossary": ("/glossary", {"term": "d_k"}),
}
FAULTS = """() => {
    const wide = [document.scrollingElement, document.querySelector('[data-testid=stMain]')]
    const labels = '.xtick text, .ytick text, .colorbar text, .annotation text, .xtitle, .ytitle, .x2title'
    const cut = [...document.querySelectorAll('.lab-canvas')].flatMap((gd) => {
        const box = gd.getBoundingClientRect()
        return [...gd.querySelectorAll(labels)].filter((part) => {
            const each = part.getBoundingClientRect()
            return each.left < box.left - 2 || each.right > box.right + 2 || each.top < box.top - 2 ||
                each.bottom > box.bottom + 2
        }).map((part) => part.textContent)
    })
    return { overflow: Math.max(...wide.map((each) => each.scrollWidth - each.clientWidth)), cut }
}"""


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_fits_every_size_and_is_open_to_everybody(visit, name):
    lab, wrong = visit(None, fresh=False), {}
    for size in at_every_size(lab, *LESSONS[name]):
        found = lab.page.evaluate(FAULTS)
        if found["overflow"] > 0 or found["cut"]:
            wrong[size] = found
    assert wrong == {}
    for scheme in ("light", "dark"):
        lab.switch_theme(scheme)
        assert list(faults(lab.page, scheme)) == []


def test_dragging_d_k_moves_the_histogram_before_it_is_let_go(visit):
    lab = visit("/scaling")
    lab.mark()
    height = "() => Math.max(...labTest.canvas()._fullData[0].y)"
    before = lab.page.evaluate(height)
    with lab.dragging("d_k") as move:
        link_then = lab.watch_for(f"(before) => ({height})() > 1.5 * before", before)
        move(0.2)
        assert "d_k" not in link_then()
        move(0.1)
    value = lab.slider("d_k").get_attribute("aria-valuetext")
    lab.expect_parameter(d_k=value)
    lab.expect_same_instance()
    assert lab.traffic.most_in_flight == 1


def test_a_symbol_leads_to_its_entry_and_back_to_the_same_state(visit):
    lab = visit("/scaling")
    lab.slider("d_k").press("End")
    lab.expect_parameter(d_k="512")
    lab.page.locator(".lab-term", has_text="width of q and k").first.click()
    lab.page.wait_for_url("**/glossary?term=d_k")
    lab.page.get_by_role("heading", name="width of q and k").wait_for()
    lab.page.go_back()
    lab.expect_parameter(d_k="512")
    lab.painted()
    assert lab.slider("d_k").get_attribute("aria-valuetext") == "512"
