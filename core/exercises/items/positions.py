"""Exercises on order: what attention does not see, and what a rotation does to one vector."""

import numpy as np

from core.examples import WORKED_EXAMPLES
from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import shuffled
from core.lessons.positions import lengths
from core.numbers import Numbers
from core.ops.attention import scaled_dot_product_attention
from core.ops.rope import apply_rope, pair_columns
from core.settings import AttentionSettings

_TRIPLES = ((6, 8), (5, 12), (8, 15), (9, 12), (7, 24), (12, 16))


def _said(values: np.ndarray, form: str = "g") -> str:
    return "(" + ", ".join(f"{x:{form}}" for x in values + 0.0) + ")"  # no -0


def _two_tokens_swapped(seed: int) -> Task:
    """Three tokens, two of them swapped. Twins draw the values and the two."""
    draw = np.random.default_rng(seed)
    given = WORKED_EXAMPLES["three-tokens"].numbers
    a, b = 0, 2
    values = np.array(given.v)
    if seed:
        a, b = [(0, 1), (0, 2), (1, 2)][int(draw.integers(3))]
        values = draw.choice([0.0, 2.0, 4.0, 6.0, 8.0, 10.0], 6, replace=False).reshape(3, 2)
    corners = np.array(given.q)
    order = np.arange(3)
    order[[a, b]] = b, a
    before = scaled_dot_product_attention(corners, corners, values)[0]
    after = scaled_dot_product_attention(corners[order], corners[order], values[order])[0]
    (stays,) = np.flatnonzero(np.isclose(after, before).all(axis=1)).tolist()  # one row alone is as it was
    rows = ", ".join(_said(row) for row in corners)
    right = f"outputs {a} and {b} trade places, and output {stays} stays as it is"
    nothing = "nothing changes at all: all three rows stay where they are"
    everything = "all three rows get new numbers"
    neighbour = f"outputs {a} and {b} trade places, and output {stays} changes too"
    swapped = Numbers(*(tuple(map(tuple, each[order].tolist())) for each in (corners, corners, values)))
    return Task(
        setup=f"Three tokens have the queries {rows}, and keys equal to the queries. Their values are "
        f"{', '.join(_said(row) for row in values)}. $d_k = 2$. There is no mask, and nothing says where a "
        f"token stands. The outputs are {', '.join(_said(row, '.4f') for row in before)}. Now tokens {a} and "
        f"{b} are swapped.",
        question="What happens to the three outputs?",
        parts=(Part("choose", right, options=shuffled(seed, (right, nothing, everything, neighbour))),),
        wrong=(
            Wrong((nothing,), "outputs do not move with their tokens",
                  "Each output moves along with its token. That is called "
                  "equivariant; invariant would be no change at all."),
            Wrong((everything,), "attention knows positions by itself", "No position enters a score or a "
                  "value, so every token still computes the same."),
            Wrong((neighbour,), "attention knows positions by itself",
                  f"Token {stays} reads the same set of keys and "
                  "values. In which order they stand plays no part in a sum."),
        ),
        explain=f"Token {stays} still gets {_said(before[stays], '.4f')}; the outputs "
        f"{_said(before[a], '.4f')} and {_said(before[b], '.4f')} move with their tokens. "
        "With a causal mask outputs would change, because who sees whom changes.",
        link=AttentionSettings(source="custom", numbers=swapped).to_query(),
    )  # fmt: skip


def _length_of_a_turned_pair(seed: int) -> Task:
    """A pair is turned. Twins draw the pair."""
    draw = np.random.default_rng(seed)
    pair = np.array([3.0, 4.0])
    if seed:
        pair = draw.permutation(_TRIPLES[int(draw.integers(len(_TRIPLES)))]) * draw.choice([1.0, -1.0], 2)
    turned = apply_rope(pair[None], np.array([7.0]))[0]
    length = float(lengths(turned, pair_columns(2, "interleaved"))[0])
    depends = "it depends on the position"
    squares = float((pair**2).sum())
    return Task(
        setup=f"RoPE turns the pair ${_said(pair)}$ by the angle that belongs to its token's position.",
        question="How long is the pair after the rotation?",
        parts=(Part("number", length, tolerance=0.01, words=(depends,)),),
        wrong=(
            Wrong((float(np.abs(pair).sum()),), "a length is the sum of the numbers",
                  "A length comes from squares: "
                  f"$\\sqrt{{{squares:g}}} = {length:g}$."),
            Wrong((depends,), "a rotation changes lengths",
                  "The position sets the angle. A rotation changes the "
                  "direction and nothing else."),
        ),
        explain=f"Before, it is $\\sqrt{{{pair[0] ** 2:g} + {pair[1] ** 2:g}}} = {length:g}$ long. Since "
        "$\\cos^2 t + \\sin^2 t = 1$ it stays so at every angle $t$.",
    )  # fmt: skip


def _partner_of_a_component(seed: int) -> Task:
    """One component is not zero, and a rotation brings in its partner. Twins draw width, place, position."""
    draw = np.random.default_rng(seed)
    width, index, position = 4, 0, 1
    if seed:
        width, position = int(draw.choice([4, 6, 8])), int(draw.choice([1, 2, 3]))
        index = int(draw.integers(width))
    x = np.zeros((1, width))
    x[0, index] = 1.0
    one = tuple(map(float, x[0]))

    def becomes(pairing: str) -> tuple[np.ndarray, frozenset[tuple[int, int]]]:
        turned = apply_rope(x, np.array([position]), pairing=pairing)[0]
        return turned, frozenset((0, i) for i in np.flatnonzero(turned).tolist() if i != index)

    turned, partner = becomes("interleaved")
    by_half, half_partner = becomes("half")
    others = frozenset((0, i) for i in range(width) if i != index)
    ((_, found),) = partner  # one cell
    ((_, other),) = half_partner
    return Task(
        setup=f"$d = {width}$ and $x = {_said(x[0])}$: only component {index} is not zero, counted from 0. "
        f"RoPE with pairs of neighbours turns $x$ at position {position}.",
        question=f"Which component becomes non-zero besides component {index}?",
        parts=(
            Part("cells", partner, rows=("",), options=tuple(f"component {i}" for i in range(width))),
        ),
        wrong=(
            Wrong((half_partner,), "the two ways to pair mixed up",
                  "That is the partner in the other convention, which "
                  f"pairs $i$ with $i + d/2$. Component {index} is paired with {other} there. The two agree "
                  "only after the weights are reordered."),
            Wrong((others,), "a rotation mixes all components", "A rotation works inside one pair. The other "
                  "pairs are zero and stay zero."),
        ),
        explain=f"Neighbours {min(index, found)} and {max(index, found)} form a pair, and $x$ becomes "
        f"{_said(turned, '.4f')}. With halves it would be {_said(by_half, '.4f')}.",
        link=AttentionSettings(
            source="custom", numbers=Numbers(q=(one,), k=(one,), v=((1.0,),)), rope=True,
            rope_offset=position, cell=(0, 0, 0),
        ).to_query(),
    )  # fmt: skip


POSITIONS = (
    Exercise(
        "X32",
        "Two tokens swapped",
        "positions",
        "core",
        "playground",
        (
            "lesson A, Position information: outputs move with their tokens",
            "question B41: equivariant or invariant?",
        ),
        _two_tokens_swapped,
    ),
    Exercise(
        "X33",
        "The length of a turned pair",
        "positions",
        "intro",
        "positions",
        ("lesson C, RoPE: the length stays",),
        _length_of_a_turned_pair,
    ),
    Exercise(
        "X38",
        "Which numbers form a pair",
        "positions",
        "core",
        "playground",
        ("lesson C, RoPE: two ways to pair", "question B43: two libraries rotate different pairs"),
        _partner_of_a_component,
    ),
)
