"""The field beside a slider takes exact values; what is no value gets a sentence."""

from playwright.sync_api import expect

from core.settings import AttentionSettings


def test_exact_values_between_and_beyond_the_stops(visit):
    lab = visit(rope="true")
    lab.type_exact("d_k", "510")
    lab.expect_settled(d_k=510)
    assert lab.slider("d_k").get_attribute("aria-valuetext") == "510"
    lab.type_exact("d_k", "38")
    lab.expect_settled(d_k=38)
    lab.type_exact("query_shift", "-1000000")
    lab.expect_settled(query_shift=-1_000_000)
    lab.type_exact("query_shift", "−3")  # the typographic minus
    lab.expect_settled(query_shift=-3)


def test_what_is_no_value_gets_a_sentence_and_changes_nothing(visit):
    lab = visit()
    link, before = lab.page.url, lab.drawn
    for text in ["nonsense", "", "1", "513", "1e9", "16.5", "<b>8</b>"]:
        lab.field("d_k").fill("")
        lab.field("d_k").press_sequentially(text or " ")
        lab.field("d_k").press("Enter")
        expect(lab.note("d_k")).to_contain_text("2 to 512")
        expect(lab.field("d_k")).to_have_attribute("aria-invalid", "true")
    lab.wait_frames(40)  # longer than it takes to come to rest
    assert lab.page.url == link
    assert (lab.drawn == before).all()
    assert lab.slider("d_k").get_attribute("aria-valuetext") == "16"
    assert lab.traffic.count == 0
    lab.slider("d_k").press("ArrowRight")  # and it goes on from the value that held
    lab.expect_settled(d_k=18)
    expect(lab.note("d_k")).to_have_text("")
    expect(lab.field("d_k")).to_have_value("18")


def test_an_odd_width_under_rope_is_repaired_visibly(visit):
    lab = visit(rope="true")
    lab.type_exact("d_k", "15")
    settings = lab.expect_settled(d_k=14)
    assert settings == AttentionSettings(rope=True, d_k=14)
    expect(lab.warnings).to_contain_text("even")
    expect(lab.field("d_k")).to_have_value("14")
    assert lab.slider("d_k").get_attribute("aria-valuetext") == "14"

    lab.type_exact("d_k", "15")  # a repair to the value that held is shown too
    expect(lab.field("d_k")).to_have_value("14")
    expect(lab.warnings).to_contain_text("even")
    lab.expect_settled(d_k=14)
