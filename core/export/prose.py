"""Markdown with LaTeX between $ as HTML with MathML, which browsers show and print by themselves."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any


def block(text: str) -> str:
    """Return paragraphs of HTML; HTML in the text shows literally."""
    return _parser().render(text).strip()


def line(text: str) -> str:
    """Return a text without a paragraph around it, for a place inside a line."""
    return _parser().renderInline(text).strip()


@cache
def _parser() -> Any:
    from latex2mathml.converter import convert  # imported when first needed: few people print
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    def formula(latex: str, options: Mapping[str, bool]) -> str:
        found = convert(latex, display="block" if options["display_mode"] else "inline")
        return _MATRIX.sub(r'<mtable class="brackets">\1</mtable>', found)

    plain = MarkdownIt("commonmark", {"html": False}).disable(["image", "link", "autolink"])
    plain.enable("table")
    return plain.use(dollarmath_plugin, renderer=formula, allow_labels=False)


# A bracket that grows with a matrix needs a font for mathematics, which few machines have: a border does.
_MATRIX = re.compile(r"<mo>&#x00028;</mo><mtable>(.*?)</mtable><mo>&#x00029;</mo>", re.DOTALL)
