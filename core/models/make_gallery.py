"""Write assets/gallery/*.npz anew: `python -m core.models.make_gallery`, after `make models`. Two minutes."""

from core.models.files import load
from core.models.gallery import FOLDER, name_of
from core.models.record import record
from core.models.sentences import SENTENCES
from core.models.specs import MODELS


def make() -> None:
    """Record both models on every sentence, each head taken out in turn, and write the files."""
    import torch

    torch.set_num_threads(1)  # the same order of additions on every machine with these instructions
    FOLDER.mkdir(parents=True, exist_ok=True)
    for key, spec in MODELS.items():
        model = load(key)
        for sentence, text in SENTENCES.items():
            recording = record(model, text, telling=spec.telling, measure_removal=True)
            recording.write(str(FOLDER / name_of(key, sentence)))
            print(name_of(key, sentence), recording.n_tokens, "tokens")  # noqa: T201


if __name__ == "__main__":
    make()
