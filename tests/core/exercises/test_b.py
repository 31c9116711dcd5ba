"""X20 to X38: what the bank says in words, and answers computed once more without the core."""

from itertools import permutations
from urllib.parse import urlencode

import numpy as np
import pytest

from core.exercises import EXERCISES
from core.exercises.verdict import read_numbers, same, verdict
from core.lessons.cost import CostSettings
from core.lessons.heads import HeadsSettings
from core.lessons.positions import PositionsSettings
from core.lessons.soft_lookup import SoftLookupSettings
from core.settings import AttentionSettings

MINE = {each.id: each for each in EXERCISES if "X20" <= each.id <= "X38"}
SEEDS = range(25)
SETTINGS = {
    "soft-lookup": SoftLookupSettings,
    "playground": AttentionSettings,
    "heads": HeadsSettings,
    "positions": PositionsSettings,
    "cost": CostSettings,
}


def answers(identifier, seed=0):
    """The right answers to the parts of an exercise, and its first part's wrong ones."""
    task = MINE[identifier].make(seed)
    return tuple(part.answer for part in task.parts), [each.answers[0] for each in task.wrong]


def q_k_v(task):
    """The numbers of a custom link, read without the core."""
    return [
        np.array([[float(x) for x in row.split(",")] for row in part.split(";")])
        for part in task.link["numbers"].split("|")
    ]


def softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def turned(x, angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ x


def test_all_of_them_are_there():
    assert sorted(MINE) == [f"X{i}" for i in range(20, 39)]


@pytest.mark.parametrize("identifier", MINE)
def test_a_link_is_read_without_a_note(identifier):
    exercise = MINE[identifier]
    for seed in SEEDS:
        link = exercise.make(seed).link
        if link:
            settings, notes = SETTINGS[exercise.page].from_query(link)
            assert notes == []
            assert settings.to_query() == link
            assert len(urlencode(link)) < 2000


@pytest.mark.parametrize("identifier", MINE)
def test_dollars_are_even_and_nothing_is_left_unformatted(identifier):
    for seed in SEEDS:
        task = MINE[identifier].make(seed)
        for text in (task.setup, task.question, task.explain, *(each.feedback for each in task.wrong)):
            assert text.count("$") % 2 == 0
            assert "np." not in text
            assert "array(" not in text
            assert "  " not in text
            assert text == text.strip()


@pytest.mark.parametrize("identifier", sorted(set(MINE) - {"X27"}))
def test_the_right_numbers_can_be_typed(identifier):
    for seed in SEEDS:
        _right_numbers_are_read(MINE[identifier].make(seed))


def test_the_right_number_of_parameters_can_be_typed():
    _right_numbers_are_read(MINE["X27"].make(0))


def _right_numbers_are_read(task):
    for part in task.parts:
        if part.kind in ("number", "numbers"):
            values = part.answer if isinstance(part.answer, tuple) else (part.answer,)
            assert same(part, part.answer, read_numbers(part, [f"{value:.10g}" for value in values]))


@pytest.mark.parametrize("identifier", MINE)
def test_more_seeds_make_tasks_too(identifier):
    for seed in range(25, 200):
        task = MINE[identifier].make(seed)
        assert verdict(task, tuple(part.answer for part in task.parts)).right


def test_choices_stand_in_different_places():
    for identifier in ("X23", "X29", "X30", "X32"):
        places = set()
        for seed in SEEDS:
            (part,) = MINE[identifier].make(seed).parts
            assert len(set(part.options)) == len(part.options)
            places.add(part.options.index(part.answer))
        assert len(places) >= 3


# --- the bank's answers in words, at seed 0 -----------------------------------------------------------


def test_the_two_slopes():
    # bank: ["(100,1,1,1)", "(2,0.5,0.5,0.5)", 0.2402]; wrong: the other order, and "equal"
    right, wrong = answers("X22")
    assert right[0] == ("(100, 1, 1, 1)", "(2, 0.5, 0.5, 0.5)")
    assert right[1] == pytest.approx(0.2402, abs=5e-5)
    assert wrong == [("(2, 0.5, 0.5, 0.5)", "(100, 1, 1, 1)"), "equal"]
    assert MINE["X22"].make(0).parts[1].tolerance == 0.02
    assert r"3.0337 \times 10^{-43}" in MINE["X22"].make(0).explain


def test_the_grid():
    # bank: "6 x 6 in both cases"; wrong: "64 x 64", "6 x 64", "24 x 24"
    assert answers("X23") == (("6 × 6",), ["64 × 64", "6 × 64", "24 × 24"])


def test_the_pipeline():
    # bank: this order; wrong: the mask after softmax, the scale after softmax
    (right,), wrong = answers("X24")
    assert right == ("project", "dot products", "scale", "hide future", "softmax", "mix values")
    assert wrong[0] == ("project", "dot products", "scale", "softmax", "hide future", "mix values")
    assert wrong[1] == ("project", "dot products", "softmax", "scale", "hide future", "mix values")
    # bank: "Scale and hide may swap. Accept both."
    swapped = ("project", "dot products", "hide future", "scale", "softmax", "mix values")
    assert verdict(MINE["X24"].make(0), (swapped,)).right


@pytest.mark.parametrize("seed", SEEDS)
def test_only_orders_that_give_the_same_output_are_right(seed):
    """Every order of the cards is run on the same arrays; one that cannot run is wrong too."""
    task = MINE["X24"].make(seed)
    (part,) = task.parts
    (hide,) = (card for card in part.options if card.startswith("hide"))
    x, w_q, w_k, w_v = np.random.default_rng(0).normal(size=(4, 3, 3))
    seen = np.tri(3, dtype=bool)

    def scaled(state):
        state["scores" if "scores" in state else "q"] /= 3**0.5

    steps = {
        "project": lambda state: state.update(q=x @ w_q, k=x @ w_k, v=x @ w_v),
        "dot products": lambda state: state.update(scores=state["q"] @ state["k"].T),
        "scale": scaled,
        hide: lambda state: state.update(
            scores=np.where(seen, state["scores"], -np.inf if "weights" not in state else 0)
        ),
        "softmax": lambda state: state.update(scores=softmax(state["scores"]), weights=True),
        "mix values": lambda state: state.update(output=state["scores"] @ state["v"]),
    }

    def output(order):
        state = {}
        try:
            with np.errstate(invalid="ignore"):  # hidden scores that meet no softmax
                for card in order:
                    steps[card](state)
        except KeyError:
            return None
        return state["output"]

    wanted = output(part.answer)
    for order in permutations(part.options):
        found = output(order)
        same_output = found is not None and np.allclose(found, wanted)
        assert verdict(task, (order,)).right == (same_output and order[-1] == "mix values"), order


def test_the_merge():
    # bank: [1, 2, 3, 4]; wrong: [1, 2, 5, 6], "error", [5, 6, 7, 8]
    assert answers("X28") == (((1.0, 2.0, 3.0, 4.0),), [(1.0, 2.0, 5.0, 6.0), "error", (5.0, 6.0, 7.0, 8.0)])
    (part,) = MINE["X28"].make(0).parts
    assert read_numbers(part, ["1", "2", "3", "4"]) == part.answer


def test_the_average_of_two_heads():
    # bank: "0.5, 0.5: two opposite heads look indifferent"; wrong: "the model attends equally", "0.9, 0.9"
    right, wrong = answers("X29")
    assert right == ("0.5 and 0.5: two heads with opposite habits look undecided",)
    assert wrong == [
        "0.5 and 0.5: the model attends to both keys equally",
        "0.9 and 0.9: each key shows the head that likes it most",
    ]


def test_the_first_token():
    # bank: "often a resting place for unused attention; values and other layers decide what it does";
    # wrong: "the first word matters most", "a bug"
    right, wrong = answers("X30")
    assert right == ("often unused attention rests there; values and other layers decide what it does",)
    assert wrong == [
        "“the” is the word that matters most",
        "something is broken: a good head looks at its own position",
    ]
    assert "0.65" in MINE["X30"].make(0).setup


def test_the_swap():
    # bank: "rows 0 and 2 swap, row 1 stays (2.2033, 6.0167)"; wrong: "nothing changes at all",
    # "all outputs change", "row 1 changes too"
    right, wrong = answers("X32")
    assert right == ("outputs 0 and 2 trade places, and output 1 stays as it is",)
    assert wrong == [
        "nothing changes at all: all three rows stay where they are",
        "all three rows get new numbers",
        "outputs 0 and 2 trade places, and output 1 changes too",
    ]
    assert "(2.2033, 6.0167)" in MINE["X32"].make(0).explain


def test_the_length():
    # bank: 5; wrong: 7, "depends on position"
    right, wrong = answers("X33")
    assert right == pytest.approx((5,))
    assert wrong == [7.0, "it depends on the position"]


def test_the_partner():
    # bank: index 1 (0.8415); wrong: index 2, all
    right, wrong = answers("X38")
    assert right == (frozenset({(0, 1)}),)
    assert wrong == [frozenset({(0, 2)}), frozenset({(0, 1), (0, 2), (0, 3)})]
    explain = MINE["X38"].make(0).explain
    assert "(0.5403, 0.8415, 0.0000, 0.0000)" in explain
    assert "(0.5403, 0.0000, 0.8415, 0.0000)" in explain


# --- once more, by other means ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_softmax_of_one_entry_keys(seed):
    for identifier, which in (("X20", 0), ("X31", -1)):
        task = MINE[identifier].make(seed)
        _, keys, _ = q_k_v(task)
        assert task.parts[0].answer == pytest.approx(softmax(keys[:, 0])[which])


@pytest.mark.parametrize("seed", SEEDS)
def test_the_largest_weights_before_and_after(seed):
    task = MINE["X21"].make(seed)
    scores = q_k_v(task)[1][:, 0]
    stretched = scores / float(task.link["temperature"])
    assert task.parts[0].answer == pytest.approx((softmax(scores).max(), softmax(stretched).max()))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_slopes_by_torch(seed):
    torch = pytest.importorskip("torch")
    order, larger = MINE["X22"].make(seed).parts
    slopes = []
    for card in order.answer:
        scores = torch.tensor([float(x) for x in card.strip("()").split(",")], requires_grad=True)
        torch.softmax(scores.double(), 0)[0].backward()
        slopes.append(float(scores.grad[0]))
    assert slopes[0] < slopes[1]
    assert larger.answer == pytest.approx(slopes[1], abs=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_merge_by_torch(seed):
    torch = pytest.importorskip("torch")
    task = MINE["X28"].make(seed)
    groups = [part.partition(")")[0] for part in task.setup.split("(")[1:]]
    context = torch.tensor([[float(x) for x in group.split(",")] for group in groups]).reshape(2, 2, 2)
    token = int(task.question[-2])
    assert task.parts[0].answer == tuple(context.reshape(2, 4)[token].tolist())
    assert task.wrong[0].answers[0] == tuple(context.transpose(0, 1).reshape(2, 4)[token].tolist())


@pytest.mark.parametrize("seed", SEEDS)
def test_two_swapped_outputs_by_torch(seed):
    torch = pytest.importorskip("torch")
    task = MINE["X32"].make(seed)
    a, b, kept = (int(word) for word in task.parts[0].answer.replace(",", "").split() if word.isdigit())
    q, k, v = (torch.tensor(each)[None] for each in q_k_v(task))  # as they stand after the swap
    after = torch.nn.functional.scaled_dot_product_attention(q, k, v)[0].numpy()
    back = [0, 1, 2]
    back[a], back[b] = b, a
    q, k, v = (each[:, back] for each in (q, k, v))
    before = torch.nn.functional.scaled_dot_product_attention(q, k, v)[0].numpy()
    np.testing.assert_allclose(after[[a, b, kept]], before[[b, a, kept]])
    assert np.abs(before[a] - before[b]).max() > 0.01
    for row in before:
        assert f"({row[0]:.4f}, {row[1]:.4f})" in task.setup


@pytest.mark.parametrize("seed", SEEDS)
def test_rope_scores_by_hand(seed):
    q, k = np.array([1.0, 2.0]), np.array([3.0, 1.0])
    for identifier in ("X34", "X35"):
        task = MINE[identifier].make(seed)
        m, n = (int(task.link[name]) + int(task.link["rope_offset"]) for name in "mn")
        assert str(m) in task.setup + task.question
        assert str(n) in task.setup + task.question
        assert task.parts[0].answer == pytest.approx(turned(q, 0.5 * m) @ turned(k, 0.5 * n))


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_plain_arithmetic(seed):
    link = MINE["X26"].make(seed).link
    assert answers("X26", seed)[0][0] == pytest.approx((int(link["d_model"]) / int(link["heads"])) ** 0.5)
    assert answers("X27", seed)[0][0] == 4 * int(MINE["X27"].make(seed).link["wide"]) ** 2
    link = MINE["X37"].make(seed).link
    assert answers("X37", seed)[0][0] == pytest.approx(int(link["m"]) * float(link["rope_base"]) ** (-6 / 8))
    words = [word.replace(",", "") for word in MINE["X25"].make(seed).setup.split()]
    short, long = (int(word) for word in words if word.isdigit())
    assert answers("X25", seed)[0][0] == (long / short) ** 2
