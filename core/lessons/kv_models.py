"""Published models: the sizes that decide how large their KV cache is, and where each is published."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PublishedModel:
    """A model's sizes, as its authors published them."""

    name: str
    layers: int
    heads: int  # H
    kv_heads: int  # Hkv
    d_head: int
    context: int  # the longest that it was published for
    parameters: int  # counted from the shapes of the published configuration
    source: str  # the file or the paper that names the sizes
    window: int = 0  # keys that a query sees, where it is not all
    remark: str = ""


# In config.json: num_hidden_layers, num_attention_heads, num_key_value_heads (as many as heads where it
# is absent), hidden_size / num_attention_heads, max_position_embeddings.
MODELS: dict[str, PublishedModel] = {
    "gpt2": PublishedModel(
        "GPT-2 small", 12, 12, 12, 64, 1024, 124_439_808,
        "openai-community/gpt2, config.json: n_layer, n_head, n_embd = 768, n_ctx",
    ),
    "smollm2-135m": PublishedModel(
        "SmolLM2-135M", 30, 9, 3, 64, 8192, 134_515_008,
        "HuggingFaceTB/SmolLM2-135M, config.json: num_key_value_heads, hidden_size = 576",
    ),
    "llama2-7b": PublishedModel(
        "Llama 2 7B", 32, 32, 32, 128, 4096, 6_738_415_616,
        "meta-llama/Llama-2-7b-hf, config.json; Touvron et al. 2023, table 1 (GQA: no)",
    ),
    "llama2-70b": PublishedModel(
        "Llama 2 70B", 80, 64, 8, 128, 4096, 68_976_648_192,
        "meta-llama/Llama-2-70b-hf, config.json; Touvron et al. 2023, table 1 (GQA: yes)",
    ),
    "llama3-8b": PublishedModel(
        "Llama 3 8B", 32, 32, 8, 128, 8192, 8_030_261_248,
        "meta-llama/Meta-Llama-3-8B, config.json: num_key_value_heads; Grattafiori et al. 2024, table 3",
    ),
    "mistral-7b": PublishedModel(
        "Mistral 7B v0.1", 32, 32, 8, 128, 32768, 7_241_732_096,
        "mistralai/Mistral-7B-v0.1, config.json: num_key_value_heads, sliding_window; "
        "Jiang et al. 2023, table 1",
        window=4096,
        remark="The paper's table says context_len 8192.",
    ),
}  # fmt: skip
CARDS = (8, 24, 80)  # GB of memory
GB, GIB = 10**9, 2**30
