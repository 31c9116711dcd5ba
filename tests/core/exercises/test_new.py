"""N01 to N20: numbers of the lessons, and answers worked out once more from what the exercise says."""

import math
import re
from itertools import permutations

import numpy as np
import pytest
import torch

from core.exercises import EXERCISES

MAKE = {each.id: each.make for each in EXERCISES if each.id[0] == "N"}
SEEDS = range(10)
attend = torch.nn.functional.scaled_dot_product_attention


def answers(name, seed=0):
    return [part.answer for part in MAKE[name](seed).parts]


def numbers(text):
    return [float(each) for each in re.findall(r"-?\d+(?:\.\d+)?", text.replace("−", "-"))]


def vectors(text):
    """Every "(1, 2)" of a text."""
    return [numbers(each) for each in re.findall(r"\(-?[\d.]+, -?[\d.]+\)", text)]


def quoted(text):
    return re.findall("“([^”]*)”", text)


def columns(*found):
    return frozenset((0, j) for j in found)


def tensor(x):
    return torch.tensor(x, dtype=torch.float64)[None]


# --- the lessons' numbers ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("N03", [(6, 6, 6, 4)]),
        ("N04", [(1.9557, 4.8266)]),  # by hand: e^1.4142 = 4.1133; 1/5.1133 = 0.1956
        ("N05", [0.005 + 0.30 + 0.06 + 0.02 + 0.003 + 0.008]),
        ("N08", [(0.33, 0.67, 0), (1, 0)]),
        ("N10", [5]),
        ("N11", [(0, 1)]),
        ("N14", [(0, -0.88)]),
        ("N16", [1 / (1 + math.exp(2 * (math.tanh(1) - math.tanh(3))))]),
        ("N17", [(6, 1)]),
        ("N18", [8]),
        ("N19", [(0.464, 0.281, 0.255)]),  # e^0.8 = 2.2255, e^0.3 = 1.3499, e^0.2 = 1.2214, in all 4.7968
        ("N20", [0.5607]),
    ],
)
def test_numbers_of_the_lessons(name, printed):
    for found, wanted in zip(answers(name), printed, strict=True):
        assert np.ravel(found) == pytest.approx(np.ravel(wanted), abs=0.005)


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("N01", "“sat” would read “on”, the word that it is to predict",
         "without the mask rows do not sum to 1"),
        ("N12", "its query and its key", "its query, its key and its value"),
        ("N06", columns(2, 3), columns(0, 1)),
        ("N09",
         ("project to [6, 8]", "cut into [6, 2, 4]", "swap axes: [2, 6, 4]", "attend in all heads",
          "swap axes back: [6, 2, 4]", "join into [6, 8]", "multiply by W_O: [6, 8]"),
         ("project to [6, 8]", "cut into [6, 2, 4]", "attend in all heads", "swap axes: [2, 6, 4]",
          "swap axes back: [6, 2, 4]", "join into [6, 8]", "multiply by W_O: [6, 8]")),
        ("N15",
         ("token embedding", "32 blocks", "final norm", "linear layer to 128,256 logits", "softmax"),
         ("token embedding", "final norm", "32 blocks", "linear layer to 128,256 logits", "softmax")),
    ],
)  # fmt: skip
def test_answers_in_words(name, right, wrong):
    assert answers(name) == [right]
    assert MAKE[name](0).wrong[0].answers == (wrong,)


# --- once more, by other means -----------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_the_word_to_be_predicted_comes_next(seed):
    task = MAKE["N01"](seed)
    text, own = quoted(task.setup)[:2]
    words, position = text.split(), int(numbers(task.setup.split("Look at")[1])[0])
    assert words[position] == own
    assert quoted(task.parts[0].answer) == [own, words[position + 1]]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_encoders_and_decoders_see(seed):
    task = MAKE["N02"](seed)
    n, token = len(quoted(task.setup)[0].split()), int(numbers(task.question)[0])
    assert answers("N02", seed) == [columns(*range(n)), columns(*range(token + 1))]


@pytest.mark.parametrize("seed", SEEDS)
def test_shapes_by_torch(seed):
    n, width, width_, d_k = map(int, numbers(re.sub(r"^\d+ tokens", "", MAKE["N03"](seed).setup))[:4])
    assert width == width_
    x, w = torch.zeros(1, n, width), torch.zeros(width, d_k)
    q = x @ w
    grid = q @ q.mT
    assert answers("N03", seed)[0] == (*grid.shape[1:], *(grid @ q).shape[1:])


@pytest.mark.parametrize("seed", SEEDS)
def test_outputs_by_torch(seed):
    q, k1, k2, v1, v2 = vectors(MAKE["N04"](seed).setup)
    output = attend(tensor([q]), tensor([k1, k2]), tensor([v1, v2]))[0, 0]
    assert answers("N04", seed)[0] == pytest.approx(output.tolist())


@pytest.mark.parametrize("seed", SEEDS)
def test_a_weighted_sum_of_a_table(seed):
    rows = [line.split("|") for line in MAKE["N05"](seed).setup.splitlines() if line.startswith("| ")][1:]
    weights, values = ([float(row[i]) for row in rows] for i in (2, 3))
    assert len(rows) == 6
    assert sum(weights) == pytest.approx(1)
    assert answers("N05", seed)[0] == pytest.approx(sum(w * v for w, v in zip(weights, values, strict=True)))


@pytest.mark.parametrize("seed", SEEDS)
def test_an_upside_down_mask_by_torchs_own_layer(seed):
    task = MAKE["N06"](seed)
    n, token = len(quoted(task.setup)[-1].split()), int(numbers(task.question)[0])
    layer = torch.nn.MultiheadAttention(4, 1, batch_first=True)
    x = torch.randn(1, n, 4, generator=torch.Generator().manual_seed(seed))
    with torch.no_grad():
        weights = layer(x, x, x, attn_mask=torch.ones(n, n).tril().bool())[1][0, token]
    assert answers("N06", seed)[0] == columns(*weights.nonzero()[:, 0].tolist())


@pytest.mark.parametrize("seed", SEEDS)
def test_axes_by_numpy(seed):
    sizes = [int(x) for x in numbers(MAKE["N07"](seed).setup)[:3]]
    q = np.zeros(sizes)
    shape, fate = answers("N07", seed)
    assert shape == (q @ np.swapaxes(q, -1, -2)).shape
    assert fate == "an error"
    with pytest.raises(ValueError, match="matmul"):
        q @ q.T


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_under_the_mask_by_torch(seed):
    found = vectors(MAKE["N08"](seed).setup)
    x, v = found[:3], found[3:]
    scores = (tensor(x) @ tensor(x).mT)[0] / 2**0.5
    weights = torch.softmax(scores.masked_fill(torch.ones(3, 3).triu(1).bool(), -torch.inf), -1)
    row, output = answers("N08", seed)
    assert row == pytest.approx(weights[1].tolist())
    assert output == pytest.approx(attend(tensor(x), tensor(x), tensor(v), is_causal=True)[0, 0].tolist())


@pytest.mark.parametrize("seed", SEEDS)
def test_the_way_into_heads_and_back_by_torch(seed):
    """The cards are carried out in their order and give what a loop over heads gives."""
    (cards,) = answers("N09", seed)
    n, heads, d_k = (int(x) for x in numbers(cards[1]))
    width = heads * d_k
    make = torch.Generator().manual_seed(seed)
    x, w_q, w_o = (torch.randn(*s, generator=make, dtype=torch.float64)
                   for s in ((n, width), (width, width), (width, width)))  # fmt: skip
    state = x
    for card in cards:
        match card.split()[0]:
            case "project":
                state = state @ w_q
            case "cut":
                state = state.reshape(n, heads, d_k)
            case "swap":
                state = state.transpose(0, 1)
            case "attend":
                state = attend(state, state, state)
            case "join":
                state = state.reshape(n, width)
            case "multiply":
                state = state @ w_o
    loop = torch.cat([
        attend(*(((x @ w_q)[:, h * d_k : (h + 1) * d_k])[None],) * 3)[0] for h in range(heads)
    ], -1) @ w_o  # fmt: skip
    assert torch.allclose(state, loop)


def test_no_other_order_of_the_cards_gives_the_same():
    """The two swaps do the same to an array, so they may trade places; their cards tell them apart."""
    (cards,) = answers("N09")
    x, w_q, w_o = np.random.default_rng(0).normal(size=(3, 8, 8))
    x = x[:6]

    def swap(state):
        return state.transpose(1, 0, 2)

    def attention(state):
        scores = np.exp(state @ state.swapaxes(-1, -2) / 2)
        return scores / scores.sum(-1, keepdims=True) @ state

    steps = (
        lambda state: state @ w_q, lambda state: state.reshape(6, 2, 4), swap, attention, swap,
        lambda state: state.reshape(6, 8), lambda state: state @ w_o,
    )  # fmt: skip

    def output(order):
        state = x
        try:
            for i in order:
                state = steps[i](state)
        except ValueError:
            return np.zeros(0)
        return state

    right = output(range(7))
    found = [order for order in permutations(range(7)) if np.array_equal(output(order), right)]
    assert found == [(0, 1, 2, 3, 4, 5, 6), (0, 1, 4, 3, 2, 5, 6)]
    assert "back" in cards[4]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_prediction_for_each_input(seed):
    _, inputs, targets = quoted(MAKE["N10"](seed).setup)
    assert answers("N10", seed) == [len(inputs.split())]
    assert inputs.split()[1:] == targets.split()[:-1]


@pytest.mark.parametrize("seed", SEEDS)
def test_quarter_turns_by_complex_numbers(seed):
    setup = MAKE["N11"](seed).setup
    (a, b), degrees = vectors(setup)[-1], int(numbers(setup)[-1])
    turned = complex(a, b) * {90: 1j, 180: -1, 270: -1j}[degrees]
    assert answers("N11", seed)[0] == pytest.approx((turned.real, turned.imag))


@pytest.mark.parametrize("seed", SEEDS)
def test_slopes_by_autograd(seed):
    n_blocks, slope = numbers(MAKE["N13"](seed).setup)[:2]
    found = []
    for adds in (True, False):
        x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
        y = x
        for _ in range(int(n_blocks)):
            y = y * adds + slope * y
        y.backward()
        found.append(x.grad.item())
    assert answers("N13", seed)[0] == pytest.approx(found)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_second_branch_by_torch(seed):
    task = MAKE["N14"](seed)
    a = float(re.search(r"xW_1 = ([\d.]+)", task.setup)[1])
    b = float(re.search(r"xW_3 = -([\d.]+)", task.question)[1])
    bent = torch.nn.functional.silu(torch.tensor(a, dtype=torch.float64)).item()
    assert answers("N14", seed)[0] == pytest.approx((0, -b * bent))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_small_network_by_hand(seed):
    v, q, k1, k2 = numbers(re.sub(r"w_q = w_k = 1", "", MAKE["N16"](seed).setup))[:4]
    scores = [v * math.tanh(q + k) for k in (k1, k2)]
    assert answers("N16", seed)[0] == pytest.approx(1 / (1 + math.exp(scores[1] - scores[0])))


@pytest.mark.parametrize("seed", SEEDS)
def test_updates_by_counting_words(seed):
    task = MAKE["N17"](seed)
    words, (subject, reader) = quoted(task.setup)[0].split(), quoted(task.question)[:2]
    between = words[words.index(subject) + 1 : words.index(reader) + 1]
    assert answers("N17", seed) == [(len(between), 1)]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_cache_of_more_and_longer_texts(seed):
    short, more, long = numbers(MAKE["N18"](seed).setup.replace(",", ""))[:3]
    assert answers("N18", seed) == [more * long / short]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_softmax_of_a_diagram_by_torch(seed):
    task = MAKE["N19"](seed)
    scores, printed = (numbers(part)[:3] for part in task.setup.split("stands"))
    assert answers("N19", seed)[0] == pytest.approx(torch.softmax(torch.tensor(scores).double(), 0).tolist())
    assert sum(printed) == pytest.approx(1)
    assert printed == sorted(printed, reverse=True)  # so that neither the sum nor the order gives it away
    assert task.wrong[0].answers[0] == pytest.approx(printed)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_output_of_a_handout_by_torch(seed):
    task = MAKE["N20"](seed)
    rows = [numbers(each) for each in re.findall(r"\([^)]*\)", task.setup)]
    x = tensor(rows)
    output = attend(x, x, x)[0, 1, 1].item()
    assert answers("N20", seed) == [pytest.approx(output)]
    printed = float(re.search(r"prints ([\d.]+) as", task.setup)[1])
    assert abs(printed - output) > 0.02
