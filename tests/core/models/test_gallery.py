"""The recordings of the gallery: whole, small, readable without PyTorch, and as transformers computes."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core.models.gallery import FOLDER, name_of, recorded
from core.models.recording import Recording, RecordingError
from core.models.sentences import SENTENCES
from core.models.specs import MODELS

ROOT = Path(__file__).parents[3]
ALL = [(model, sentence) for model in MODELS for sentence in SENTENCES]
SEVERAL = pytest.mark.parametrize(("model", "sentence"), ALL)
# Computed by transformers from the same weight files; "made with" says how.
REFERENCE = json.loads(Path(__file__).with_name("transformers.json").read_text(encoding="utf-8"))
HALF = 5e-4  # what half precision and rows that sum to 1 again leave


def test_they_are_small():
    sizes = [path.stat().st_size for path in FOLDER.glob("*.npz")]
    assert len(sizes) == len(ALL)
    assert sum(sizes) < 2_000_000


@SEVERAL
def test_a_recording_is_whole(model, sentence):
    recording, spec = recorded(model, sentence), MODELS[model]
    n = recording.n_tokens
    assert recording.text == SENTENCES[sentence]
    assert recording.n_all == n
    assert recording.weights.shape == (spec.n_layers, spec.n_heads, n, n)
    assert recording.written.shape == (spec.n_layers, spec.n_heads, n)
    assert recording.removed.shape == (spec.n_layers, spec.n_heads)
    assert [tuple(head) for head in recording.telling.tolist()] == list(spec.telling)
    for array in (recording.q, recording.k, recording.v):
        assert array.shape == (len(spec.telling), n, spec.d_head)
    for name in ("weights", "written", "q", "k", "v", "removed"):
        assert np.isfinite(getattr(recording, name)).all()
    np.testing.assert_allclose(recording.weights.astype(float).sum(-1), 1, atol=1e-3)
    np.testing.assert_allclose(recording.whole_weights.sum(-1), 1, atol=1e-12)
    assert (recording.weights >= 0).all()


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_decoder_never_sees_the_future(sentence):
    weights = recorded("smollm2", sentence).weights
    assert (
        weights[..., np.triu_indices(weights.shape[-1], 1)[0], np.triu_indices(weights.shape[-1], 1)[1]] == 0
    ).all()


@SEVERAL
def test_weights_are_those_of_transformers(model, sentence):
    recording = recorded(model, sentence)
    rows = REFERENCE[model][sentence]["weights"]
    assert len(rows) == 10
    for layer, head, query, weights in rows:
        np.testing.assert_allclose(recording.whole_weights[layer, head, query], weights, atol=HALF)


@SEVERAL
def test_without_a_head_the_result_moves_as_in_transformers(model, sentence):
    recording = recorded(model, sentence)
    for layer, head, change in REFERENCE[model][sentence]["removed"]:
        assert recording.removed[layer, head] == pytest.approx(change, rel=1e-3)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_next_token_is_that_of_transformers(sentence):
    token, p = REFERENCE["smollm2"][sentence]["next"]
    recording = recorded("smollm2", sentence)
    assert recording.next_tokens[0] == token
    assert recording.next_p[0] == pytest.approx(p, abs=1e-4)
    assert recorded("minilm", sentence).next_tokens == ()


def test_it_is_one_object_and_cannot_be_written_to():
    recording = recorded("minilm", "tired")
    assert recorded("minilm", "tired") is recording
    for name in ("weights", "q", "removed", "whole_weights"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(recording, name)[...] = 0


def test_the_gallery_and_its_page_need_no_pytorch_and_no_reader_of_weights():
    program = (
        "import sys\n"
        "from core.lessons.trained_heads import TrainedHeadsSettings\n"
        "from pages.ui.pictures.trained_heads import pronoun, trained_heads\n"
        "for model in ('smollm2', 'minilm'):\n"
        "    settings = TrainedHeadsSettings(model=model, head=(3, 1))\n"
        "    assert trained_heads(settings)['head'].data()['figure']\n"
        "    assert pronoun(settings).data()['figure']\n"
        "print(sorted({'torch', 'gguf', 'safetensors', 'tokenizers'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_recording_can_be_packed_and_read_again(tmp_path):
    recording = recorded("minilm", "wide")
    for path in (tmp_path / "a.npz", tmp_path / "b.npz"):
        if path.stem == "a":
            recording.write(str(path))
        else:
            path.write_bytes(recording.packed())
        again = Recording.read(str(path))
        assert again.tokens == recording.tokens
        np.testing.assert_array_equal(again.weights, recording.weights)
        np.testing.assert_array_equal(again.removed_p, recording.removed_p)


@pytest.mark.parametrize("damage", ["missing", "cut", "other", "shape"])
def test_a_damaged_file_gives_a_sentence(tmp_path, damage):
    path = tmp_path / "x.npz"
    whole = (FOLDER / name_of("minilm", "wide")).read_bytes()
    if damage == "cut":
        path.write_bytes(whole[: len(whole) // 2])
    elif damage == "other":
        np.savez(path, a=np.zeros(3))
    elif damage == "shape":
        with np.load(FOLDER / name_of("minilm", "wide")) as arrays:
            np.savez(path, **{**arrays, "weights": np.zeros((1, 2, 3, 3), np.float16)})
    with pytest.raises(RecordingError, match=r"recording of a model|expected weights"):
        Recording.read(str(path))
