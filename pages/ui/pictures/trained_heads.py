"""The pictures of the page about trained heads."""

from core.figures.trained_heads import (
    describe_effects,
    describe_group,
    describe_head,
    describe_pronoun,
    describe_switched,
    effects_figure,
    group_figure,
    head_figure,
    pronoun_figure,
    switched_figure,
)
from core.lessons.trained_effects import effects, written
from core.lessons.trained_heads import HeadsTrace, TrainedHeadsSettings, trace_heads
from core.lessons.trained_pronoun import trace_pronoun
from core.lessons.trained_switches import switch
from core.models.recording import Recording
from pages.ui.html import safe
from pages.ui.pictures.picture import Picture
from pages.ui.trained_grid import grid
from pages.ui.trained_links import links
from pages.ui.trained_mistakes import mistakes
from pages.ui.trained_recordings import recording_of
from pages.ui.trained_words import (
    effect_words,
    group_words,
    head_words,
    no_vectors,
    pronoun_words,
    switched_words,
)

_UNITS = {"decoder": "RMS change of the logits", "encoder": "move of the sentence’s vector"}


def trained_heads(settings: TrainedHeadsSettings) -> dict[str, Picture]:
    """Return all heads, the chosen one, its group, its switches, effects and mistakes."""
    recording = recording_of(settings)
    if isinstance(recording, Recording):
        return _of(trace_heads(settings, recording))
    words = Picture(None, below=f"<p class='lab-large' role='status'>{safe(recording)}</p>")
    empty = dict.fromkeys(
        ("head", "group", "switched", "effects", "mistakes"), Picture(None, below="<p></p>")
    )
    return {"grid": words} | empty


def _of(trace: HeadsTrace) -> dict[str, Picture]:
    return {
        "grid": Picture(None, below=grid(trace)),
        "head": Picture(
            head_figure(trace), describe_head(trace), "head", beside=links(trace), below=head_words(trace)
        ),
        "group": Picture(group_figure(trace), describe_group(trace), "group", below=group_words(trace)),
        "switched": _switched(trace),
        "effects": _effects(trace),
        "mistakes": Picture(None, below=mistakes(trace)),
    }


def _switched(trace: HeadsTrace) -> Picture:
    found = switch(trace)
    if found is None:
        return Picture(None, below=no_vectors(trace))
    return Picture(
        switched_figure(found), describe_switched(found), "switched", below=switched_words(trace, found)
    )


def _effects(trace: HeadsTrace) -> Picture:
    found, head = effects(trace.recording), trace.settings.head
    words = effect_words(trace, written(trace), found)
    if found is None:
        return Picture(None, below=words)
    return Picture(
        effects_figure(found, head, _UNITS[trace.spec.kind]),
        describe_effects(found, head),
        "effects",
        beside=words,
        even=True,
    )


def pronoun(settings: TrainedHeadsSettings) -> Picture:
    """Return the row of "it" in both models. No slider changes it, so it is in no view."""
    encoder, decoder = trace_pronoun("minilm"), trace_pronoun("smollm2")
    heads = (settings.encoder_head, settings.decoder_head)
    return Picture(
        pronoun_figure(encoder, decoder, heads),
        describe_pronoun(encoder, decoder),
        "pronoun",
        below=pronoun_words(encoder, decoder, heads),
    )
