"""The page on trained heads: controls, buttons, what stands there without a model, text shown literally."""

import dataclasses
import re
import shutil
from concurrent.futures import Future
from html import unescape

import pytest

from core.lessons.trained_heads import TrainedHeadsSettings
from core.models import gallery
from core.models.gallery import recorded
from core.models.specs import MODELS
from pages.ui import live_route, model_desk
from pages.ui.pictures import VIEWS

DEFAULT = TrainedHeadsSettings().to_query()
LIVE = ("grid", "head", "group", "switched", "effects", "mistakes")


@pytest.fixture
def heads(open_page):
    return lambda **link: open_page("trained_heads.py", link)


@pytest.fixture(autouse=True)
def no_files(tmp_path, monkeypatch):
    """No weight files, and no process that reads."""
    monkeypatch.setenv("LAB_MODELS", str(tmp_path))
    monkeypatch.setattr(model_desk, "_asked", {})


@pytest.fixture
def files(tmp_path):
    """Files of the right names; nothing reads them here."""
    for model in MODELS.values():
        for file in model.files:
            (tmp_path / file.name).write_bytes(b"")


def state_of(page):
    return page.data("sliders")["query"]


def words(page, plot):
    data = page.data(f"plot_{plot}")
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", data["beside"] + data["below"])))


def test_the_page_opens_cold_with_the_first_settings(heads):
    page = heads()
    assert page.warnings == []
    assert state_of(page) == DEFAULT
    assert {f"plot_{name}" for name in (*LIVE, "pronoun")} <= page.keys


@pytest.mark.parametrize(
    ("name", "value", "plots"),
    [
        ("sentence", "names", set(LIVE) - {"grid"}),  # the buttons stay, their picture is a style
        ("order", "induction", {"grid"}),
        ("scale", "none", {"switched"}),
        ("mask", "changed", {"switched"}),
        ("rope", "off", {"switched"}),
        ("encoder_head", (4, 0), {"pronoun"}),
        ("decoder_head", (21, 6), {"pronoun"}),
    ],
)
def test_a_control_changes_its_setting_and_the_pictures_that_depend_on_it(heads, name, value, plots):
    page = heads()
    all_plots = (*LIVE, "pronoun")

    def content(plot):
        data = page.data(f"plot_{plot}")
        return [data[part] for part in ("figure", "alt", "beside", "below")]

    before = {plot: content(plot) for plot in all_plots}
    page.set(name, value)
    changed = {key for key in DEFAULT if state_of(page)[key] != DEFAULT[key]}
    assert changed == {name}
    assert {plot for plot in all_plots if content(plot) != before[plot]} == plots


def test_another_model_brings_its_own_grid_and_no_rope(heads):
    page = heads()
    assert page.data("plot_grid")["below"].count("<button") == 270
    page.set("model", "minilm")
    assert page.data("plot_grid")["below"].count("<button") == 72
    assert page.warnings == []
    assert "rope" not in page.keys
    assert state_of(page)["head"] == "3,1"


def test_a_head_is_chosen_by_button_slider_or_cell(heads):
    page = heads()
    page.change("plot_grid", head="17,4")
    assert state_of(page) == {**DEFAULT, "head": "17,4"}
    assert "layer 17, head 4" in page.data("plot_head")["alt"]
    page.change("sliders", head="17,5")
    assert "layer 17, head 5" in page.data("plot_head")["alt"]
    page.change("plot_head", cell="5,14,2")
    assert "aria-pressed='true' tabindex='0' aria-label='query 14" in page.data("plot_head")["beside"]
    assert state_of(page)["head"] == "17,5"


def test_the_picture_behind_the_buttons_is_that_of_the_sentence(heads):
    def picture(page):
        (style,) = re.findall(r"--sprite:url\(data:image/png;base64,([^)]+)\)", page.html)
        return style

    page = heads()
    before = picture(page)
    assert picture(page.set("order", "first")) == before
    assert picture(page.set("sentence", "names")) != before


def test_exactly_one_head_is_pressed_and_tab_stops_there(heads):
    for order in ("layer", "first"):
        grid = heads(order=order, head="5,5").data("plot_grid")["below"]
        pressed = re.findall(r"<button[^>]*aria-pressed='true'[^>]*>", grid)
        assert len(pressed) == 1
        assert "data-put='5,5'" in pressed[0]
        assert re.findall(r"<button[^>]*tabindex='0'[^>]*>", grid) == pressed


def test_sorted_heads_stand_with_their_scores(heads):
    grid = heads(order="induction").data("plot_grid")["below"]
    assert re.findall(r"data-put='([\d,]+)'", grid)[:4] == ["18,6", "17,4", "17,3", "17,5"]
    assert "aria-label='layer 18, head 6, induction 0.95'" in grid


def test_a_score_that_is_not_defined_is_said_to_be_so(heads):
    page = heads(order="next")
    assert "next token: no such key in this sentence" in re.sub(" +", " ", words(page, "grid")).replace(
        " :", ":"
    )


def test_the_route_answers_with_what_the_page_shows(heads):
    page = heads(model="minilm", head="3,1", sentence="wide", mask="changed")
    assert page.data("sliders")["view"] == live_route.path("trained-heads")
    view = VIEWS["trained-heads"]
    settings, _ = view.kind.from_query(state_of(page))
    pictures = view.pictures(settings)
    assert set(pictures) == set(LIVE)
    for name, picture in pictures.items():
        assert page.data(f"plot_{name}").items() >= picture.data().items()


def test_the_pronoun_says_what_holds(heads):
    text = words(heads(), "pronoun")
    assert "goes from +0.627 to +0.160 : it shifts, and does not change sides" in text
    assert "Of 72 heads, 5 change sides at all, and 1 (4.0)" in text
    assert "Both rows are the same to the last bit" in text
    assert "it changes sides" in words(heads(encoder_head="4,0"), "pronoun")
    assert "it hardly moves" not in text


def test_the_example_of_large_weight_and_small_effect(heads):
    text = words(heads(sentence="capitals", head="23,4"), "effects")
    assert "the likeliest next token “ Spain” goes from 0.949" in text
    assert "Over all heads the rank correlation of the two is −0.4" in text


def test_a_head_without_vectors_offers_those_that_have_them(heads):
    switched = heads(head="0,0").data("plot_switched")
    assert switched["figure"] == ""
    assert switched["below"].count("data-put=") == len(MODELS["smollm2"].telling)


@pytest.mark.parametrize(
    "link",
    [{"model": "x"}, {"head": "99,0"}, {"order": "x"}, {"cell": "9,9"}, {"rope": "true"}, {"d_k": "8"}],
    ids=str,
)
def test_a_bad_link_is_repaired_with_one_sentence(heads, link):
    page = heads(**link)
    assert len(page.warnings) == 1
    assert state_of(page) == DEFAULT


def test_without_files_the_page_says_how_to_get_them_and_keeps_the_rest(heads):
    page = heads(sentence="own", text="hello <b>there</b>")
    text = words(page, "grid")
    assert "SmolLM2-135M-Instruct.Q4_1.gguf" in text
    assert "make models" in text
    assert page.data("plot_pronoun")["figure"]
    assert page.app.get_by_key("text").value == "hello <b>there</b>"
    assert model_desk._asked == {}


def test_a_sentence_waits_is_read_and_is_shown_literally(heads, files, monkeypatch):
    future = Future()
    monkeypatch.setattr(model_desk, "ask", lambda question: model_desk._asked.setdefault(question, future))
    page = heads(sentence="own", text="<b>x</b> $y$", model="minilm", head="3,1")
    assert "reads the sentence" in words(page, "grid")
    tokens = ("<b>x</b>", "$y$", "%{z}", "</script>")
    whole = recorded("minilm", "tired")
    recording = dataclasses.replace(
        whole,
        tokens=tokens,
        n_all=91,
        weights=whole.weights[:, :, :4, :4],
        written=whole.written[:, :, :4],
        q=whole.q[:, :4],
        k=whole.k[:, :4],
        v=whole.v[:, :4],
    )
    future.set_result(recording)
    page.run()
    assert "The text has 91 tokens of this model; 4 are read" in page.warnings[0]
    assert "&lt;b&gt;x&lt;/b&gt;" in page.html
    assert "<b>x</b>" not in page.html
    assert "</script>" not in page.html
    assert "&lt;/script&gt;" in page.html


def test_a_failure_is_shown_as_text_and_can_be_tried_again(heads, files, monkeypatch):
    future = Future()
    future.set_exception(model_desk.DeskError("The file <x> is damaged."))
    question = ("smollm2", "hello")
    model_desk._asked[question] = future
    monkeypatch.setattr(model_desk, "ask", lambda question: None)
    page = heads(sentence="own", text="hello")
    assert "The file &lt;x&gt; is damaged." in page.html
    page.click("Try again")
    assert question not in model_desk._asked


def test_a_full_queue_is_said(heads, files, monkeypatch):
    monkeypatch.setattr(model_desk, "ask", lambda question: None)
    page = heads(sentence="own", text="hello")
    assert "Other sentences are being read" in page.warnings[0]


def test_a_long_text_is_cut_with_the_count(heads):
    page = heads(sentence="own", text=" ".join(f"w{i}" for i in range(300)))
    assert "300 words; the first 64" in page.warnings[0]


def test_a_damaged_recording_is_a_sentence(heads, tmp_path, monkeypatch):
    shutil.copytree(gallery.FOLDER, tmp_path / "gallery")
    (tmp_path / "gallery" / "smollm2_repeat.npz").write_bytes(b"damaged")
    monkeypatch.setattr(gallery, "FOLDER", tmp_path / "gallery")
    recorded.cache_clear()
    try:
        page = heads()
        assert "The recording cannot be read" in words(page, "grid")
    finally:
        recorded.cache_clear()


def test_controls_can_be_hidden_by_the_link(heads):
    page = heads(hide="model,order,head,scale")
    assert not {"model", "order", "scale"} & page.keys
    assert page.data("sliders")["sliders"] == []


def test_every_number_that_the_legend_names_is_of_the_model(heads):
    assert "30 layers × 9 heads" in words(heads(), "grid")
    assert "6 layers × 12 heads" in words(heads(model="minilm", head="0,0"), "grid")
