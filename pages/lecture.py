"""A lecture: its running order, prepared once; and the presenter's window."""

import streamlit as st

from core.lecture.forms import from_link
from core.lecture.view import LectureSettings, index_in_view
from pages.ui import order_editor, order_files, running_order, state, style
from pages.ui.presenter import presenter

settings = state.open_link(LectureSettings)
style.page()
if settings.order:
    running_order.offer(*from_link(settings.order))
    state.change(order="")
for note in state.notes():
    st.warning(style.literal(note))
order_files.offered()
order = running_order.order()
at = index_in_view(order, settings)

if settings.presenter:
    style.unseen_title("Presenter's window")
    presenter(order, at)
else:
    st.html(
        "<header class='lab-opening'><h1>Lecture</h1><p>Pages and exercises in the order in which you show "
        "them, with your notes. Prepared once, repeated often.</p></header>"
    )
    order_files.told()
    order_editor.head(order, at)
    order_editor.items(order, at)
    order_files.box(order)
running_order.keep()
state.write_link()
