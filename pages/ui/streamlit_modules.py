"""Which of Streamlit's own JavaScript modules our pages need, so that the browser can fetch them early.

Streamlit's frontend asks for the module of each kind of widget only when the first script run tells of
one, and for what that module imports after that. By then the browser is busy, and half a second goes.
"""

import re
from functools import cache
from pathlib import Path

import streamlit

ROUTE = "static/js"
_FOLDER = Path(streamlit.__file__).parent / "static" / "static" / "js"
# The kinds of elements on a page of ours.
_KINDS = (
    "BidiComponent", "Html", "Radio", "Selectbox", "NumberInput", "TextInput", "Checkbox", "BaseButton",
)  # fmt: skip


@cache
def needed() -> tuple[str, ...]:
    """Return the names of the modules, those first that are imported by the others last.

    A kind that another version of Streamlit does not have is left out: it is then fetched when it is
    asked for, as without us.
    """
    found: dict[str, None] = {}
    for kind in _KINDS:
        for file in sorted(_FOLDER.glob(f"{kind}.*.js")):
            _add(file.name, found)
    return tuple(found)


def _add(name: str, found: dict[str, None]) -> None:
    """Add a module and what it imports, and so on; each once."""
    if name in found or not (_FOLDER / name).is_file():
        return
    found[name] = None
    text = (_FOLDER / name).read_text(encoding="utf-8")
    for imported in re.findall(r'(?:from|import)\s*"\./([\w.-]+\.js)"', text):
        _add(imported, found)
