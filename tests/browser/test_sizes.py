"""From a phone to a projector: no horizontal scroll, square cells, no label cut."""

from collections.abc import Iterator

import pytest

from tests.browser.lab import Lab

SIZES = {"small screen": (1280, 720), "projector": (1920, 1080), "phone": (390, 844)}
WORDS = "incomprehensibilities " * 3 + "the quick brown fox jumps over the lazy dog"
STATES = {
    "home": ("/", {}),
    "playground": ("/playground", {"rope": "true"}),
    "saturation": ("/playground", {"panel": "saturation", "causal": "true"}),
    "compared": ("/playground", {"compare": "d_k=8", "cell": "0,1,1"}),
    "long words": ("/playground", {"text": WORDS, "head": "0"}),
    "sixteen heads": ("/playground", {"heads": "16", "kv_heads": "4", "stage": "scores"}),
    "64 tokens": (
        "/playground",
        {"text": " ".join(f"w{i}" for i in range(64)), "heads": "2", "causal": "true"},
    ),
    "own numbers": ("/playground", {"source": "custom"}),
}

MEASURES = """() => {
    const wide = [document.scrollingElement, document.querySelector('[data-testid=stMain]'),
        document.querySelector('[data-testid=stAppViewContainer]')]
    const gd = labTest.canvas()
    const { xaxis, yaxis } = gd._fullLayout
    const box = gd.getBoundingClientRect()
    const inside = (element, slack = 2) => {
        const each = element.getBoundingClientRect()
        return each.left >= box.left - slack && each.right <= box.right + slack &&
            each.top >= box.top - slack && each.bottom <= box.bottom + slack
    }
    const labels = '.xtick text, .ytick text, .colorbar text, .annotation text, .xtitle, .ytitle'
    return {
        overflow: wide.map((element) => element.scrollWidth - element.clientWidth),
        left: box.left, right: box.right, width: innerWidth,
        cell: [xaxis.d2p(1) - xaxis.d2p(0), yaxis.d2p(1) - yaxis.d2p(0)],
        cut: [...gd.querySelectorAll(labels)].filter((part) => !inside(part)).map((part) => part.textContent),
    }
}"""


def at_every_size(lab: Lab, path: str, query: dict, opened=Lab.go) -> Iterator[str]:
    """Open a page on a small screen and on a phone; on a projector the small window is made larger."""
    for size, (width, height) in SIZES.items():
        if size == "projector":
            lab.resize(width, height)
        else:
            lab.page.set_viewport_size({"width": width, "height": height})
            opened(lab, path, **query)
        yield size


@pytest.mark.parametrize("name", STATES)
def test_the_page_fits(visit, name):
    lab, wrong = visit(None, fresh=False), {}
    for size in at_every_size(lab, *STATES[name]):
        for scheme in ("dark", "light") if name in ("home", "playground") else ("light",):
            lab.switch_theme(scheme)
            measured = lab.page.evaluate(MEASURES)
            across, down = measured["cell"]
            faults = {
                "horizontal scroll": max(measured["overflow"]) > 0,
                "picture beyond the window": measured["left"] < 0 or measured["right"] > measured["width"],
                "cells not square": abs(across - down) > 2,
                "labels cut": measured["cut"],
            }
            if any(faults.values()):
                wrong[size, scheme] = [fault for fault, there in faults.items() if there], measured
    assert wrong == {}


def test_a_window_that_becomes_smaller(visit):
    lab = visit(context={"viewport": {"width": 1600, "height": 900}})
    lab.mark()
    lab.resize(420, 800)
    assert lab.canvas.evaluate("(gd) => gd.clientWidth") < 420
    measured = lab.page.evaluate(MEASURES)
    assert max(measured["overflow"]) <= 0
    lab.expect_same_instance()
