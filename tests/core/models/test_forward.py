"""Both forward passes with a few random weights, against implementations that share no line with them."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from core.models.minilm import _LAYER as BERT_NAMES
from core.models.minilm import MiniLM
from core.models.record import record
from core.models.recording import RecordingError
from core.models.smollm2 import SmolLM2, _names
from core.models.specs import MINILM, SMOLLM2
from core.ops.block import BlockSettings, BlockWeights, TransformerWeights, transformer
from core.tokens import MAX_TOKENS

torch = pytest.importorskip("torch")

VOCABULARY, D, D_FF = 11, 24, 32
IDS = [3, 1, 4, 1, 5, 9, 2, 6]


def drawn(rng, *shape, scale=0.4):
    return torch.tensor(rng.normal(size=shape) * scale, dtype=torch.float32)


class Words:
    """As many tokens as words."""

    def encode(self, text):
        words = text.split()
        spans, at = [], 0
        for word in words:
            spans.append((at, at + len(word)))
            at += len(word) + 1

        return SimpleNamespace(ids=[len(word) % VOCABULARY for word in words], tokens=words, offsets=spans)

    def decode(self, ids):
        return " ".join(map(str, ids))


@pytest.fixture
def small_smollm2():
    """Two layers of 6 heads on 2 KV heads, 4 wide."""
    rng = np.random.default_rng(1)
    model = object.__new__(SmolLM2)
    model.spec = dataclasses.replace(
        SMOLLM2, n_layers=2, n_heads=6, n_kv_heads=2, d_model=D, d_head=4, n_vocabulary=VOCABULARY, telling=()
    )
    model.embedding = drawn(rng, VOCABULARY, D, scale=1)
    model.norm = drawn(rng, D) + 1
    model.layers = [
        {
            "norm_1": drawn(rng, D) + 1,
            "q": drawn(rng, 24, D),
            "k": drawn(rng, 8, D),
            "v": drawn(rng, 8, D),
            "o": drawn(rng, D, 24),
            "norm_2": drawn(rng, D) + 1,
            "gate": drawn(rng, D_FF, D),
            "up": drawn(rng, D_FF, D),
            "down": drawn(rng, D, D_FF),
        }
        for _ in range(2)
    ]
    model.tokenizer = Words()
    return model


@pytest.fixture
def small_minilm():
    """Two layers of 6 heads, 4 wide."""
    rng = np.random.default_rng(2)
    model = object.__new__(MiniLM)
    model.spec = dataclasses.replace(
        MINILM, n_layers=2, n_heads=6, n_kv_heads=6, d_model=D, d_head=4, n_vocabulary=VOCABULARY, telling=()
    )
    model.tensors = {
        "embeddings.word_embeddings.weight": drawn(rng, VOCABULARY, D, scale=1),
        "embeddings.position_embeddings.weight": drawn(rng, 16, D, scale=1),
        "embeddings.token_type_embeddings.weight": drawn(rng, 2, D),
        "embeddings.LayerNorm.weight": drawn(rng, D) + 1,
        "embeddings.LayerNorm.bias": drawn(rng, D),
    }
    shapes = {"q": (D, D), "k": (D, D), "v": (D, D), "o": (D, D), "wide": (D_FF, D), "narrow": (D, D_FF)}
    for i in range(2):
        for ours, theirs in BERT_NAMES.items():
            name = f"encoder.layer.{i}.{theirs}"
            shape = shapes.get(ours, (D,))
            model.tensors[name + ".weight"] = drawn(rng, *shape) + (0 if ours in shapes else 1)
            model.tensors[name + ".bias"] = drawn(rng, shape[0])
    model.tokenizer = Words()
    return model


def w_o(model, layer):
    """The output matrix of a layer, [D, H d], as the model holds it."""
    if isinstance(model, SmolLM2):
        return model.layers[layer]["o"]
    return model.tensors[f"encoder.layer.{layer}.{BERT_NAMES['o']}.weight"]


def test_the_decoder_is_that_of_core_ops(small_smollm2):
    """In NumPy, float64, with a rotation and a sharing of keys of its own."""

    def numbers(tensor):
        return tensor.double().numpy()

    blocks = tuple(
        BlockWeights(
            norm_1=numbers(w["norm_1"]),
            w_q=numbers(w["q"].T),
            w_k=numbers(w["k"].T),
            w_v=numbers(w["v"].T),
            w_o=numbers(w["o"].T),
            norm_2=numbers(w["norm_2"]),
            w1=numbers(w["gate"].T),
            w2=numbers(w["down"].T),
            w3=numbers(w["up"].T),
        )
        for w in small_smollm2.layers
    )
    weights = TransformerWeights(numbers(small_smollm2.embedding), blocks, numbers(small_smollm2.norm))
    settings = BlockSettings(n_heads=6, n_kv_heads=2, rope_base=100_000.0, eps=1e-5)
    wanted = transformer(np.array(IDS), weights, settings)[-1]
    found = small_smollm2.result(small_smollm2.states(IDS).last)[0]
    np.testing.assert_allclose(found.numpy(), wanted, atol=2e-5)


def test_the_encoder_is_that_of_pytorch(small_minilm):
    """nn.TransformerEncoderLayer, which norms after the sum unless told otherwise."""
    t, states = small_minilm.tensors, small_minilm.states(IDS)
    x = t["embeddings.word_embeddings.weight"][IDS] + t["embeddings.position_embeddings.weight"][: len(IDS)]
    x = x + t["embeddings.token_type_embeddings.weight"][0]
    norm = (t["embeddings.LayerNorm.weight"], t["embeddings.LayerNorm.bias"])
    x = torch.nn.functional.layer_norm(x, (D,), *norm, 1e-12)[None]
    for i in range(2):
        p = {name: f"encoder.layer.{i}.{theirs}" for name, theirs in BERT_NAMES.items()}
        layer = torch.nn.TransformerEncoderLayer(
            D, 6, D_FF, dropout=0, activation="gelu", layer_norm_eps=1e-12, batch_first=True
        ).eval()
        parts = [("q", "k", "v"), (".weight", ".bias")]
        weight, bias = (torch.cat([t[p[name] + kind] for name in parts[0]]) for kind in parts[1])
        layer.load_state_dict(
            {
                "self_attn.in_proj_weight": weight,
                "self_attn.in_proj_bias": bias,
                **{
                    f"{theirs}.{kind}": t[f"{p[ours]}.{kind}"]
                    for ours, theirs in (
                        ("o", "self_attn.out_proj"),
                        ("wide", "linear1"),
                        ("narrow", "linear2"),
                        ("norm_1", "norm1"),
                        ("norm_2", "norm2"),
                    )
                    for kind in ("weight", "bias")
                },
            }
        )
        with torch.no_grad():
            _, weights = layer.self_attn(x, x, x, average_attn_weights=False)
            np.testing.assert_allclose(states.layers[i].weights, weights, atol=1e-6)
            x = layer(x)
    np.testing.assert_allclose(states.last, x, atol=2e-5)
    mean = x[0].mean(dim=0)
    np.testing.assert_allclose(small_minilm.result(states.last)[0], mean / mean.norm(), atol=2e-5)


@pytest.mark.parametrize("name", ["small_smollm2", "small_minilm"])
def test_heads_add_up_to_what_the_layer_writes(name, request):
    """Weights times values, each through its part of W_O, are the whole of attention's output."""
    model = request.getfixturevalue(name)
    states = model.states(IDS)
    layer = states.layers[0]
    summed = (layer.weights @ layer.projected).sum(dim=1)[0]  # [T, D]
    values = layer.v.repeat_interleave(model.spec.group_size, dim=1)
    side_by_side = (layer.weights @ values).transpose(1, 2).flatten(2)[0]
    matrix = (
        model.layers[0]["o"]
        if name == "small_smollm2"
        else model.tensors["encoder.layer.0." + BERT_NAMES["o"] + ".weight"]
    )
    np.testing.assert_allclose(summed, side_by_side @ matrix.T, atol=1e-5)


@pytest.mark.parametrize("name", ["small_smollm2", "small_minilm"])
def test_removing_a_head_is_a_zero_in_its_columns_of_w_o(name, request):
    model = request.getfixturevalue(name)
    recording = record(model, "a bb ccc dddd", measure_removal=True)
    ids, _ = model.tokens("a bb ccc dddd")
    whole = model.result(model.states(ids).last)[0]
    for layer, head in ((0, 0), (0, 5), (1, 3)):
        matrix = w_o(model, layer)
        kept = matrix.clone()
        matrix[:, 4 * head : 4 * head + 4] = 0
        change = model.result(model.states(ids).last)[0] - whole
        matrix.copy_(kept)
        if name == "small_smollm2":
            change = change - change.mean()
            wanted = change.pow(2).mean().sqrt()
        else:
            wanted = change.norm()
        assert recording.removed[layer, head] == pytest.approx(wanted.item(), rel=1e-3)
        assert wanted > 1e-3


def test_a_recording_holds_what_the_states_hold(small_smollm2):
    recording = record(small_smollm2, "a bb ccc dddd", telling=[(0, 1), (1, 5)])
    states = small_smollm2.states(small_smollm2.tokens("a bb ccc dddd")[0])
    assert recording.tokens == ("a", "bb", "ccc", "dddd")
    np.testing.assert_allclose(recording.weights[1, 5], states.layers[1].weights[0, 5], atol=1e-3)
    np.testing.assert_allclose(recording.q[1], states.layers[1].q[0, 5], atol=5e-3)
    np.testing.assert_allclose(recording.k[1], states.layers[1].k[0, 1], atol=5e-3)  # KV head 5 // 3
    np.testing.assert_allclose(recording.v[0], states.layers[0].v[0, 0], atol=5e-3)
    lengths = states.layers[1].projected[0, 2].norm(dim=-1)
    np.testing.assert_allclose(recording.written[1, 2], lengths, rtol=1e-3)
    assert recording.removed.size == 0


def test_a_long_text_is_cut_and_counted(small_smollm2):
    recording = record(small_smollm2, " ".join(f"w{i}" for i in range(100)), telling=[(0, 0)])
    assert recording.n_all == 100
    assert recording.tokens == tuple(f"w{i}" for i in range(MAX_TOKENS))


def test_the_encoder_keeps_its_last_token(small_minilm):
    small_minilm.tensors["embeddings.position_embeddings.weight"] = torch.ones(64, D)
    recording = record(small_minilm, " ".join(f"w{i}" for i in range(100)), telling=[(0, 0)])
    assert recording.tokens == (*(f"w{i}" for i in range(63)), "w99")


def test_a_text_without_tokens_gives_a_sentence(small_smollm2):
    with pytest.raises(RecordingError, match="no token for this text"):
        record(small_smollm2, " ")


def test_names_of_tokens():
    text = " a👩 \u200db"
    spans = [(0, 2), (2, 3), (2, 3), (3, 4), (4, 5), (5, 6)]
    assert _names(text, spans) == ["a", "👩", "👩 (2)", "␣", "U+200D", "b"]
