"""Everything can be reached and used by keyboard; motion is reduced for who wants that."""

import pytest
from playwright.sync_api import expect

# Every control that is there to be used; a group of radio buttons is one stop.
CONTROLS = """() => {
    const stops = "a[href], button, input, select, textarea, [tabindex]"
    const groups = new Set()
    return [...document.querySelectorAll(stops)].filter((element) => {
        if (element.disabled || element.closest("[inert], [hidden], [aria-hidden=true]")) return false
        if (element.tabIndex < 0 || !element.checkVisibility({ visibilityProperty: true })) return false
        if (element.type === "radio") {
            if (groups.has(element.name)) return false
            groups.add(element.name)
        }
        return true
    })
}"""


STATES = [
    ("/playground", {"rope": "true"}),
    ("/playground", {"panel": "saturation", "source": "custom"}),
    ("/soft-lookup", {"step": "4"}),
    ("/masking", {}),
    ("/heads", {"step": "3"}),
    ("/positions", {}),
    ("/kv-cache", {}),
    ("/cost", {"step": "2"}),
    ("/block", {"step": "1"}),
]


def missed_by_tab(lab, least=16):
    """Press Tab until every control must have been reached, and return those that were not."""
    count = lab.page.evaluate(
        f"""() => {{
            labTest.controls = ({CONTROLS})()
            labTest.reached = new Set()
            document.addEventListener("focusin", ({{ target }}) => {{
                labTest.reached.add(target)
                if (target.type === "radio") labTest.reached.add(target.name)
            }})
            document.activeElement.blur()
            return labTest.controls.length
        }}"""
    )
    assert count >= least
    missed = list(range(count))
    for _ in range(5):  # parts of the page that come while Tab goes through it make its way longer
        for _ in range(len(missed) + 15):
            lab.page.keyboard.press("Tab")
        missed = lab.page.evaluate(
            """() => labTest.controls
                .filter((each) => each.isConnected)
                .filter((each) => !labTest.reached.has(each.type === "radio" ? each.name : each))
                .map((each) => each.outerHTML.slice(0, 160))"""
        )
        if not missed:
            break
    return missed


@pytest.mark.parametrize(("path", "query"), STATES, ids=str)
def test_tab_reaches_every_control(visit, path, query):
    assert missed_by_tab(visit(path, **query)) == []


def test_the_controls_answer_to_keys_and_show_the_focus(visit):
    lab = visit()
    lab.switch("causal").press("Space")
    lab.expect_settled(causal=True)
    lab.control("stage").get_by_role("radio", name="Weights").press("ArrowLeft")
    lab.expect_settled(stage="masked")
    lab.button("Pin as A").press("Enter")
    lab.expect_link(compare=lab.link.pin())

    # And the focus is seen where it is, on our own controls too.
    lab.slider("d_k").focus()
    for locator in (
        lab.slider("d_k"),
        lab.field("d_k"),
        lab.canvas,
        lab.button("Reset zoom"),
        lab.button("Copy link"),
    ):
        locator.focus()
        lab.page.keyboard.press("Shift")  # so that the browser knows that the keyboard is in use
        width = locator.evaluate(
            "(element) => { const s = getComputedStyle(element);"
            " return s.outlineStyle === 'none' ? 0 : parseFloat(s.outlineWidth) }"
        )
        assert width >= 2
        expect(locator).to_be_in_viewport()


def test_reduced_motion(visit):
    lab = visit(context={"reduced_motion": "reduce"})
    lab.flip("causal")
    lab.slider("d_k").press("End")
    moving = lab.page.evaluate(
        """() => document.getAnimations()
            .filter((each) => each.playState === "running" && each.effect.getComputedTiming().duration > 1)
            .map((each) => each.effect.target?.outerHTML.slice(0, 160))"""
    )
    assert moving == []
    lab.expect_settled(causal=True, d_k=512)
