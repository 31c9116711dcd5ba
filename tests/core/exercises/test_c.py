"""Exercises 39 to 58: answers in words against the bank, and answers computed once more by other means."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from core.exercises import EXERCISES
from core.exercises.verdict import verdict
from core.lessons.block import BlockLessonSettings
from core.lessons.heads import HeadsSettings, trace_heads
from core.lessons.kv_cache import KVCacheSettings, trace_kv_cache
from core.lessons.masking import MaskingSettings, trace_masking
from core.lessons.soft_lookup import SoftLookupSettings, trace_soft_lookup
from core.settings import AttentionSettings
from core.trace import trace_attention

BANK = {each["id"]: each for each in json.loads(Path(__file__).with_name("exercise_bank.json").read_text())}
MAKE = {each.id: each.make for each in EXERCISES}
MINE = [f"X{i}" for i in range(39, 59)]
SEEDS = (0, 1, 2, 3, 5, 8, 13, 21)
SETTINGS = {
    "kv-cache": KVCacheSettings, "block": BlockLessonSettings, "soft-lookup": SoftLookupSettings,
    "masking": MaskingSettings, "heads": HeadsSettings, "playground": AttentionSettings,
}  # fmt: skip
KEPT = "no visible key, and an output of 0"
MASK = "−∞, by the framework's own mask"
GROWN = "the output becomes 2 times as large, the weights stay"
BLOCK = ["RMSNorm A", "attention", "add A", "RMSNorm B", "SwiGLU", "add B"]
NORM_ON_OUTPUT = ["attention", "RMSNorm A", "add A", "SwiGLU", "RMSNorm B", "add B"]
ONE_ADD = ["RMSNorm A", "attention", "RMSNorm B", "SwiGLU", "add A", "add B"]


def cells(*columns):
    return (frozenset((0, j) for j in columns),)


# id -> pairs: the bank's answer and ours, the right one first
IN_WORDS = {
    "X42": [
        ("K and V only", ("K and V",)),
        ("Q, K and V", ("Q, K and V",)),
        ("V only", ("V alone",)),
        ("none", ("none of them",)),
    ],
    "X47": [(cards, (tuple(cards),)) for cards in (BLOCK, NORM_ON_OUTPUT, ONE_ADD)],
    "X52": [
        ("output doubles, weights stay", (GROWN,)),
        ("weights sharpen", ("the weights become sharper",)),
        ("nothing", ("nothing changes",)),
    ],
    "X53": [
        ('an explicit "no visible key" and zero output', (KEPT,)),
        ("NaN", ("NaN",)),
        ("1/3 each", ("a weight of 1/3 for each key",)),
    ],
    "X54": [
        ("-inf through the framework mask", (MASK,)),
        ("-1e9", ("−1e9",)),
        ("-10", ("−10",)),
        ("0", ("0",)),
    ],
    "X55": [
        (["W_Q transposed", "W_K transposed", "W_V transposed"], ("transposed", ("W_Q", "W_K", "W_V"))),
        (["W_Q", "W_K", "W_V"], ("as it is", None)),
        (["W_K transposed", "W_Q transposed", "W_V transposed"], (None, ("W_K", "W_Q", "W_V"))),
    ],
    "X56": [
        (["3", "4", "5"], cells(3, 4, 5)),
        (["2", "3", "4", "5"], cells(2, 3, 4, 5)),
        (["0", "1", "2", "3", "4", "5"], cells(0, 1, 2, 3, 4, 5)),
    ],
    "X58": [
        (["4", "5", "6", "7"], cells(4, 5, 6, 7)),
        (["1", "3", "5", "7"], cells(1, 3, 5, 7)),
        (["0", "1", "2", "3", "4", "5", "6", "7"], cells(0, 1, 2, 3, 4, 5, 6, 7)),
        (["0", "1", "2", "3"], cells(0, 1, 2, 3)),
    ],
}  # fmt: skip


def settings_of(number, task):
    page = next(each.page for each in EXERCISES if each.id == number)
    settings, notes = SETTINGS[page].from_query(task.link)
    assert not notes
    return settings


def softmax(scores):
    return torch.softmax(torch.tensor(np.asarray(scores, dtype=float)), -1).numpy()


def test_each_is_there():
    assert set(MINE) <= set(MAKE)


@pytest.mark.parametrize("number", IN_WORDS)
def test_answers_in_words_are_those_of_the_bank(number):
    item, task, pairs = BANK[number], MAKE[number](0), IN_WORDS[number]
    assert [item["answer"], *(wrong["answer"] for wrong in item["wrong"])] == [bank for bank, _ in pairs]
    assert tuple(part.answer for part in task.parts) == pairs[0][1]
    assert [wrong.answers for wrong in task.wrong] == [ours for _, ours in pairs[1:]]


@pytest.mark.parametrize("number", [each for each in MINE if each not in IN_WORDS])
def test_wrong_answers_in_numbers_stand_in_the_order_of_the_bank(number):
    task = MAKE[number](0)
    for ours, bank in zip(task.wrong, BANK[number]["wrong"], strict=True):
        found = np.ravel([np.ravel(each) for each in ours.answers])
        assert found == pytest.approx(np.ravel(bank["answer"]), abs=6e-4)


@pytest.mark.parametrize("number", MINE)
def test_links_are_read_without_a_note(number):
    for seed in SEEDS:
        task = MAKE[number](seed)
        if task.link:
            assert settings_of(number, task).to_query() == task.link


@pytest.mark.parametrize("number", MINE)
def test_the_right_option_is_not_always_the_first(number):
    firsts = set()
    for seed in range(25):
        task = MAKE[number](seed)
        firsts |= {part.options.index(part.answer) for part in task.parts if part.kind == "choose"}
    assert len(firsts) != 1


@pytest.mark.parametrize("seed", SEEDS)
def test_shared_heads_by_repeat_interleave(seed):
    for number, found in (("X39", 0), ("X41", 0)):
        task = MAKE[number](seed)
        settings = settings_of(number, task)
        read = torch.arange(settings.kv_heads).repeat_interleave(settings.heads // settings.kv_heads)
        assert np.ravel(task.parts[0].answer)[found] == read[settings.head]
    assert task.parts[0].answer[1] == settings.heads


@pytest.mark.parametrize("seed", SEEDS)
def test_bytes_of_a_token_by_arrays(seed):
    task = MAKE["X40"](seed)
    settings = settings_of("X40", task)
    cache = np.zeros((settings.layers, 2, settings.kv_heads, settings.d_head), dtype=np.float16)
    assert task.parts[0].answer == cache.nbytes


@pytest.mark.parametrize("seed", SEEDS)
def test_the_new_token_depends_on_old_keys_and_values_alone(seed):
    trace = trace_kv_cache(settings_of("X42", MAKE["X42"](seed)))
    t = trace.settings.step
    q, k, v = (torch.tensor(x[0]) for x in (trace.q_rotated, trace.k_rotated, trace.v))

    def newest(q, k, v):
        return torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[
            0, t
        ]

    def changed(x):
        return torch.cat([x[:t] + 1.0 + torch.arange(t)[:, None], x[t:]])

    right = newest(q, k, v)
    assert torch.allclose(newest(changed(q), k, v), right)
    assert not torch.allclose(newest(q, changed(k), v), right)
    assert not torch.allclose(newest(q, k, changed(v)), right)


@pytest.mark.parametrize("seed", SEEDS)
def test_dot_products_by_counting(seed):
    task = MAKE["X43"](seed)
    n = len(settings_of("X43", task).tokens)
    assert task.parts[0].answer == int(np.tril(np.ones((n, n))).sum())  # each pair is scored just once
    assert f"of the {n} tokens" in task.question


@pytest.mark.parametrize("number", ["X44", "X45"])
@pytest.mark.parametrize("seed", SEEDS)
def test_swiglu_by_torch(number, seed):
    task = MAKE[number](seed)
    settings = settings_of(number, task)
    a, b = torch.tensor(settings.a), torch.tensor(settings.b)
    assert task.parts[0].answer == pytest.approx(float(torch.nn.functional.silu(a) * b), abs=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_residual_by_torch(seed):
    task = MAKE["X46"](seed)
    right, added = (np.array(x) for x in (task.parts[0].answer, task.wrong[0].answers[0]))
    x = torch.tensor(right - added)
    normed = torch.nn.functional.rms_norm(x, (2,)).numpy() + added
    assert task.wrong[1].answers[0] == pytest.approx(normed, abs=1e-5)
    assert f"({x[0]:g}, {x[1]:g})" in task.setup
    post = torch.nn.functional.rms_norm(torch.tensor(right), (2,)).numpy()
    assert task.wrong[2].answers[0] == pytest.approx(post, abs=1e-5)


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_of_three_words_by_torch(seed):
    for number, query in (("X48", 0), ("X49", 1), ("X50", 1)):
        task = MAKE[number](seed)
        settings = settings_of(number, task)
        x = np.array(settings.given.q)
        scores = x @ x.T
        weights = softmax(scores / 2)
        if number == "X48":
            assert task.parts[0].answer == pytest.approx(weights[query])
            assert settings.query == query
            assert trace_soft_lookup(settings).weights == pytest.approx(weights[query])
        elif number == "X49":
            assert task.parts[0].answer == pytest.approx(weights[1, 0])
            assert f"{weights[0, 1]:.4f}" in task.setup
            assert trace_attention(settings).weights[settings.cell] == pytest.approx(weights[1, 0])
        else:
            assert task.parts[0].answer == pytest.approx(scores[1, 2])


def test_the_handouts_print_what_the_lesson_prints():
    assert "0.384" in MAKE["X49"](0).setup
    assert "0.65 for" in MAKE["X50"](0).setup


@pytest.mark.parametrize("seed", SEEDS)
def test_lookups_by_torch(seed):
    for number in ("X51", "X57"):
        task = MAKE[number](seed)
        settings = settings_of(number, task)
        k, v = (torch.tensor(x, dtype=torch.float64) for x in (settings.given.k, settings.given.v))
        q = torch.tensor(settings.q or settings.given.q[settings.query], dtype=torch.float64)
        out = torch.nn.functional.scaled_dot_product_attention(q[None, None], k[None], v[None])[0, 0]
        if number == "X57":
            assert task.parts[0].answer == pytest.approx(float(out[int("second" in task.question)]))
            rounded = softmax(k.numpy() @ q.numpy() / 2**0.5).round(2) @ v.numpy()
            assert verdict(task, (rounded[int("second" in task.question)],)).right
        else:
            assert not q.any()
            assert task.parts[0].answer == pytest.approx(1 / len(k))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_row_without_a_key_stays_empty_in_pytorch(seed):
    task = MAKE["X53"](seed)
    trace = trace_masking(settings_of("X53", task))
    assert not trace.visible[0].any()
    q, k, v = (torch.tensor(x)[None] for x in (trace.q, trace.k, trace.v + 1))
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=torch.tensor(trace.visible))
    assert not out[0, 0].any()
    n = len(trace.tokens)
    assert task.wrong[1].answers == (f"a weight of 1/{n} for each key",)
    assert f"{n} tokens in all" in task.setup
    assert softmax(np.full(n, -1e9)) == pytest.approx(1 / n)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_a_fill_becomes_in_float16(seed):
    task = MAKE["X54"](seed)
    stored, mild, zero = (float(wrong.answers[0].replace("−", "-")) for wrong in task.wrong)
    with pytest.raises(RuntimeError, match="without overflow"):
        torch.zeros(2, dtype=torch.float16).masked_fill(torch.tensor([True, False]), stored)
    assert torch.softmax(torch.tensor([0.0, mild], dtype=torch.float16), -1)[1] > 0
    assert zero == 0
    assert torch.softmax(torch.tensor([0.0, -torch.inf], dtype=torch.float16), -1)[1] == 0
    lowest = torch.tensor(-65504.0, dtype=torch.float16)
    assert lowest + torch.tensor(-16.0, dtype=torch.float16) == -torch.inf
    assert lowest + torch.tensor(-15.0, dtype=torch.float16) == lowest


@pytest.mark.parametrize("seed", SEEDS)
def test_a_copied_layer_agrees_with_pytorch_only_when_transposed(seed):
    task = MAKE["X55"](seed)
    trace = trace_heads(settings_of("X55", task))
    how, order = (part.answer for part in task.parts)
    module = torch.nn.MultiheadAttention(
        trace.settings.d_model, trace.settings.heads, bias=False, batch_first=True, dtype=torch.float64
    )
    named = {"W_Q": trace.w_q, "W_K": trace.w_k, "W_V": trace.w_v}
    x = torch.tensor(trace.x)[None]

    def output(order, turn):
        stacked = np.concatenate([named[name].T if turn else named[name] for name in order])
        with torch.no_grad():
            module.in_proj_weight.copy_(torch.tensor(stacked))
            module.out_proj.weight.copy_(torch.tensor(trace.w_o.T.copy()))
            return module(x, x, x)[0][0].numpy()

    assert how == "transposed"
    assert np.allclose(output(order, True), trace.output)
    assert not np.allclose(output(order, False), trace.output)
    assert not np.allclose(output(task.wrong[1].answers[1], True), trace.output)


@pytest.mark.parametrize("seed", SEEDS)
def test_windows_and_slices_by_hand(seed):
    task = MAKE["X56"](seed)
    settings = settings_of("X56", task)
    token, window = settings.cell[1], settings.window
    assert task.parts[0].answer == cells(*range(token - window + 1, token + 1))[0]
    assert f"token {token}," in task.question
    task = MAKE["X58"](seed)
    settings = settings_of("X58", task)
    columns = torch.arange(settings.d_model).view(settings.heads, -1)[settings.head].tolist()
    assert task.parts[0].answer == cells(*columns)[0]
    assert all(b - a == 1 for a, b in pairwise(columns))
