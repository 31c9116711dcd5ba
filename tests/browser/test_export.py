"""What is taken away: a page that works offline, a PNG, and files with every number."""

import csv

import numpy as np
from playwright.sync_api import expect

from core.settings import AttentionSettings
from core.trace import trace_attention
from tests.browser.lab import assert_close, picture

SETTINGS = AttentionSettings(text="<b>a</b> </script> c", heads=2, causal=True, d_k=6)


def test_the_page_works_offline(visit, tmp_path):
    lab = visit(**SETTINGS.to_query())
    lab.open_take_away()
    file = lab.download("HTML").rename(tmp_path / "attention.html")
    assert b"http-equiv" not in file.read_bytes()[:2000]

    offline = visit(None, context={"offline": True, "permissions": []})
    offline.page.goto(file.as_uri())
    offline.page.wait_for_function("labTest.tiles(labTest.canvas())?.length === 2")
    assert_close(offline.drawn, picture(trace_attention(SETTINGS)))
    expect(offline.hatchings).to_have_count(2)
    offline.hover(2, 0, tile=1)
    expect(offline.readout).to_contain_text("query 2 “c” (row) attends to key 0 “<b>a</b>” (column)")
    offline.canvas.focus()
    offline.page.keyboard.press("ArrowDown")
    offline.page.mouse.move(0, 0)
    expect(offline.readout).to_contain_text("query 0")
    expect(offline.page.get_by_text("causal", exact=True)).to_be_visible()

    # Two settings compared: what was on the screen, again.
    lab.go("/playground", **{**SETTINGS.to_query(), "compare": AttentionSettings(heads=2).pin()})
    lab.open_take_away()
    file = lab.download("HTML").rename(tmp_path / "compared.html")
    offline.page.goto(file.as_uri())
    offline.page.wait_for_function("labTest.tiles(labTest.canvas())?.length === 3")
    assert_close(offline.drawn, lab.drawn)


def test_files_and_code(visit):
    lab = visit(**SETTINGS.to_query())
    trace = trace_attention(SETTINGS)
    lab.open_take_away()
    with np.load(lab.download("NPZ")) as arrays:
        for name in ("q", "k", "v", "mask", "scores", "scaled", "masked", "weights", "context", "output"):
            np.testing.assert_array_equal(arrays[name], getattr(trace, name))
        assert tuple(arrays["key_tokens"]) == trace.key_tokens
    with lab.download("CSV").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["array"] == "weights"]
    weights = np.full(trace.weights.shape, np.nan)
    for row in rows:
        weights[int(row["head"]), int(row["query"]), int(row["key"])] = float(row["value"])
    np.testing.assert_array_equal(weights, trace.weights)

    image = lab.download("PNG").read_bytes()
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(image[16:20], "big") == 2 * lab.canvas.evaluate("(canvas) => canvas.clientWidth")

    code = lab.page.get_by_role("tabpanel").first
    expect(code).to_contain_text("import numpy")
    expect(code).to_contain_text("causal")
    lab.flip("causal")
    expect(code).not_to_contain_text("causal")  # it follows the controls
    lab.expect_settled(causal=False)
