"""Links from a symbol or a term to its entry in the glossary."""

from core.glossary import TERMS
from pages.ui.html import safe


def linked(key: str) -> str:
    """Return a symbol with its meaning, as a link to the glossary."""
    term = TERMS[key]
    return (
        f"<a class='lab-term' href='glossary?term={key}' target='_self'>"
        f"<b>{safe(term.symbol)}</b> {safe(term.name)}</a>"
    )
