"""What stands behind wrong answers, in families that a student can name and practise."""

from dataclasses import dataclass
from functools import cache

from core.exercises import EXERCISES

_SEEDS = range(3)  # twins differ in their numbers, and now and then in what can go wrong


@dataclass(frozen=True)
class Family:
    """Misconceptions that come from one gap, and what the gap is about."""

    key: str  # in links: never changes
    title: str
    names: tuple[str, ...]  # as in ``Wrong.misconception``


FAMILIES = {
    family.key: family
    for family in (
        Family(
            "row-shape",
            "how sharp or flat a row of weights is",
            (
                "the best match takes all", "the best match takes at least half",
                "attention is a plain average", "only the direction counts", "large scores saturate",
                "equal before, exactly 1 after",
            ),
        ),
        Family(
            "softmax-does",
            "what softmax does to scores",
            (
                "exp overflows, so there is no answer", "scores divided by their sum",
                "bigger scores, bigger weights", "stretching the scores changes nothing",
                "weights grow with the scores in proportion", "weights always depend on the scores",
                "the sum is the only check", "confident means strong signal",
                "slope does not depend on scores",
            ),
        ),
        Family(
            "scale-place",
            "what scores are divided by, and when",
            (
                "the scale forgotten", "divided by d_k, not by its root",
                "the model's width in the scale", "divided by the number of heads",
                "scale after softmax", "scaled already", "scaling is cosmetic",
                "variance taken for the standard deviation", "unit entries give a unit sum",
                "mean 0 taken for no spread", "the rule for ties overlooked",
            ),
        ),
        Family(
            "sums",
            "what sums to 1",
            (
                "a row need not sum to 1", "columns sum to 1",
                "numbers from 0 to 1 are always weights",
            ),
        ),
        Family(
            "which-keys",
            "which keys a token sees",
            (
                "the mask does not touch token 0", "a token may not see itself",
                "the lower triangle is hidden", "half of the cells are hidden",
                "visible cells counted, not hidden ones", "only the diagonal is visible",
                "the mask starts at the top left", "the window counts earlier tokens only",
                "the window forgotten", "the mask forgotten", "a token predicts itself",
                "row 0 sees its own answer",
            ),
        ),
        Family(
            "hiding",
            "hiding before or after softmax, and with what number",
            (
                "zeroed after softmax, not shared out again", "a hidden score set to 0", "mask last",
                "zero vector, zero weight", "softmax of nothing", "a finite fill hides everything",
                "bigger is safer", "any negative number hides",
            ),
        ),
        Family(
            "mask-changes",
            "what a mask changes",
            (
                "only hidden cells change", "the last row changes too",
                "more in view makes learning harder", "a mask changes shapes",
                "a mask only saves time",
            ),
        ),
        Family(
            "qkv-roles",
            "what queries, keys and values are for",
            (
                "values take part in the matching", "softmax undoes it", "one value is read whole",
                "no query, no attention", "a token reads itself",
            ),
        ),
        Family(
            "reading-pictures",
            "how a picture of weights is read",
            (
                "value printed on a page", "average equals behaviour", "take the maximum",
                "weight equals importance", "good heads are diagonal",
                "symmetric scores give symmetric weights", "the wrong column read", "counting from 1",
            ),
        ),
        Family(
            "heads-own",
            "what a head owns, and how heads are joined",
            (
                "more heads, more weights", "forgot W_O", "each head has full-width matrices",
                "reshape sorts it out", "shapes clash", "last head first",
                "heads take turns with the entries", "each head uses the whole query",
                "the same layout everywhere", "keys come first",
            ),
        ),
        Family(
            "order-blind",
            "where order comes from",
            ("invariant", "position matters without positions", "its neighbours moved"),
        ),
        Family(
            "rotation",
            "what a rotation changes",
            (
                "adds the numbers", "rotation scales", "rotation cancels", "grows with position",
                "query and key swapped", "distance has no sign", "flip the sign",
                "future keys are not rotated", "same place, no score", "one rotation is left over",
                "all pairs turn alike", "slowest speed is 1 over the base", "half-split pairing",
                "rotation spreads everywhere",
            ),
        ),
        Family(
            "cache-keeps",
            "what heads share, and what a cache keeps",
            (
                "kv heads are tiled", "divided by the number of kv heads",
                "each head keeps its own keys", "only keys are shared", "only keys are cached",
                "query heads are cached", "one layer counted", "queries are cached too",
                "old keys are used up", "every step starts over", "the cache saves only memory",
                "one dot product for each token",
            ),
        ),
        Family(
            "grows-with",
            "what grows with what",
            (
                "size follows d_k", "mix of tokens and features", "tokens times features",
                "cost follows n", "three axes grow",
            ),
        ),
        Family(
            "block-adds",
            "what a block adds, and what SiLU bends",
            (
                "silu on the other branch", "the second branch forgotten", "silu of the product",
                "no silu at all", "silu cuts negative inputs", "a sub-layer replaces its input",
                "the residual starts from the norm", "the norm after the sum",
                "the norm on the output", "one sum at the end",
            ),
        ),
    )
}  # fmt: skip

FAMILY_OF = {name: family for family in FAMILIES.values() for name in family.names}


@cache
def can_be_met() -> dict[str, frozenset[str]]:
    """Return for each exercise, by its id, the misconceptions that can be met in it.

    All exercises are made for that, so it is done when first asked for.
    """
    return {
        exercise.id: frozenset(wrong.misconception for seed in _SEEDS for wrong in exercise.make(seed).wrong)
        for exercise in EXERCISES
    }


def exercises_of(family: str) -> tuple[str, ...]:
    """Return the ids of the exercises in which a misconception of a family can be met.

    Args:
        family: a key of ``FAMILIES``.
    """
    names = set(FAMILIES[family].names)
    return tuple(name for name, met in can_be_met().items() if names & met)
