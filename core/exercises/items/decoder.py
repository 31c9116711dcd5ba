"""Exercises on what a decoder may see, and on a mask that is read the wrong way round."""

from functools import cache
from itertools import permutations, product

import numpy as np

from core.examples import WORKED_EXAMPLES
from core.exercises.exercise import Cells, Exercise, Part, Task, Wrong
from core.exercises.items.twins import apart, floats, four_digits, pick, shuffled, source_of, vector
from core.lessons.masking import MaskingSettings, trace_masking
from core.lessons.masking_cases import mistakes_of
from core.numbers import Matrix, Numbers
from core.ops.attention import softmax
from core.settings import AttentionSettings
from core.trace import trace_attention

_TEXTS = ("the cat sat on the mat", "birds fly south in autumn", "we all like strong tea", "my dog ran home",
          "rain fell over night")  # fmt: skip
_SEEN_FROM = tuple((text, i) for text in _TEXTS for i in range(1, len(text.split()) - 1))


def _one_row(visible: np.ndarray) -> Cells:
    return frozenset((0, int(j)) for j in np.flatnonzero(visible))


def _numbered(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{i} {word}" for i, word in enumerate(words))


def _why_hidden(seed: int) -> Task:
    """The reason for the causal mask. Twins draw the text and the position."""
    text, position = pick(seed, (_TEXTS[0], 2), _SEEN_FROM)
    settings = MaskingSettings(text=text, mask="none", cell=(0, position, position + 1))
    trace = trace_masking(settings)
    own, target = trace.tokens[position : position + 2]
    leak = float(trace.unmasked_weights[position, position + 1])
    right = f"“{own}” would read “{target}”, the word that it is to predict"
    sums = "without the mask rows do not sum to 1"
    missing = "in training the keys of later words are not there yet"
    useless = "later words say nothing about earlier ones"
    return Task(
        setup=f"A decoder is trained on “{text}”: at each position it predicts the next word, all positions "
        f"at once. Look at position {position}, “{own}”, counted from 0.",
        question="Why must the cells to the right of the diagonal stay masked?",
        parts=(Part("choose", right, options=shuffled(seed, (right, sums, missing, useless))),),
        wrong=(
            Wrong((sums,), "without a mask rows do not sum to 1", "Softmax makes every row sum to 1, with a "
                  "mask and without."),
            Wrong((missing,), "later keys do not exist in training", "In training the whole text goes in at "
                  "once, so all keys are there. That is why they have to be hidden."),
            Wrong((useless,), "later words say nothing about earlier ones", "They often say much, and "
                  "encoders read them. But they are not there yet when a decoder writes."),
        ),
        explain=f"Unmasked, “{own}” puts {leak:.4f} of its weight on “{target}” here. The model would learn "
        "to copy, and when it writes there is nothing to copy from.",
        link=settings.to_query(),
    )  # fmt: skip


def _encoder_and_decoder(seed: int) -> Task:
    """What a token reads in both. Twins draw the text and the token."""
    text, token = pick(seed, (_TEXTS[0], 2), _SEEN_FROM)
    causal = MaskingSettings(text=text, cell=(1, token, token))
    trace = trace_masking(causal)
    both = trace_masking(MaskingSettings(text=text, mask="none")).visible[token]
    past = trace.visible[token]
    names, word = _numbered(trace.tokens), trace.tokens[token]
    everything, seen = _one_row(both), _one_row(past)
    return Task(
        setup=f"An encoder in the style of BERT and a causal decoder both read “{text}”. Tokens are "
        "numbered from 0.",
        question=f"Which keys may token {token}, “{word}”, attend to in each?",
        parts=(
            Part("cells", everything, "in the encoder", rows=("",), options=names),
            Part("cells", seen, "in the decoder", rows=("",), options=names),
        ),
        wrong=(
            Wrong((seen, seen), "an encoder sees only the past", "An encoder does not write, so it has no "
                  "future to hide: it has no causal mask."),
            Wrong((everything, everything), "the mask forgotten", f"“{trace.tokens[token + 1]}” comes "
                  f"after “{word}”, and the decoder has to predict it."),
            Wrong((None, seen - {(0, token)}), "a token may not see itself", "A token always sees its own "
                  "key; the mask starts behind it."),
        ),
        explain=f"The encoder's token sees all {int(both.sum())} keys, on both sides. The decoder's sees "
        f"{int(past.sum())}, up to itself.",
        link=causal.to_query(),
    )  # fmt: skip


_UPSIDE = tuple(
    (text, i)
    for text in ("we all like tea", "my dog ran home", "rain fell over night", "birds fly south in autumn")
    for i in range(len(text.split()) - 1)
)  # fmt: skip


def _upside_down(seed: int) -> Task:
    """A mask for one library in another. Twins draw the text and the token."""
    text, token = pick(seed, ("the cat sat on", 1), _UPSIDE)
    settings = MaskingSettings(text=text)
    trace = trace_masking(settings)
    found = mistakes_of(trace).polarity.visible[token]
    n, word = len(trace.tokens), trace.tokens[token]
    itself = frozenset((0, j) for j in range(token, n))
    return Task(
        setup="A causal mask has True where a token may attend. Somebody gives it to "
        "`nn.MultiheadAttention`, which hides a cell where its mask is True. The text is "
        f"“{text}”.",
        question=f"Which keys does token {token}, “{word}”, counted from 0, read now?",
        parts=(Part("cells", _one_row(found), rows=("",), options=_numbered(trace.tokens)),),
        wrong=(
            Wrong((_one_row(trace.visible[token]),), "every library reads a mask alike",
                  "That is what was meant. This function takes True as “hide”."),
            Wrong((itself,), "a token always sees itself", "The diagonal was True as well, so the token's "
                  "own key is hidden too."),
        ),
        explain=f"What should be seen is hidden, and the other way round: keys {token + 1} to {n - 1} are "
        f"left. The last token has no key at all. The cure is `~mask`; in "
        "`scaled_dot_product_attention` True means “may attend”.",
        link=settings.to_query(),
    )  # fmt: skip


_ROWS: Matrix = ((1.0, 0.0), (0.0, 1.0), (2.0, 0.0), (2.0, 1.0), (1.0, 2.0))
_VALUES: tuple[Matrix, ...] = (
    ((4.0, 0.0), (0.0, 8.0), (2.0, 2.0)), ((2.0, 6.0), (8.0, 0.0), (0.0, 4.0)),
    ((1.0, 5.0), (9.0, 1.0), (5.0, 9.0)),
)  # fmt: skip


def _masked_grid(x: Matrix, v: Matrix) -> AttentionSettings:
    return AttentionSettings(**source_of(Numbers(x, x, v)), causal=True, cell=(0, 1, 1))


def _row_under_the_mask(seed: int) -> Task:
    """Row 1 and the output of token 0. Twins draw vectors and values."""
    given = WORKED_EXAMPLES["three-tokens"].numbers
    x, v = pick(seed, (given.q, given.v), _masked_grids())
    settings = _masked_grid(x, v)
    trace = trace_attention(settings)
    right, unmasked, late = _rows_by_mistake(x)
    first = floats(trace.output[0])
    mixed = floats(softmax(trace.scaled[0, 0]) @ np.array(v))
    return Task(
        setup=f"Three tokens have the queries {', '.join(map(vector, x))}, keys equal to the queries, and "
        f"the values {', '.join(map(vector, v))}. $d_k = 2$. A causal mask is on, and tokens are numbered "
        "from 0.",
        question="Draw the weights of token 1. And what is the output of token 0?",
        parts=(
            Part("row", right, "weights of token 1", options=("key 0", "key 1", "key 2"), tolerance=0.03),
            Part("numbers", first, "output of token 0", names=("first number", "second number"),
                 tolerance=0.05),
        ),
        wrong=(
            Wrong((unmasked, None), "the mask forgotten", "Key 2 comes after token 1. Its weight is 0."),
            Wrong((late, None), "masking after softmax", f"This row sums to {sum(late):.4f}. Take key 2 out "
                  "before softmax."),
            Wrong((None, mixed), "the mask does not touch token 0", "Token 0 sees only itself, so no other "
                  "value comes in."),
        ),
        explain=f"Token 1 has the scaled scores {four_digits(trace.scaled[0, 1, :2])} for keys 0 and 1, and "
        f"its weights are {four_digits(right)}. Token 0 has one key, so its output is "
        f"$v_0 = {vector(first)}$.",
        link=settings.to_query(),
    )  # fmt: skip


def _rows_by_mistake(x: Matrix) -> tuple[tuple[float, ...], ...]:
    """Row 1: right; without the mask; zeroed after softmax."""
    trace = trace_attention(_masked_grid(x, _VALUES[0]))
    bare = softmax(trace.scaled[0, 1])
    return floats(trace.weights[0, 1]), floats(bare), floats(np.where(trace.mask[1], bare, 0.0))


@cache
def _masked_grids() -> tuple[tuple[Matrix, Matrix], ...]:
    """Vectors and values for which every mistake shows."""
    telling = [x for x in permutations(_ROWS, 3) if apart(_rows_by_mistake(x), 0.03)]
    return tuple(product(telling, _VALUES))


_SENTENCES = ("the cat sat on the mat", "birds fly south in autumn", "she reads old letters",
              "we all like tea", "rain fell over the town all night", "my dog ran home")  # fmt: skip


def _predictions_of_a_pass(seed: int) -> Task:
    """How much one pass trains. Twins draw the text."""
    text = pick(seed, _SENTENCES[0], _SENTENCES[1:])
    words = text.split()
    inputs = " ".join(words[:-1])
    settings = MaskingSettings(text=inputs)
    trace = trace_masking(settings)
    n, cells = len(trace.weights), int(trace.visible.sum())
    return Task(
        setup=f"A causal decoder is trained on “{text}”. Its inputs are “{inputs}”, its targets are the "
        f"next words, “{' '.join(words[1:])}”. Everything goes through the model once.",
        question="How many predictions of a next word does this one pass train?",
        parts=(Part("number", float(n)),),
        wrong=(
            Wrong((1.0,), "only the last position predicts", "Each position sees only its own past, so each "
                  "makes an honest prediction."),
            Wrong((float(cells),), "every visible cell is a prediction", f"{cells} cells are visible. But a "
                  "row of them makes one output, and an output one prediction."),
            Wrong((float(n - 1),), "the first token predicts nothing", f"“{words[0]}” sees itself and "
                  f"predicts “{words[1]}”."),
        ),
        explain=f"There are {n} rows, one for each input, and each has a target of its own. Without the mask "
        f"{n} separate passes would be needed to hide the future from each.",
        link=settings.to_query(),
    )  # fmt: skip


DECODER = (
    Exercise("N01", "Why the future is hidden", "masks", "intro", "masking",
             ("lesson A, Try it 2: why a decoder keeps them masked",
              "lesson C, Causal masking: reading the answer"),
             _why_hidden),
    Exercise("N02", "Encoder and decoder", "masks", "intro", "masking",
             ("lesson A, Causal masking: encoders omit the mask",), _encoder_and_decoder),
    Exercise("N06", "A mask given to PyTorch", "masks", "core", "masking",
             ("lesson B, Causal masking: True means may attend",
              "question B20: does True mean keep or hide?"),
             _upside_down),
    Exercise("N08", "Rows under the mask", "masks", "core", "playground",
             ("lesson C, Causal masking: the example",), _row_under_the_mask),
    Exercise("N10", "What one pass trains", "masks", "core", "masking",
             ("lesson C, Causal masking: all predictions in one pass",), _predictions_of_a_pass),
)  # fmt: skip
