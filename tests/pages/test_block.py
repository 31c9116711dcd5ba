"""The page about the block: every control changes what it should, and the numbers stand on the page."""

import re

import pytest

from core.lessons import block_wrong
from core.lessons.block import BlockLessonSettings, trace_block
from core.reference.questions import QUESTIONS
from pages.ui import judge
from pages.ui.block_model import gradient_table
from pages.ui.html import number
from pages.ui.pictures import VIEWS
from tests.pages.test_routes import ask


@pytest.fixture
def block(open_page):
    """Return a function that opens the page by a link."""
    return lambda **link: open_page("block.py", link)


def below(page, plot):
    """The words of one picture, without marks."""
    return re.sub(r"<[^>]*>", "", page.data(f"plot_{plot}")["below"])


def captions(page):
    html = page.data("plot_stage")["below"]
    return {re.sub("<[^>]*>", "", each) for each in re.findall("<figcaption>(.*?)</figcaption>", html)}


def query(page):
    return page.data("sliders")["query"]


def text_of(value):
    return f"{value:z.2f}".replace("-", "−")


def test_it_opens_cold_with_every_shape(block):
    page = block()
    assert page.warnings == []
    words = below(page, "stage")
    for shape in ("x[6, 8]", "RMSNorm 1[6, 8]", "weights [4, 6, 6]", "RMSNorm 2[6, 8]", "hidden [6, 24]"):
        assert shape in words
    assert "RMSNorm" in "".join(each.value for each in page.app.latex)


PRE = [
    {"x [6, 8]", "of each row [6, 1]", "norm 1 [6, 8]"},
    {
        "q, by heads [6, 8]",
        "k [6, 4]",
        "v [6, 4]",
        "head 3 q kᵀ / √2, KV head 1 [6, 6]",
        "head 3 weights [6, 6]",
        "attention adds [6, 8]",
    },
    {"x [6, 8]", "attention adds [6, 8]", "the new x [6, 8]"},
    {"x [6, 8]", "of each row [6, 1]", "norm 2 [6, 8]"},
    {"x W1 [6, 24] first 8 columns", "x W3 [6, 24] first 8 columns", "the MLP adds [6, 8]"},
    {"x [6, 8]", "the MLP adds [6, 8]", "the new x [6, 8]"},
]
POST = [
    {"q, by heads [6, 8]", "k [6, 8]", "head 3 q kᵀ / √2 [6, 6]", "attention adds [6, 8]"},
    {"x [6, 8]", "attention adds [6, 8]", "the new x [6, 8]"},
    {"x + attention [6, 8]", "of each row [6, 2]", "norm 1: the new x [6, 8]"},
    {"x W1 + b1 [6, 32] first 8 columns", "hidden [6, 32] first 8 columns", "the MLP adds [6, 8]"},
    {"x [6, 8]", "the MLP adds [6, 8]", "the new x [6, 8]"},
    {"x + MLP [6, 8]", "of each row [6, 2]", "norm 2: the block&#x27;s output [6, 8]"},
]


@pytest.mark.parametrize("step", range(6))
def test_each_step_of_pre_norm_shows_its_arrays(step, block):
    page = block(step=str(step))
    assert captions(page) >= PRE[step]
    steps = trace_block(BlockLessonSettings()).steps
    last = (
        steps.into_attention, steps.attention, steps.after_attention, steps.into_mlp, steps.mlp, steps.output
    )[step]  # fmt: skip
    assert text_of(last[2, 1]) in page.data("plot_stage")["below"]


@pytest.mark.parametrize("step", range(6))
def test_each_step_of_post_norm_in_gpt2s_style_shows_its_arrays(step, block):
    page = block(step=str(step), norm_place="post", style="gpt2")
    assert captions(page) >= {each.replace("&#x27;", "'") for each in POST[step]}
    steps = trace_block(BlockLessonSettings(norm_place="post", style="gpt2")).steps
    last = (
        steps.attention, steps.after_attention, steps.into_mlp, steps.mlp, steps.after_mlp, steps.output
    )[step]  # fmt: skip
    assert text_of(last[2, 1]) in page.data("plot_stage")["below"]


def test_sliders_and_steps_change_their_own_setting_and_nothing_else(block):
    page = block()
    for key, change in (
        ("stepper_step", {"step": 3}),
        ("sliders", {"d_model": 16}),
        ("sliders", {"heads": 8}),
        ("sliders", {"kv_heads": 4}),
        ("sliders", {"block": 7}),
        ("depth_sliders", {"layers": 12}),
        ("depth_sliders", {"token": 1}),
        ("gate_sliders", {"a": -1.5}),
        ("gate_sliders", {"b": 3}),
    ):
        before = query(page)
        page.change(key, **change)
        assert query(page) == {**before, **{name: str(value) for name, value in change.items()}}
        assert page.warnings == []


def test_widgets_change_their_own_setting_and_nothing_else(block):
    page = block()
    for name, value, text in (
        ("style", "gpt2", "gpt2"),
        ("norm_place", "post", "post"),
        ("residual", False, "false"),
        ("seed", 5, "5"),
        ("size", "llama2-7b", "llama2-7b"),
    ):
        before = query(page)
        page.set(name, value)
        assert query(page) == {**before, name: text}
        assert page.warnings == []


def test_what_a_shorter_model_or_text_no_longer_has_is_let_go_in_silence(block):
    page = block(block="7")
    page.change("depth_sliders", layers=2)
    assert (query(page)["block"], page.warnings) == ("1", [])
    page.set("text", "a b")
    assert query(page)["token"] == "1"
    page.change("sliders", heads=1)
    assert (query(page)["kv_heads"], page.warnings) == ("1", [])


def test_gpt2_has_as_many_kv_heads_as_heads_and_remembers_what_was_chosen(block):
    page = block(step="1")
    assert "k [6, 4]" in captions(page)
    page.set("style", "gpt2")
    assert "k [6, 8]" in captions(page)
    assert next(s for s in page.data("sliders")["sliders"] if s["name"] == "kv_heads")["disabled"]
    page.set("style", "llama")
    assert "k [6, 4]" in captions(page)


def test_without_residuals_the_sum_is_a_replacement(block):
    page = block(step="2", residual="false")
    assert "x, lost [6, 8]" in captions(page)
    assert "lab-cut" in page.data("plot_stage")["below"]
    assert "lab-cut" not in block().data("plot_stage")["below"]


def test_the_lessons_entry(block):
    page = block()
    words = re.sub(r"<[^>]*>", " ", page.data("plot_gate")["beside"])
    for value in ("1.7616", "0.8808", "gate_proj"):
        assert value in words
    mistakes = below(page, "mistakes")
    for value in ("0.8808", "0.7311", "0.6225", "(3.5000, 3.5000)", "(1.3485, 0.6314)", "(0.2828, 0.3771)"):
        assert value in mistakes
    page.change("gate_sliders", b=0)
    assert "SiLU(a) · b0.0000" in below(page, "mistakes")


def test_the_mistakes_are_those_of_these_numbers(block):
    page = block(style="gpt2", text="a b c", token="2")
    trace = trace_block(BlockLessonSettings(style="gpt2", text="a b c", token=2))
    words = below(page, "mistakes")
    for right, wrong in (
        block_wrong.block_on_normalised_residual(trace),
        block_wrong.other_norm_place(trace.settings),
    ):
        assert number(abs(right - wrong).max()) in words
    assert number(block_wrong.over_tokens(trace)[1]) in words
    assert "cannot be seen here" in below(block(text="one"), "mistakes")


def test_the_whole_model_and_its_parameters(block):
    page = block()
    words = below(page, "model")
    for shape in ("token ids [6]", "embedding [9, 8] [6, 8]", "8 blocks [6, 8]", "final norm [6, 8]"):
        assert shape in words
    assert "Random weights: this predicts nothing" in words
    assert "final norm" not in below(block(norm_place="post"), "model")
    for size, total in (
        ("gpt2", "124,439,808"),
        ("gpt2-xl", "1,557,611,200"),
        ("llama2-7b", "6,738,415,616"),
        ("llama3-8b", "8,030,261,248"),
    ):
        page.set("size", size)
        assert f"{total} parameters" in below(page, "counts")


def test_what_pytorch_says(block):
    answer = QUESTIONS["block.gradients"]({"layers": "12"})
    words = re.sub("<[^>]*>", " ", gradient_table(answer, "post"))
    assert number(answer["sizes"]["post"]["without"][0]) in words
    assert words.count("into block") == 12
    assert number(answer["difference"]) in words
    assert "PyTorch is being asked" in block().html


def test_pytorch_is_not_asked_again_for_what_is_only_looked_at(block, monkeypatch):
    asked = []
    monkeypatch.setattr(judge, "answer", lambda question: asked.append(question))
    page = block()
    page.change("stepper_step", step=4)
    page.change("depth_sliders", token=1)
    page.change("gate_sliders", a=1)
    page.set("norm_place", "post")
    page.set("residual", False)
    assert len(set(asked)) == 1
    page.change("depth_sliders", layers=3)
    assert len(set(asked)) == 2


@pytest.mark.parametrize(
    "link",
    [
        {"heads": "3"},
        {"heads": "8"},
        {"kv_heads": "3"},
        {"d_model": "7"},
        {"layers": "13"},
        {"block": "8"},
        {"step": "9"},
        {"token": "6"},
        {"a": "9"},
        {"b": "x"},
        {"style": "bert"},
        {"norm_place": "none"},
        {"residual": "1"},
        {"size": "gpt5"},
        {"text": " "},
        {"stage": "weights"},
    ],
    ids=str,
)
def test_a_bad_link_gives_a_sentence(link, block):
    assert len(block(**link).warnings) == 1


def test_a_persons_text_shows_literally(block):
    for step in range(6):
        page = block(text="<b>x</b> 'a' &amp; $y$ שלום", step=str(step))
        assert "<b>x</b>" not in page.html
        assert "&lt;b&gt;x" in page.html


def test_sixty_four_tokens_and_twelve_blocks_stay_small(block):
    text = " ".join(f"w{i}" for i in range(64))
    for step in range(6):
        page = block(text=text, d_model="32", heads="16", kv_heads="16", layers="12", step=str(step))
        html = page.data("plot_stage")["below"]
        assert len(html) < 200_000
        assert "first 8 rows" in html


def test_the_route_answers_as_the_page_at_rest(block):
    page = block(step="2")
    while_moving = ask("block", {**query(page), "d_model": 32, "a": -1}).json()
    page.change("sliders", d_model=32)
    page.change("gate_sliders", a=-1)
    assert set(while_moving) == set(VIEWS["block"].pictures(BlockLessonSettings()))
    for plot, picture in while_moving.items():
        assert page.data(f"plot_{plot}").items() >= picture.items()
