"""The pictures of the page about the block."""

from core.figures.block import (
    ATTENTION_COLOUR,
    GELU_COLOUR,
    MLP_COLOUR,
    SILU_COLOUR,
    STREAM_COLOUR,
    WITH_COLOUR,
    WITHOUT_COLOUR,
    activations_figure,
    depth_figure,
    describe_activations,
    describe_depth,
)
from core.lessons.block import BlockLessonSettings, trace_block, without_looks
from core.lessons.block_counts import model_size
from core.lessons.block_wrong import Entry, entry
from pages.ui import cache
from pages.ui.block_mistakes import block_mistakes
from pages.ui.block_model import counts, model
from pages.ui.block_stages import stage
from pages.ui.html import number, safe
from pages.ui.pictures.picture import Picture


def block(settings: BlockLessonSettings) -> dict[str, Picture]:
    """Return the step that is looked at, the stream along depth, the activations, the model, the mistakes."""
    trace, depth = trace_block(settings), cache.depth(without_looks(settings))
    gate = entry(settings.a, settings.b)
    token = settings.token
    return {
        "stage": Picture(None, below=stage(trace)),
        "depth": Picture(
            depth_figure(depth, token),
            describe_depth(depth, token),
            "residual-stream",
            below=_depth_legend(settings),
        ),
        "gate": Picture(
            activations_figure(gate),
            describe_activations(gate),
            "activations",
            beside=_gate(gate),
            below=f"<p class='lab-legend'>{_line(SILU_COLOUR)}SiLU {_line(GELU_COLOUR, 'dashed')}GELU "
            f"{_line(STREAM_COLOUR, 'dotted')}ReLU</p>",
        ),
        "model": Picture(None, below=model(trace, depth)),
        "counts": Picture(None, below=counts(model_size(settings))),
        "mistakes": Picture(None, below=block_mistakes(trace)),
    }


def _line(colour: str, look: str = "solid") -> str:
    return f"<i class='lab-line' style='border-color:{colour};border-top-style:{look}'></i>"


def _depth_legend(settings: BlockLessonSettings) -> str:
    def square(colour: str) -> str:
        return f"<i class='lab-swatch' style='background:{colour}'></i>"

    token = f"token {settings.token} “{safe(settings.tokens[settings.token])}”"
    return (
        f"<p class='lab-legend'>Length of the vector of {token}: {_line(STREAM_COLOUR)}x in the stream, "
        f"{square(ATTENTION_COLOUR)}what attention adds, {square(MLP_COLOUR)}what the MLP adds. "
        f"Mean cosine of two tokens: {_line(WITH_COLOUR)}with residuals, "
        f"{_line(WITHOUT_COLOUR, 'dotted')}without ({settings.norm_place}-norm).</p>"
    )


def _gate(gate: Entry) -> str:
    rows = (
        ("a = entry of x W1", gate.a),
        ("σ(a)", gate.share),
        ("SiLU(a) = a σ(a)", gate.bent),
        ("b = entry of x W3", gate.b),
        ("hidden = SiLU(a) · b", gate.product),
    )
    items = (f"<li><span>{name}</span><b>{number(value)}</b></li>" for name, value in rows)
    return (
        "<section class='lab-panel' aria-label='One entry of SwiGLU'><h3>One entry of SwiGLU</h3>"
        f"<ol class='lab-steps'>{''.join(items)}</ol>"
        "<p>b = 0 switches the entry off; a far below 0 does so nearly.</p>"
        "<p><b>Which branch is the gate?</b> The lesson says b, the linear one (W3). LLaMA code says the "
        "SiLU branch: <code>w1</code>, <code>gate_proj</code>; and calls W3 <code>up_proj</code>. "
        "The number is the same.</p></section>"
    )
