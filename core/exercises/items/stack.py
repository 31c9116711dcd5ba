"""Exercises on the stack of blocks: why it adds, what its second branch does, what stands around it."""

from itertools import product

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import apart, out_of_order, pick
from core.lessons.block import STEPS, BlockLessonSettings
from core.lessons.block_counts import REAL
from core.lessons.block_wrong import entry

_MLP = STEPS["pre"].index("MLP")
Two = tuple[float, float]


def _slopes(slope: float, n_blocks: int) -> tuple[Two, Two, Two, Two]:
    """Slopes of the stack, with add and without: right; traded; slopes added up; only the 1s kept."""
    added = replaced = 1.0  # what one unit at the bottom becomes: for a straight line that is its slope
    for _ in range(n_blocks):
        added, replaced = added + slope * added, slope * replaced
    return (
        (added, replaced), (replaced, added), (1 + n_blocks * slope, n_blocks * slope), (1.0, replaced),
    )  # fmt: skip


_STACKS = tuple(
    (slope, n_blocks)
    for slope, n_blocks in product((0.5, 0.4, 0.25), (2, 3, 4, 5))
    if apart(_slopes(slope, n_blocks), 0.005) and slope**n_blocks > 0.012 and (slope, n_blocks) != (0.5, 4)
)


def _why_add(seed: int) -> Task:
    """The slope of a stack with and without residuals. Twins draw the slope and the depth."""
    slope, n_blocks = pick(seed, (0.5, 4), _STACKS)
    right, traded, summed, ones = _slopes(slope, n_blocks)
    return Task(
        setup=f"A stack of {n_blocks} blocks works on one number $x$. In each, the slope of the sub-layer "
        f"$f$ is {slope:g} everywhere. One stack adds, $x + f(x)$. The other replaces $x$ by $f(x)$.",
        question="What is the slope of the whole stack, from its output back to its input, in each?",
        parts=(Part("numbers", right, names=("with add", "with replace"), tolerance=0.005),),
        wrong=(
            Wrong((traded,), "adding makes gradients smaller", "Each block that adds multiplies by "
                  f"1 + {slope:g}, each that replaces by {slope:g}."),
            Wrong((summed,), "slopes of a stack add up", "Slopes of functions inside one another are "
                  "multiplied: that is the chain rule."),
            Wrong((ones,), "only the direct path counts", f"Each block also brings its {slope:g}: the factor "
                  f"is 1 + {slope:g}."),
        ),
        explain=f"With add: $(1 + {slope:g})^{{{n_blocks}}}$ = {right[0]:.4f}. With replace: "
        f"${slope:g}^{{{n_blocks}}}$ = {right[1]:.4f}. The 1 is the direct path: it never goes "
        "away, however many blocks there are.",
    )  # fmt: skip


def _switched(a: float, b: float) -> tuple[Two, Two, Two, Two]:
    """Entries where x W3 is 0 and where it is -b: right; left open; never negative; without a sign."""
    off, turned, bent = entry(a, 0.0).product, entry(a, -b).product, entry(a, 0.0).bent
    return (off, turned), (bent, turned), (0.0, 0.0), (0.0, -turned)


_SWITCHES = tuple(
    (a, b)
    for a, b in product((1.0, 1.5, 2.0, 2.5, 3.0), (0.5, 1.0, 2.0))
    if apart(_switched(a, b), 0.02) and (a, b) != (2, 0.5)
)


def _switched_off(seed: int) -> Task:
    """The second branch at 0 and below. Twins draw both branches."""
    a, b = pick(seed, (2.0, 0.5), _SWITCHES)
    right, opened, clamped, unsigned = _switched(a, b)
    bent = entry(a, b).bent
    return Task(
        setup="An entry of SwiGLU is $\\mathrm{SiLU}(xW_1)\\cdot xW_3$. Here $xW_1 = "
        f"{a:g}$, and $\\mathrm{{SiLU}}({a:g}) = {bent:.4f}$.",
        question=f"What is the entry if $xW_3 = 0$, and what if $xW_3 = -{b:g}$?",
        parts=(Part("numbers", right, names=("at 0", f"at −{b:g}"), tolerance=0.02),),
        wrong=(
            Wrong((opened,), "a branch of 0 changes nothing", "It multiplies, so 0 switches the entry off."),
            Wrong((clamped,), "the second branch is never negative", "No sigmoid and no ReLU stands on "
                  "$xW_3$: it may be any number."),
            Wrong((unsigned,), "the sign of the second branch is lost", f"{bent:.4f} is multiplied by "
                  f"−{b:g}, sign and all."),
        ),
        explain=f"{bent:.4f} · 0 = 0: the entry is off, whatever $xW_1$ is. {bent:.4f} · (−{b:g}) = "
        f"{right[1]:.4f}. $xW_3$ scales the entry, and can turn its sign.",
        link=BlockLessonSettings(a=a, b=-b, step=_MLP).to_query(),
    )  # fmt: skip


_MODELS = tuple(name for name in REAL if name != "llama3-8b")


def _whole_model(seed: int) -> Task:
    """From tokens to logits. Twins are other published models."""
    name = pick(seed, "llama3-8b", _MODELS)
    model = REAL[name]
    inside = " Its learned positions are added inside the card “token embedding”." if model.context else ""
    embed, blocks, norm = "token embedding", f"{model.layers} blocks", "final norm"
    logits, choose = f"linear layer to {model.vocabulary:,} logits", "softmax"
    right = (embed, blocks, norm, logits, choose)
    return Task(
        setup=f"{model.name} predicts the next token. Each card is one part of it, and “softmax” makes "
        f"probabilities at the end.{inside} Its blocks are pre-norm.",
        question="Put the cards in the order in which a token passes them.",
        parts=(Part("order", right, options=out_of_order(seed, right)),),
        wrong=(
            Wrong(((embed, norm, blocks, logits, choose),), "the final norm stands before the blocks",
                  "Each block has norms of its own at its start. The final norm is for what leaves the last "
                  "block: a sum that no norm has touched."),
            Wrong(((embed, blocks, logits, norm, choose),), "the final norm works on the logits",
                  "It works on vectors as wide as the model. Logits come from what it returns."),
            Wrong(((embed, blocks, norm, choose, logits),), "softmax comes before the logits",
                  "Softmax turns logits into probabilities, so it needs them."),
        ),
        explain=f"Embedding, {model.layers} blocks, one more norm, a linear layer from {model.d_model:,} "
        f"numbers to {model.vocabulary:,}, softmax.",
        link=BlockLessonSettings(size=name).to_query(),
    )  # fmt: skip


STACK = (
    Exercise("N13", "Add or replace", "block", "core", "block",
             ("lesson C, The block: why add instead of replace",), _why_add),
    Exercise("N14", "A branch of zero", "block", "core", "block",
             ("lesson C, SwiGLU: 0 switches an entry off",), _switched_off),
    Exercise("N15", "The whole model", "block", "intro", "block",
             ("lesson C, The block: the full model",), _whole_model),
)  # fmt: skip
