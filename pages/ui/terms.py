"""Links from a symbol or a term to its entry in the glossary, and the entries."""

from collections.abc import Iterator, Mapping

from core.glossary import TERMS, Term
from pages.ui.html import card, safe


def linked(key: str) -> str:
    """Return a symbol with its meaning, as a link to the glossary."""
    term = TERMS[key]
    return (
        f"<a class='lab-term' href='{address(key)}' target='_self'>"
        f"<b>{symbol(term)}</b> {safe(term.name)}</a>"
    )


def symbols(*keys: str) -> str:
    """Return a line of symbols, each a link to the glossary."""
    return f"<p class='lab-symbols'>{' '.join(map(linked, keys))}</p>"


def address(key: str) -> str:
    """Return where an entry is, relative to any page."""
    return f"glossary?term={key.replace(' ', '+')}"


def symbol(term: Term) -> str:
    """Return a symbol as HTML, what follows an underscore set low."""
    words = [_low(word) for word in term.symbol.split(" ")]
    return " ".join(words)


def entry(term: Term) -> str:
    """Return one entry as a card."""
    facts = (("Shape or range", term.shape), ("Unit", term.unit), ("Elsewhere", term.elsewhere))
    lines = "".join(f"<p><b>{name}:</b> {_low(text)}</p>" for name, text in facts if text)
    return (
        "<div class='lab-panel'>"
        + card(f"{symbol(term)} · {safe(term.name)}", f"<p>{_low(term.meaning)}</p>", lines, _page(term))
        + "</div>"
    )


def rows(entries: Mapping[str, Term]) -> Iterator[list[str]]:
    """Return the rows of a table of entries."""
    for key, term in entries.items():
        name = f"<a class='lab-term' href='{address(key)}' target='_self'>{symbol(term)}</a>"
        texts = (term.name, term.meaning, term.shape, term.unit, term.elsewhere)
        yield [name, *map(_low, texts), _page(term)]


def _page(term: Term) -> str:
    if not term.page:
        return ""
    return f"<a href='{term.page}' target='_self'>/{term.page}</a>"


def _low(text: str) -> str:
    """Symbols such as d_k and W_Q with their index set low; names in code stay as they are."""
    parts = []
    for word in safe(text).split(" "):
        head, _, index = word.partition("_")
        core = index.rstrip("],.;:)")
        is_symbol = head.lstrip("[(1/√−") in ("d", "W", "H", "T", "w", "θ") and len(core) <= 2
        parts.append(f"{head}<sub>{core}</sub>{index[len(core) :]}" if is_symbol and core else word)
    return " ".join(parts)
