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
    "D": Term("D", "width of a token", "Entries in each row of X, all heads together; also d_model."),
    "H": Term("H", "heads", "How many attentions run side by side, each on D / H columns."),
    "W_O": Term("W_O", "output matrix", "Mixes the heads laid side by side back into D entries."),
    "softmax": Term("softmax", "scores to weights", "exp of each score, divided by their sum."),
}
