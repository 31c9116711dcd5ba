"""Questions of interviews on encoders and decoders, masks with a cache, and positions."""

from itertools import permutations, product

import numpy as np

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import pick, shuffled
from core.inputs import inputs_of
from core.lessons.masking import MaskingSettings
from core.lessons.masking_cases import cached_decoding
from core.lessons.positions import PositionsSettings
from core.numbers import Matrix, Numbers
from core.ops.attention import scaled_dot_product_attention
from core.ops.masks import causal_mask
from core.settings import AttentionSettings
from core.trace import trace_attention

_ANGLE = "lesson A, Interview angle"
_DRAWN: Matrix = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (2.0, 0.0), (0.0, 2.0), (2.0, 1.0), (1.0, 2.0))


def _two_lengths(seed: int) -> Task:
    """Cross-attention. Twins draw both lengths."""
    written, source = pick(
        seed, (3, 5), tuple((a, b) for a, b in product((2, 3, 4, 5), (3, 4, 6, 7)) if a != b)
    )
    numbers = Numbers(_DRAWN[:written], _DRAWN[:source], _DRAWN[:source])
    settings = AttentionSettings(source="custom", numbers=numbers)
    trace = trace_attention(settings)
    shape = tuple(map(float, (*trace.weights.shape[-2:], len(trace.output))))
    rows, columns, _ = shape
    right, mixed, turned = (
        "queries from the decoder, keys and values from the encoder",
        "queries and values from the decoder, keys from the encoder",
        "queries from the encoder, keys and values from the decoder",
    )
    return Task(
        setup=f"A translator: its encoder has read {source} tokens, its decoder has written {written}. In "
        "cross-attention the decoder reads from the encoder.",
        question="Where do queries, keys and values come from? And how large is the grid of weights, and how "
        "many outputs does it make?",
        parts=(
            Part("choose", right, "they come", options=shuffled(seed, (right, mixed, turned))),
            Part("numbers", shape, "sizes", names=("rows of the grid", "columns of the grid", "outputs")),
        ),
        wrong=(
            Wrong((turned, None), "who reads brings the keys", "Who reads asks, with queries. What is read "
                  "has keys and values."),
            Wrong((mixed, None), "values come from the reader", "Each key stands for a value of the same "
                  "token, so both come from the encoder."),
            Wrong((None, (columns, rows, columns)), "rows are keys", "A row is a query. The decoder asks, so "
                  f"there are {written} rows."),
            Wrong((None, (rows, rows, rows)), "the grid of weights is always square", "It is square in "
                  "self-attention, where both sides are the same tokens."),
        ),
        explain=f"$Q$ has {written} rows and $K$ has {source}, so $QK^\\top$ is {written} × {source}, and "
        f"softmax runs over the {source} encoder tokens. Each of the {written} decoder tokens gets one "
        "output. A causal mask is not needed: all of the source is known.",
        link=settings.to_query(),
    )  # fmt: skip


_STORY = "every cold winter morning our old cat slept"
_CHUNKS = tuple((cached, new) for cached, new in product((2, 3, 4, 5), (2, 3)) if (cached, new) != (4, 3))


def _several_at_once(seed: int) -> Task:
    """New tokens against a cache. Twins draw how many are old and new."""
    cached, new = pick(seed, (4, 3), _CHUNKS)
    n = cached + new
    settings = MaskingSettings(text=" ".join(_STORY.split()[:n]), new=new)
    visible = cached_decoding(settings).bottom_right.visible
    right = int(visible.sum())
    top_left, old_and_own = int(causal_mask(new, n, offset=0).sum()), new * (cached + 1)
    return Task(
        setup=f"A causal decoder has {cached} tokens in its cache, and {new} new tokens come in at once. "
        f"Their queries meet the keys of all {n} tokens, in a grid of {new} × {n}.",
        question="How many cells of this grid may be seen?",
        parts=(Part("number", float(right)),),
        wrong=(
            Wrong((float(visible.size),), "a cache needs no mask", "That holds for one new token alone. "
                  "Here the first new token must not see the ones after it."),
            Wrong((float(top_left),), "the mask starts at the top left", "Laid at the top left it hides the "
                  "cache from the new tokens. The last query belongs to the last key."),
            Wrong((float(old_and_own),), "new tokens do not see each other", "A new token sees those that "
                  "come before it, new ones too."),
        ),
        explain=f"Rows of {', '.join(map(str, visible.sum(axis=1).tolist()))} cells: {right} in all. With "
        f"one new token there is one row, and it sees all keys: no mask is needed then.",
        link=settings.to_query(),
    )  # fmt: skip


_ORDERS = tuple(
    each
    for each in product(("dog bites man", "rain fell here", "we like tea", "birds fly south"), (5, 7, 20))
    if each != ("dog bites man", 7)
)  # fmt: skip


def _different_outputs(text: str) -> int:
    """How many different outputs the first word gets when its sentence is put in every order."""
    inputs = inputs_of(AttentionSettings(text=text, heads=1, d_k=8))
    q, k, v = inputs.q[0], inputs.k[0], inputs.v[0]
    found = set()
    for order in permutations(range(len(q))):
        rows = list(order)
        output = scaled_dot_product_attention(q[rows], k[rows], v[rows])[0]
        found.add(tuple(np.round(output[rows.index(0)], 9).tolist()))
    return len(found)


def _without_positions(seed: int) -> Task:
    """Order without positions, and what RoPE leaves alone. Twins draw words and move."""
    text, moved = pick(seed, ("dog bites man", 7), _ORDERS)
    words = text.split()
    n, outputs = len(words), _different_outputs(text)
    orders = len(list(permutations(words)))
    scores, queries, keys = "the scores", "the turned queries", "the turned keys"
    return Task(
        setup=f"The words “{text}” are put into all their {orders} orders. Attention has no mask and no "
        f"positions. Later RoPE is switched on, and all {n} words move {moved} positions to the right.",
        question=f"How many different outputs does “{words[0]}” get over all orders, without positions? And "
        f"what stays the same under RoPE when all move by {moved}?",
        parts=(
            Part("number", float(outputs), "different outputs"),
            Part("choose", scores, "stays the same", options=shuffled(seed, (scores, queries, keys))),
        ),
        wrong=(
            Wrong((float(orders), None), "attention knows positions by itself", "No step of the formula uses "
                  "a position. A sum does not care in which order it is added."),
            Wrong((float(n), None), "attention knows positions by itself", f"“{words[0]}” has the same query "
                  "in every place, and meets the same keys."),
            Wrong((None, queries), "RoPE turns a vector once and for all", "Each query is turned by its "
                  "position, which has changed."),
            Wrong((None, keys), "RoPE turns a vector once and for all", "Each key is turned by its position, "
                  "which has changed."),
        ),
        explain=f"{outputs} output in all {orders} orders: that is why positions are needed. RoPE turns "
        "queries and keys further by the same angles, so distances and scores stay. What it makes "
        "relative is the score.",
        link=PositionsSettings(text=text, order_from="rope", rope_offset=moved).to_query(),
    )  # fmt: skip


INTERVIEW_DECODING = (
    Exercise("I07", "A decoder reads its encoder", "reading heatmaps", "core", "playground",
             (_ANGLE, "lesson C, Soft lookup: T queries and S keys"), _two_lengths),
    Exercise("I09", "Several new tokens at once", "masks", "advanced", "masking",
             (_ANGLE, "question B57: several new tokens and the cache"), _several_at_once),
    Exercise("I10", "Why positions", "positions", "core", "positions",
             (_ANGLE,
              "lesson A, Position information: outputs move with their tokens",
              "lesson C, Position: dog bites man"), _without_positions),
)  # fmt: skip
