"""The page about GQA and the cache: every control changes what it should, its numbers stand on it."""

import base64
import json
import re

import numpy as np
import pytest

from core.lessons.kv_cache import KVCacheSettings
from core.reference.questions import QUESTIONS
from pages.ui import judge, kv_answers
from pages.ui.pictures import VIEWS
from tests.pages.test_routes import ask


@pytest.fixture
def kv(open_page):
    """Return a function that opens the page by a link."""
    return lambda **link: open_page("kv_cache.py", link)


def below(page, plot):
    """The words of one picture, without marks."""
    data = page.data(f"plot_{plot}")
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", data["beside"] + data["below"]))


def query(page):
    return page.data("sliders")["query"]


def heatmap(page):
    z = json.loads(page.data("plot_decoding")["figure"])["data"][0]["z"]
    shape = [int(n) for n in z["shape"].split(",")]
    return np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"]).reshape(shape)


def test_it_opens_cold_with_the_lessons_example(kv):
    page = kv()
    assert page.warnings == []
    words = below(page, "sharing")
    assert "32 query heads ÷ 8 KV heads = 4 in a group" in words
    assert "Head 13 reads KV head ⌊13 / 4⌋ = 3" in words
    assert "4 times smaller" in words
    assert "28 of 32 heads" in words
    assert "13 mod 8 = 5" in words
    assert r"\Big\lfloor\tfrac{13}{4}\Big\rfloor=3" in "".join(each.value for each in page.app.latex)


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("sliders", {"head": 31}),
        ("stepper_step", {"step": 5}),
        ("decoding_sliders", {"d_k": 16}),
        ("decoding_sliders", {"window": 2}),
        ("memory_sliders", {"context": 4096}),
        ("memory_sliders", {"batch": 16}),
    ],
    ids=str,
)
def test_a_slider_changes_its_own_setting_and_nothing_else(key, change, kv):
    page = kv()
    before = query(page)
    page.change(key, **change)
    assert query(page) == {**before, **{name: str(value) for name, value in change.items()}}
    assert page.warnings == []


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("rope", False, "false"),
        ("pairing", "half", "half"),
        ("seed", 5, "5"),
        ("bytes_per_value", 1, "1"),
        ("text", "a  b c d", "a b c d"),
    ],
)
def test_a_widget_changes_its_own_setting_and_nothing_else(name, value, text, kv):
    page = kv()
    before = query(page)
    page.set(name, value)
    assert query(page) == {**before, name: text}
    assert page.warnings == []


@pytest.mark.parametrize(
    ("key", "change"), [("sliders", {"kv_heads": 4}), ("memory_sliders", {"layers": 7})], ids=str
)
def test_a_size_of_ones_own_leaves_the_model(key, change, kv):
    page = kv()
    before = query(page)
    page.change(key, **change)
    assert query(page) == {**before, "model": "custom", **{n: str(v) for n, v in change.items()}}
    assert page.warnings == []
    assert "Weights are not counted" in below(page, "memory")


def test_a_model_brings_its_sizes_and_says_what_it_was_published_for(kv):
    page = kv().set("model", "gpt2")
    assert page.warnings == []
    assert (query(page)["heads"], query(page)["kv_heads"], query(page)["layers"]) == ("12", "12", "12")
    assert "36,864 B" in below(page, "memory")
    assert "more than GPT-2 small was published for: 1,024" in below(page, "memory")
    assert "4,096 tokens need to stay" in below(kv(model="mistral-7b"), "memory")


def test_mqa_gqa_and_mha_are_one_slider(kv):
    page = kv()
    for kv_heads, name in ((1, "MQA (multi-query)"), (8, "GQA"), (32, "MHA (multi-head)")):
        assert name in below(page.change("sliders", kv_heads=kv_heads), "sharing")
    assert "there is no order to mix up" in below(page, "sharing")
    assert "nothing is repeated" in below(page, "mistakes")


def test_each_step_computes_one_row_and_reads_the_others(kv):
    page = kv()
    last = None
    for step in range(6):
        page.change("stepper_step", step=step)
        words = below(page, "decoding")
        assert f"{step} + 1 = {step + 1}" in words
        assert f"2 × [8, {step + 1}, 8]" in words
        rows = heatmap(page)
        assert np.isfinite(rows[step]).sum() == step + 1
        assert np.isnan(rows[step + 1 :]).all()
        if last is not None:  # what was decoded stays
            np.testing.assert_array_equal(rows[:step], last[:step])
        last = rows
        old = f"0 of {step} visible" if step else "There is no old query yet"
        assert old in below(page, "no_queries")
    assert below(page, "tape").count("k, v read") == 5


def test_a_window_leaves_old_keys_unread(kv):
    page = kv(window="2", step="5")
    assert "1 + 1 = 2" in below(page, "decoding")
    assert below(page, "tape").count("out of the window") == 4


def test_the_memory_of_llama_3_8b(kv):
    words = below(kv(), "memory")
    for number in ("131,072 B", "1.07 GB", "1.00 GiB", "16.06 GB", "4.29 GB", "134.22 MB"):
        assert number in words
    assert words.count("does not fit") == 1
    table = below(kv(), "models")
    for number in ("36,864 B", "23,040 B", "524,288 B", "327,680 B", "131,072 B", "32,768", "8.030 · 10"):
        assert number in table
    assert "num_key_value_heads" in table


def test_the_mistakes_stand_there_with_their_numbers(kv):
    words = below(kv(), "mistakes")
    for number in ("2.2388", "3.2837", "2.2889", "1.9829", "1.4270", "2,048", "512", "4.29 GB"):
        assert number in words
    assert "Head 13 reads KV head 5, not 3" in words
    first = below(kv(step="0"), "mistakes")
    assert first.count("Cannot be seen here") == 3
    assert "no key is left" in first
    assert below(kv(rope="false"), "mistakes").count("RoPE is off") == 2


def test_a_long_text_shows_its_newest_keys_unless_the_mistake_reads_old_ones(kv):
    text = " ".join(f"w{i}" for i in range(16))
    cards = kv(text=text, step="15").data("plot_mistakes")["below"].split("<article")
    (tiled,) = [card for card in cards if "repeat_interleave" in card]
    assert "newest 8 keys" in tiled
    assert "0&nbsp;w0<" not in tiled
    (top_left,) = [card for card in cards if "is_causal with one query" in card]
    assert "0&nbsp;w0<" in top_left
    assert ">1.00<" in top_left


def test_pytorch_is_not_asked_again_for_what_is_only_looked_at(kv, monkeypatch):
    asked = []
    monkeypatch.setattr(judge, "answer", lambda question: asked.append(question))
    page = kv()
    page.change("stepper_step", step=4)
    page.change("sliders", head=1)
    page.change("memory_sliders", context=1024)
    assert len(set(asked)) == 2  # decoding, and the time that it takes
    page.change("decoding_sliders", window=3)
    assert len(set(asked)) == 3


def test_what_pytorch_says_and_what_was_measured(kv):
    html = kv().html
    assert "PyTorch is being asked" in html
    assert "being timed on this machine" in html
    words = re.sub("<[^>]*>", " ", kv_answers.decoding(QUESTIONS["kv_cache.decoding"]({})))
    assert "5.2070" in words  # tiling, over all steps
    row = {"n_tokens": 128, "with": 0.002, "without": 0.1, "counted": 60.9, "difference": 1e-15}
    measured = kv_answers.timing({"heads": 8, "kv_heads": 2, "d_k": 32, "rows": [row]})
    for text in ("2.0 ms", "100.0 ms", "50.0", "60.9", "Measured on this machine"):
        assert text in measured


@pytest.mark.parametrize(
    "link",
    [
        {"model": "gpt5"},
        {"model": "gpt2", "kv_heads": "3"},
        {"heads": "100"},
        {"heads": "12", "kv_heads": "5"},
        {"head": "32"},
        {"d_k": "7"},
        {"step": "6"},
        {"window": "0"},
        {"context": "-1"},
        {"bytes_per_value": "3"},
        {"text": " "},
        {"text": " ".join("abcdefghijklmnopqrst")},
        {"rope": "1"},
        {"causal": "true"},
    ],
    ids=str,
)
def test_a_bad_link_gives_a_sentence(link, kv):
    assert len(kv(**link).warnings) == 1


def test_a_persons_text_shows_literally(kv):
    page = kv(text="<b>x</b> 'a' &amp; $y$ שלום", step="4")
    assert "<b>x</b>" not in page.html
    assert "&lt;b&gt;x" in page.html


def test_the_largest_page_stays_small(kv):
    text = " ".join(f"w{i}" for i in range(16))
    page = kv(heads="64", kv_heads="64", head="63", d_k="32", text=text, step="15")
    sent = sum(len(picture["below"]) + len(picture["beside"]) for picture in _pictures(page))
    assert sent < 120_000


def test_the_route_answers_as_the_page_at_rest(kv):
    page = kv(step="2")
    moved = {"query": {**query(page), "kv_heads": 4}, "changed": ["kv_heads"]}
    while_moving = ask("kv-cache", json.dumps(moved).encode()).json()
    page.change("sliders", kv_heads=4)
    assert set(while_moving) == set(VIEWS["kv-cache"].pictures(KVCacheSettings()))
    for plot, picture in while_moving.items():
        assert page.data(f"plot_{plot}").items() >= picture.items()


def _pictures(page):
    return [page.data(f"plot_{plot}") for plot in VIEWS["kv-cache"].pictures(KVCacheSettings())]
