"""The page about positions: every control changes what it should, and the numbers stand on the page."""

import re

import pytest

from core.lessons.order_blind import trace_order
from core.lessons.positions import PositionsSettings, trace_rope
from core.lessons.rope_wrong import only_queries_rotated, trace_pairings, trace_split, values_rotated
from core.reference.questions import QUESTIONS
from pages.ui import judge, position_answers
from pages.ui.pictures import VIEWS
from tests.pages.test_routes import ask


@pytest.fixture
def positions(open_page):
    """Return a function that opens the page by a link."""
    return lambda **link: open_page("positions.py", link)


def below(page, plot, part="below"):
    """The words of one picture, without marks."""
    return re.sub(r"<[^>]*>", " ", page.data(f"plot_{plot}")[part])


def query(page):
    return page.data("sliders")["query"]


def formula(page):
    return "".join(each.value for each in page.app.latex)


def four(x):
    return f"{x:.4f}".replace("-", "−")


def test_it_opens_cold_with_the_score_in_formula_and_words(positions):
    page = positions()
    assert page.warnings == []
    trace = trace_rope(PositionsSettings())
    assert f"{trace.score:.4f}" in formula(page)
    assert four(trace.score) in below(page, "dials")
    assert r"10000^{-2i/8}" in formula(page)
    assert "Equivariant" in below(page, "order")
    assert "reordered: man bites dog" in below(page, "order")


@pytest.mark.parametrize(("m", "n", "score"), [(3, 1, "−1.506"), (7, 5, "−1.506"), (5, 7, "6.909")])
def test_the_lessons_pair_is_one_click_away(m, n, score, positions):
    page = positions(rope_offset="9")
    page.click(f"Lesson: q at {m}, k at {n}")
    words = below(page, "dials")
    assert re.search(rf"q at {m}, k at {n}: score\s+{score[:-1]}", words)
    assert "without rotation: 5.0000" in words
    assert query(page) == {
        **PositionsSettings().to_query(), "example": "lesson", "m": str(m), "n": str(n),
    }  # fmt: skip


def test_the_sliders_change_their_own_setting_and_nothing_else(positions):
    page = positions()
    for key, change in (
        ("sliders", {"m": 30}),
        ("sliders", {"n": 2}),
        ("sliders", {"rope_offset": 1000}),
        ("sliders", {"d_k": 64}),
        ("sliders", {"rope_base": 500000}),
        ("base_slider", {"rope_base": 1000000}),
    ):
        before = query(page)
        page.change(key, **change)
        assert query(page) == {**before, **{name: str(value) for name, value in change.items()}}
        assert page.warnings == []


def test_widgets_change_their_own_setting_and_nothing_else(positions):
    page = positions()
    for name, value, text in (
        ("causal", True, "true"),
        ("order_from", "rope", "rope"),
        ("example", "same", "same"),
        ("pairing", "half", "half"),
        ("seed", 5, "5"),
        ("text", "a  b c", "a b c"),
    ):
        before = query(page)
        page.set(name, value)
        assert query(page) == {**before, name: text}


def test_buttons_in_the_picture_reorder_the_words(positions):
    page = positions()
    html = page.data("plot_order")["below"]
    assert re.findall("data-put='([^']*)'", html) == ["0,1,2", "2,1,0", "1,2,0", "1,2,0", "2,0,1"]
    page.change("plot_order", order="1,2,0")
    assert query(page)["order"] == "1,2,0"
    assert "reordered: bites man dog" in below(page, "order")
    page.set("text", "a b c d")
    assert page.warnings == []
    assert query(page)["order"] == "3,2,1,0"


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ({"causal": "true"}, "the causal mask"),
        ({"order_from": "waves"}, "the waves tie"),
        ({"order_from": "rope"}, "RoPE ties"),
    ],
    ids=str,
)
def test_what_tells_attention_the_order(link, said, positions):
    page = positions(**link)
    words = below(page, "order")
    assert "Not equivariant" in words
    assert said in words
    trace = trace_order(PositionsSettings.from_query(link)[0])
    for apart in trace.differences:
        assert f"{apart:.4f}" in words


@pytest.mark.parametrize("link", [{"text": "one"}, {"order": "0,1,2"}], ids=str)
def test_where_nothing_is_shuffled_the_page_says_so(link, positions):
    assert "Both orders are the same" in below(positions(**link), "order")


def test_moving_both_keeps_the_score_in_view(positions):
    page = positions()
    score = four(trace_rope(PositionsSettings()).score)
    page.change("sliders", rope_offset=1000)
    assert re.search(rf"q at 1,007, k at 1,004 \(moved by 1,000\): score\s+{score}", below(page, "dials"))


def test_the_lessons_pair_disables_what_it_brings(positions):
    sliders = {each["name"]: each for each in positions(example="lesson").data("sliders")["sliders"]}
    assert sliders["d_k"]["disabled"]
    assert sliders["rope_base"]["disabled"]
    assert sliders["d_k"]["value"] == 2
    assert not sliders["m"]["disabled"]


def test_pairings_and_the_split_show_their_numbers(positions):
    page = positions(pairing="half")
    settings = PositionsSettings(pairing="half")
    words = below(page, "pairings")
    for scores in trace_pairings(settings).scores.values():
        assert four(scores[0]) in words
    assert four(trace_pairings(settings).scores["mixed"][2]) in words
    assert "0, 2, 4, 6, 1, 3, 5, 7" in words
    words = below(page, "split")
    assert "land in two heads" in words
    for spread in trace_split(settings).spreads:
        assert f"{spread:.4f}" in words
    words = below(positions(), "split")
    assert "1, 0.316, 0.1, 0.0316" in words
    assert "cannot be seen" in below(positions(d_k="2"), "pairings")


def test_bases_and_contexts(positions):
    words = below(positions(rope_base="500000"), "base", "beside")
    assert re.search(r"500k ←\s+2,559,196\s+32 of 64\s+22 of 64\s+15 of 64", words)
    assert "54,410" in words
    assert "1M" in words
    words = below(positions(rope_base="777"), "base", "beside")
    assert "777 ←" in words


def test_the_mistakes_show_their_numbers(positions):
    words = below(positions(), "mistakes")
    settings = PositionsSettings()
    for wrong in only_queries_rotated(settings)[1]:
        assert four(wrong) in words
    assert f"{values_rotated(trace_order(settings))[1]:.4f}" in words
    assert "choose 6 or 8" in words
    assert re.search(r"k at 5\s+1\s+1\.\d{4}\s+−5\s+2\.", words)


def test_what_pytorch_says(positions):
    words = re.sub("<[^>]*>", " ", position_answers.rope(QUESTIONS["positions.rope"]({})))
    assert "freqs_cis" in words
    words = re.sub("<[^>]*>", " ", position_answers.narrow_types(QUESTIONS["positions.bfloat16"]({})))
    assert re.search(
        r"bfloat16\s+255\s+256\s+256\s+258\s+260\s+512\s+512\s+1000\s+4096\s+to 256\s+769", words
    )
    assert positions().html.count("PyTorch is being asked") == 2


def test_pytorch_is_not_asked_again_for_what_does_not_change_its_answer(positions, monkeypatch):
    asked = []
    monkeypatch.setattr(judge, "answer", lambda question: asked.append(question))
    page = positions()
    page.change("sliders", m=9)
    page.set("pairing", "half")
    page.set("causal", True)
    assert len(set(asked)) == 2
    page.change("sliders", d_k=16)
    assert len(set(asked)) == 3


@pytest.mark.parametrize(
    "link",
    [
        {"d_k": "7"},
        {"d_k": "1024"},
        {"order": "0,0,0"},
        {"order": "2,1"},
        {"order_from": "learned"},
        {"example": "<b>"},
        {"m": "1e9"},
        {"n": "-3"},
        {"rope_offset": "x"},
        {"rope_base": "0.1"},
        {"pairing": "thirds"},
        {"text": " "},
        {"text": "a b c d e f g h i j k"},
        {"causal": "1"},
        {"stage": "weights"},
    ],
    ids=str,
)
def test_a_bad_link_gives_a_sentence(link, positions):
    assert len(positions(**link).warnings) == 1


def test_a_persons_text_shows_literally(positions):
    page = positions(text="<b>x</b> 'a' &amp; $y$ שלום")
    assert "<b>x</b>" not in page.html
    assert "&lt;b&gt;x" in page.html


@pytest.mark.parametrize(
    "link",
    [
        {"d_k": "2"},
        {"d_k": "128", "m": "4096", "n": "0"},
        {"rope_base": "1"},
        {"rope_base": "1e7", "rope_offset": "1000000"},
        {"text": "one"},
        {"example": "same", "pairing": "half"},
        {"m": "0", "n": "0"},
    ],
    ids=str,
)
def test_extremes_open_without_a_note_and_without_nan(link, positions):
    page = positions(**link)
    assert page.warnings == []
    assert "nan" not in page.html.lower()


def test_the_route_answers_as_the_page_at_rest(positions):
    page = positions()
    while_moving = ask("positions", {**query(page), "m": 20}).json()
    page.change("sliders", m=20)
    assert set(while_moving) == set(VIEWS["positions"].pictures(PositionsSettings()))
    for plot, picture in while_moving.items():
        assert page.data(f"plot_{plot}").items() >= picture.items()
