"""RoPE: only differences of positions count, and without RoPE positions play no part."""

import numpy as np
from playwright.sync_api import expect

from tests.browser.lab import assert_close


def test_shifting_all_positions_leaves_the_weights_and_the_queries_alone_changes_them(visit):
    lab = visit(rope="true")
    before = lab.drawn
    lab.slider("rope_offset").press("End")
    assert lab.expect_settled(rope_offset=64).rope
    assert_close(lab.drawn, before)
    lab.slider("query_shift").press("ArrowRight")
    lab.expect_settled(rope_offset=64, query_shift=1)
    assert np.abs(lab.drawn - before).max() > 0.01


def test_the_shifts_are_disabled_with_a_reason_while_rope_is_off(visit):
    lab = visit()
    for name in ("rope_offset", "query_shift"):
        expect(lab.slider(name)).to_be_disabled()
        expect(lab.field(name)).to_be_disabled()
        expect(lab.note(name)).to_contain_text("RoPE")
    expect(lab.slider("d_k")).to_be_enabled()
    before = lab.drawn
    lab.flip("rope")
    lab.expect_settled(rope=True)
    assert np.abs(lab.drawn - before).max() > 0.01
    for name in ("rope_offset", "query_shift"):
        expect(lab.slider(name)).to_be_enabled()
        expect(lab.note(name)).to_have_text("")
    lab.number("rope_base").fill("500000")
    lab.number("rope_base").press("Enter")
    lab.expect_settled(rope_base=500000.0)
