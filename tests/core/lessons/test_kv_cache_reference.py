"""PyTorch's decoding, and what is measured: never how long it takes."""

import pytest

from core.lessons.kv_cache import KVCacheSettings
from core.reference import kv_cache
from core.reference.questions import QUESTIONS


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"rope": False},
        {"window": 2},
        {"pairing": "half", "d_k": 4},
        {"model": "custom", "heads": 4, "kv_heads": 1, "head": 0},
        {"text": "one", "step": 0},
    ],
    ids=str,
)
def test_pytorch_decodes_the_same(values):
    answer = kv_cache.decoding(KVCacheSettings(**values))
    assert max(answer["grouped"], answer["repeated"], answer["first_value"]) < 1e-12


def test_pytorchs_shortcuts_go_wrong_as_ours_do():
    answer = QUESTIONS["kv_cache.decoding"](kv_cache.about_decoding(KVCacheSettings()).to_query())
    assert answer["tiled"] > 1
    assert answer["top_left"] > 1
    assert answer["n_tokens"] == 6
    alone = kv_cache.decoding(KVCacheSettings(model="custom", kv_heads=32))
    assert alone["tiled"] < 1e-12


def test_what_is_only_looked_at_is_the_same_question():
    asked = {
        kv_cache.about_decoding(KVCacheSettings(**values))
        for values in ({}, {"step": 5}, {"head": 0}, {"context": 1}, {"batch": 9}, {"bytes_per_value": 1})
    }
    assert len(asked) == 1
    assert kv_cache.about_decoding(KVCacheSettings(window=2)) not in asked


def test_both_ways_that_are_timed_give_the_same_outputs(monkeypatch):
    monkeypatch.setattr(kv_cache, "_LENGTHS", (2, 5))
    monkeypatch.setattr(kv_cache, "_RUNS", 1)
    answer = QUESTIONS["kv_cache.timing"]({})
    assert [row["n_tokens"] for row in answer["rows"]] == [2, 5]
    for row in answer["rows"]:
        assert row["difference"] < 1e-12
        assert row["with"] > 0
        assert row["without"] > 0
    # (1 + 2) of 2 steps' projections, and scores of 1 + 3 cells against 1 + 2: counted by hand
    projections, cell = 256 * 32 * 12 + 256 * 256, 2 * 256
    wanted = (3 * projections + 4 * cell) / (2 * projections + 3 * cell)
    assert answer["rows"][0]["counted"] == pytest.approx(wanted)
