"""The page about GQA and the cache in Chromium: one slider for all sharing, steps by key, a phone."""

import re

import numpy as np
from playwright.sync_api import expect

from core.lessons.kv_cache import KVCacheSettings, trace_kv_cache


def so_far(**values):
    """The weights of the head looked at up to the step, NaN elsewhere."""
    trace = trace_kv_cache(KVCacheSettings(**values))
    t, head = trace.settings.step, trace.settings.head
    rows = np.arange(len(trace.tokens))[:, None] <= t
    return np.where(trace.mask & rows, trace.weights[head], np.nan)[None]


def part(lab, name):
    return lab.page.get_by_role("region", name=name, exact=True)


def test_kv_heads_follow_the_hand_from_mqa_to_mha(visit):
    lab = visit("/kv-cache")
    lab.expect_tiles(so_far())  # the words above are there first
    lab.mark()
    sharing = part(lab, "Sharing")
    expect(sharing).to_contain_text("Head 13 reads KV head ⌊13 / 4⌋ = 3")
    with lab.dragging("kv_heads") as move:
        move(0.0)
        expect(sharing).to_contain_text("MQA (multi-query)")
        expect(sharing.locator(".lab-kv li")).to_have_count(1)
        lab.expect_tiles(so_far(model="custom", kv_heads=1))
        move(1.0)
        expect(sharing).to_contain_text("MHA (multi-head)")
        expect(sharing.locator(".lab-kv li")).to_have_count(32)
    lab.page.wait_for_url(re.compile("kv_heads=32"))
    lab.rested().expect_tiles(so_far(model="custom", kv_heads=32))
    lab.expect_same_instance()


def test_page_down_decodes_the_next_token(visit):
    lab = visit("/kv-cache", step=0)
    lab.expect_tiles(so_far(step=0))
    step = part(lab, "Decoding step")
    expect(lab.page.get_by_role("button", name="Next ›")).to_be_visible()
    for t in range(1, 4):
        lab.page.keyboard.press("PageDown")
        expect(step).to_contain_text(f"Step {t}: query {t}")
        expect(step).to_contain_text(f"{t} + 1 = {t + 1}")
        lab.expect_tiles(so_far(step=t))
    lab.page.wait_for_url(re.compile("step=3"))


def test_a_model_and_its_memory_and_what_was_measured(visit):
    lab = visit("/kv-cache")
    memory = part(lab, "Memory")
    expect(memory).to_contain_text("131,072 B")
    lab.slider("context").press("ArrowRight")
    expect(memory).to_contain_text("× 16,384 tokens")
    lab.slider("layers").press("ArrowLeft")
    expect(memory).to_contain_text("Your own sizes")
    answers = lab.page.locator(".lab-torch")
    expect(answers.nth(0)).to_contain_text("enable_gqa=True", timeout=30_000)
    expect(answers.nth(1)).to_contain_text("Measured on this machine", timeout=30_000)


def test_a_phone_scrolls_tables_and_not_the_page(visit):
    lab = visit("/kv-cache", context={"viewport": {"width": 390, "height": 844}}, heads=64, kv_heads=64)
    wide = lab.page.evaluate(
        "[document.scrollingElement, document.querySelector('[data-testid=stMain]')]"
        ".map((each) => each.scrollWidth - each.clientWidth)"
    )
    assert max(wide) <= 0
