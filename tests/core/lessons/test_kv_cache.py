"""Shared heads, decoding, cost and memory, each against numbers made apart from this code."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import SettingError, divisors
from core.lessons.kv_cache import KVCacheSettings, trace_kv_cache
from core.lessons.kv_cache_wrong import mistakes_of
from core.lessons.kv_cost import DecodingCost, cost_curves
from core.lessons.kv_memory import bytes_per_token, trace_memory, weight_bytes
from core.lessons.kv_models import MODELS
from core.lessons.kv_sharing import kv_heads_of, tiled_heads, trace_sharing
from core.lessons.printed.kv_cache import NUMBERS
from core.ops.heads import group_size, kv_head_of

# --- written out here, without core.ops ------------------------------------------------------------


def plain_rotation(vector, position, pairing):
    """Pairs as complex numbers, multiplied by e^(i angle)."""
    d = len(vector)
    speeds = 10000.0 ** (-2 * np.arange(d // 2) / d)
    if pairing == "interleaved":
        turned = (vector[0::2] + 1j * vector[1::2]) * np.exp(1j * position * speeds)
        return np.stack([turned.real, turned.imag], axis=-1).reshape(d)
    turned = (vector[: d // 2] + 1j * vector[d // 2 :]) * np.exp(1j * position * speeds)
    return np.concatenate([turned.real, turned.imag])


def plain_output(query, keys, values):
    scores = np.array([sum(a * b for a, b in zip(query, key, strict=True)) for key in keys])
    scores = scores / math.sqrt(len(query))
    weights = np.exp(scores - max(scores))
    weights = weights / sum(weights)
    return sum(w * v for w, v in zip(weights, values, strict=True)), weights


def plain_outputs(trace, t, *, kv_head, q_position=None, k_positions=None, keys=None):
    """Each head's output for the token t: [H, d_k]; by default what is right."""
    s = trace.settings
    seen = [j for j in range(t + 1) if t - j < s.window] if keys is None else keys
    q_position = t if q_position is None else q_position
    k_positions = list(range(t + 1)) if k_positions is None else k_positions

    def turned(vector, position):
        return plain_rotation(vector, position, s.pairing) if s.rope else vector

    return np.array(
        [
            plain_output(
                turned(trace.q[h, t], q_position),
                [turned(trace.k[kv_head(h), j], k_positions[j]) for j in seen],
                [trace.v[kv_head(h), j] for j in seen],
            )[0]
            for h in range(s.heads)
        ]
    )


def interleaved(trace):
    return lambda h: h // (trace.settings.heads // trace.settings.kv_heads)


# --- sharing ---------------------------------------------------------------------------------------


def test_the_lessons_example():
    assert group_size(32, 8) == 4
    assert kv_head_of(13, 32, 8) == 3
    assert kv_heads_of(32, 8)[:8] == (0, 0, 0, 0, 1, 1, 1, 1)
    assert KVCacheSettings().kv_head == 3
    by_id = {each.id: each for each in NUMBERS}
    assert by_id["C-gqacache"].values() == 4.0
    assert by_id["A-onstep"].values() == 1001


def test_tiling_mixes_up_28_of_32_heads():
    assert tiled_heads(32, 8) == tuple(range(8)) * 4
    found = trace_sharing(trace_kv_cache(KVCacheSettings()))
    assert found.name == "GQA"
    assert found.reads[13] == 3
    assert found.tiled[13] == 5
    assert [h for h in range(32) if h not in found.mixed_up] == [0, 10, 21, 31]


@pytest.mark.parametrize(("kv_heads", "name"), [(1, "MQA"), (32, "MHA")])
def test_one_or_all_kv_heads_cannot_be_mixed_up(kv_heads, name):
    found = trace_sharing(trace_kv_cache(KVCacheSettings(model="custom", kv_heads=kv_heads)))
    assert (found.name, found.mixed_up, found.tiled_difference) == (name, (), 0.0)


def test_what_tiling_gives():
    trace = trace_kv_cache(KVCacheSettings())
    wrong = plain_outputs(trace, 3, kv_head=lambda h: h % 8)
    right = plain_outputs(trace, 3, kv_head=interleaved(trace))
    found = trace_sharing(trace)
    np.testing.assert_allclose(found.head_difference, np.abs(wrong - right).max(axis=-1), atol=1e-12)
    assert found.tiled_difference == pytest.approx(np.abs(wrong - right).max())
    assert found.tiled_difference > 1


# --- decoding --------------------------------------------------------------------------------------

CASES = [
    {},
    {"rope": False},
    {"pairing": "half", "d_k": 6},
    {"window": 2, "step": 5},
    {"model": "custom", "heads": 6, "kv_heads": 2, "head": 5, "seed": 7},
    {"text": "one", "step": 0},
]


@pytest.mark.parametrize("values", CASES, ids=str)
def test_decoding_is_attention_written_out(values):
    trace = trace_kv_cache(KVCacheSettings(**values))
    for t in range(len(trace.tokens)):
        wanted = plain_outputs(trace, t, kv_head=interleaved(trace))
        np.testing.assert_allclose(trace.decoded[:, t], wanted, atol=1e-12)
        np.testing.assert_allclose(trace.whole[:, t], wanted, atol=1e-12)
    np.testing.assert_allclose(trace.decoded_weights, trace.weights, atol=1e-12)
    assert trace.difference < 1e-12


def test_a_trace_cannot_be_written_to():
    trace = trace_kv_cache(KVCacheSettings())
    for name in ("q", "k", "v", "q_rotated", "mask", "weights", "whole", "decoded"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(trace, name)[...] = 0


def test_other_kv_heads_leave_the_numbers_of_the_rest():
    few = trace_kv_cache(KVCacheSettings())
    many = trace_kv_cache(KVCacheSettings(model="custom", kv_heads=16))
    np.testing.assert_array_equal(few.q, many.q)
    np.testing.assert_array_equal(few.k, many.k[:8])
    wide = trace_kv_cache(KVCacheSettings(d_k=16))
    np.testing.assert_array_equal(few.v, wide.v[..., :8])


# --- cost ------------------------------------------------------------------------------------------


def counted_step(heads, kv_heads, d_k, window, n, *, cached):
    """One layer's multiplications, counted one by one."""
    width, count = heads * d_k, 0
    for i in range(n - 1 if cached else 0, n):  # the tokens that pass through
        for columns in (width, kv_heads * d_k, kv_heads * d_k):  # q, k, v
            for _ in range(columns):
                count += width
        for _ in range(heads):
            for j in range(i + 1):
                if window is None or i - j < window:
                    count += d_k  # its score
                    count += d_k  # its weight times its value
        for _ in range(width):  # the output projection
            count += width
    return count


@pytest.mark.parametrize("sizes", [(1, 1, 1, None), (4, 2, 3, None), (4, 1, 2, 3), (2, 2, 5, 1)], ids=str)
def test_multiplications_as_loops_count_them(sizes):
    cost = DecodingCost(*sizes)
    totals = {True: 0, False: 0}
    for n in range(1, 9):
        for cached, step, total in (
            (True, cost.step_with_cache, cost.total_with_cache),
            (False, cost.step_without_cache, cost.total_without_cache),
        ):
            counted = counted_step(*sizes, n, cached=cached)
            totals[cached] += counted
            assert step(n) == counted
            assert total(n) == totals[cached]
        assert cost.total_with_cache(n) == cost.step_without_cache(n)  # as much as one whole pass


def test_dot_products_of_a_new_token():
    assert DecodingCost(8, 8, 64).dot_products(1001) == 1001  # n + 1 after n = 1000
    assert DecodingCost(8, 8, 64, window=256).dot_products(1001) == 256


def test_the_curves_are_the_formulas():
    cost = DecodingCost(4, 2, 8, 16)
    curves = cost_curves(cost, 64)
    assert curves.n_tokens.tolist() == [1, 2, 4, 8, 16, 32, 64]
    for i, n in enumerate(curves.n_tokens.tolist()):
        assert curves.step_with[i] == cost.step_with_cache(n)
        assert curves.step_without[i] == cost.step_without_cache(n)
        assert curves.total_with[i] == cost.total_with_cache(n)
        assert curves.total_without[i] == cost.total_without_cache(n)


# --- memory ----------------------------------------------------------------------------------------

# vocabulary, width, width of the MLP, tied embeddings: config.json of each model
SHAPES = {
    "smollm2-135m": (49152, 576, 1536, True),
    "llama2-7b": (32000, 4096, 11008, False),
    "llama2-70b": (32000, 8192, 28672, False),
    "llama3-8b": (128256, 4096, 14336, False),
    "mistral-7b": (32000, 4096, 14336, False),
}


@pytest.mark.parametrize("name", SHAPES)
def test_parameters_counted_from_the_published_shapes(name):
    vocabulary, width, inner, tied = SHAPES[name]
    model = MODELS[name]
    assert model.heads * model.d_head == width
    attention = width * model.d_head * (2 * model.heads + 2 * model.kv_heads)
    layer = attention + 3 * width * inner + 2 * width
    embeddings = vocabulary * width * (1 if tied else 2)
    assert model.parameters == embeddings + model.layers * layer + width


def test_parameters_of_gpt_2():
    width, inner = 768, 3072
    layer = 4 * width * width + 4 * width + 2 * width * inner + inner + width + 4 * width
    assert MODELS["gpt2"].parameters == (50257 + 1024) * width + 12 * layer + 2 * width == 124_439_808


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("gpt2", 2 * 12 * 12 * 64 * 2),
        ("smollm2-135m", 23_040),
        ("llama2-7b", 524_288),
        ("llama2-70b", 327_680),
        ("llama3-8b", 131_072),
        ("mistral-7b", 131_072),
    ],
)
def test_bytes_of_a_token(name, wanted):
    assert bytes_per_token(MODELS[name]) == wanted
    assert bytes_per_token(MODELS[name], 4) == 2 * wanted


def test_llama_3_8b_in_three_memories():
    found = trace_memory(KVCacheSettings())
    assert found.per_token == 131_072
    assert found.cache == 2**30
    assert found.by_kv_heads == {1: 2**27, 8: 2**30, 32: 2**32}
    assert found.weights == weight_bytes(MODELS["llama3-8b"]) == 16_060_522_496
    assert [card.fits for card in found.cards] == [False, True, True]
    assert [card.longest for card in found.cards] == [
        0,
        (24 * 10**9 - 16_060_522_496) // 131_072,
        (80 * 10**9 - 16_060_522_496) // 131_072,
    ]


def test_a_model_of_ones_own_has_no_weights():
    found = trace_memory(KVCacheSettings(model="custom", kv_heads=32, context=10_000, batch=4))
    assert (found.model, found.weights) == (None, 0)
    assert found.cache == 4 * 10_000 * 524_288
    assert found.cards[1].longest == 24 * 10**9 // (4 * 524_288)


# --- mistakes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [{}, {"step": 5, "pairing": "half"}, {"window": 3, "step": 4}], ids=str)
def test_each_mistake_gives_what_the_wrong_line_gives(values):
    trace = trace_kv_cache(KVCacheSettings(**values))
    s, t = trace.settings, trace.settings.step
    found, head = mistakes_of(trace), interleaved(trace)
    right = plain_outputs(trace, t, kv_head=head)
    before = [j for j in range(t) if t - 1 - j < s.window]
    wrong = {
        "tiled": plain_outputs(trace, t, kv_head=lambda h: h % s.kv_heads),
        "top_left": plain_outputs(trace, t, kv_head=head, keys=[0]),
        "stale": plain_outputs(trace, t, kv_head=head, keys=before),
        "position_0": plain_outputs(trace, t, kv_head=head, q_position=0, k_positions=[*range(t), 0]),
        "late_rotation": plain_outputs(trace, t, kv_head=head, k_positions=[t] * (t + 1)),
    }
    np.testing.assert_allclose(found.right.output, right[s.head], atol=1e-12)
    for name, output in wrong.items():
        mistake = getattr(found, name)
        np.testing.assert_allclose(mistake.output, output[s.head], atol=1e-12)
        assert mistake.difference == pytest.approx(np.abs(output - right).max())
        assert mistake.difference > 0.1
    np.testing.assert_array_equal(found.top_left.output, trace.v[s.kv_head, 0])
    assert found.stored == (2 * 8 * (t + 1) * 8, 2 * 32 * (t + 1) * 8)


def test_without_rope_positions_cannot_go_wrong():
    found = mistakes_of(trace_kv_cache(KVCacheSettings(rope=False)))
    assert found.position_0.difference == pytest.approx(0, abs=1e-12)
    assert found.late_rotation.difference == pytest.approx(0, abs=1e-12)
    assert found.top_left.difference > 1


# --- settings --------------------------------------------------------------------------------------


@st.composite
def queries(draw):
    model = draw(st.sampled_from([*MODELS, "custom"]))
    values = {"model": model}
    if model == "custom":
        heads = draw(st.integers(1, 64))
        values |= {
            "heads": heads,
            "kv_heads": draw(st.sampled_from(divisors(heads))),
            "layers": draw(st.integers(1, 200)),
            "d_head": draw(st.integers(1, 512)),
        }
    else:
        published = MODELS[model]
        heads = published.heads
        values |= {n: getattr(published, n) for n in ("heads", "kv_heads", "layers", "d_head")}
    n_words = draw(st.integers(1, 16))
    return values | {
        "head": draw(st.integers(0, heads - 1)),
        "text": " ".join(f"w{i}" for i in range(n_words)),
        "step": draw(st.integers(0, n_words - 1)),
        "d_k": 2 * draw(st.integers(1, 16)),
        "rope": draw(st.booleans()),
        "pairing": draw(st.sampled_from(["interleaved", "half"])),
        "window": draw(st.integers(1, 16)),
        "context": draw(st.integers(1, 2**20)),
        "batch": draw(st.integers(1, 1024)),
        "bytes_per_value": draw(st.sampled_from([1, 2, 4])),
        "seed": draw(st.integers(0, 2**31 - 1)),
    }


@settings(max_examples=150, deadline=None)
@given(queries())
def test_a_link_gives_the_same_settings_and_no_note(values):
    wanted = KVCacheSettings(**values)
    assert KVCacheSettings.from_query(wanted.to_query()) == (wanted, [])


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(list(KVCacheSettings.PARAMETERS)), st.text(max_size=12)))
def test_no_link_raises(query):
    found, _ = KVCacheSettings.from_query(query)
    assert KVCacheSettings.from_query(found.to_query()) == (found, [])


def test_a_model_brings_its_sizes():
    found, notes = KVCacheSettings().changed(model="llama2-70b")
    assert (found.heads, found.kv_heads, found.layers, found.d_head) == (64, 8, 80, 128)
    assert notes == []
    found, notes = found.changed(model="gpt2")
    assert (found.heads, found.kv_heads, found.layers, found.d_head, found.head) == (12, 12, 12, 64, 11)
    assert notes == []


@pytest.mark.parametrize(("name", "value"), [("kv_heads", 4), ("heads", 16), ("layers", 7), ("d_head", 64)])
def test_another_size_is_a_model_of_ones_own(name, value):
    found, notes = KVCacheSettings().changed(**{name: value})
    assert (found.model, getattr(found, name), notes) == ("custom", value, [])


def test_the_size_that_holds_leaves_the_model():
    found, notes = KVCacheSettings().changed(kv_heads=8)
    assert (found, notes) == (KVCacheSettings(), [])


def test_what_does_not_divide_any_more_is_let_go_in_silence():
    found, notes = KVCacheSettings().changed(heads=12)
    assert (found.kv_heads, found.head, notes) == (6, 11, [])


def test_sizes_in_a_link_need_no_model():
    found, notes = KVCacheSettings.from_query({"heads": "12", "kv_heads": "4"})
    assert (found.model, found.heads, found.kv_heads, notes) == ("custom", 12, 4, [])


def test_a_long_text_is_cut_with_a_note():
    found, notes = KVCacheSettings.from_query({"text": " ".join("abcdefghijklmnopqrst")})
    assert found.tokens == tuple("abcdefghijklmnop")
    assert notes == ["The text has more than 16 words; the first 16 are decoded."]


def test_a_size_that_is_not_the_models_raises():
    with pytest.raises(SettingError, match="that of Llama 3 8B; model=custom leaves it free"):
        KVCacheSettings(kv_heads=4)
