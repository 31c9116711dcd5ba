"""The glossary: every symbol and term of the app, once."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """One entry."""

    symbol: str  # as the formulas have it, or the term itself
    name: str  # in a few words
    meaning: str
    shape: str = ""  # of an array, or the range of a number
    unit: str = ""
    elsewhere: str = ""  # the names that other libraries use
    page: str = ""  # the address of the page that shows it


TERMS: dict[str, Term] = {
    "Q": Term("Q", "queries", "What each token is looking for, a row for each."),
    "K": Term("K", "keys", "What each token offers to those that look."),
    "V": Term("V", "values", "What each token passes on."),
    "d_k": Term("d_k", "width of q and k", "Entries in a query and in a key."),
    "softmax": Term("softmax", "scores to weights", "exp of each score, divided by their sum."),
    "M": Term(
        "M",
        "mask",
        "What is added to the scores: 0 where a query may attend, −∞ where it may not.",
        shape="[Tq, Tk]",
        elsewhere="attn_mask; True = may attend in some functions, = hidden in others",
        page="masking",
    ),
    "causal mask": Term(
        "causal mask",
        "hides the future",
        "Query i sees the keys up to its own position.",
        elsewhere="look-ahead mask, subsequent mask, autoregressive mask",
        page="masking",
    ),
    "padding": Term(
        "padding",
        "filler tokens",
        "Tokens that make the sequences of a batch equally long; never to be read.",
        elsewhere="key_padding_mask hides their columns",
        page="masking",
    ),
    "window": Term(
        "window",
        "sliding window",
        "How many keys a query sees, itself included, and none after it.",
        shape="1, 2, …",
        elsewhere="local attention",
        page="masking",
    ),
}
