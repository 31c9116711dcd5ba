"""How many parameters a model has, part by part."""

from dataclasses import dataclass

from core.lessons.block import BlockLessonSettings
from core.lessons.block_weights import hidden_width, vocabulary_of
from core.tokens import MAX_TOKENS


@dataclass(frozen=True)
class Part:
    """One kind of matrix or vector."""

    name: str
    formula: str  # of one of them
    one: int  # parameters of one
    times: int = 1  # how many there are: L for a part of a block
    group: str = ""  # "attention", "MLP", "embedding" or "norms"

    @property
    def total(self) -> int:
        """Parameters of all."""
        return self.one * self.times


@dataclass(frozen=True)
class ModelSize:
    """A model by its sizes."""

    name: str
    style: str  # "llama", or "gpt2" with biases, learned positions and tied embeddings
    vocabulary: int
    layers: int
    d_model: int
    heads: int
    kv_heads: int
    d_ff: int
    context: int = 0  # learned positions, gpt2 only
    final_norm: bool = True

    @property
    def parts(self) -> tuple[Part, ...]:
        """Every part with its parameters; a tied unembedding has none of its own."""
        d, f, n = self.d_model, self.d_ff, self.layers
        kv = self.kv_heads * (d // self.heads)
        gpt2 = self.style == "gpt2"

        def linear(name: str, n_in: int, n_out: int, formula: str, bias: str, group: str) -> Part:
            one = n_in * n_out + (n_out if gpt2 else 0)
            return Part(name, formula + (f" + {bias}" if gpt2 else ""), one, n, group)

        norm, norm_formula = (2 * d, "2 D") if gpt2 else (d, "D")
        kv_formula, kv_bias = ("D²", "D") if kv == d else ("D · H_kv d_k", "H_kv d_k")
        parts = [Part("embedding", "V · D", self.vocabulary * d, group="embedding")]
        if gpt2:
            parts.append(Part("learned positions", "T_max · D", self.context * d, group="embedding"))
        parts += [
            Part("norm 1", norm_formula, norm, n, "norms"),
            linear("W_Q", d, d, "D²", "D", "attention"),
            linear("W_K", d, kv, kv_formula, kv_bias, "attention"),
            linear("W_V", d, kv, kv_formula, kv_bias, "attention"),
            linear("W_O", d, d, "D²", "D", "attention"),
            Part("norm 2", norm_formula, norm, n, "norms"),
            linear("MLP W1", d, f, "D · d_ff", "d_ff", "MLP"),
            linear("MLP W2", f, d, "d_ff · D", "D", "MLP"),
        ]
        if not gpt2:
            parts.append(linear("MLP W3", d, f, "D · d_ff", "", "MLP"))
        if self.final_norm:
            parts.append(Part("final norm", norm_formula, norm, group="norms"))
        unembedding, formula = (0, "tied: the embedding again") if gpt2 else (self.vocabulary * d, "D · V")
        return (*parts, Part("unembedding", formula, unembedding, group="embedding"))

    @property
    def total(self) -> int:
        """All parameters."""
        return sum(part.total for part in self.parts)

    @property
    def groups(self) -> dict[str, int]:
        """The parameters of attention, MLP, embedding and norms."""
        return {
            name: sum(part.total for part in self.parts if part.group == name)
            for name in ("attention", "MLP", "embedding", "norms")
        }


REAL: dict[str, ModelSize] = {
    "gpt2": ModelSize("GPT-2 small", "gpt2", 50257, 12, 768, 12, 12, hidden_width("gpt2", 768), 1024),
    "gpt2-xl": ModelSize("GPT-2 XL", "gpt2", 50257, 48, 1600, 25, 25, hidden_width("gpt2", 1600), 1024),
    "llama2-7b": ModelSize("Llama 2 7B", "llama", 32000, 32, 4096, 32, 32, hidden_width("llama", 4096, 256)),
    "llama3-8b": ModelSize("Llama 3 8B", "llama", 128256, 32, 4096, 32, 8, 14336),
}


def model_size(settings: BlockLessonSettings) -> ModelSize:
    """Return the sizes of the model that is counted: the page's own, or a real one.

    Args:
        settings: valid by construction.
    """
    if settings.size in REAL:
        return REAL[settings.size]
    return ModelSize(
        "the model of this page",
        settings.style,
        len(vocabulary_of(settings.tokens)),
        settings.layers,
        settings.d_model,
        settings.heads,
        settings.n_kv_heads,
        hidden_width(settings.style, settings.d_model),
        MAX_TOKENS if settings.style == "gpt2" else 0,
        settings.norm_place == "pre",
    )
