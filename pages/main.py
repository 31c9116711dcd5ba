"""The registry of pages: which there are, in which order. No widgets here."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages.ui import state


@dataclass(frozen=True)
class PageSpec:
    """A page: its file in this folder is its address with _ for -."""

    title: str
    address: str

    @property
    def file(self) -> str:
        """The page's file, beside this one."""
        return f"{self.address.replace('-', '_') or 'home'}.py"


PAGES = (
    PageSpec("Attention Lab", ""),
    PageSpec("Playground", "playground"),
    PageSpec("Soft lookup", "soft-lookup"),
    PageSpec("Why √d_k", "scaling"),
    PageSpec("Masks", "masking"),
    PageSpec("Heads", "heads"),
    PageSpec("Positions", "positions"),
    PageSpec("KV cache", "kv-cache"),
    PageSpec("Cost", "cost"),
    PageSpec("Block", "block"),
    PageSpec("Trained heads", "trained-heads"),
    PageSpec("Training lab", "training"),
    PageSpec("Exercises", "exercises"),
    PageSpec("Lecture", "lecture"),
    PageSpec("Glossary", "glossary"),
)

# A file of ours: an icon by name would be fetched from another host.
ICON = Path(__file__).parents[1] / "assets" / "favicon.png"

st.set_page_config(page_title="Attention Lab", page_icon=ICON, layout="wide")
page = st.navigation(
    [
        st.Page(
            spec.file,
            title=spec.title,
            url_path=spec.address or None,
            default=not spec.address,
        )
        for spec in PAGES
    ],
    position="top",  # flat: as menus, Streamlit's lists fail axe's rule for lists
)
state.enter(page.url_path)
page.run()
