"""The scores of heads whose pictures are made by hand, so that every right value is plain."""

import math

import numpy as np
import pytest

from core.models.scores import SCORES

WORDS = ("the", "cat", "saw", "The", "dog")  # "the" twice
N = len(WORDS)
ALL, CAUSAL = np.ones((N, N), bool), np.tril(np.ones((N, N), bool))


def one_hot(targets):
    """Each query gives all its weight to one key."""
    return np.eye(N)[targets]


def score(key, weights, visible=ALL, words=WORDS):
    return SCORES[key].of(np.asarray(weights, dtype=float), visible, words)


def test_a_head_that_looks_at_the_token_before():
    weights = one_hot([0, 0, 1, 2, 3])
    assert score("previous", weights, CAUSAL) == 1
    assert score("next", weights) == 0
    assert score("first", weights, CAUSAL) == 1 / 4  # query 1 alone, of the queries 1 to 4


def test_a_head_that_looks_at_the_token_after():
    weights = one_hot([1, 2, 3, 4, 4])
    assert score("next", weights) == 1
    assert score("previous", weights) == 0


def test_no_next_token_where_the_mask_hides_it():
    assert score("next", one_hot([0, 1, 2, 3, 4]), CAUSAL) is None


def test_a_sink():
    weights = one_hot([0, 0, 0, 0, 0])
    assert score("first", weights, CAUSAL) == 1
    assert score("broad", weights, CAUSAL) == 0


def test_the_same_word_whatever_its_case_but_never_token_0():
    weights = one_hot([3, 1, 2, 0, 4])  # "the" to "The", and back
    assert score("same", weights) == 1  # of query 0 alone: from "The" the other place is token 0
    assert score("same", weights, CAUSAL) is None


def test_the_same_word_at_several_places_adds_up():
    words = ("x", "a", "a", "a")
    weights = [[1, 0, 0, 0], [0, 0, 0.25, 0.5], [0, 0.5, 0, 0.25], [0, 0.125, 0.125, 0.75]]
    assert score("same", weights, np.ones((4, 4), bool), words) == pytest.approx((0.75 + 0.75 + 0.25) / 3)


def test_induction_is_what_came_after_the_earlier_copy():
    weights = one_hot([0, 0, 0, 1, 0])  # "The" (3) looks at "cat" (1), which came after "the" (0)
    assert score("induction", weights, CAUSAL) == 1
    assert score("same", weights, CAUSAL) is None
    weights = one_hot([0, 0, 0, 0, 0])
    assert score("induction", weights, CAUSAL) == 0


def test_induction_needs_a_word_between():
    words = ("a", "a", "b")  # what came after the first "a" is the second itself
    assert score("induction", np.eye(3), np.tril(np.ones((3, 3), bool)), words) is None


def test_a_sentence_without_a_word_twice_has_no_such_score():
    words = ("a", "b", "c")
    visible = np.tril(np.ones((3, 3), bool))
    assert score("same", np.eye(3), visible, words) is None
    assert score("induction", np.eye(3), visible, words) is None


def test_the_broadest_head_gives_every_key_the_same():
    assert score("broad", CAUSAL / CAUSAL.sum(-1, keepdims=True), CAUSAL) == pytest.approx(1)
    assert score("broad", ALL / N) == pytest.approx(1)


def test_entropy_by_hand():
    weights = [[1, 0], [0.75, 0.25]]
    entropy = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25)) / math.log(2)
    visible = np.tril(np.ones((2, 2), bool))
    assert score("broad", weights, visible, ("a", "b")) == pytest.approx(entropy)  # row 0 has one key


def test_one_token_has_no_score_at_all():
    for each in SCORES.values():
        assert each.of(np.ones((1, 1)), np.ones((1, 1), bool), ("a",)) is None


def test_many_heads_at_once_give_what_each_gives_alone():
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.ones(N), size=(2, 3, N))
    for each in SCORES.values():
        together = each.of(weights, ALL, WORDS)
        assert together.shape == (2, 3)
        for place in np.ndindex(2, 3):
            assert together[place] == pytest.approx(each.of(weights[place], ALL, WORDS))
