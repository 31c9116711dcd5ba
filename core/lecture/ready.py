"""Three running orders to begin with."""

from core.lecture.order import Item, RunningOrder

Rows = tuple[tuple[str, dict[str, str], str, int, str], ...]  # page, settings, name, minutes, notes

# Predict first: an exercise comes before what shows its answer.

_FIRST: Rows = (
    ("soft-lookup", {"source": "three-tokens", "lecture": "3-3"}, "A table that answers without a match", 6,
     "A dictionary needs an equal key. Here every key answers a little, by how well it fits.\n"
     "Go through the five steps once; each is a key press and brings one more column of numbers."),
    ("exercises", {"id": "X01"}, "Predict: what the best match leaves over", 5,
     "One minute alone, on paper. Then a show of hands.\n"
     "Most expect the best key to take everything. Ask for a reason before you reveal."),
    ("soft-lookup", {"source": "three-tokens", "step": "4", "lecture": "2-3"}, "From scores to the output", 5,
     "The same numbers, drawn. The output is an average of values: it lies between them. "
     "Keys decide how much, values decide what.\n"
     "Then change one score by hand: all weights of the row move, for they share 1."),
    ("playground", {"heads": "1", "d_k": "16", "lecture": "1-2"}, "A sentence as a grid", 5,
     "A row is a query: it reads. A column is a key: it is read. Say it twice.\n"
     "The vectors are random. No meaning is claimed, only the arithmetic."),
    ("exercises", {"id": "X08"}, "Predict: what a column adds up to", 4,
     "Rows were normalised. Columns were not: a popular key may collect more than 1."),
    ("exercises", {"id": "X19"}, "Predict: how large scores get", 4,
     "Ask for a number before anybody has seen one."),
    ("scaling", {"d_k": "64", "lecture": "2-4"}, "Why the scores are divided", 5,
     "Drag d_k up: the spread of q·k grows like √d_k. Divided by it, the spread stays about 1.\n"
     "Then one row: undivided it turns into a single 1, divided it stays soft at every width. "
     "The square root is not a detail: dividing by d_k would flatten the row."),
    ("masking", {"mask": "causal", "lecture": "2-2"}, "Every token sees every token", 2,
     "No mask yet. Now let nobody see the words behind their own: which cells have to go?"),
    ("exercises", {"id": "X10"}, "Predict: the first row", 4,
     "The first token sees itself alone. Its weight is 1, whatever its score is."),
    ("masking", {"mask": "causal", "lecture": "3-5"}, "Hiding the future", 4,
     "The same numbers as before, only hidden cells differ.\n"
     "Hide scores before softmax; zeroing weights after it leaves rows that do not sum to 1."),
    ("playground", {"text": "the cat sat on the mat", "heads": "4", "lecture": "1-1"},
     "Several heads side by side", 2,
     "Each head has a pattern of its own, so a token can read several places at once."),
    ("heads", {"heads": "4", "lecture": "5-6"}, "All heads at once", 2,
     "One head after the other or all at once: the same output. The number of parameters does not change."),
    ("positions", {"lecture": "2-2"}, "What is left open", 2,
     "Nothing so far knows the order of the words. That is the next lecture."),
)  # fmt: skip

_ROPE_GQA_CACHE: Rows = (
    ("exercises", {"id": "X32"}, "Predict: two tokens swapped", 4,
     "Equivariant, not invariant: the outputs are swapped too."),
    ("positions", {"lecture": "2-3"}, "Attention does not see order", 5,
     "Change the order of the words. The rows and columns move along, no number changes."),
    ("exercises", {"id": "X34"}, "Predict: both moved together", 4,
     "Say only that each pair of numbers in q and k is turned by its position times a speed.\n"
     "The score depends on the distance alone. Let them say why before the reveal."),
    ("positions", {"order_from": "rope", "lecture": "7-8"}, "Pairs of numbers as dials", 7,
     "Each pair turns by its position times its speed. The first pair is fast, the last one slow.\n"
     "Queries and keys turn, values do not. Move both positions by the same: the score stays."),
    ("positions", {"order_from": "rope", "rope_base": "500000", "lecture": "9-10"}, "What the base sets", 4,
     "A larger base slows the slow pairs down, so that far positions still differ."),
    ("positions", {"order_from": "rope", "pairing": "half", "lecture": "11-12"}, "Two ways to pair", 3,
     "Neighbours, or first half with second half. Both work; one model uses one of them throughout."),
    ("exercises", {"id": "X39"}, "Predict: whose keys does this head read?", 4,
     "Neighbouring heads form a group. Dealing heads out in turn is the usual mistake."),
    ("kv-cache", {"head": "13", "lecture": "2-2"}, "Query heads share keys and values", 5,
     "Groups of query heads read one KV head. Point at head 13: it reads KV head 3."),
    ("exercises", {"id": "X42"}, "Predict: what is worth keeping", 4,
     "Ask what a later token still needs from an earlier one."),
    ("kv-cache", {"step": "0", "lecture": "4-7"}, "Decoding with a cache", 6,
     "One new row for each token. Old keys and values are kept, old queries are done with.\n"
     "The outputs are equal with the cache and without."),
    ("kv-cache", {"context": "32768", "lecture": "9-10"}, "What the cache takes", 4,
     "Multiply aloud: two arrays, layers, KV heads, width, bytes, tokens. Then share fewer KV heads."),
)  # fmt: skip

_DEMONSTRATION: Rows = (
    ("playground", {"lecture": "1-2"}, "One sentence, four heads", 2,
     "A row reads, a column is read. Choose a cell; the next panel shows its whole arithmetic."),
    ("exercises", {"id": "X10"}, "Predict: the first row", 3,
     "Everybody commits before you reveal."),
    ("masking", {"lecture": "2-4"}, "With a mask and without", 2,
     "The same numbers twice, and their difference."),
    ("playground", {"source": "patterns", "rope": "true", "d_k": "32", "lecture": "1-1"},
     "Heads built by hand", 2,
     "What a head could do, with vectors made for it. Trained heads are less tidy."),
    ("kv-cache", {"lecture": "9-10"}, "Why chat gets longer and dearer", 1,
     "Every token leaves keys and values behind. End with the QR code on the screen: key Q."),
)  # fmt: skip


def _order(title: str, rows: Rows) -> RunningOrder:
    return RunningOrder(
        title,
        tuple(Item(page, tuple(query.items()), name, notes, min) for page, query, name, min, notes in rows),
    )


READY = {
    "first": _order("Attention: a first lecture", _FIRST),
    "rope-gqa-cache": _order("RoPE, GQA and the KV cache", _ROPE_GQA_CACHE),
    "demonstration": _order("Attention in ten minutes", _DEMONSTRATION),
}
