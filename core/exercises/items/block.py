"""Exercises on the transformer block: its MLP, its residual stream, its order."""

from itertools import product

import numpy as np

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import apart, digits, out_of_order, pick, vector
from core.lessons.block import STEPS, BlockLessonSettings
from core.lessons.block_wrong import entry, normalised_residual
from core.ops.norms import rms_norm

_MLP = STEPS["pre"].index("MLP")


def _products(a: float, b: float) -> tuple[float, ...]:
    each = entry(a, b)
    return each.product, each.swapped, each.bent, each.around, a * b


_BRANCHES = tuple(
    (a, b)
    for a, b in product((1.0, 1.5, 2.0, 2.5, 3.0), (-1.0, 0.4, 0.5, 1.5, 3.0))
    if apart(_products(a, b), 0.02) and (a, b) != (2, 0.5)
)


def _one_entry(seed: int) -> Task:
    """Twins draw other entries."""
    a, b = pick(seed, (2.0, 0.5), _BRANCHES)
    each = entry(a, b)
    return Task(
        setup="SwiGLU is $(\\mathrm{SiLU}(xW_1)\\odot xW_3)\\,W_2$, and $\\mathrm{SiLU}(z) = z\\,\\sigma(z)$ "
        f"with $\\sigma(z) = 1/(1 + e^{{-z}})$. At one place $xW_1$ is {a:g} and $xW_3$ is {b:g}.",
        question="What number stands at that place just before $W_2$ is applied?",
        parts=(Part("number", each.product, tolerance=0.02),),
        wrong=(
            Wrong((each.swapped,), "silu on the other branch", f"That bends $xW_3$: SiLU({b:g}) × {a:g}. "
                  "The branch that is bent is $xW_1$."),
            Wrong((each.bent,), "the second branch forgotten", f"That is SiLU({a:g}) alone. It still has to "
                  f"be multiplied by {b:g}."),
            Wrong((each.around,), "silu of the product", f"That is SiLU({a * b:g}). Bend $xW_1$ first, then "
                  "multiply."),
            Wrong((a * b,), "silu left out", f"{a:g} × {b:g} leaves SiLU out, which turns {a:g} into "
                  f"{each.bent:.4f}."),
        ),
        explain=f"$\\sigma({a:g})$ is {each.share:.4f}, so SiLU gives {a:g} × {each.share:.4f} = "
        f"{each.bent:.4f}; times {b:g} that is {each.product:.4f}.",
        link=BlockLessonSettings(a=a, b=b, step=_MLP).to_query(),
    )  # fmt: skip


_NEGATIVE = tuple(
    (a, b)
    for a, b in product((-0.5, -0.8, -1.0, -1.5, -2.0, -3.0), (1.0, 2.0, 3.0))
    if apart((entry(a, b).product, 0.0, a * b), 0.02) and (a, b) != (-1, 1)
)


def _a_negative_entry(seed: int) -> Task:
    """Twins draw other entries, the first of them negative."""
    a, b = pick(seed, (-1.0, 1.0), _NEGATIVE)
    each = entry(a, b)
    cut = max(a, 0.0) * b
    return Task(
        setup=f"An entry of SwiGLU is $\\mathrm{{SiLU}}(xW_1)\\cdot xW_3$. Here $xW_1 = {a:g}$ and "
        f"$xW_3 = {b:g}$. $\\mathrm{{SiLU}}(z) = z/(1 + e^{{-z}})$.",
        question="What is the entry?",
        parts=(Part("number", each.product, tolerance=0.02),),
        wrong=(
            Wrong((cut,), "silu cuts negative inputs to 0", f"ReLU would cut it to 0. SiLU({a:g}) is "
                  f"{each.bent:.4f}, and that passes."),
            Wrong((a * b,), "silu left out", f"{a:g} goes through SiLU first, which keeps a share of only "
                  f"σ({a:g}) = {each.share:.4f} of it."),
        ),
        explain=f"SiLU({a:g}) = {a:g} × {each.share:.4f} = {each.bent:.4f}, times {b:g} is "
        f"{each.product:.4f}. Were $xW_3$ 0, the entry would be 0 whatever $xW_1$ is.",
        link=BlockLessonSettings(a=a, b=b, step=_MLP).to_query(),
    )  # fmt: skip


Pair = tuple[float, float]


def _sums(x: Pair, added: Pair) -> tuple[Pair, Pair, Pair, Pair]:
    """The stream after the sub-layer: right; replaced; on the normalised x; normalised as a whole."""
    right, shifted = normalised_residual(np.array(x), np.array(added))
    return tuple((float(a), float(b)) for a, b in (right, added, shifted, rms_norm(right, np.ones(2))))  # type: ignore[return-value]


_STREAMS: tuple[tuple[Pair, Pair], ...] = tuple(
    (x, added)
    for x, added in product(
        ((4.0, 3.0), (6.0, 8.0), (1.0, 7.0), (5.0, 12.0), (2.0, 1.0)), ((0.5, 1.0), (-1.0, 0.5), (0.25, -0.5))
    )
    if apart(_sums(x, added), 0.01)
)


def _after_the_sub_layer(seed: int) -> Task:
    """Twins draw other vectors."""
    x, added = pick(seed, ((3.0, 4.0), (0.5, -0.5)), _STREAMS)
    right, replaced, shifted, post = _sums(x, added)
    normed = rms_norm(np.array(x), np.ones(2))
    return Task(
        setup=f"A pre-norm block. A token's vector is $x = {vector(x)}$. The sub-layer gets "
        f"$\\mathrm{{RMSNorm}}(x)$, with all gains 1, and returns ${vector(added)}$.",
        question="What is the token's vector after this sub-layer?",
        parts=(Part("numbers", right, tolerance=0.01, names=("first entry", "second entry")),),
        wrong=(
            Wrong((replaced,), "a sub-layer replaces its input", "What the sub-layer returns is a "
                  "correction. It is added to the vector that was there."),
            Wrong((shifted,), "the residual starts from the norm", "The norm is made for the sub-layer "
                  "alone. The sum starts from the raw $x$."),
            Wrong((post,), "the norm comes after the sub-layer",
                  "That normalises the sum, as a post-norm block does."),
        ),
        explain=f"$x$ + {vector(added)} = {vector(right)}. The sub-layer saw "
        f"$\\mathrm{{RMSNorm}}(x)$ = {digits(normed)}, which is thrown away afterwards.",
    )  # fmt: skip


_STYLES = {"llama": ("LLaMA", "RMSNorm", "SwiGLU"), "gpt2": ("GPT-2", "LayerNorm", "GELU MLP")}
_BLOCKS = tuple(product(_STYLES, (("A", "B"), ("1", "2"), ("I", "II"))))[1:]


def _six_cards(seed: int) -> Task:
    """Twins are of another style, or have other marks on the cards."""
    style, (one, two) = pick(seed, ("llama", ("A", "B")), _BLOCKS)
    name, norm, mlp = _STYLES[style]
    cards = {
        "Norm": f"{norm} {one}", "Attention": "attention", "Add": f"add {one}",
        "Norm 2": f"{norm} {two}", "MLP": mlp, "Add 2": f"add {two}",
    }  # fmt: skip
    right = tuple(cards[step] for step in STEPS["pre"])
    norm_a, attention, add_a, norm_b, _, add_b = right
    inside = " RoPE turns q and k inside the attention card." if style == "llama" else ""
    return Task(
        setup=f"Six cards make one {name} block. Of two cards of a kind, {one} comes before {two}. “add” "
        f"adds a result to the residual stream.{inside}",
        question="Put the six cards in the order in which a token's vector meets them.",
        parts=(Part("order", right, options=out_of_order(seed, right)),),
        wrong=(
            Wrong(((attention, norm_a, add_a, mlp, norm_b, add_b),), "the norm comes after the sub-layer",
                  "This block is pre-norm: a norm prepares what goes into a sub-layer."),
            Wrong(((norm_a, attention, norm_b, mlp, add_a, add_b),), "one sum at the end",
                  "Attention's result joins the stream before the MLP starts: there are two adds."),
        ),
        explain=f"First $y = x$ + attention({norm}($x$)), then $y$ + {mlp}({norm}($y$)): norm, sub-layer, "
        "add, and the same once more.",
        link=BlockLessonSettings(style=style, norm_place="pre").to_query(),
    )  # fmt: skip


BLOCK = (
    Exercise("X44", "One entry of SwiGLU", "block", "core", "block", ("lesson C, SwiGLU: the example",),
             _one_entry),
    Exercise("X45", "A negative entry", "block", "core", "block",
             ("lesson C, SwiGLU: SiLU is z times its sigmoid",), _a_negative_entry),
    Exercise("X46", "What the stream holds afterwards", "block", "core", "block",
             ("lesson C, The block: only a correction is added",
              "faster-trajectory-transformer #3"), _after_the_sub_layer),
    Exercise("X47", "Six cards, one block", "block", "core", "block",
             ("lesson C, The block: the order of its parts",
              "lesson C, The block: pre-norm"),
             _six_cards),
)  # fmt: skip
