"""A drag while the server is slow, out of reach or broken: the last value still wins."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab import settings_of, weights

ROUTE = "**/lab-live/**"


def drag(lab, each=lambda step: None):
    """Drag d_k to and fro; return the value that it is left at."""
    with lab.dragging("d_k") as move:
        for step in range(36):
            move(abs(1 - step / 12) * 0.8 + 0.1)
            each(step)
    return int(lab.slider("d_k").get_attribute("aria-valuetext"))


def expect_last_value(lab, last, most_in_flight=1):
    settings = lab.expect_settled(d_k=last)
    assert int(lab.slider("d_k").get_attribute("aria-valuetext")) == last
    assert lab.field("d_k").input_value() == str(last)
    assert settings_of(lab.copied_link()) == settings
    assert lab.traffic.most_in_flight <= most_in_flight
    assert lab.traffic.in_flight == 0


@pytest.mark.alone  # held up for longer, the rest's own answer comes first and the last question is not asked
def test_slow_answers(visit):
    lab = visit()
    waiting, slow = [], True
    lab.page.route(ROUTE, lambda route: waiting.append(route) if slow else route.continue_())

    def answer_now_and_then(step):
        if step % 6 == 5 and step < 30:
            lab.wait_until(lambda: waiting)
            waiting.pop(0).continue_()

    last = drag(lab, answer_now_and_then)
    lab.wait_until(lambda: waiting)
    assert lab.traffic.count == 6, "one question for each answer"
    slow = False
    waiting.pop().continue_()
    expect_last_value(lab, last)


def test_no_answer_at_all(visit):
    lab = visit()
    lab.allowed.append(re.compile("ERR_FAILED.*/lab-live/"))
    lab.page.route(ROUTE, lambda route: route.abort())
    expect_last_value(lab, drag(lab))


def test_every_other_answer_is_lost(visit):
    lab = visit()
    lab.allowed.append(re.compile("ERR_FAILED.*/lab-live/"))
    lab.page.route(ROUTE, lambda route: route.abort() if lab.traffic.count % 2 else route.continue_())
    expect_last_value(lab, drag(lab))


def test_the_server_answers_with_an_error(visit):
    lab = visit()
    lab.allowed.append(re.compile("500.*/lab-live/"))
    lab.page.route(ROUTE, lambda route: route.fulfill(status=500, body="no"))
    expect_last_value(lab, drag(lab))


def test_an_answer_that_never_comes_is_given_up(visit):
    lab = visit()
    never = []
    lab.page.route(ROUTE, lambda route: never.append(route) if not never else route.continue_())
    # The browser may report the end of the one that was given up after the start of the next.
    expect_last_value(lab, drag(lab), most_in_flight=2)
    lab.slider("d_k").press("Home")
    expect_last_value(lab, 2, most_in_flight=2)


@pytest.mark.parametrize("delay", [0.15, 0.5])
def test_what_the_page_says_comes_late(visit, delay):
    """Reports then overtake the script's answers: none may be lost, and no slider may go back."""
    lab = visit(None)
    late = lab.late()
    lab.go("/playground")
    late["by"] = delay
    lab.page.evaluate(
        """() => {
            const range = document.querySelector(".lab-slider [type=range]")
            labTest.seen = [16]
            const note = () => labTest.seen.push(Number(range.getAttribute("aria-valuetext")))
            new MutationObserver(note).observe(range, { attributeFilter: ["aria-valuetext"] })
        }"""
    )
    for _ in range(4):
        lab.slider("d_k").press("ArrowRight")
        lab.page.wait_for_timeout(400)  # longer than a rest, shorter than the page's answer
    lab.flip("causal")
    settings = lab.expect_settled(d_k=24, causal=True)
    lab.page.wait_for_timeout(1500)
    lab.expect_settled(d_k=24, causal=True)
    seen = lab.page.evaluate("labTest.seen")
    assert seen == sorted(seen)
    late["by"] = 0.0
    assert settings_of(lab.copied_link()) == settings


def test_a_change_before_the_drawing_library_has_come(visit):
    """Streamlit then runs the cleanup of the component's first call after its second call."""
    lab = visit(None)
    waiting = []
    lab.page.route("**/plotly.min.js", lambda route: waiting.append(route))
    lab.page.goto(lab.address())
    expect(lab.switch("causal")).to_be_attached()
    lab.wait_until(lambda: waiting)
    lab.flip("causal")
    lab.expect_link(causal=True)
    lab.rested()
    lab.wait_frames(5)
    for route in waiting:
        route.continue_()
    settings = lab.expect_settled(causal=True)
    lab.slider("d_k").press("ArrowRight")
    assert lab.expect_settled(d_k=18).causal == settings.causal
    lab.page.set_viewport_size({"width": 1000, "height": 720})  # and it still follows its room
    lab.page.wait_for_function(
        "() => Math.abs(labTest.canvas()._fullLayout.width - labTest.canvas().clientWidth) <= 2"
    )


def test_what_a_call_returns_and_the_next_overtakes_takes_no_picture_away(visit):
    """Streamlit runs a call's cleanup at once if the next has begun before the first is at its end."""
    lab = visit()
    lab.mark()
    lab.page.evaluate(
        """async () => {
            const { component } = labTest.canvas().closest(".lab-plot").parentElement.labPlot
            const files = performance.getEntriesByType("resource").map((each) => each.name)
            const mount = (await import(files.find((name) => name.endsWith("/live_plot.js")))).default
            const cleanup = await mount(component)
            cleanup?.()
            labTest.last = await mount(component)
        }"""
    )
    lab.expect_drawn(lab.link)
    lab.expect_same_instance()
    with lab.dragging("d_k") as move:  # and the live route still finds it
        link_then = lab.watch_for_tiles(weights(d_k=512))
        move(1)
        assert "d_k" not in link_then()
    lab.expect_settled(d_k=512)
    gone = lab.page.evaluate(
        """() => {
            const canvas = labTest.canvas()
            canvas.closest(".lab-plot").remove()
            labTest.last()
            return canvas._fullLayout === undefined
        }"""
    )
    assert gone, "what is really taken away is cleaned up"
