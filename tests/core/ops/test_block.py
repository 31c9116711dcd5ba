"""Blocks and whole models against PyTorch code that shares nothing with ours."""

import dataclasses

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional

from core.errors import ShapeError
from core.ops.block import (
    BlockSettings,
    BlockWeights,
    TransformerWeights,
    block_steps,
    transformer,
    transformer_block,
)

SEEDS = st.integers(0, 2**32 - 1)
HEADS = st.sampled_from([(1, 1), (2, 1), (2, 2), (4, 2), (6, 3)])
TOLERANCE = 1e-9


# --- PyTorch's side ------------------------------------------------------------------------------


class LlamaAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads, base):
        super().__init__()
        self.n_heads, self.n_kv_heads, self.d_k, self.base = n_heads, n_kv_heads, d_model // n_heads, base
        self.wq = nn.Linear(d_model, n_heads * self.d_k, bias=False)
        self.wk = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.wv = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.wo = nn.Linear(n_heads * self.d_k, d_model, bias=False)

    def turned(self, x):
        """RoPE as a product of complex numbers: neighbouring entries are real and imaginary part."""
        speeds = 1.0 / self.base ** (torch.arange(0, self.d_k, 2, dtype=torch.float64) / self.d_k)
        angles = torch.outer(torch.arange(x.shape[1], dtype=torch.float64), speeds)
        turns = torch.polar(torch.ones_like(angles), angles)[None, :, None, :]
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
        return torch.view_as_real(pairs * turns).flatten(-2)

    def forward(self, x):
        batch, length, _ = x.shape
        q = self.turned(self.wq(x).view(batch, length, self.n_heads, self.d_k)).transpose(1, 2)
        k = self.turned(self.wk(x).view(batch, length, self.n_kv_heads, self.d_k)).transpose(1, 2)
        v = self.wv(x).view(batch, length, self.n_kv_heads, self.d_k).transpose(1, 2)
        group = self.n_heads // self.n_kv_heads
        k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.wo(y.transpose(1, 2).reshape(batch, length, -1))


class LlamaBlock(nn.Module):
    def __init__(self, d_model, d_ff, n_heads, n_kv_heads, base, eps, post):
        super().__init__()
        self.attention = LlamaAttention(d_model, n_heads, n_kv_heads, base)
        self.attention_norm, self.ffn_norm = nn.RMSNorm(d_model, eps=eps), nn.RMSNorm(d_model, eps=eps)
        self.gate_proj = nn.Linear(d_model, d_ff, bias=False)
        self.up_proj = nn.Linear(d_model, d_ff, bias=False)
        self.down_proj = nn.Linear(d_ff, d_model, bias=False)
        self.post = post

    def feed_forward(self, x):
        return self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))

    def forward(self, x):
        if self.post:
            x = self.attention_norm(x + self.attention(x))
            return self.ffn_norm(x + self.feed_forward(x))
        h = x + self.attention(self.attention_norm(x))
        return h + self.feed_forward(self.ffn_norm(h))


class Llama(nn.Module):
    def __init__(self, n_words, n_layers, d_model, *sizes):
        super().__init__()
        self.tok_embeddings = nn.Embedding(n_words, d_model)
        self.layers = nn.ModuleList(LlamaBlock(d_model, *sizes) for _ in range(n_layers))
        self.norm = nn.RMSNorm(d_model, eps=sizes[-2])
        self.output = nn.Linear(d_model, n_words, bias=False)

    def forward(self, ids):
        x = self.tok_embeddings(ids)
        for layer in self.layers:
            x = layer(x)
        return self.output(self.norm(x))


class Gpt2(nn.Module):
    def __init__(self, n_words, n_layers, d_model, d_ff, n_heads, longest, eps, norm_first):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(n_words, d_model), nn.Embedding(longest, d_model)
        self.h = nn.ModuleList(
            nn.TransformerEncoderLayer(
                d_model, n_heads, d_ff, 0.0, "gelu", eps, batch_first=True, norm_first=norm_first
            )
            for _ in range(n_layers)
        )
        self.ln_f = nn.LayerNorm(d_model, eps=eps)

    def forward(self, ids):
        length = ids.shape[1]
        x = self.wte(ids) + self.wpe(torch.arange(length))
        future = torch.ones(length, length, dtype=torch.bool).triu(1)
        for layer in self.h:
            x = layer(x, src_mask=future)
        return self.ln_f(x) @ self.wte.weight.T


def shaken(module, seed):
    """The module in float64 with every parameter drawn, norms and biases too."""
    generator = torch.Generator().manual_seed(seed)
    module = module.double()
    with torch.no_grad():
        for parameter in module.parameters():
            size = parameter.shape[-1] ** -0.5 if parameter.ndim > 1 else 0.7
            parameter.copy_(size * torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    return module


def array(tensor):
    return tensor.detach().numpy().copy()


def llama_weights(block):
    attention = block.attention
    linear = [attention.wq, attention.wk, attention.wv, attention.wo]
    w_q, w_k, w_v, w_o = (array(each.weight).T for each in linear)
    return BlockWeights(
        array(block.attention_norm.weight), w_q, w_k, w_v, w_o, array(block.ffn_norm.weight),
        array(block.gate_proj.weight).T, array(block.down_proj.weight).T, array(block.up_proj.weight).T,
    )  # fmt: skip


def gpt2_weights(layer):
    w_q, w_k, w_v = (array(each).T for each in layer.self_attn.in_proj_weight.chunk(3))
    b_q, b_k, b_v = (array(each) for each in layer.self_attn.in_proj_bias.chunk(3))
    return BlockWeights(
        norm_1=array(layer.norm1.weight), norm_1_bias=array(layer.norm1.bias),
        w_q=w_q, w_k=w_k, w_v=w_v, b_q=b_q, b_k=b_k, b_v=b_v,
        w_o=array(layer.self_attn.out_proj.weight).T, b_o=array(layer.self_attn.out_proj.bias),
        norm_2=array(layer.norm2.weight), norm_2_bias=array(layer.norm2.bias),
        w1=array(layer.linear1.weight).T, b1=array(layer.linear1.bias),
        w2=array(layer.linear2.weight).T, b2=array(layer.linear2.bias),
    )  # fmt: skip


# --- agreement -----------------------------------------------------------------------------------


@given(SEEDS, HEADS, st.integers(1, 3), st.integers(1, 6), st.integers(1, 7), st.booleans())
def test_a_llama_block_agrees(seed, heads, half_width, n_tokens, d_ff, post):
    n_heads, n_kv_heads = heads
    d_model = 2 * half_width * n_heads
    block = shaken(LlamaBlock(d_model, d_ff, n_heads, n_kv_heads, 100.0, 1e-6, post), seed)
    x = np.random.default_rng(seed).normal(size=(2, n_tokens, d_model))
    settings = BlockSettings(n_heads, n_kv_heads, norm_place="post" if post else "pre", rope_base=100.0)
    ours = transformer_block(x, llama_weights(block), settings)
    np.testing.assert_allclose(ours, array(block(torch.from_numpy(x))), atol=TOLERANCE)


@given(SEEDS, st.integers(1, 4), st.integers(1, 4), st.integers(1, 6), st.integers(1, 7), st.booleans())
def test_a_gpt2_block_agrees(seed, n_heads, d_k, n_tokens, d_ff, post):
    d_model = n_heads * d_k
    layer = shaken(
        nn.TransformerEncoderLayer(
            d_model, n_heads, d_ff, 0.0, "gelu", 1e-5, batch_first=True, norm_first=not post
        ),
        seed,
    )
    x = np.random.default_rng(seed).normal(size=(2, n_tokens, d_model))
    future = torch.ones(n_tokens, n_tokens, dtype=torch.bool).triu(1)
    settings = BlockSettings(n_heads, style="gpt2", norm_place="post" if post else "pre")
    ours = transformer_block(x, gpt2_weights(layer), settings)
    np.testing.assert_allclose(ours, array(layer(torch.from_numpy(x), src_mask=future)), atol=TOLERANCE)


@given(SEEDS, HEADS, st.integers(1, 3), st.integers(1, 6), st.integers(2, 9))
def test_a_llama_model_agrees(seed, heads, n_layers, n_tokens, n_words):
    n_heads, n_kv_heads = heads
    d_model = 4 * n_heads
    model = shaken(Llama(n_words, n_layers, d_model, 7, n_heads, n_kv_heads, 10000.0, 1e-6, False), seed)
    ids = np.random.default_rng(seed).integers(0, n_words, size=(2, n_tokens))
    weights = TransformerWeights(
        array(model.tok_embeddings.weight),
        tuple(map(llama_weights, model.layers)),
        array(model.norm.weight),
        unembedding=array(model.output.weight).T,
    )
    ours = transformer(ids, weights, BlockSettings(n_heads, n_kv_heads))
    np.testing.assert_allclose(ours, array(model(torch.from_numpy(ids))), atol=TOLERANCE)
    np.testing.assert_allclose(transformer(ids[0], weights, BlockSettings(n_heads, n_kv_heads)), ours[0])


@given(SEEDS, st.sampled_from([1, 2, 4]), st.integers(1, 3), st.integers(1, 6), st.integers(2, 9))
def test_a_gpt2_model_agrees_with_its_embeddings_tied(seed, n_heads, n_layers, n_tokens, n_words):
    d_model = 3 * n_heads
    model = shaken(Gpt2(n_words, n_layers, d_model, 4 * d_model, n_heads, 6, 1e-5, True), seed)
    ids = np.random.default_rng(seed).integers(0, n_words, size=(2, n_tokens))
    weights = TransformerWeights(
        array(model.wte.weight),
        tuple(map(gpt2_weights, model.h)),
        array(model.ln_f.weight),
        array(model.ln_f.bias),
        array(model.wpe.weight),
    )
    ours = transformer(ids, weights, BlockSettings(n_heads, style="gpt2"))
    np.testing.assert_allclose(ours, array(model(torch.from_numpy(ids))), atol=TOLERANCE)


# --- what holds of any block -----------------------------------------------------------------------


def llama(seed=0, n_heads=2, n_kv_heads=1, **settings):
    block = shaken(LlamaBlock(8, 5, n_heads, n_kv_heads, 10000.0, 1e-6, False), seed)
    return llama_weights(block), BlockSettings(n_heads, n_kv_heads, **settings)


def gpt2(seed=0, n_heads=2, **settings):
    layer = nn.TransformerEncoderLayer(8, n_heads, 5, 0.0, "gelu", batch_first=True, norm_first=True)
    return gpt2_weights(shaken(layer, seed)), BlockSettings(n_heads, style="gpt2", **settings)


@pytest.mark.parametrize("build", [llama, gpt2])
@pytest.mark.parametrize("norm_place", ["pre", "post"])
@pytest.mark.parametrize("residual", [True, False])
def test_the_future_changes_nothing(build, norm_place, residual):
    weights, settings = build(norm_place=norm_place, residual=residual)
    x = np.random.default_rng(3).normal(size=(5, 8))
    moved = x.copy()
    moved[3:] *= [1, -2, 1, 3, 1, 1, 1, 1]  # a constant would be invisible to LayerNorm
    before, after = (transformer_block(each, weights, settings) for each in (x, moved))
    np.testing.assert_allclose(after[:3], before[:3], atol=1e-12)
    assert abs(after[3:] - before[3:]).max() > 1e-6


@pytest.mark.parametrize("build", [llama, gpt2])
def test_the_steps_add_up(build):
    x = np.random.default_rng(3).normal(size=(2, 5, 8))
    steps = block_steps(x, *build())
    np.testing.assert_array_equal(steps.after_attention, x + steps.attention)
    np.testing.assert_array_equal(steps.output, steps.after_attention + steps.mlp)
    post = block_steps(x, *build(norm_place="post"))
    np.testing.assert_array_equal(post.into_attention, x)
    np.testing.assert_array_equal(post.after_mlp, post.into_mlp + post.mlp)
    bare = block_steps(x, *build(residual=False))
    np.testing.assert_array_equal(bare.after_attention, bare.attention)
    np.testing.assert_array_equal(bare.output, bare.mlp)
    for each in (steps, post, bare):
        assert each.weights.shape == (2, 2, 5, 5)
        np.testing.assert_allclose(each.weights.sum(-1), 1)


def test_a_bias_that_is_zero_is_as_none():
    weights, settings = gpt2()
    names = ("norm_1_bias", "b_q", "b_k", "b_v", "b_o", "norm_2_bias", "b1", "b2")
    zero = dataclasses.replace(weights, **{name: np.zeros_like(getattr(weights, name)) for name in names})
    none = dataclasses.replace(weights, **dict.fromkeys(names))
    x = np.random.default_rng(3).normal(size=(5, 8))
    np.testing.assert_allclose(
        transformer_block(x, zero, settings), transformer_block(x, none, settings), atol=1e-12
    )


def test_gpt2_knows_the_order_only_by_its_positions_and_llama_by_rotation():
    """In one block: the causal mask of a first block tells a second one something about the order."""
    table = np.random.default_rng(5).normal(size=(4, 8))
    for build, knows in ((llama, True), (gpt2, False)):
        weights, settings = build()
        model = TransformerWeights(table, (weights,), None)
        last = [transformer(np.array(ids), model, settings)[-1] for ids in ([0, 1, 2, 3], [1, 0, 2, 3])]
        assert np.allclose(*last) == (not knows)


@pytest.mark.parametrize(
    ("change", "words"),
    [({"style": "bert"}, "expected style 'llama' or 'gpt2'"), ({"norm_place": "x"}, "expected norm_place")],
)
def test_a_style_that_does_not_exist_is_refused(change, words):
    with pytest.raises(ShapeError, match=words):
        BlockSettings(2, **change)


def test_eps_belongs_to_the_style():
    assert (BlockSettings(1).norm_eps, BlockSettings(1, style="gpt2").norm_eps) == (1e-6, 1e-5)
    assert BlockSettings(1, eps=0.1).norm_eps == 0.1


@pytest.mark.parametrize("ids", [[0, 4], [-1, 0]])
def test_a_token_that_does_not_exist_is_refused(ids):
    weights, settings = llama()
    model = TransformerWeights(np.ones((4, 8)), (weights,), np.ones(8))
    with pytest.raises(ShapeError, match=r"expected token ids in 0..3 \(V = 4\)"):
        transformer(np.array(ids), model, settings)


@pytest.mark.parametrize("ids", [np.array([0.0]), np.array([True]), np.array(1), np.zeros((0,), int)])
def test_ids_are_whole_numbers(ids):
    weights, settings = llama()
    with pytest.raises(ShapeError, match="as whole numbers"):
        transformer(ids, TransformerWeights(np.ones((4, 8)), (weights,), np.ones(8)), settings)


def test_more_tokens_than_positions_are_refused():
    weights, settings = gpt2()
    model = TransformerWeights(np.ones((4, 8)), (weights,), np.ones(8), positions=np.zeros((2, 8)))
    with pytest.raises(ShapeError, match="at most 2 tokens"):
        transformer(np.array([0, 1, 2]), model, settings)


def test_a_llama_block_needs_its_second_branch():
    weights, settings = llama()
    with pytest.raises(ShapeError, match="expected w3"):
        transformer_block(np.ones((2, 8)), dataclasses.replace(weights, w3=None), settings)
