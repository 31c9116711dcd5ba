"""The lessons' numbers against a recomputation of their own, made apart from this code."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from core.lessons.printed import PRINTED

GOLDEN = {
    each["id"]: each for each in json.loads(Path(__file__).with_name("lesson_numbers.json").read_text())
}
# What a sample gives depends on its draw: as close as 4,000 pairs allow (three standard errors).
SAMPLED = {"A-std-4", "A-std-64", "A-std-512", "B-var-64", "B-var-512", "C-sd128"}
# Compared below, by what they mean.
APART = {"A-kc", "A-shapes", "C-draw", "B-pct", "B-parts"}
# In words, or compared in the tests of their lesson.
LATER = {"A-mha-shapes", "A-mha-transpose", "A-h8", "B-code", "A-onstep", "A-perm"}
# No numbers.
ELSEWHERE = {"A-years", "B-legend", "C-practice"}


def numbers(value):
    """All numbers in nested lists, in order."""
    if isinstance(value, list | tuple | np.ndarray):
        return [x for each in value for x in numbers(each)]
    if value in ("Infinity", "-inf"):
        return [math.inf if value == "Infinity" else -math.inf]
    return [float(value)]


def of(name):
    return [each for each in PRINTED if each.id == name]


@pytest.mark.parametrize(
    "each", [p for p in PRINTED if p.id not in APART | LATER | SAMPLED], ids=lambda p: p.id
)
def test_a_number_is_what_a_recomputation_gives(each):
    golden = GOLDEN[each.id]["recomputed"]
    digits = 4 if each.id.startswith("B-demo") else 6  # of the recomputation
    np.testing.assert_allclose(numbers(each.values()), numbers(golden), atol=0.51 * 10**-digits, rtol=0)


@pytest.mark.parametrize("each", [p for p in PRINTED if p.id in SAMPLED], ids=lambda p: p.id)
def test_a_sample_is_as_close_as_its_size_allows(each):
    measured = numbers(each.values())[0]
    variance = each.id.startswith("B-var")
    wanted = GOLDEN[each.id]["recomputed"]
    standard_error = (2 if variance else 1) / (2 * 4000) ** 0.5
    assert measured == pytest.approx(wanted, rel=3 * standard_error)


@pytest.mark.parametrize("each", [p for p in PRINTED if p.id in GOLDEN], ids=lambda p: p.id)
def test_a_number_is_called_wrong_where_it_is(each):
    assert each.right == (not GOLDEN[each.id]["verdict"].startswith("WRONG"))


def test_the_knowledge_check():
    weights, output = of("A-kc")
    np.testing.assert_allclose(weights.values(), [0.19557, 0.80443], atol=5e-6)
    np.testing.assert_allclose(output.values(), [1.955703, 4.826578], atol=5e-6)


def test_the_shapes():
    assert of("A-shapes")[0].values() == ("[6, 8]", "[8, 4]", "[6, 4]", "[6, 6]", "[6, 6]", "[6, 4]")


def test_the_percentages():
    np.testing.assert_allclose(of("B-pct")[0].values(), GOLDEN["B-pct"]["recomputed"], atol=0.051)


def test_the_shares_of_the_output():
    """The recomputation rounds the weights to three digits first."""
    np.testing.assert_allclose(of("B-parts")[0].values(), GOLDEN["B-parts"]["recomputed"], atol=4e-4)


def test_eight_fixed_scores_go_from_about_1_to_about_0_4():
    scores = np.array([4.0, 7, -20, 6, -4, -5, 8, 20])  # the page's; their spread is that of d_k = 128
    assert scores.std() == pytest.approx(11, abs=0.1)
    exponentials = np.exp(scores), np.exp(scores / math.sqrt(128))
    wanted = [e.max() / e.sum() for e in exponentials]
    assert wanted == pytest.approx([0.99999, 0.41], abs=0.005)
    assert numbers(of("C-draw")[0].values()) == pytest.approx(wanted)


def test_the_forgotten_transpose_on_the_lessons_own_draw():
    assert of("A-mha-transpose")[0].values() == pytest.approx(43.9950, abs=5e-5)  # as the recomputation notes


def test_a_class_that_cannot_run_says_what_numpy_says():
    assert of("B-code")[0].values() == "ValueError: axes don't match array"
    assert GOLDEN["B-code"]["recomputed"] == "ValueError: axes don't match array"


def test_no_number_of_these_lessons_is_left_out():
    assert GOLDEN.keys() - {each.id for each in PRINTED} == ELSEWHERE
    assert {each.id for each in PRINTED} - GOLDEN.keys() == {"A-mha-transpose"}


@pytest.mark.parametrize("each", PRINTED, ids=lambda p: p.id)
def test_a_number_reads_well(each):
    text = each.computed()
    assert text
    assert "nan" not in text
    assert "array(" not in text
