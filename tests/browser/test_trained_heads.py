"""The page on trained heads in Chromium: the grid by mouse, keyboard and drag, lines of tokens, switches."""

import numpy as np
from playwright.sync_api import expect

from core.lessons.trained_heads import TrainedHeadsSettings, trace_heads
from core.models.gallery import recorded


def tiles(model="smollm2", sentence="repeat", head=(18, 6)):
    """What must be drawn of one head."""
    settings = TrainedHeadsSettings(model=model, sentence=sentence, head=head)
    trace = trace_heads(settings, recorded(model, sentence))
    return np.where(trace.visible, trace.weights, np.nan)[None]


def thumbnail(lab, layer, head):
    return lab.page.locator(f".lab-heads [data-put='{layer},{head}']")


def test_the_large_picture_is_what_was_recorded(visit):
    visit("/trained-heads").expect_tiles(tiles())
    visit("/trained-heads", model="minilm", sentence="wide", head="4,0").expect_tiles(
        tiles("minilm", "wide", (4, 0))
    )


def test_a_click_on_a_thumbnail_shows_that_head(visit):
    lab = visit("/trained-heads")
    lab.mark()
    thumbnail(lab, 16, 0).click()
    lab.expect_tiles(tiles(head=(16, 0)))
    lab.expect_parameter(head="16,0")
    expect(thumbnail(lab, 16, 0)).to_have_attribute("aria-pressed", "true")
    expect(lab.page.locator(".lab-heads [aria-pressed=true]")).to_have_count(1)
    assert lab.page.get_by_role("slider", name="layer").get_attribute("aria-valuetext") == "16"
    lab.expect_same_instance()


def test_the_thumbnail_is_the_heads_own_part_of_the_picture(visit):
    """The brightest column of a thumbnail on the screen is where the weights are."""
    lab = visit("/trained-heads", head="0,0")
    picture = thumbnail(lab, 18, 8).locator("i")  # nearly all weight on token 0
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    shot = lab.page.screenshot(clip=box)
    light = lab.page.evaluate(
        """async (bytes) => {
            const image = await createImageBitmap(new Blob([new Uint8Array(bytes)]))
            const canvas = new OffscreenCanvas(image.width, image.height)
            const context = canvas.getContext("2d")
            context.drawImage(image, 0, 0)
            const { data } = context.getImageData(0, image.height - 4, image.width, 1)
            // yellow, and neither white nor grey, has more green than blue
            return [...Array(image.width).keys()].map((x) => data[4 * x + 1] - data[4 * x + 2])
        }""",
        list(shot),
    )
    assert int(np.argmax(light)) < len(light) / 8


def test_the_grid_by_keyboard(visit):
    lab = visit("/trained-heads")
    thumbnail(lab, 18, 6).focus()
    lab.page.keyboard.press("ArrowLeft")  # columns are layers
    expect(thumbnail(lab, 17, 6)).to_be_focused()
    for key in ("ArrowUp", "ArrowUp"):
        lab.page.keyboard.press(key)
    expect(thumbnail(lab, 17, 4)).to_be_focused()
    lab.page.keyboard.press("Enter")
    lab.expect_tiles(tiles(head=(17, 4)))
    lab.expect_parameter(head="17,4")
    expect(thumbnail(lab, 17, 4)).to_be_focused()
    assert lab.page.locator(".lab-heads [tabindex='0']").count() == 1
    lab.page.keyboard.press("Home")
    expect(thumbnail(lab, 0, 0)).to_be_focused()


def test_dragging_the_layer_redraws_before_the_hand_lets_go(visit):
    lab = visit("/trained-heads", head="0,6")
    slider = lab.page.get_by_role("slider", name="layer")
    box = slider.bounding_box()
    y, way = box["y"] + box["height"] / 2, box["width"] - 22
    lab.page.mouse.move(box["x"] + 11, y)
    lab.page.mouse.down()
    link_then = lab.watch_for_tiles(tiles())
    lab.page.mouse.move(box["x"] + 11 + way * 18 / 29, y, steps=6)
    assert "head=18" not in link_then()
    lab.page.mouse.up()
    lab.expect_parameter(head="18,6")


def test_lines_follow_the_pointer_and_the_focus(visit):
    lab = visit("/trained-heads", sentence="tired", model="minilm", head="3,1")
    box = lab.page.locator(".lab-links")
    keys = box.locator(".lab-links-to li b")
    expect(keys.nth(2)).to_have_text("0.68")  # "it" to "animal"
    weights = recorded("minilm", "tired").whole_weights[3, 1]
    cross = box.get_by_role("button", name="query 6 “cross”")
    cross.hover()
    expect(keys.nth(8)).to_have_text(f"{weights[6, 8]:.2f}")
    assert box.locator("line").nth(8).get_attribute("y1") == "6.5"
    lab.page.mouse.move(5, 5)
    expect(keys.nth(2)).to_have_text("0.68")
    box.locator("[data-query='10']").focus()
    lab.page.keyboard.press("ArrowUp")
    expect(keys.nth(13)).to_have_text(f"{weights[9, 13]:.2f}")
    lab.page.keyboard.press("Enter")
    lab.expect_parameter(cell="0,9,0")
    expect(box.locator("[data-query='9']")).to_have_attribute("aria-pressed", "true")


def test_hidden_keys_are_hatched_and_have_no_number(visit):
    lab = visit("/trained-heads", sentence="tired")
    lab.page.locator(".lab-links [data-query='3']").hover()
    keys = lab.page.locator(".lab-links-to li")
    expect(keys.nth(4)).to_have_class("lab-hatched")
    expect(keys.nth(4).locator("b")).to_have_text("")
    expect(keys.nth(3)).not_to_have_class("lab-hatched")


def test_rope_off_takes_the_previous_token_away(visit):
    lab = visit("/trained-heads", head="16,0")
    lab.select("rope", "off")
    row = lab.page.get_by_role("region", name="Scores of the head as trained and as switched").get_by_role(
        "row", name="previous token"
    )
    expect(row).to_contain_text("0.922")
    expect(row).to_contain_text("0.066")
    lab.expect_parameter(rope="off")


def test_a_head_named_in_the_words_can_be_gone_to(visit):
    lab = visit("/trained-heads")
    lab.page.get_by_role("button", name="layer 1, head 4", exact=True).last.click()
    lab.expect_tiles(tiles(head=(1, 4)))


def test_a_phone_has_layers_downwards_and_no_sideways_scroll(visit):
    lab = visit("/trained-heads", context={"viewport": {"width": 390, "height": 844}, "has_touch": True})
    first, below, beside = (thumbnail(lab, *head).bounding_box() for head in ((0, 0), (1, 0), (0, 1)))
    assert below["y"] > first["y"]
    assert beside["x"] > first["x"]
    assert first["width"] > 24
    thumbnail(lab, 2, 1).tap()
    lab.expect_tiles(tiles(head=(2, 1)))


def test_a_sentence_of_ones_own_without_the_model(visit):
    lab = visit("/trained-heads")
    lab.select("sentence", "Your own sentence …")
    field = lab.control("text").get_by_role("textbox")
    field.fill("Colourless green ideas <b>sleep</b>")
    field.press("Enter")
    lab.expect_parameter(text="Colourless green ideas <b>sleep</b>")
    expect(lab.page.get_by_text("make models").first).to_be_visible()
    expect(lab.page.get_by_role("heading", name="“It”: tired or wide?")).to_be_visible()
