"""The tasks, the model against PyTorch's own attention, a short real training, and its record as a file."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest
import torch

from core.training import tasks
from core.training.course import FOLDER, as_bytes, read, record
from core.training.measures import _copying, _previous, heads_drawn, measured, names_of
from core.training.model import attention, logits_and_weights, parameters_of
from core.training.moment import Moment
from core.training.runs import RUNS
from core.training.train import train

INDUCTION = RUNS["two-layers"]


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


# --- tasks ------------------------------------------------------------------------------------


def test_a_repeated_sequence_repeats_and_only_what_can_be_known_counts():
    batch = tasks.induction_batch(np.random.default_rng(0), 50, 48, 32)
    assert set(batch.period) <= set(range(8, 25))
    assert len(set(batch.period)) > 5
    for tokens, wanted, counts, p in zip(batch.tokens, batch.wanted, batch.counts, batch.period, strict=True):
        assert len(set(tokens[:p])) == p  # all different
        assert (tokens[p:] == tokens[:-p]).all()
        assert (wanted[:-1] == tokens[1:]).all()
        assert wanted[-1] == tokens[48 - p]
        assert counts.tolist() == [i >= p for i in range(48)]


def test_a_fixed_period_is_kept_in_training_and_not_in_what_is_measured():
    run = RUNS["fixed-period"]
    assert set(tasks.draw(run, np.random.default_rng(0)).period) == {16}
    assert len(set(tasks.draw(run, np.random.default_rng(0), held_out=True).period)) > 5


def test_the_token_before_is_wanted_and_the_first_place_does_not_count():
    batch = tasks.previous_batch(np.random.default_rng(0), 5, 16, 16)
    assert (batch.wanted[:, 1:] == batch.tokens[:, :-1]).all()
    assert not batch.counts[:, 0].any()
    assert batch.counts[:, 1:].all()


def test_held_out_text_is_never_trained_on():
    text = tasks.text()
    split = round(0.9 * len(text))
    for held_out, part in ((False, text[:split]), (True, text[split:])):
        batch = tasks.text_batch(np.random.default_rng(0), 40, 64, held_out=held_out)
        for tokens, wanted in zip(batch.tokens, batch.wanted, strict=True):
            piece = "".join(tasks.alphabet()[code] for code in [*tokens, wanted[-1]])
            assert piece in part
            assert (wanted[:-1] == tokens[1:]).all()


def test_the_text_is_the_slice_that_its_source_names():
    raw = (FOLDER / "shakespeare.txt").read_bytes()
    assert len(raw) == 261_955
    assert hashlib.sha256(raw).hexdigest() in (FOLDER / "README.md").read_text()
    assert raw.startswith(b"First Citizen:\nBefore we proceed any further, hear me speak.")


# --- the model --------------------------------------------------------------------------------


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("scaled", [True, False])
def test_one_layer_is_pytorchs_attention(causal, scaled):
    build = replace(INDUCTION.build, rope=False, is_causal=causal, scaled=scaled)
    parameters = {name: each.detach().double() for name, each in parameters_of(build, 5).items()}
    layer = {name: parameters[f"0.{name}"] for name in ("w_q", "w_k", "w_v", "w_o")}
    x = torch.tensor(np.random.default_rng(0).standard_normal((3, 9, build.d_model)))
    output, weights = attention(x, layer, build)
    q, k, v = ((x @ layer[w]).view(3, 9, 4, 16).transpose(1, 2) for w in ("w_q", "w_k", "w_v"))
    theirs = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, is_causal=causal, scale=0.25 if scaled else 1.0
    )
    theirs = theirs.transpose(1, 2).reshape(3, 9, 64) @ layer["w_o"]
    torch.testing.assert_close(output, theirs)
    torch.testing.assert_close(weights.sum(-1), torch.ones(3, 4, 9, dtype=torch.float64))


def test_rope_makes_scores_depend_on_distance_alone():
    """The same vector everywhere: every diagonal of the scores is constant, and they are not all equal."""
    build = replace(INDUCTION.build, n_layers=1, is_causal=False)
    layer = {w: parameters_of(build, 0)[f"0.{w}"].detach() for w in ("w_q", "w_k", "w_v", "w_o")}
    x = torch.tensor(np.random.default_rng(1).standard_normal(64), dtype=torch.float32).expand(1, 7, 64)
    _, weights = attention(x, layer, build)
    scores = weights[0, 0].log()
    ratio = scores[:, 1:] - scores[:, :-1]  # the softmax's divisor drops out
    torch.testing.assert_close(ratio[1:, 1:], ratio[:-1, :-1], rtol=1e-3, atol=1e-3)
    assert ratio.abs().max() > 0.01


def test_without_positions_and_mask_the_model_is_permutation_equivariant():
    build = RUNS["open-none"].build
    parameters = {name: each.detach().double() for name, each in parameters_of(build, 0).items()}
    tokens = torch.tensor(np.random.default_rng(0).integers(0, 16, (1, 16)))
    order = torch.tensor(np.random.default_rng(1).permutation(16))
    logits, _ = logits_and_weights(parameters, tokens, build)
    permuted, _ = logits_and_weights(parameters, tokens[:, order], build)
    torch.testing.assert_close(permuted, logits[:, order])


@pytest.mark.parametrize("name", ["scaled-64", "scaled-16"])
def test_q_and_k_begin_with_unit_variance(name):
    build = RUNS[name].build
    parameters = parameters_of(build, 0)
    x = torch.nn.functional.layer_norm(parameters["embedding"], (build.d_model,))
    for w in ("0.w_q", "0.w_k", "1.w_q", "1.w_k"):
        assert (x @ parameters[w]).var().item() == pytest.approx(1, abs=0.25)


# --- training ---------------------------------------------------------------------------------


def test_a_real_training_learns_to_say_the_token_before():
    """Seed 7: with RoPE, nine of ten right in 60 steps; guessing gives one of sixteen."""
    run = replace(RUNS["causal-rope"], steps=60)
    moments = list(train(run, 7))
    accuracy = names_of(run).index("accuracy")
    assert moments[0].step == 0
    assert moments[0].values[accuracy] < 0.2
    assert moments[-1].step == 60
    assert moments[-1].values[accuracy] > 0.9
    assert moments[-1].values[0] < moments[0].values[0] / 5


def test_the_same_seed_gives_the_same_training_and_another_does_not():
    run = replace(RUNS["causal-none"], steps=50)
    once, again, other = (list(train(run, seed)) for seed in (4, 4, 5))
    assert [m.values for m in once] == [m.values for m in again]
    assert (once[-1].heads == again[-1].heads).all()
    assert once[-1].values != other[-1].values


def test_measures_of_a_model_built_to_be_an_induction_head():
    """Weights by hand: all on the token after the earlier copy, or all on the token before."""
    batch = tasks.induction_batch(np.random.default_rng(0), 3, 48, 32)
    layer = np.zeros((3, 2, 48, 48))
    for b, p in enumerate(batch.period):
        for i in range(p, 48):
            layer[b, 1, i, i - p + 1] = 0.75
        for i in range(1, 48):
            layer[b, 0, i, i - 1] = 0.5
    assert _copying(torch.tensor(layer), batch) == pytest.approx(0.75)
    assert _previous(torch.tensor(layer)) == pytest.approx(0.5)


def test_an_untrained_models_measures_are_those_of_chance():
    found = measured(INDUCTION, parameters_of(INDUCTION.build, 0))
    assert found["accuracy"] == pytest.approx(1 / 32, abs=0.05)
    assert found["induction"] < 0.2


def test_heads_are_drawn_as_whole_numbers_whose_rows_sum_to_one():
    heads = heads_drawn(INDUCTION, parameters_of(INDUCTION.build, 0))
    assert heads.shape == (8, 24, 24)
    assert heads.dtype == np.uint8
    assert np.abs(heads.sum(axis=-1, dtype=int) - 255).max() <= 12  # each is rounded
    assert (heads[:, *np.triu_indices(24, 1)] == 0).all()


# --- as text and as a file --------------------------------------------------------------------


def test_a_moment_comes_back_from_its_line():
    heads = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    moment = Moment(7, (0.5, 1.25), heads, "O\nthou\0")
    line = moment.line()
    assert "\n" not in line
    back = Moment.of(line)
    assert (back.step, back.values, back.text) == (7, (0.5, 1.25), "O\nthou\0")
    assert (back.heads == heads).all()
    assert Moment.of(Moment(1, (2.0,)).line()).heads is None


@pytest.mark.parametrize(
    "line", ["", "{}", "[]", '{"step": 1}', "torch says hello", '{"step": 1, "values": 3}']
)
def test_what_is_no_moment_is_told_as_such(line):
    with pytest.raises(ValueError, match=r".+"):
        Moment.of(line)


def test_a_course_comes_back_from_its_file_and_the_file_is_always_the_same():
    run = replace(RUNS["causal-none"], steps=50)
    course = record(run, (0, 1))
    raw = as_bytes(course)
    assert raw == as_bytes(course)
    back = read(run, raw)
    assert back.seeds == (0, 1)
    np.testing.assert_allclose(back.values, course.values, atol=1e-4)
    assert (back.heads == course.heads).all()
    assert back.drawn_at.tolist() == list(run.drawn_at)
    with pytest.raises(ValueError, match="read-only"):
        back.values[0] = 1
