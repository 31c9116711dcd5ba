"""Names and standing words of the page about trained heads."""

import streamlit as st

from core.lessons.trained_heads import OWN, PRONOUN_HEADS, TrainedHeadsSettings, short_name
from core.models.scores import SCORES
from core.models.sentences import SENTENCES
from core.models.specs import MODELS, ModelSpec
from pages.ui import state
from pages.ui.live import Slider, live_sliders
from pages.ui.widgets import choice, row, widget

MODEL_NAMES = {key: f"{spec.title} ({spec.kind})" for key, spec in MODELS.items()}
SENTENCE_NAMES = {
    "repeat": "Ten random words, twice",
    **{key: text for key, text in SENTENCES.items() if key != "repeat"},
    OWN: "Your own sentence …",
}
ORDER_NAMES = {"layer": "by layer", **{key: f"{score.title}, highest first" for key, score in SCORES.items()}}
SCALE_NAMES = {"sqrt_d_k": "1/√d_k, as trained", "none": "no scale", "d_k": "1/d_k"}
ROPE_NAMES = {"trained": "on, as trained", "off": "off"}


def top_controls(settings: TrainedHeadsSettings) -> None:
    """Draw what the grid depends on, and the sliders that go from head to head."""
    spec = settings.spec
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choice("model", "Model", MODEL_NAMES, st.selectbox)
        choice("sentence", "Sentence", SENTENCE_NAMES, st.selectbox)
        choice("order", "Order of the heads", ORDER_NAMES, st.selectbox)
    if settings.sentence == OWN:
        widget("text", lambda **w: st.text_input("Your sentence", **w))
    layer, head = settings.head
    live_sliders(
        [
            Slider(
                "head", "layer", range(spec.n_layers), layer, 0, spec.n_layers - 1, "From the input upwards.",
                index=0,
            ),
            Slider(
                "head", "head", range(spec.n_heads), head, 0, spec.n_heads - 1, "Within the layer.", index=1
            ),
        ],
        key="sliders", view="trained-heads", settings=settings, on_change=state.merge,
    )  # fmt: skip


def switches(settings: TrainedHeadsSettings) -> None:
    """Draw the switches of one head's parts."""
    spec = settings.spec
    names = ("causal, as trained", "none") if spec.is_causal else ("none, as trained", "causal")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choice("scale", "Scale", SCALE_NAMES, st.selectbox)
        choice("mask", "Mask", dict(zip(("trained", "changed"), names, strict=True)), st.selectbox)
        if spec.rope_base is not None:
            choice("rope", "RoPE", ROPE_NAMES, st.selectbox)


def pronoun_controls() -> None:
    """Draw the choice of one head of each model."""
    with st.container(horizontal=True):
        for name, model in (("encoder_head", "minilm"), ("decoder_head", "smollm2")):
            heads = {head: short_name(head) for head in PRONOUN_HEADS[model]}
            choice(name, f"{MODELS[model].title}: head", heads, row)


def formulas() -> str:
    """Return the six scores as Markdown with formulas."""
    return "\n".join(f"- **{score.title}**: ${score.formula}$: {score.words}." for score in SCORES.values())


def provenance(spec: ModelSpec) -> str:
    """Return where the numbers come from, as Markdown."""
    file = spec.files[0]
    shared = f" on {spec.n_kv_heads} KV heads" if spec.group_size > 1 else ""
    sees = "each token sees those before it" if spec.is_causal else "each token sees all tokens"
    return (
        f"{spec.title}, {spec.kind}: {spec.n_layers} layers × {spec.n_heads} heads{shared}, "
        f"d_k = {spec.d_head}; {sees}. Licence {spec.licence}. File {file.name}, "
        f"SHA-256 {file.sha256[:12]}…; recorded by our own forward pass, in half precision. "
        "See assets/gallery/README.md."
    )
