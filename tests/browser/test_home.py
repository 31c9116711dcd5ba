"""Home: one picture that answers, and the way to the playground."""

from playwright.sync_api import expect

from core.settings import AttentionSettings
from core.trace import trace_attention
from tests.browser.lab import assert_close, picture

TEXT = "the cat sat on the mat"


def wanted(d_k, scale="none"):
    return AttentionSettings(text=TEXT, heads=1, d_k=d_k, scale=scale)


def test_the_picture_answers_the_slider_and_the_toggle(visit):
    lab = visit("/")
    assert_close(lab.drawn, picture(trace_attention(wanted(8))))
    lab.mark()
    lab.slider("d_k").press("ArrowRight")
    lab.expect_drawn(wanted(16))
    lab.slider("d_k").press("End")
    lab.expect_drawn(wanted(512))
    lab.flip("home_scale")
    lab.expect_drawn(wanted(512, "sqrt_d_k"))
    lab.expect_same_instance()


def test_the_playground_and_back(visit):
    lab = visit("/")
    lab.page.get_by_role("main").locator("a[href*=playground]").first.click()
    lab.page.wait_for_url("**/playground*")
    expect(lab.page.get_by_role("heading", name="Playground", level=1)).to_be_attached()
    lab.painted().expect_drawn(lab.link)
    lab.slider("d_k").press("End")
    lab.expect_settled(d_k=512)
    lab.page.get_by_role("navigation").get_by_role("link").first.click()
    lab.page.wait_for_url(lab.root + "/")
    lab.expect_drawn(wanted(8))
    lab.page.go_back()
    lab.expect_settled(d_k=512)


def test_every_question_leads_to_a_picture_without_a_repair(visit):
    lab = visit("/")
    links = lab.page.get_by_role("main").locator("a[href*=playground]")
    for n in range(links.count()):
        lab.painted()
        links.nth(n).click()
        lab.page.wait_for_url("**/playground*")
        expect(lab.page.get_by_role("heading", name="Playground", level=1)).to_be_attached()
        lab.rested()
        if lab.link.compare:
            lab.page.wait_for_function("labTest.tiles(labTest.canvas())?.length === 3")
        else:
            lab.expect_drawn(lab.link)
        expect(lab.warnings).to_have_count(0)
        lab.page.go_back()
        lab.page.wait_for_url(lab.root + "/")
