"""My numbers: Q, K and V as three tables to type into or paste into from a spreadsheet."""

import pandas as pd
import streamlit as st

from core.errors import NumbersError
from core.numbers import MAX_WIDTH, Numbers, parse_cells
from pages.ui import state, style

_DRAFT, _VERSION, _WRITTEN = "_numbers_draft", "_numbers_version", "_numbers_written"
_TITLES = {"q": "Q, a row for each query", "k": "K, a row for each key", "v": "V, a row for each value"}


def numbers_editor() -> None:
    """Show the three tables. What cannot be read stays in them, with a sentence on what to mend."""
    numbers = state.settings().numbers
    if st.session_state.get(_WRITTEN) != (state.visit(), numbers):
        # A link or a reset brought other numbers, or the tables were away: Streamlit forgets the
        # edits of a table that is not on the page.
        _start(numbers)
    drafts = st.session_state[_DRAFT]
    with st.expander("My numbers", expanded=True):
        edited = {}
        for column, name in zip(st.columns(3), _TITLES, strict=True):
            with column:
                edited[name] = _table(name, drafts[name])
        try:
            typed = parse_cells(*(edited[name].to_numpy(dtype=object).tolist() for name in "qkv"))
        except NumbersError as error:
            st.warning(style.literal(f"{error} Until then the picture shows the last numbers that fit."))
            return
        st.caption(
            "Type or paste cells from a spreadsheet; 0.5, 0,5 and 1/3 all work. A row of blanks is left out."
        )
        if typed != numbers:
            st.session_state[_WRITTEN] = (state.visit(), typed)
            state.change(numbers=typed)
            st.rerun()


def put_away() -> None:
    """Tell that the tables are not on the page in this run."""
    st.session_state.pop(_WRITTEN, None)


def _table(name: str, draft: pd.DataFrame) -> pd.DataFrame:
    """Show one table and a field for its width; wider keeps what is there and adds zeros."""
    st.markdown(f"**{_TITLES[name]}**")
    st.number_input(
        f"columns of {name.upper()}", 1, MAX_WIDTH, draft.shape[1],
        key=f"width_{name}_{st.session_state[_VERSION]}", on_change=_widen, args=(name,),
    )  # fmt: skip
    return st.data_editor(
        draft,
        key=f"table_{name}_{st.session_state[_VERSION]}",
        num_rows="dynamic",
        hide_index=True,
        height=min(35 * (len(draft) + 2) + 3, 320),
        column_config={column: st.column_config.TextColumn(column, default="0") for column in draft.columns},
        alt=_TITLES[name],
        on_change=state.moved,
    )


def _start(numbers: Numbers) -> None:
    _replace({name: _frame(getattr(numbers, name)) for name in _TITLES})
    st.session_state[_WRITTEN] = (state.visit(), numbers)


def _replace(drafts: dict[str, pd.DataFrame]) -> None:
    st.session_state[_DRAFT] = drafts
    st.session_state[_VERSION] = st.session_state.get(_VERSION, 0) + 1  # new tables, new keys


def _widen(name: str) -> None:
    """Give a table another width, keeping all edits of all tables."""
    state.moved()
    version = st.session_state[_VERSION]
    drafts = {
        each: _with_edits(frame, st.session_state.get(f"table_{each}_{version}"))
        for each, frame in st.session_state[_DRAFT].items()
    }
    width = st.session_state[f"width_{name}_{version}"]
    frame = drafts[name]
    drafts[name] = pd.DataFrame(
        {str(c): frame[str(c)] if str(c) in frame.columns else ["0"] * len(frame) for c in range(width)},
        dtype=object,
    )
    _replace(drafts)


def _with_edits(frame: pd.DataFrame, edits: dict | None) -> pd.DataFrame:
    """Return the table as it is on the screen: Streamlit keeps its edits apart from its data."""
    if not edits:
        return frame
    rows = frame.to_dict("records")
    for index, changed in edits.get("edited_rows", {}).items():
        rows[int(index)] |= changed
    gone = set(edits.get("deleted_rows", []))
    rows = [row for index, row in enumerate(rows) if index not in gone]
    for row in edits.get("added_rows", []):  # it leaves out the cells that are blank
        rows.append({column: row.get(column) for column in frame.columns})
    return pd.DataFrame(rows, columns=frame.columns, dtype=object)


def _frame(matrix: tuple[tuple[float, ...], ...]) -> pd.DataFrame:
    rows = [[f"{x:g}" if float(f"{x:g}") == x else repr(x) for x in row] for row in matrix]
    return pd.DataFrame(rows, columns=[str(c) for c in range(len(matrix[0]))], dtype=object)
