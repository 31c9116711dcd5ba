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
    icon: str
    section: str = ""  # the menu that it stands in; without one it stands by itself

    @property
    def file(self) -> str:
        """The page's file, beside this one."""
        return f"{self.address.replace('-', '_') or 'home'}.py"


PAGES = (
    PageSpec("Attention Lab", "", ":material/home:"),
    PageSpec("Soft lookup", "soft-lookup", ":material/manage_search:", "Attention"),
    PageSpec("Why √d_k", "scaling", ":material/square_foot:", "Attention"),
    PageSpec("Masks", "masking", ":material/visibility_off:", "Attention"),
    PageSpec("Heads", "heads", ":material/view_column:", "Attention"),
    PageSpec("Positions and RoPE", "positions", ":material/rotate_right:", "In models"),
    PageSpec("GQA and the KV cache", "kv-cache", ":material/memory:", "In models"),
    PageSpec("Cost", "cost", ":material/speed:", "In models"),
    PageSpec("Transformer block", "block", ":material/layers:", "In models"),
    PageSpec("Playground", "playground", ":material/tune:"),
    PageSpec("Glossary", "glossary", ":material/menu_book:"),
)

# A file of ours: an icon by name would be fetched from another host.
ICON = Path(__file__).parents[1] / "assets" / "favicon.png"

st.set_page_config(page_title="Attention Lab", page_icon=ICON, layout="wide")
sections: dict[str, list[st.Page]] = {}
for spec in PAGES:
    sections.setdefault(spec.section, []).append(
        st.Page(
            spec.file,
            title=spec.title,
            icon=spec.icon,
            url_path=spec.address or None,
            default=not spec.address,
        )
    )
page = st.navigation(sections, position="top")
state.enter(page.url_path)
page.run()
