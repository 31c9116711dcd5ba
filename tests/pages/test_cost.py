"""The page about cost: every control changes what it should, and the numbers stand on the page."""

import re
from concurrent.futures import Future

import pytest

from core.lessons import cost_wrong
from core.lessons.cost import CostSettings, trace_cost
from core.lessons.cost_measured import WAYS, Measured
from core.reference.questions import QUESTIONS
from pages.ui import judge, measuring
from pages.ui.cost_tables import in_bytes, torch_verdict
from pages.ui.html import number
from pages.ui.pictures import VIEWS
from tests.pages.test_routes import ask


@pytest.fixture
def cost(open_page):
    """Return a function that opens the page by a link."""
    return lambda **link: open_page("cost.py", link)


def below(page, plot):
    """The words of one picture, without marks."""
    return re.sub(r"<[^>]*>", "", page.data(f"plot_{plot}")["below"])


def query(page):
    return page.data("sliders")["query"]


def test_it_opens_cold_with_the_counts(cost):
    page = cost()
    assert page.warnings == []
    words = below(page, "growth")
    # 2 · 8192² · 4096, four times that; 8192 · (2 + 2/4 + 8) · 4096²; 32 · 8192² · 2 bytes
    for text in ("5.50·10¹¹", "2.20·10¹²", "× 4", "1.44·10¹²", "× 2", "4.29 GB", "17.2 GB", "21,504"):
        assert text in words
    assert "27.6%" in words
    assert r"D=H d_k=32\cdot128=4{,}096" in "".join(each.value for each in page.app.latex)


def test_doubling_is_four_for_scores_and_two_for_what_is_linear(cost):
    rows = re.findall(r"<tr>(.*?)</tr>", cost(n="2048").data("plot_growth")["below"])
    ratios = {
        re.sub("<[^>]*>", "", row.split("</th>")[0]): re.findall("× ([0-9.]+)", row) for row in rows[1:]
    }
    assert ratios["scores and weighted sum"] == ["4"]
    assert ratios["score matrices, all heads"] == ["4"]
    assert ratios["projections and MLP"] == ["2"]
    assert ratios["KV cache, 32 layers"] == ["2"]
    assert ratios["the same, window 4,096"] == ["4"]  # a window larger than the text saves nothing


def test_sliders_change_their_own_setting_and_nothing_else(cost):
    page = cost()
    for key, change in (
        ("sliders", {"n": 1024}),
        ("sliders", {"heads": 64}),
        ("sliders", {"d_k": 64}),
        ("sliders", {"window": 128}),
        ("walk_sliders", {"tile": 2}),
        ("walk_sliders", {"keys": 16}),
        ("walk_sliders", {"block": 3}),
        ("stepper_step", {"step": 9}),
        ("window_sliders", {"near": 2}),
        ("window_sliders", {"depth": 7}),
        ("sharing_sliders", {"kv_heads": 4}),
        ("sharing_sliders", {"layers": 12}),
    ):
        before = query(page)
        page.change(key, **change)
        assert query(page) == {**before, **{name: str(value) for name, value in change.items()}}
        assert page.warnings == []


def test_widgets_change_their_own_setting_and_nothing_else(cost):
    page = cost()
    for name, value, text in (("causal", True, "true"), ("seed", 5, "5"), ("bytes", 4, "4")):
        before = query(page)
        page.set(name, value)
        assert query(page) == {**before, name: text}


def test_the_walk_shows_what_is_held_at_every_step(cost):
    trace = trace_cost(CostSettings())
    for step, held in enumerate(("0", "4 × 4 = 16", "4 × 4 = 16", "4 × 4 = 16", "0")):
        words = below(cost(step=str(step)), "walk")
        assert f"scores held now {held}most ever" in words
        assert "the whole matrix 12 × 12 = 144" in words
        if 1 <= step <= 3:
            state = trace.states[step - 1]
            for values in (state.maximum, state.rescale, state.total):
                assert all(number(x) in words for x in values)
    assert "no approximation" in words


def test_the_map_draws_only_the_cells_that_are_held(cost):
    for step, n_gone in ((0, 0), (1, 0), (2, 16), (3, 32), (4, 48)):
        svg = cost(step=str(step)).data("plot_walk")["below"]
        held = 16 if 1 <= step <= 3 else 0
        assert svg.count("class='lab-gone'") == n_gone
        assert svg.count("class='lab-never'") == 144 - n_gone - held


def test_hidden_cells_are_hatched(cost):
    page = cost(causal="true", step="2")  # queries 4 to 7 meet keys 4 to 7
    html = page.data("plot_walk")["below"]
    assert html.count("fill='url(#lab-future)'") == 6
    assert "all in the future" in below(cost(causal="true", step="3"), "walk")


def test_the_reach_of_a_window(cost):
    words = below(cost(near="3", depth="5"), "window")
    assert "1 + 5·2 = 11" in words
    assert "1 + 32·4,095 = 131,041" in words
    assert "2 times fewer multiplications" in words  # 8,192 keys, 4,096 of them in view
    assert "as many multiplications as no window" in below(cost(n="4096"), "window")


def test_what_sharing_saves_and_what_it_does_not(cost):
    rows = re.findall(r"<tr>(.*?)</tr>", cost().data("plot_sharing")["below"])
    cells = [
        re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", re.sub(r"<span.*?</span>", "", row)) for row in rows[1:]
    ]
    assert [row[0] for row in cells] == ["32 multi-head", "16", "▸ 8", "4", "2", "1 MQA"]
    assert [row[1].strip() for row in cells][:3] == ["4.29 GB", "2.15 GB", "1.07 GB"]
    assert len({row[4] for row in cells}) == 1  # multiplications of scores stay
    assert len({row[5] for row in cells}) == 1  # and so do the matrices


def test_the_mistakes_show_their_numbers(cost):
    words = below(cost(), "mistakes")
    trace = trace_cost(CostSettings())
    for mistake in (cost_wrong.unscaled_output, cost_wrong.own_maximum, cost_wrong.averaged_tiles):
        assert number(mistake(trace).difference) in words
    assert "67,108,864" in words  # 8192², at either width
    assert words.count("384") == 2  # multiplications of the block, by tiles and whole
    assert "cannot be seen here" in below(cost(keys="8", tile="8"), "mistakes")


@pytest.mark.parametrize(
    "link",
    [
        {"n": "1000"},
        {"n": "x"},
        {"heads": "3"},
        {"kv_heads": "7"},
        {"tile": "0"},
        {"keys": "99"},
        {"block": "3"},
        {"step": "5"},
        {"bytes": "8"},
        {"causal": "1"},
        {"depth": "1e9"},
        {"text": "a"},
    ],
    ids=str,
)
def test_a_bad_link_gives_a_sentence(link, cost):
    assert len(cost(**link).warnings) == 1


def test_the_route_answers_as_the_page_at_rest(cost):
    page = cost(step="2")
    while_moving = ask("cost", {**query(page), "n": 512, "tile": 3}).json()
    page.change("sliders", n=512)
    page.change("walk_sliders", tile=3)
    assert set(while_moving) == set(VIEWS["cost"].pictures(CostSettings()))
    for plot, picture in while_moving.items():
        assert page.data(f"plot_{plot}").items() >= picture.items()


def test_the_longest_walk_stays_small(cost):
    page = cost(keys="16", tile="1", step="16", block="3")
    assert page.data("stepper_step")["labels"] == ["Start", *map(str, range(16)), "÷ ℓ"]
    assert len(page.data("plot_walk")["below"]) < 100_000


# --- measuring -------------------------------------------------------------------------------------

FOUND = Measured(
    (64, 128, 256, 512),
    {"plain": (1e-4, 2e-4, 4e-4, 16e-4), "tiled": (1e-4, 2e-4, 5e-4, 2e-3)},
    {"plain": (10**5, 4 * 10**5, 16 * 10**5, 64 * 10**5), "tiled": (10**5, 2 * 10**5, 4 * 10**5, 8 * 10**5)},
)


@pytest.fixture
def measurements(monkeypatch):
    """The futures of what was asked to be measured: nothing is, in a test."""
    asked = {}
    monkeypatch.setattr(measuring, "_asked", [])
    monkeypatch.setattr(judge, "ask", lambda question: asked.setdefault(question, Future()))
    monkeypatch.setattr(judge, "answer", asked.get)
    return asked


def test_nothing_is_measured_until_somebody_asks(cost, measurements):
    page = cost()
    assert [each for each in measurements if each.name == "cost.measured"] == []
    assert "plot_measured" not in page.keys
    page.click("Measure on this machine")
    (question,) = [each for each in measurements if each.name == "cost.measured"]
    assert "Measuring" in page.html
    (button,) = [each for each in page.app.button if each.key == "measure"]
    assert button.disabled
    measurements[question].set_result(FOUND.plain())
    page.run()
    words = below(page, "measured")
    assert "2.00" in words  # memory, whole matrix, both halves; time in the upper half
    assert "below 2: calling NumPy takes longer" in words
    assert in_bytes(64 * 10**5) in words
    page.click("Measure again")
    assert len([each for each in measurements if each.name == "cost.measured"]) == 2
    assert "plot_measured" in page.keys  # the old one stays until the new one is there


def test_a_failed_measurement_can_be_asked_for_again(cost, measurements):
    page = cost().click("Measure on this machine")
    (question,) = [each for each in measurements if each.name == "cost.measured"]
    measurements[question].set_exception(OSError("gone"))
    page.run()
    assert "plot_measured" not in page.keys
    page.click("Measure on this machine")
    assert len([each for each in measurements if each.name == "cost.measured"]) == 2


def test_what_pytorch_says():
    words = re.sub("<[^>]*>", " ", torch_verdict(QUESTIONS["cost.flash"]({})))
    assert "FLASH_ATTENTION" in words
    assert re.search(r"e−1[5-9]| 0 ", words)
    without = torch_verdict({"version": "0", "math": {"tiled": 0.0, "plain": 0.0}})
    assert "not in this build" in without


def test_pytorch_is_not_asked_again_for_what_is_only_looked_at(cost, monkeypatch):
    asked = []
    monkeypatch.setattr(judge, "answer", lambda question: asked.append(question))
    page = cost()
    page.change("stepper_step", step=2)
    page.change("walk_sliders", block=0)
    page.change("sliders", n=16)
    flash = {question for question in asked if question.name == "cost.flash"}
    assert len(flash) == 1
    page.change("walk_sliders", tile=2)
    assert len({question for question in asked if question.name == "cost.flash"}) == 2


def test_every_way_is_measured():
    assert set(FOUND.seconds) == set(WAYS)
