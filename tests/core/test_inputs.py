"""Drawn numbers: a control changes only what it names, and a link keeps its numbers for ever."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core.inputs import PATTERN_NAMES, inputs_of, word_vector
from core.numbers import Numbers
from core.settings import AttentionSettings

ROOT = Path(__file__).parents[2]
TEXT = "the cat saw the dog"


def drawn(**values):
    """q, k and v of the settings."""
    inputs = inputs_of(AttentionSettings(**{"text": TEXT, **values}))
    return inputs.q, inputs.k, inputs.v


def assert_identical(ours, expected):
    for array, right in zip(ours, expected, strict=True):
        np.testing.assert_array_equal(array, right)


# --- one word ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            (0, "cat", "q", 0),
            [-0.4735898855698913, -0.42700808894603987, -0.2615532860727703, 0.2999679822946303],
        ),
        (
            (7, "猫", "v", 3),
            [-1.3300908065733377, -0.3072119072570213, -0.579569702036154, 0.8355027850019375],
        ),
    ],
)
def test_old_links_keep_their_numbers(name, expected):
    """SHA-256 of "seed NUL role NUL head NUL word", then MT19937: not to be changed any more."""
    np.testing.assert_allclose(word_vector(*name)[:4], expected, rtol=1e-12)


@pytest.mark.parametrize("other", [(1, "cat", "q", 0), (0, "cats", "q", 0), (0, "cat", "k", 0)])
def test_another_seed_word_or_role_has_another_vector(other):
    assert np.abs(word_vector(*other) - word_vector(0, "cat", "q", 0)).max() > 0.1


def test_every_head_has_a_vector_of_its_own():
    vectors = np.array([word_vector(0, "cat", "q", h) for h in range(16)])
    assert np.abs(np.corrcoef(vectors) - np.eye(16)).max() < 0.25


def test_the_parts_of_a_name_cannot_run_into_each_other():
    assert (word_vector(1, "1", "q", 1) != word_vector(11, "", "q", 1)).all()


def test_a_word_has_512_numbers_that_cannot_be_written_to():
    vector = word_vector(0, "cat", "q", 0)
    assert vector.shape == (512,)
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1


@pytest.mark.parametrize("role", ["q", "k", "v"])
def test_over_many_words_the_mean_is_0_and_the_variance_1(role):
    vectors = np.array([word_vector(0, f"w{i}", role, 0)[:16] for i in range(2000)])
    assert abs(vectors.mean()) < 0.02
    assert vectors.var() == pytest.approx(1, abs=0.03)
    assert np.abs(np.cov(vectors.T) - np.eye(16)).max() < 0.15


@pytest.mark.parametrize(
    ("d_k", "spread"),
    [(4, 2.0), (64, 8.0), (512, 22.627417)],  # A-std-4, A-std-64, A-std-512
)
def test_dot_products_spread_as_the_square_root_of_the_width(d_k, spread):
    words = [f"w{i}" for i in range(3000)]
    q, k = (np.array([word_vector(0, word, role, 0)[:d_k] for word in words]) for role in "qk")
    assert (q * k).sum(axis=-1).std() == pytest.approx(spread, rel=0.05)


# --- a text ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"causal": True},
        {"scale": "none"},
        {"rope": True},
        {"rope_base": 10.0},
        {"rope_offset": 100},
        {"query_shift": -3},
        {"pairing": "half"},
        {"window": 2},
        {"stage": "scores"},
        {"head": 1},
        {"cell": (0, 1, 2)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_control_leaves_q_k_and_v_bit_identical(change):
    assert_identical(drawn(**change), drawn())


def test_more_heads_keep_the_first_ones():
    eight = drawn(heads=8)
    assert eight[0].shape == (8, 5, 16)
    assert_identical([x[:4] for x in eight], drawn(heads=4))


def test_fewer_key_heads_are_the_first_ones():
    q, k, v = drawn(heads=4, kv_heads=2)
    all_q, all_k, all_v = drawn(heads=4)
    assert_identical((q, k, v), (all_q, all_k[:2], all_v[:2]))


@pytest.mark.parametrize("d_k", [17, 64, 512])
def test_a_larger_width_extends_the_vectors(d_k):
    wide = drawn(d_k=d_k)
    assert wide[0].shape == (4, 5, d_k)
    assert_identical([x[..., :16] for x in wide], drawn(d_k=16))


def test_a_word_has_the_same_vector_wherever_it_stands():
    for x in drawn():
        np.testing.assert_array_equal(x[:, 0], x[:, 3])
    for x, other in zip(drawn(), drawn(text="a dog saw"), strict=True):
        np.testing.assert_array_equal(x[:, 4], other[:, 1])


def test_different_words_seeds_roles_and_heads_have_different_vectors():
    q, k, v = drawn()
    other_q, *_ = drawn(seed=1)
    for a, b in ((q[0, 0], q[0, 1]), (q, other_q), (q, k), (k, v), (q[0], q[1])):
        assert (a != b).all()


def test_the_numbers_do_not_depend_on_pythons_hash():
    program = (
        "import hashlib; from core.settings import AttentionSettings;"
        "from core.inputs import inputs_of; x = inputs_of(AttentionSettings());"
        "print(hashlib.sha256(x.q.tobytes() + x.k.tobytes() + x.v.tobytes()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(digests) == 1


# --- numbers that are given --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "query_tokens", "key_tokens"),
    [
        ("two-keys", ("q",), ("k0", "k1")),
        ("cat-sat-mat", ("cat", "sat", "mat"), ("cat", "sat", "mat")),
        ("three-tokens", ("t0", "t1", "t2"), ("t0", "t1", "t2")),
    ],
)
def test_a_worked_example_names_its_rows_and_columns(source, query_tokens, key_tokens):
    inputs = inputs_of(AttentionSettings(source=source))
    assert (inputs.query_tokens, inputs.key_tokens) == (query_tokens, key_tokens)


def test_own_numbers_are_used_as_they_are_in_one_head():
    numbers = Numbers(((1, 2, 3),), ((4, 5, 6), (7, 8, 9)), ((1,), (2,)))
    inputs = inputs_of(AttentionSettings(source="custom", numbers=numbers, heads=8))
    assert_identical((inputs.q, inputs.k, inputs.v), ([[[1, 2, 3]]], [[[4, 5, 6], [7, 8, 9]]], [[[1], [2]]]))
    assert (inputs.query_tokens, inputs.key_tokens) == (("q0",), ("k0", "k1"))


@pytest.mark.parametrize("d_k", [2, 3, 16, 512])
def test_patterns_have_four_named_heads_at_every_width(d_k):
    q, k, v = drawn(source="patterns", d_k=d_k, heads=2)
    assert q.shape == k.shape == v.shape == (len(PATTERN_NAMES), 5, d_k)
    assert len(PATTERN_NAMES) == 4
    assert np.isfinite(q).all()
