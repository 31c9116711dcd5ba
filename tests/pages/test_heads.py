"""The page about heads: every control changes what it should, and the numbers stand on the page."""

import re

import pytest

from core.lessons.heads import HeadsSettings, trace_heads
from core.lessons.heads_wrong import averaged_heads, forgotten_merge, forgotten_split, split_input
from core.reference.questions import QUESTIONS
from pages.ui import judge
from pages.ui.head_checks import torch_counts, torch_verdict
from pages.ui.html import number
from pages.ui.pictures import VIEWS
from tests.pages.test_routes import ask


@pytest.fixture
def heads(open_page):
    """Return a function that opens the page by a link."""
    return lambda **link: open_page("heads.py", link)


def below(page, plot):
    """The words of one picture, without marks."""
    return re.sub(r"<[^>]*>", "", page.data(f"plot_{plot}")["below"])


def query(page):
    return page.data("sliders")["query"]


def test_it_opens_cold_with_the_shapes_of_every_step(heads):
    page = heads()
    assert page.warnings == []
    words = below(page, "stage")
    for shape in ("X [6, 8]", "Q, K, V [6, 8]", "heads [2, 6, 4]", "weights [2, 6, 6]", "merged [6, 8]"):
        assert shape in words
    assert "D = 8 = 2 × 4" in words
    assert r"\sqrt{4}" in "".join(each.value for each in page.app.latex)


@pytest.mark.parametrize(
    ("step", "captions"),
    [
        (0, ["X [6, 8]"]),
        (1, ["X [6, 8]", "W_Q [8, 8]", "Q [6, 8]", "K [6, 8]", "V [6, 8]"]),
        (2, ["Q [6, 8]", "head 0 [6, 4]", "head 1 [6, 4]"]),
        (3, ["Q [6, 4]", "Kᵀ [4, 6]", "weights [6, 6]", "V [6, 4]", "context [6, 4]"]),
        (4, ["head 0 [6, 4]", "head 1 [6, 4]", "merged [6, 8]"]),
        (5, ["merged [6, 8]", "W_O [8, 8]", "output [6, 8]"]),
    ],
)
def test_each_step_shows_its_arrays(step, captions, heads):
    page = heads(step=str(step))
    html = page.data("plot_stage")["below"]
    found = [re.sub("<[^>]*>", "", each) for each in re.findall("<figcaption>(.*?)</figcaption>", html)]
    assert set(captions) <= set(found)
    trace = trace_heads(HeadsSettings())
    last = (trace.x, trace.q, trace.q_heads[0], trace.context[0], trace.merged, trace.output)[step]
    assert f"{last[2, 1]:z.2f}".replace("-", "−") in html


def test_the_stepper_and_the_sliders_change_their_own_setting_and_nothing_else(heads):
    page = heads()
    for key, change in (
        ("stepper_step", {"step": 3}),
        ("sliders", {"heads": 4}),
        ("sliders", {"head": 3}),
        ("sliders", {"d_model": 16}),
        ("wide_sliders", {"wide": 4096}),
        ("wide_sliders", {"wide_heads": 32}),
    ):
        before = query(page)
        page.change(key, **change)
        assert query(page) == {**before, **{name: str(value) for name, value in change.items()}}
        assert page.warnings == []


def test_widgets_change_their_own_setting_and_nothing_else(heads):
    page = heads()
    for name, value, text in (("causal", True, "true"), ("seed", 5, "5"), ("text", "a  b", "a b")):
        before = query(page)
        page.set(name, value)
        assert query(page) == {**before, name: text}


def test_the_number_of_heads_leaves_q_as_it_is(heads):
    page = heads(step="1")
    numbers = re.findall(r"<td style='[^']*'>([^<]*)", page.data("plot_stage")["below"])
    page.change("sliders", heads=8)
    assert re.findall(r"<td style='[^']*'>([^<]*)", page.data("plot_stage")["below"]) == numbers


def test_the_mistakes_show_their_numbers(heads):
    words = below(heads(heads="4", causal="true"), "mistakes")
    trace = trace_heads(HeadsSettings(heads=4, causal=True))
    for mistake in (forgotten_merge, forgotten_split, split_input, averaged_heads):
        difference = mistake(trace).difference
        assert difference > 0.1
        assert number(difference) in words
    assert "ValueError: axes don&#x27;t match array" in words
    assert "head 0, token 4" in words  # where token 1 of head 0 should be


@pytest.mark.parametrize("link", [{"heads": "1"}, {"text": "one"}], ids=str)
def test_where_a_mistake_cannot_be_seen_the_page_says_so(link, heads):
    assert "cannot be seen here" in below(heads(**link), "mistakes")


def test_parameters_of_the_lessons_layer(heads):
    page = heads()
    words = below(page, "counts")
    assert "4 × 512² = 1,048,576" in words
    assert "1,050,624" in words
    assert words.count("1,048,576") == 11  # once, and once for each of the ten divisors
    page.change("wide_sliders", wide_heads=512)
    assert "d_k = 512 / 512 = 1" in below(page, "counts")


def test_the_lessons_numbers_are_behind_their_box(heads):
    page = heads()
    assert "43.9950" not in page.html
    page.app.session_state["printed"] = True
    html = page.run().html
    assert "43.9950" in html
    assert "<s>runs</s> wrong" in html
    page.app.session_state["source_code"] = True
    assert any("def multi_head_attention_loop(" in each.value for each in page.run().app.code)


def test_what_pytorch_says(heads):
    answer = QUESTIONS["heads.module"]({})
    words = re.sub("<[^>]*>", " ", torch_verdict(answer))
    assert "mean over heads" in words
    assert number(answer["output"]) in words or answer["output"] == 0
    assert "1,048,576" not in words  # that is asked further down
    words = torch_counts(QUESTIONS["heads.counts"]({}))
    assert "1,048,576" in words
    assert "1,050,624" in words
    assert heads().html.count("PyTorch is being asked") == 2


def test_pytorch_is_not_asked_again_for_what_is_only_looked_at(heads, monkeypatch):
    asked = []
    monkeypatch.setattr(judge, "answer", lambda question: asked.append(question))
    page = heads()
    page.change("stepper_step", step=4)
    page.change("sliders", head=1)
    assert {question.name for question in asked} == {"heads.module", "heads.counts"}
    assert len(set(asked)) == 2
    page.change("sliders", heads=4)
    assert len(set(asked)) == 3
    page.change("wide_sliders", wide_heads=16)
    assert [question.name for question in set(asked)].count("heads.counts") == 2
    assert len(set(asked)) == 4


@pytest.mark.parametrize(
    "link",
    [
        {"heads": "3"},
        {"d_model": "7"},
        {"d_model": "4", "heads": "8"},
        {"step": "9"},
        {"head": "5"},
        {"wide": "-3"},
        {"wide": "100", "wide_heads": "7"},
        {"text": " "},
        {"causal": "1"},
        {"stage": "weights"},
    ],
    ids=str,
)
def test_a_bad_link_gives_a_sentence(link, heads):
    assert len(heads(**link).warnings) == 1


def test_a_persons_text_shows_literally(heads):
    for step in range(6):
        page = heads(text="<b>x</b> 'a' &amp; $y$ שלום", step=str(step))
        assert "<b>x</b>" not in page.html
        assert "&lt;b&gt;x" in page.html


def test_sixty_four_tokens_and_thirty_two_heads_stay_small(heads):
    text = " ".join(f"w{i}" for i in range(64))
    for step in range(6):
        page = heads(text=text, d_model="32", heads="32", head="31", step=str(step))
        html = page.data("plot_stage")["below"]
        assert len(html) < 200_000
        assert "[64, 32]" in html
    assert "first 8 rows" in html


def test_the_route_answers_as_the_page_at_rest(heads):
    page = heads(step="2")
    while_moving = ask("heads", {**query(page), "heads": 4}).json()
    page.change("sliders", heads=4)
    assert set(while_moving) == set(VIEWS["heads"].pictures(HeadsSettings()))
    for plot, picture in while_moving.items():
        assert page.data(f"plot_{plot}").items() >= picture.items()
