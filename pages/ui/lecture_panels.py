"""What each page projects in a lecture, panel by panel.

Tables that need smaller type than a back row can read are left out: the lessons' printed numbers, the
source code, PyTorch's answers, the glossary's list. They stay on the page.
"""

from core.exercises.exercise import Exercise
from core.exercises.in_lessons import picture_of
from core.exercises.place import BY_ID
from core.lecture.stops import EXERCISES
from pages.ui import state
from pages.ui.attempts import task_of
from pages.ui.lecture import Panel

OPENING = (".lab-opening > p:not(.lab-symbols)", ".katex-display")
NOTICE = (".st-key-notice ul",)


def _canvas(key: str) -> str:
    return f".st-key-plot_{key} .lab-canvas"


def _picture(key: str) -> str:
    """Return the picture, and the row that is told in large digits where its own would be too small."""
    return f".st-key-plot_{key} :is(.lab-canvas, .lab-row)"


def _beside(key: str, part: str = "") -> str:
    return f".st-key-plot_{key} .lab-beside {part}".strip()


def _below(key: str, part: str = "") -> str:
    return f".st-key-plot_{key} .lab-below {part}".strip()


def _control(*keys: str) -> tuple[str, ...]:
    return tuple(f".st-key-{key}" for key in keys)


def _cards(key: str, *groups: tuple[int, ...], title: str = "Usual mistakes") -> tuple[Panel, ...]:
    """Return a panel for each group of cards, numbered from 1."""
    return tuple(
        Panel(title, tuple(_below(key, f"article:nth-of-type({number})") for number in group))
        for group in groups
    )


_SWITCHES = _control("scale", "mask", "rope")

PANELS: dict[str, tuple[Panel, ...]] = {
    "": (Panel("Attention Lab", (*_control("home_sliders"), _picture("home"))),),
    "playground": (
        Panel("Attention", (*_control("stage", "head", "sliders"), _picture("heads")), aside=True),
        Panel("One cell, step by step", (_beside("heads", "h3"), _beside("heads", ".lab-steps"))),
        Panel(
            "Saturation",
            (*_control("sliders"), _picture("saturation"), _below("saturation", ".lab-legend:first-child")),
        ),
        Panel("How sharp each row is", (_below("heads", ".lab-tall"),)),
        Panel("Checks", (_below("heads", ".lab-truth"),)),
    ),
    "soft-lookup": (
        Panel("Attention as a soft lookup", OPENING),
        Panel("A lookup in the plane", (*_control("stepper_step", "lookup_sliders"), _picture("lookup"))),
        Panel("Its numbers", (*_control("stepper_step"), _beside("lookup", "section:first-child"))),
        Panel("Exact and soft", (*_control("lookup_sliders"), _beside("lookup", "section:last-child"))),
        Panel("What to notice", NOTICE),
        *_cards("lookup_mistakes", (1, 2), (3, 4)),
        Panel("The road here", (*_control("path_sliders"), _picture("path"))),
        Panel("Two ways to score", (*_control("scoring_sliders"), _below("scoring", ".lab-matrix"))),
        Panel("What they cost", (*_control("scoring_sliders"), _below("scoring", ".lab-cards"))),
    ),
    "scaling": (
        Panel("Why divide by √d_k?", OPENING),
        Panel("The spread of q·k", (*_control("scaling_sliders"), _picture("spread"))),
        Panel("The spread, measured", (*_control("scaling_sliders"), _beside("spread"))),
        Panel("What softmax makes of one row", (*_control("scaling_sliders"), _below("row", ".lab-matrix"))),
        Panel("How sharp each divisor is", (*_control("scaling_sliders"), _below("row", ".lab-panel"))),
        Panel("Saturation", (_picture("curves"), _below("curves", ".lab-legend"))),
        Panel("What to notice", NOTICE),
        Panel(
            "The Jacobian, undivided",
            (*_control("scaling_sliders"), _below("jacobians", ".lab-matrix:first-child")),
        ),
        Panel(
            "The Jacobian, divided",
            (*_control("scaling_sliders"), _below("jacobians", ".lab-matrix:last-child")),
        ),
        Panel("Gradients", (_picture("gradients"), _below("gradients", ".lab-legend"))),
        Panel("Too large for exp", (*_control("overflow_sliders"), _below("overflow"))),
        *_cards("scaling_mistakes", (1,), (2, 3), (4,)),
    ),
    "masking": (
        Panel("Masks", OPENING),
        Panel("Without a mask", (*_control("mask", "how", "stage"), _picture("masking")), tile=0, aside=True),
        Panel("With it", (*_control("mask", "how", "stage"), _picture("masking")), tile=1, aside=True),
        Panel("Without, with, and the difference", (_canvas("masking"),)),
        Panel("One row, by each way", (_below("masking", ".lab-matrices > :first-child"),)),
        Panel("Lesson B’s row, by each way", (_below("masking", ".lab-matrices > :last-child"),)),
        Panel("What to notice", NOTICE),
        *_cards("padding", (1,), (2,), (3,), title="Padding: a vector of zeros is not hidden"),
        Panel("A row with no key left", (_below("empty"),)),
        Panel(
            "New queries, cached keys: bottom-right",
            (*_control("new_queries"), _below("cached", ".lab-part:first-child")),
        ),
        Panel(
            "New queries, cached keys: top-left",
            (*_control("new_queries"), _below("cached", ".lab-part:last-child")),
        ),
        *_cards("mistakes", (1, 2), (3, 4), (5, 6), (7,)),
    ),
    "heads": (
        Panel("Heads are slices", OPENING),
        Panel(
            "Which columns are whose",
            (*_control("sliders"), _below("stage", ".lab-shapes"), _below("stage", ".lab-slices")),
        ),
        Panel(
            "Every array, from X to the output",
            (
                *_control("stepper_step"),
                *(_below("stage", f".lab-tight > {part}") for part in ("p", ".lab-matrices:first-of-type")),
            ),
        ),
        Panel("Every head has a pattern of its own", (*_control("sliders"), _picture("weights")), aside=True),
        Panel(
            "A loop, or all at once: one answer",
            (_below("agreement", ".lab-matrix:last-child"), _below("agreement", "p")),
        ),
        Panel(
            "What heads cost",
            (*_control("wide_sliders"), _below("counts", ".lab-large"), _below("counts", ".lab-squares")),
        ),
        Panel("What to notice", NOTICE),
        Panel(
            "The forgotten transpose",
            tuple(
                _below("mistakes", f"section:nth-of-type(1) {part}")
                for part in ("> p", ".lab-matrix:first-child")
            ),
        ),
        Panel(
            "Two heads",
            tuple(
                _below("mistakes", f"section:nth-of-type(2) .lab-matrix:nth-of-type({number})")
                for number in (1, 2)
            ),
        ),
        Panel(
            "Their average, which nothing uses",
            tuple(
                _below("mistakes", f"section:nth-of-type(2) {part}")
                for part in (".lab-matrix:last-child", "> p:first-of-type")
            ),
        ),
        *_cards("mistakes", (1, 2), (3, 4), (5, 6)),
    ),
    "positions": (
        Panel("Positions", OPENING),
        Panel("Attention does not see the order", (_below("order", ".lab-orders > .lab-matrices"),)),
        Panel(
            "Equivariant, not invariant",
            (*_control("order_from"), _below("order", ".lab-puts"), _below("order", ".lab-beside-table")),
        ),
        Panel("Waves, added to the embeddings", (_picture("waves"),)),
        Panel("What waves tell", (_beside("waves"),)),
        Panel(
            "Waves, and what the model reads",
            tuple(_below("added", f".lab-matrix:nth-of-type({number})") for number in (2, 3)),
        ),
        Panel("RoPE: turn q and k, pair by pair", (*_control("sliders"), _picture("dials"))),
        Panel("The score and the distance", (*_control("sliders"), _below("dials", ".lab-verdict"))),
        Panel("The base, and long contexts", (*_control("base_slider"), _picture("base"))),
        Panel("Pairs that never come round", (*_control("base_slider"), _beside("base"))),
        Panel(
            "Which entries make a pair", (_below("pairings", ".lab-matrix"), _below("pairings", ".lab-dim"))
        ),
        Panel("Two pairings, mixed", (_below("pairings", ".lab-beside-table > :first-child"),)),
        Panel("From one pairing to the other", (_below("pairings", ".lab-verdict"),)),
        *_cards("split", (1,), (2,), title="Before the split into heads, or after"),
        Panel("What to notice", NOTICE),
        *_cards("mistakes", (1,), (2,), (3,), (4,), (5,), (6,)),
    ),
    "kv-cache": (
        Panel("GQA and the KV cache", OPENING),
        Panel(
            "Query heads share keys and values",
            (
                *_control("sliders"),
                *(
                    _below("sharing", part)
                    for part in (".lab-large", "h3:nth-of-type(1)", "ul:nth-of-type(1)")
                ),
            ),
        ),
        Panel(
            "Repeated in the wrong order",
            tuple(
                _below("sharing", part) for part in ("h3:nth-of-type(2)", "ul:nth-of-type(2)", "p:last-child")
            ),
        ),
        Panel("Decoding: one token at a time", (*_control("stepper_step"), _picture("decoding")), aside=True),
        Panel("What is read, what is computed", (*_control("stepper_step"), _below("tape"))),
        Panel(
            "The arithmetic of a step",
            (*_control("stepper_step"), _beside("decoding", "h3"), _beside("decoding", ".lab-steps")),
        ),
        Panel("The outputs are equal, the work is not", (_picture("cost"), _below("cost", ".lab-legend"))),
        Panel("Why queries need no cache", (_below("no_queries"),)),
        Panel(
            "What the cache takes",
            (
                *_control("memory_sliders"),
                _below("memory", ".lab-large"),
                _below("memory", ".lab-kv-fits:nth-of-type(1)"),
            ),
        ),
        Panel(
            "The same cache with other KV heads",
            (*_control("memory_sliders"), _below("memory", ".lab-kv-fits:nth-of-type(2)")),
        ),
        Panel("What to notice", NOTICE),
        *_cards("mistakes", (1, 2), (3, 4), (5, 6)),
    ),
    "cost": (
        Panel("What attention costs", OPENING),
        Panel("n², counted", (*_control("sliders"), _picture("growth"))),
        Panel("The numbers", (*_control("sliders"), _below("growth", "table"))),
        Panel(
            "Measured on this machine",
            (
                ".st-key-measure_first p",
                _picture("measured"),
                _below("measured", ".lab-legend"),
                ".lab-measuring",  # what will come, or that it comes
                *_control("measure"),
            ),
        ),
        Panel(
            "FlashAttention’s idea: tiles",
            (*_control("stepper_step"), _below("walk", ".lab-held"), _below("walk", ".lab-map")),
        ),
        Panel(
            "Three running numbers",
            (
                *_control("stepper_step"),
                _below("walk", ".lab-tight > .lab-scroll"),
                _below("walk", ".lab-tight > p"),  # at the last step there is nothing else
            ),
        ),
        Panel(
            "The output, tile by tile",
            (*_control("stepper_step"), _below("walk", ".lab-tight > .lab-matrices:last-of-type")),
        ),
        Panel("How far a window reaches", (*_control("window_sliders"), _picture("window"))),
        Panel("What a window costs", (_below("window"),)),
        Panel("Shared keys and values", (*_control("sharing_sliders"), _below("sharing"))),
        Panel("What to notice", NOTICE),
        *_cards("mistakes", (1, 2), (3,), (4,), (5,), (6,)),
    ),
    "block": (
        Panel("The transformer block", OPENING),
        Panel(
            "The block, step by step",
            (*_control("stepper_step"), _below("stage", ".lab-flow"), _below("stage", ".lab-step-words")),
        ),
        Panel(
            "Its arrays",
            (*_control("stepper_step"), _below("stage", ".lab-tight > .lab-matrices")),
        ),
        Panel(
            "The residual stream, block after block",
            (*_control("depth_sliders"), _picture("depth"), _below("depth", ".lab-legend")),
        ),
        Panel(
            "What bends: SwiGLU and GELU",
            (*_control("gate_sliders"), _picture("gate"), _below("gate", ".lab-legend")),
        ),
        Panel("One entry of SwiGLU", (*_control("gate_sliders"), _beside("gate", ".lab-steps"))),
        Panel(
            "The whole model",
            (_below("model", "section > p:not(.lab-dim)"), _below("model", ".lab-wide-bars")),
        ),
        Panel("Its parameters", (*_control("size"), _below("counts", "section > p"))),
        Panel("What to notice", NOTICE),
        *_cards("mistakes", (1,), (2,), (3,), (4, 5), (6,)),
    ),
    "trained-heads": (
        Panel("Trained heads", OPENING),
        Panel(
            "All heads of a model",
            (
                *_control("model", "sentence", "order"),
                _below("grid", ".lab-legend"),
                _below("grid", ".lab-heads"),
            ),
        ),
        Panel("One head", (*_control("model", "sentence", "sliders"), _picture("head")), aside=True),
        Panel("What this head does", (*_control("sliders"), _below("head", ".lab-panel"))),
        Panel("Do the brightest heads matter most?", (_picture("effects"),)),
        Panel(
            "What is read, and what it brings",
            (*_control("sliders"), _beside("effects", "h3"), _beside("effects", ".lab-scroll")),
        ),
        Panel(
            "What changes without this head", (*_control("sliders"), _beside("effects", "p:not(.lab-dim)"))
        ),
        Panel("Scale, mask and RoPE, switched", (*_SWITCHES, _picture("switched")), tile=1, aside=True),
        Panel("Less the head as it was trained", (*_SWITCHES, _picture("switched")), tile=2, aside=True),
        Panel(
            "What the switch does to its scores", (*_SWITCHES, _below("switched", ".lab-tight > .lab-scroll"))
        ),
        Panel("Heads that share keys and values", (*_control("sliders"), _picture("group"))),
        Panel("One KV head, several patterns", (*_control("sliders"), _below("group"))),
        Panel("“It”: tired or wide?", (*_control("encoder_head", "decoder_head"), _picture("pronoun"))),
        Panel("What “it” proves", (_below("pronoun", ".lab-step-words"),)),
        Panel("How heads are sorted", _control("formulas")),
        Panel("What to notice", NOTICE),
        *_cards("mistakes", (1,), (2,), (3,), (4,)),
    ),
    "training": (
        Panel("Training lab", (*OPENING, *_control("experiment"))),
        Panel(
            "How it learns",
            (
                *_control("experiment", "train"),
                "[data-testid='stProgress']",
                _picture("curves"),
                _below("curves", ".lab-legend"),
            ),
            aside=True,
        ),
        Panel("Its heads, at any moment", (*_control("run", "head", "scrubber"), _picture("heads"))),
        Panel("In numbers", (*_control("run", "scrubber"), _below("heads"))),
        Panel("What to notice", NOTICE),
    ),
    "exercises": (
        Panel("What is given", _control("staged_setup", "staged_question")),
        Panel("Your own prediction", (*_control("staged_question"), ".lab-hold")),
        Panel("Show of hands", _control("staged_question", "hands"), name="hands"),
        # Passed over while nobody was counted.
        Panel(
            "Talk it over, then hands again",
            (*_control("staged_question", "hands"), ".lab-hands[data-counted]"),
            name="again",
        ),
        Panel(
            "What comes out",
            _control("staged_question", "staged_options", "staged_result"),
            reveals=True,
            name="result",
        ),
        Panel(
            "How you voted",
            (*_control("staged_question"), ".st-key-staged_votes .lab-hands[data-counted]"),
            reveals=True,
            name="room",
        ),
        Panel(
            "What do you see?",
            _control("staged_options", "staged_result", "staged_notice"),
            reveals=True,
            name="notice",
        ),
        Panel("Why", _control("staged_why"), reveals=True),
    ),
    "glossary": (Panel("Glossary", (*_control("find"), ".lab-card", ".lab-glossary")),),
}


def panels() -> tuple[Panel, ...]:
    """Return what the page that runs can project; of an exercise, its own page's picture comes last."""
    own = PANELS.get(state.page(), ())
    if state.page() != EXERCISES or not state.settings().id:
        return own
    exercise = BY_ID[state.settings().id]
    if not task_of(exercise, state.settings().seed).link:  # its page cannot take these numbers
        return own
    return (*own, *_on_its_page(exercise))


def _on_its_page(exercise: Exercise) -> tuple[Panel, ...]:
    """Return the panel that its page has for the picture of an exercise, of all its matrices; or none."""
    its, here = f".st-key-plot_{picture_of(exercise)} ", f".st-key-plot_shown_{exercise.id} "
    found = [
        tuple(part.replace(its, here) for part in panel.parts if part.startswith(its))
        for panel in PANELS.get(exercise.page, ())
        if panel.tile is None
    ]
    return tuple(Panel("On its page", parts, reveals=True) for parts in filter(None, found))[:1]
