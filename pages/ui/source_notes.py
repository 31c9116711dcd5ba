"""What the numbers on the screen are, and what they are not."""

import streamlit as st

from core.examples import WORKED_EXAMPLES
from core.inputs import PATTERN_NAMES
from core.settings import AttentionSettings


def source_note(settings: AttentionSettings) -> None:
    """Say where q, k and v come from: no picture may claim more than its numbers."""
    if settings.source in WORKED_EXAMPLES:
        st.caption(WORKED_EXAMPLES[settings.source].remark)
    elif settings.source == "patterns":
        names = ", ".join(f"head {h}: {name}" for h, name in enumerate(PATTERN_NAMES))
        missing = "" if settings.rope else " Switch RoPE on: head 0 tells positions apart by nothing else."
        st.caption(
            f"Queries and keys **built by hand** to show what a head can do. {names}. "
            f"Write a word twice to see head 1 find it.{missing}"
        )
    elif settings.source == "random":
        st.caption(
            "Random q and k with unit-variance entries, one vector for each word: honest for the scale, "
            "and without any meaning. The same word has the same vector."
        )
