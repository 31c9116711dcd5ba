"""All heads of a model as buttons that share one small picture."""

from base64 import b64encode
from functools import lru_cache

from core.figures.thumbnails import thumbnails_png
from core.figures.trained_heads import head_name
from core.lessons.trained_heads import HeadsTrace, short_name, write_head
from core.models.recording import Recording
from core.models.scores import SCORES

_SHARP_UP_TO = 30  # tokens; more, and cells are smaller than pixels


@lru_cache(maxsize=12)
def sprite(recording: Recording) -> str:
    """Return the picture of all heads as a style: it stays in the browser while a head is chosen."""
    spec, weights = recording.spec, recording.whole_weights
    picture = thumbnails_png(weights.reshape(-1, *weights.shape[2:]), recording.visible, spec.n_heads)
    sharp = "pixelated" if recording.n_tokens <= _SHARP_UP_TO else "auto"
    return (
        f"<style>.lab-heads{{--sprite:url(data:image/png;base64,{b64encode(picture).decode()});--sharp:{sharp};"
        f"--H:{spec.n_heads};--L:{spec.n_layers}}}</style>"
    )


def grid(trace: HeadsTrace) -> str:
    """Return a button for each head, by layer or by score; the chosen one is pressed."""
    values = trace.scores.get(trace.settings.order)
    buttons = "".join(_button(trace, head, values) for head in trace.order)
    by_layer = values is None
    layers_long = trace.spec.n_layers > trace.spec.n_heads
    long, short = sorted((trace.spec.n_layers, trace.spec.n_heads), reverse=True)
    axes = ""
    if by_layer:
        axes = "".join(f"<span class='lab-heads-long' style='--a:{i}'>{i}</span>" for i in range(long))
        axes += "".join(f"<span class='lab-heads-short' style='--b:{i}'>{i}</span>" for i in range(short))
    looks = "lab-by-layer" if by_layer else "lab-by-score"
    looks += "" if layers_long else " lab-few-layers"
    return (
        "<section class='lab-panel' role='region' aria-label='All heads'>"
        f"<p class='lab-legend'>{_legend(trace, by_layer, layers_long)}</p>"
        f"<div class='lab-heads {looks}' role='group' aria-label='Heads: arrow keys move, Enter chooses' "
        f"data-roving style='--long:{long};--short:{short}'>{axes}{buttons}</div></section>"
    )


def _button(trace: HeadsTrace, head: tuple[int, int], values) -> str:
    layer, h = head
    name, words = head_name(head), ""
    if values is not None:
        name += f", {SCORES[trace.settings.order].title} {values[head]:.2f}"
        words = f"<small>{short_name(head)}</small><b>{values[head]:.2f}</b>"
    chosen = head == trace.settings.head
    return (
        f"<button type='button' data-name='head' data-put='{write_head(head)}' style='--l:{layer};--h:{h}' "
        f"aria-pressed='{str(chosen).lower()}' tabindex='{0 if chosen else -1}' aria-label='{name}'>"
        f"<i></i>{words}</button>"
    )


def _legend(trace: HeadsTrace, by_layer: bool, layers_long: bool) -> str:
    spec = trace.spec
    hidden = "<i class='lab-hatch'></i> hidden by the mask" if spec.is_causal else "No key is hidden"
    scale = f"<span class='lab-scale-bar'>weight 0 <i></i> 1.</span> {hidden}."
    if not by_layer:
        score = SCORES[trace.settings.order]
        return f"Highest <b>{score.title}</b> first: {score.words}. {scale}"
    undefined = trace.settings.order != "layer"
    note = f"<b>{SCORES[trace.settings.order].title}</b>: no such key in this sentence. " if undefined else ""
    wide, narrow = ("layers", "heads") if layers_long else ("heads", "layers")
    return (
        f"{note}{spec.n_layers} layers × {spec.n_heads} heads. "
        f"<span class='lab-on-wide'>Columns are {wide}, rows are {narrow}.</span>"
        f"<span class='lab-on-narrow'>Columns are {narrow}, rows are {wide}.</span> {scale}"
    )
