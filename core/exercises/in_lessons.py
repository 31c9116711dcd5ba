"""Where each exercise is asked in the lessons: just before its idea is shown.

A lesson's page stops at a place until its first exercise is committed and revealed, so nothing below can
give the answer away.
"""

from dataclasses import dataclass

from core.exercises.exercise import Exercise


@dataclass(frozen=True)
class Place:
    """A place in a lesson: what is asked there, and the picture that shows it."""

    exercises: tuple[str, ...]  # ids, the first of which is asked of everybody
    picture: str  # the name of the picture among those of the page
    moves: tuple[str, ...]  # the settings of that picture: a reveal moves them, and no others


def _place(exercises: str, picture: str, moves: str = "") -> Place:
    return Place(tuple(exercises.split()), picture, tuple(moves.split()))


TOP = "top"  # the place at the head of a page, before its controls
# fmt: off
LESSONS: dict[str, dict[str, Place]] = {
    "soft-lookup": {
        TOP: _place(
            "X01 X02 X52 X03 N04 X06 X51 X57 X48 N03 X24", "lookup",
            "source numbers query q temperature edit step",
        ),
        "mistakes": _place(
            "X09 X08 X14 X49 N05 X50 N19 N20 X07", "lookup",
            "source numbers query q temperature edit step",
        ),
        "road": _place("N17 N16", "path", "reader width hidden seed"),
    },
    "scaling": {
        TOP: _place("X19 X18", "spread", "d_k scale heads seed"),
        "row": _place("X21 X20 X22", "row", "d_k scale heads seed"),
        "overflow": _place("X05 X04", "overflow", "offset"),
    },
    "masking": {
        TOP: _place(
            "X10 X11 N01 X12 X13 X16 N02 X15 N10 N08 X56", "masking",
            "source text d_k seed mask how stage window padding side cell",
        ),
        "padding": _place("X31", "padding"),
        "empty": _place("X53", "empty"),
        "dtypes": _place("X54", ""),
        "meaning": _place("N06", "masking"),
        "cached": _place("X17", "cached", "new"),
    },
    "heads": {
        TOP: _place("X58 X26", "stage", "text d_model heads causal seed step head"),
        "weights": _place("X29 X30", "weights", "text d_model heads causal seed"),
        "agreement": _place("X28 X55 N09 N07", "agreement", "text d_model heads causal seed"),
        "counts": _place("X27", "counts", "wide wide_heads"),
    },
    "positions": {
        TOP: _place("X32", "order", "text order causal order_from"),
        "rope": _place(
            "X34 X33 N11 X35 X36 X37 N12", "dials",
            "example d_k rope_base pairing m n rope_offset",
        ),
        "pairings": _place("X38", "pairings", "example d_k rope_base pairing"),
    },
    "kv-cache": {
        TOP: _place("X39 X41", "sharing", "model heads kv_heads head"),
        "decoding": _place("X42", "tape", "text rope pairing window step"),
        "cost": _place("X43", "cost", "text step"),
        "memory": _place(
            "X40 N18", "memory",
            "model heads kv_heads layers d_head context batch bytes_per_value",
        ),
    },
    "cost": {TOP: _place("X25 X23", "growth", "n d_k heads window")},
    "training": {
        "layers": _place("T01", "heads", "experiment run head step"),
        "period": _place("T02", "curves", "experiment run head step"),
        "mask": _place("T03", "curves", "experiment run head step"),
        "scale": _place("T04", "curves", "experiment run head step"),
        "positions": _place("T05", "curves", "experiment run head step"),
    },
    "block": {
        TOP: _place(
            "X46 N13 X47", "stage",
            "text style norm_place residual d_model heads kv_heads seed block step token",
        ),
        "gate": _place("X44 X45 N14", "gate", "a b"),
        "model": _place("N15", "model", "size style"),
    },
}
# fmt: on
MAIN_PICTURE = {
    **{page: places[TOP].picture for page, places in LESSONS.items() if TOP in places},
    "playground": "heads",
}  # fmt: skip


def picture_of(exercise: Exercise) -> str:
    """Return the name of the picture that shows an exercise's result on its page; "" if none does."""
    for place in LESSONS.get(exercise.page, {}).values():
        if exercise.id in place.exercises:
            return place.picture
    return MAIN_PICTURE.get(exercise.page, "")
