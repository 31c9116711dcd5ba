"""Exercises X02 to X19: answers in words against the bank, and numbers computed again in another way."""

import math

import numpy as np
import pytest
import torch

from core.exercises import EXERCISES
from core.lessons.kv_cache import KVCacheSettings
from core.lessons.masking import MaskingSettings
from core.lessons.scaling import ScalingSettings
from core.lessons.soft_lookup import SoftLookupSettings
from core.settings import AttentionSettings

BY_ID = {each.id: each for each in EXERCISES}
MINE = [f"X{i:02}" for i in range(2, 20)]
SEEDS = range(25)


def task_of(name, seed=0):
    return BY_ID[name].make(seed)


def answer_of(name, seed=0):
    (part,) = task_of(name, seed).parts
    return part.answer


def wrong_of(name, seed=0):
    return [each.answers[0] for each in task_of(name, seed).wrong]


def numbers_in(text):
    """All numbers of a text, as whoever reads the exercise sees them."""
    cleaned = "".join(c if c.isdigit() or c in ".-" else " " for c in text)
    return [float(word.rstrip(".")) for word in cleaned.split() if any(c.isdigit() for c in word)]


def torch_softmax(*scores):
    return torch.softmax(torch.tensor(scores, dtype=torch.float64), dim=-1).tolist()


# --- in words, against the bank --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "answer", "wrong"),
    [
        ("X09", "grid B", ["grid A", "neither"]),
        (
            "X11",
            {(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)},
            [
                {(0, 1), (0, 2), (1, 2)},
                {(i, j) for i in range(3) for j in range(3)},
                {(1, 0), (2, 0), (2, 1)},
            ],
        ),
        (
            "X14",
            "the score 0.3 got more weight than the score 0.5",
            ["it does not sum to 1", "its largest weight is below 0.5", "nothing is wrong"],
        ),
        (
            "X15",
            "training loss very low, written text poor",
            ["training loss stays high", "an error message", "no difference"],
        ),
        (
            "X16",
            "no: the target at position 1 is “sat”",
            ["yes: hide the diagonal", "yes, but only in row 0"],
        ),
    ],
)
def test_the_lessons_case_has_the_banks_answers(name, answer, wrong):
    assert answer_of(name) == answer
    assert wrong_of(name) == wrong


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("X04", "it does not exist (NaN)"),
        ("X07", "it cannot be known"),
        ("X10", "it depends on Q and K"),
    ],
)
def test_wrong_answers_in_words_can_be_given(name, word):
    (part,) = task_of(name).parts
    assert part.words == (word,)
    assert word in wrong_of(name)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("X03", [(0.3302, 0.6698), (0.1192, 0.8808), (0, 1)]),
        ("X04", [(0.333, 0.3333, 0.3337), (0, 0, 1)]),
        ("X10", [(1 / 6,) * 6, (0,) * 6]),
    ],
)
def test_wrong_rows_are_the_banks(name, rows):
    for found, wanted in zip(wrong_of(name), rows, strict=False):
        assert found == pytest.approx(wanted, abs=1e-4)


def test_the_two_near_one_answers_of_the_bank_are_one_mistake_here():
    """0.9997 and 1 lie closer than the tolerance; the model's width is the third mistake instead."""
    by_width, unscaled, by_model = wrong_of("X18")
    assert (by_width, unscaled) == pytest.approx((0.5312, 0.9997), abs=5e-5)
    assert 1 - unscaled < 0.02 < 1 - answer_of("X18")
    assert by_model == pytest.approx(1 / (1 + math.exp(-8 / math.sqrt(512))))


# --- the numbers again, from what the exercise says -------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_the_output_is_that_of_torchs_attention(seed):
    setup = task_of("X02", seed).setup
    length = numbers_in(setup.split("=")[1])[0]
    values = [numbers_in(part.split(")")[0])[1:] for part in setup.split("v_")[1:]]
    q, k, v = torch.tensor([[[length, 0.0]]]), torch.eye(2)[None], torch.tensor([values])
    output = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    assert answer_of("X02", seed) == pytest.approx(output[0, 0, 0].item(), rel=1e-5)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_longer_query_by_hand(seed):
    q = numbers_in(task_of("X03", seed).setup.split(")")[0])
    assert answer_of("X03", seed) == pytest.approx(torch_softmax(q[0] / math.sqrt(2), q[1] / math.sqrt(2)))


@pytest.mark.parametrize("seed", SEEDS)
def test_large_scores_by_torch(seed):
    scores = numbers_in(task_of("X04", seed).setup)
    assert len(scores) == 3
    assert answer_of("X04", seed) == pytest.approx(torch_softmax(*scores))
    with np.errstate(over="ignore"):
        assert np.isinf(np.exp(max(scores)))  # as the feedback says, the plain formula breaks


@pytest.mark.parametrize("seed", SEEDS)
def test_stretching_the_scores_is_a_power_of_the_odds(seed):
    setup = task_of("X06", seed).setup
    length, factor = numbers_in(setup)[0], float(setup.split("multiplied by ")[1].split(",")[0])
    odds = math.exp(length / math.sqrt(2)) ** factor
    assert answer_of("X06", seed) == pytest.approx(odds / (1 + odds))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_covered_cell_completes_the_row(seed):
    row = task_of("X07", seed).setup.split("reads ")[1]
    assert answer_of("X07", seed) == pytest.approx(1 - sum(numbers_in(row)), abs=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_column_by_torch(seed):
    task = task_of("X08", seed)
    rows = torch.tensor(numbers_in(task.setup.split("are ")[1])[:6], dtype=torch.float64).reshape(3, 2)
    column = int(numbers_in(task.question)[0])
    weights = torch.softmax(rows @ rows.T / math.sqrt(2), dim=-1)
    assert answer_of("X08", seed) == pytest.approx(weights[:, column].sum().item())


@pytest.mark.parametrize("seed", SEEDS)
def test_the_wrong_grid_is_the_one_whose_rows_do_not_sum_to_1(seed):
    sums = {}
    for name in "AB":
        grid = task_of("X09", seed).setup.split(f"Grid {name}: ")[1].split("$")[1]
        cells = np.array(numbers_in(grid)).reshape(3, 3)
        sums[f"grid {name}"] = cells.sum(axis=1)
        columns = cells.sum(axis=0)
        assert np.allclose(sums[f"grid {name}"], 1, atol=2e-4) != np.allclose(columns, 1, atol=2e-4)
    (wrong,) = (name for name, rows in sums.items() if not np.allclose(rows, 1, atol=2e-4))
    assert answer_of("X09", seed) == wrong


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_of_cells_and_keys_by_formula(seed):
    n = int(numbers_in(task_of("X12", seed).setup)[0])
    assert answer_of("X12", seed) == sum(range(n))
    cached = int(numbers_in(task_of("X17", seed).setup)[0])
    assert answer_of("X17", seed) == cached + 1


@pytest.mark.parametrize("seed", SEEDS)
def test_the_masked_row_by_torch(seed):
    task = task_of("X13", seed)
    scores = numbers_in(task.setup.split("scores ")[1])[:4]
    key = int(numbers_in(task.question)[0])
    row = torch_softmax(*scores[:3], -math.inf)
    assert answer_of("X13", seed) == pytest.approx(row[key])
    assert wrong_of("X13", seed)[:2] == pytest.approx(
        [torch_softmax(*scores)[key], torch_softmax(*scores[:3], 0.0)[key]]
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_every_cell_but_those_of_the_last_row_changes(seed):
    (part,) = task_of("X11", seed).parts
    n = len(part.rows)
    assert len(set(part.rows)) == n == len(part.options)
    assert part.answer == {(i, j) for i in range(n - 1) for j in range(n)}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_printed_row_breaks_the_order_and_nothing_else(seed):
    """What the other options say must not be true, or the question would have two answers."""
    scores, claimed = (
        numbers_in(part) for part in task_of("X14", seed).setup.split("scores ")[1].split("give")
    )
    claimed = claimed[:3]
    assert round(sum(claimed), 9) == 1
    assert max(torch_softmax(*scores)) < 0.5
    low, middle, best = np.argsort(scores)
    assert claimed[middle] + 0.015 < claimed[low] < claimed[best] < 0.5


@pytest.mark.parametrize("seed", SEEDS)
def test_the_divisor_and_the_spread_by_formula(seed):
    d_k = int(task_of("X18", seed).setup.split("d_k = ")[1].split("$")[0])
    score = float(task_of("X18", seed).setup.split("division, are ")[1].split()[0])
    assert answer_of("X18", seed) == pytest.approx(torch_softmax(score / math.sqrt(d_k), 0.0)[0])
    width = int(numbers_in(task_of("X19", seed).setup)[0])
    assert answer_of("X19", seed) == pytest.approx(math.sqrt(width))


@pytest.mark.parametrize("seed", SEEDS)
def test_shifted_scores_keep_their_weights(seed):
    task = task_of("X05", seed)
    scores = numbers_in(task.setup.split("are ")[1])[:3]
    shift = float(task.setup.split("Now ")[1].split()[0])
    key = int(numbers_in(task.question)[0])
    old, new = torch_softmax(*scores)[key], torch_softmax(*(s + shift for s in scores))[key]
    assert answer_of("X05", seed) == pytest.approx(new - old, abs=1e-9)
    assert wrong_of("X05", seed) == pytest.approx(
        [old * math.exp(shift) - old, -old], abs=1e-4 * math.exp(shift)
    )


# --- all of them ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MINE)
def test_wrong_answers_lie_two_tolerances_apart(name):
    """From the right one and from each other, or a person would get another's feedback."""
    for seed in SEEDS:
        task = task_of(name, seed)
        (part,) = task.parts
        answers = [part.answer, *(each.answers[0] for each in task.wrong)]
        if part.kind not in ("number", "row"):
            continue
        rows = [np.atleast_1d(np.array(x, dtype=float)) for x in answers if not isinstance(x, str)]
        for i, one in enumerate(rows):
            for j, other in enumerate(rows[:i]):
                apart = float(np.abs(one - other).max())
                # X19's 0 and 1 are exactly two tolerances apart, both wrong.
                assert apart > 2 * part.tolerance or (j > 0 and apart == 2 * part.tolerance), (seed, i, j)


@pytest.mark.parametrize("name", MINE)
def test_links_are_read_without_a_repair(name):
    settings = {
        "soft-lookup": SoftLookupSettings,
        "scaling": ScalingSettings,
        "masking": MaskingSettings,
        "kv-cache": KVCacheSettings,
        "playground": AttentionSettings,
    }[BY_ID[name].page]
    for seed in SEEDS:
        link = task_of(name, seed).link
        if link:
            read, notes = settings.from_query(link)
            assert not notes
            assert read.to_query() == link


def test_the_right_option_is_not_always_first():
    for name in ("X09", "X14", "X15", "X16"):
        places = {task_of(name, s).parts[0].options.index(answer_of(name, s)) for s in SEEDS}
        assert len(places) >= 2, name
