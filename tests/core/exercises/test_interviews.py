"""I01 to I13: answers worked out once more from what the question says."""

import math
import re
from itertools import permutations

import numpy as np
import pytest
import torch

from core.exercises import EXERCISES
from core.exercises.verdict import verdict

MAKE = {each.id: each.make for each in EXERCISES if each.interview}
SEEDS = range(10)


def answers(name, seed=0):
    return [part.answer for part in MAKE[name](seed).parts]


def numbers(text):
    return [float(each) for each in re.findall(r"-?\d+(?:\.\d+)?", text.replace(",", ""))]


def setup_of(name, seed):
    return MAKE[name](seed).setup


@pytest.mark.parametrize("name", MAKE)
def test_the_right_option_moves_about(name):
    places = {}
    for seed in SEEDS:
        for i, part in enumerate(MAKE[name](seed).parts):
            if part.kind == "choose":
                places.setdefault(i, set()).add(part.options.index(part.answer))
    assert all(len(found) > 1 for found in places.values())


@pytest.mark.parametrize("seed", SEEDS)
def test_the_divisor_by_drawing(seed):
    q_variance, k_variance, d_k = numbers(re.sub("mean 0", "", setup_of("I01", seed)))[:3]
    make = torch.Generator().manual_seed(seed)
    q, k = (torch.randn(20_000, int(d_k), generator=make) * v**0.5 for v in (q_variance, k_variance))
    assert answers("I01", seed)[0] == pytest.approx((q * k).sum(-1).std().item(), rel=0.03)


@pytest.mark.parametrize("seed", SEEDS)
def test_softmax_over_all_cells_by_torch(seed):
    n = int(numbers(setup_of("I02", seed))[0])
    scores, values = torch.full((n, n), 0.7), torch.arange(1.0, n + 1)
    right = torch.softmax(scores, -1) @ values
    wrong = torch.softmax(scores.flatten(), 0).reshape(n, n) @ values
    assert answers("I02", seed)[0] == pytest.approx((right / wrong)[0].item(), rel=1e-5)


@pytest.mark.parametrize("seed", SEEDS)
def test_paths_by_walking(seed):
    text = setup_of("I03", seed)
    n, before = int(numbers(text)[0]), int(re.search(r"the (\d+) before it", text)[1])
    reached, layers = n - 1, 0
    while reached > 0:
        reached, layers = reached - before, layers + 1
    assert answers("I03", seed) == [(n - 1, layers, 1)]


@pytest.mark.parametrize("seed", SEEDS)
def test_scores_in_a_tile(seed):
    queries, keys, tile = numbers(setup_of("I04", seed))[:3]
    held, same = answers("I04", seed)
    assert held == queries * min(keys, tile)
    assert same == "the output and the number of multiplications"
    assert MAKE["I04"](seed).wrong[0].answers[0] == queries * keys > held


@pytest.mark.parametrize("seed", SEEDS)
def test_caches_by_counting(seed):
    task = MAKE["I05"](seed)
    layers, heads, width, size, tokens = numbers(task.setup)[:5]
    shared = numbers(task.question)[0]
    one = 2 * layers * width * size * tokens / 2**20
    assert answers("I05", seed)[0] == pytest.approx((heads * one, shared * one, one))


def test_a_published_cache():
    """Llama 3 8B at 8,192 tokens: 131,072 bytes a token are 1 GiB."""
    assert answers("I05")[0] == (4096, 1024, 128)


@pytest.mark.parametrize("seed", SEEDS)
def test_old_queries_are_never_read(seed):
    heads, kv_heads, cached = map(int, numbers(setup_of("I06", seed))[:3])
    make = torch.Generator().manual_seed(seed)
    q, k, v = (torch.randn(h, cached + 1, 4, generator=make) for h in (heads, kv_heads, kv_heads))

    def newest(queries):
        keys, values = (each.repeat_interleave(heads // kv_heads, 0) for each in (k, v))
        return torch.nn.functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)[:, -1]

    changed = torch.cat([q[:, :-1] + 1, q[:, -1:]], 1)
    assert torch.equal(newest(q), newest(changed))
    larger = (q[:, :-1].numel() + k[:, :-1].numel() + v[:, :-1].numel()) / (2 * k[:, :-1].numel())
    assert answers("I06", seed) == [pytest.approx((larger, 0))]


@pytest.mark.parametrize("seed", SEEDS)
def test_cross_attention_by_torchs_own_layer(seed):
    source, written = map(int, numbers(setup_of("I07", seed))[:2])
    layer = torch.nn.MultiheadAttention(4, 1, batch_first=True)
    decoder, encoder = torch.zeros(1, written, 4), torch.zeros(1, source, 4)
    with torch.no_grad():
        output, weights = layer(decoder, encoder, encoder)
    where, sizes = answers("I07", seed)
    assert where == "queries from the decoder, keys and values from the encoder"
    assert sizes == (*weights.shape[1:], output.shape[1])


@pytest.mark.parametrize("seed", SEEDS)
def test_parameters_by_torchs_own_layer(seed):
    width, heads, inner = map(int, numbers(re.sub("GPT-2", "", setup_of("I08", seed)))[:3])
    if width > 1024:
        return  # as large as that it takes long, and the formula is the same
    block = torch.nn.TransformerEncoderLayer(width, heads, inner, bias=False)
    sizes = {name: each.numel() for name, each in block.named_parameters() if each.dim() == 2}
    attention = sum(size for name, size in sizes.items() if "self_attn" in name)
    assert answers("I08", seed) == [(attention, sum(sizes.values()) - attention)]


@pytest.mark.parametrize("seed", SEEDS)
def test_cells_of_new_tokens_by_counting(seed):
    cached, new = map(int, numbers(setup_of("I09", seed))[:2])
    assert answers("I09", seed) == [sum(cached + 1 + i for i in range(new))]


@pytest.mark.parametrize("seed", SEEDS)
def test_order_and_positions_by_torch(seed):
    text = setup_of("I10", seed)
    words = re.search("“([^”]*)”", text)[1].split()
    moved = int(re.search(r"move (\d+) positions", text)[1])
    x = torch.randn(len(words), 4, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    outputs = [
        torch.nn.functional.scaled_dot_product_attention(*(x[list(order)][None],) * 3)[0, order.index(0)]
        for order in permutations(range(len(words)))
    ]
    found, same = answers("I10", seed)
    assert found == len({tuple(each.numpy().round(9)) for each in outputs}) == 1
    assert same == "the scores"

    pairs = torch.view_as_complex(x.reshape(len(words), 2, 2).contiguous())
    speeds = torch.tensor([1.0, 0.01], dtype=torch.float64)

    def turned(first):
        at = (first + torch.arange(len(words)))[:, None] * speeds
        return pairs * torch.polar(torch.ones_like(at), at)

    here, there = turned(0), turned(moved)
    assert torch.allclose((here @ here.mH).real, (there @ there.mH).real)
    assert not torch.allclose(here, there)


@pytest.mark.parametrize("seed", SEEDS[:8])
def test_norms_on_the_path_by_torch(seed):
    """Where sub-layers return 0, only the norms that stand on the sums can change the output."""
    layers = int(numbers(setup_of("I11", seed))[0])
    found = tuple(_norms_that_count(layers, norm_first) for norm_first in (True, False))
    assert answers("I11", seed) == [found]


def _norms_that_count(layers, norm_first):
    block = torch.nn.TransformerEncoderLayer(4, 1, 8, norm_first=norm_first, batch_first=True)
    final = torch.nn.LayerNorm(4) if norm_first else None
    model = torch.nn.TransformerEncoder(block, layers, norm=final, enable_nested_tensor=False).eval()
    with torch.no_grad():
        for name, each in model.named_parameters():
            if "norm" not in name:
                each.zero_()
    model(torch.randn(1, 3, 4, generator=torch.Generator().manual_seed(0))).pow(2).sum().backward()
    norms = [each for each in model.modules() if isinstance(each, torch.nn.LayerNorm)]
    return sum(bool(each.bias.grad.any()) for each in norms)


@pytest.mark.parametrize("seed", SEEDS)
def test_where_exp_overflows_by_numpy(seed):
    dtype = np.dtype(re.search(r"float\d\d", setup_of("I12", seed))[0])
    ((limit, shifted),) = answers("I12", seed)
    with np.errstate(over="ignore"):
        fits, breaks = (np.isfinite(np.exp(np.array(limit + x).astype(dtype))) for x in (-0.02, 0.02))
    assert fits
    assert not breaks
    assert shifted == 0
    assert verdict(MAKE["I12"](seed), ((round(math.log(float(np.finfo(dtype).max)), 2), 0.0),)).right


@pytest.mark.parametrize("seed", SEEDS)
def test_multiplications_of_heads_by_counting(seed):
    width, heads, d_k = map(int, numbers(setup_of("I13", seed))[:3])
    assert width == heads * d_k
    assert answers("I13", seed) == [(heads * d_k / width, heads)]
