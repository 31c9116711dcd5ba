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
                "attention is a plain average", "the length of a query does not count",
                "large scores saturate, whatever the gaps", "softmax is either equal or one-hot",
                "a token reads mostly itself",
            ),
        ),
        Family(
            "softmax-does",
            "what softmax does to scores",
            (
                "exp overflows, so there is no answer", "exponent and exponential mixed up",
                "the shift comes after exp", "the logarithm to base 10 taken",
                "scores divided by their sum", "scores used as weights",
                "higher scores, higher weights", "stretching the scores changes nothing",
                "weights grow in proportion to the scores", "weights always depend on the scores",
                "a confident softmax learns fastest", "the slope of softmax is the same everywhere",
            ),
        ),
        Family(
            "scale-place",
            "what scores are divided by, and when",
            (
                "the scale forgotten", "divided by d_k, not by its root",
                "the model's width in the scale", "divided by the number of heads",
                "divided by the variance, not by its root",
                "the divisor is the root of d_k whatever the variance", "scaling after softmax",
                "raw and scaled scores mixed up", "variance taken for the standard deviation",
                "adding terms does not add variance", "mean 0 taken for no spread",
            ),
        ),
        Family(
            "sums",
            "what sums to 1",
            (
                "a row need not sum to 1", "columns sum to 1", "any numbers from 0 to 1 are weights",
                "weights that sum to 1 anywhere are enough", "without a mask rows do not sum to 1",
                "the right weight taken to be 1", "a wrong row never sums to 1",
            ),
        ),
        Family(
            "which-keys",
            "which keys a token sees",
            (
                "the mask does not touch token 0", "a token may not see itself",
                "a token always sees itself", "the mask hides the past",
                "half of the cells are hidden", "visible cells counted, not hidden ones",
                "only the diagonal is visible", "the mask starts at the top left",
                "the window counts earlier tokens only", "the window forgotten", "the mask forgotten",
                "new tokens do not see each other", "a cache needs no mask",
                "an encoder sees only the past",
            ),
        ),
        Family(
            "hiding",
            "hiding before or after softmax, and with what number",
            (
                "masking after softmax", "a score of 0 means a weight of 0",
                "a row without a key has to be NaN", "a finite fill hides a whole row",
                "any negative fill hides", "a larger negative fill is always safer",
                "every library reads a mask alike",
            ),
        ),
        Family(
            "mask-changes",
            "what a mask is for",
            (
                "only hidden cells change", "the last row changes too",
                "more in view makes learning harder", "a mask changes shapes",
                "a mask only saves time", "later words say nothing about earlier ones",
                "later keys do not exist in training", "a token predicts itself",
                "every visible cell is a prediction", "the first token predicts nothing",
                "only the last position predicts",
            ),
        ),
        Family(
            "qkv-roles",
            "what queries, keys and values are for",
            (
                "values take part in the matching", "softmax cancels the size of the values",
                "one value is read whole", "values are added without weights",
                "values come from the reader", "who reads brings the keys",
                "every score is a dot product", "tanh left out",
            ),
        ),
        Family(
            "reading-pictures",
            "how a picture of weights is read",
            (
                "a printed value is right", "the average of the heads is what each head does",
                "a picture of several heads shows their maximum", "weight equals importance",
                "a good head looks at its own position", "symmetric scores give symmetric weights",
                "the wrong column read", "rows are keys", "the grid of weights is always square",
                "counting from 1",
            ),
        ),
        Family(
            "heads-own",
            "what a head owns",
            (
                "more heads mean more parameters", "the output matrix forgotten",
                "each head has full-width matrices", "a head's output is as wide as the model",
                "the input is cut, not the query", "heads take turns with the entries",
                "each head uses the whole query", "all heads share one table of weights",
                "more heads mean more work", "narrow heads make attention cheaper",
            ),
        ),
        Family(
            "layout",
            "axes and layouts in code",
            (
                "a reshape moves heads to their tokens", "a wrong merge raises an error",
                "the last head lies first in memory", "attention works before the heads are apart",
                "a wrong transpose still multiplies", "a transpose always swaps the last two axes",
                "weights have the same layout everywhere", "keys stand before queries",
            ),
        ),
        Family(
            "rotation",
            "where order comes from, and what a rotation changes",
            (
                "a length is the sum of the numbers", "a rotation changes lengths",
                "a rotation runs clockwise", "a quarter turn taken for a half turn",
                "rotations always cancel", "scores grow with the positions", "query and key swapped",
                "distance has no sign", "the opposite distance flips the sign of the score",
                "future keys are not rotated", "values are rotated too", "only queries are rotated",
                "no distance, no score", "rotations at one position do not cancel",
                "RoPE turns a vector once and for all", "all pairs turn alike",
                "the slowest speed is 1 over the base", "the two ways to pair mixed up",
                "a rotation mixes all components", "outputs do not move with their tokens",
                "attention knows positions by itself", "RoPE is added to the embeddings",
            ),
        ),
        Family(
            "cache-keeps",
            "what heads share, and what a cache keeps",
            (
                "kv heads are dealt out in turn", "divided by the number of kv heads",
                "each query head keeps its own keys", "as many query heads as kv heads",
                "only keys are shared", "only keys are cached", "one layer counted",
                "texts in a batch share a cache", "queries are cached too", "old keys are used up",
                "decoding starts over at every step", "one dot product for each token",
            ),
        ),
        Family(
            "grows-with",
            "what grows with what, and how far a token reaches",
            (
                "the grid's size follows d_k", "d_k grows with the context",
                "attention cost grows in proportion to n",
                "the cache grows with the square of the tokens", "factors of growth add up",
                "FlashAttention is an approximation", "FlashAttention stores all scores",
                "FlashAttention computes less", "a convolution moves one token a layer",
                "one convolution sees the whole text", "attention walks word by word",
                "words between counted, not updates", "a recurrent network reaches back in one step",
            ),
        ),
        Family(
            "block-adds",
            "what a block adds, and what SiLU bends",
            (
                "silu on the other branch", "the second branch forgotten",
                "the sign of the second branch is lost", "a branch of 0 changes nothing",
                "the second branch is never negative", "silu of the product", "silu left out",
                "silu cuts negative inputs to 0", "the mlp has one matrix",
                "a sub-layer replaces its input", "the residual starts from the norm",
                "one sum at the end", "adding makes gradients smaller", "only the direct path counts",
                "slopes of a stack add up",
            ),
        ),
        Family(
            "norms",
            "where norms stand",
            (
                "the norm comes after the sub-layer", "one norm for each block",
                "the final norm forgotten", "a pre-norm block normalises the stream",
                "the final norm works on the logits", "the final norm stands before the blocks",
                "softmax comes before the logits",
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
