"""Attention as a soft lookup: five steps, a plane, and the road here."""

import streamlit as st

from core.examples import WORKED_EXAMPLES
from core.lessons import road
from core.lessons import soft_lookup as core
from core.lessons.soft_lookup import STEPS, SoftLookupSettings
from core.ops.attention import additive_attention, softmax
from pages.ui import lesson, predict, state
from pages.ui.live import Slider, live_plot, live_sliders, stepper
from pages.ui.numbers_editor import numbers_editor, put_away
from pages.ui.pictures.soft_lookup import soft_lookup
from pages.ui.widgets import bare_box, bare_row, choice

_SOURCES = {**{name: each.title for name, each in WORKED_EXAMPLES.items()}, "custom": "My numbers"}
_TEMPERATURES = [0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 2, 3, 4, 6, 8, 10]
_ENTRIES = [round(0.1 * x, 1) for x in range(-30, 31)]
_VIEW = "soft-lookup"
_SLIDERS = 8  # entries of q that get one

settings = state.open_link(SoftLookupSettings)
width = len(settings.given.k[0])
heat = "" if settings.temperature in (0, 1) else rf"\,\cdot {settings.temperature:g}"
lesson.opening(
    "Attention as a soft lookup",
    "How can a table answer when no entry matches exactly?",
    rf"\text{{output}} = \sum_j w_j v_j, \qquad w = \mathrm{{softmax}}\!\left("
    rf"\frac{{q K^\top}}{{\sqrt{{{width}}}{heat}}}\right)",
    "Q", "K", "V", "d_k", "softmax",
)  # fmt: skip

source, query, edit = st.columns([5, 3, 2], vertical_alignment="center")
with source:
    choice("source", "Numbers", _SOURCES, bare_row)
with query:
    names = {i: f"the query of {name}" for i, name in enumerate(settings.names[0])}
    if len(names) > 1:
        choice("query", "Which query", names, bare_box)
if settings.source == "custom":
    numbers_editor()
else:
    put_away()
    own = {"source": "custom", "numbers": settings.given, "query": settings.query}
    edit.button("Edit Q, K, V", on_click=lambda: state.change(**own), icon=":material/edit:", width="stretch")
settings = state.settings()

stepper("step", STEPS, label="Steps of a lookup", view=_VIEW, settings=settings, on_change=state.merge)
asks = settings.q or settings.given.q[settings.query]
sliders = [
    Slider("q", f"q, entry {i}", _ENTRIES, x, -1e6, 1e6, "One number of the query.", whole=False, index=i)
    for i, x in enumerate(asks[:_SLIDERS])
]
if len(asks) > _SLIDERS:  # a part of a list cannot be moved alone
    sliders = []
heat_help = "Scores are divided by it: near 0 the best match takes all, far above 1 all keys get the same."
sliders.append(
    Slider("temperature", "Temperature", _TEMPERATURES, settings.temperature, 0, 10, heat_help, whole=False)
)
live_sliders(sliders, key="lookup_sliders", view=_VIEW, settings=settings, on_change=state.merge)
pictures = soft_lookup(settings)
live_plot(pictures["lookup"], key="lookup", on_change=state.merge)
if settings.source != "custom":
    st.caption(WORKED_EXAMPLES[settings.source].remark)

lesson.notice(
    "The output is always a blend. In *Two keys* the query equals the first key, and the second value "
    "still contributes a third.",
    "Values play no part in the weights. Keys play no part in what is passed on.",
    "A longer query makes the same choice more decisively: drag it outwards.",
)
predict.first("mistakes")
live_plot(pictures["lookup_mistakes"], key="lookup_mistakes")

lesson.section(
    "The road here",
    "A recurrent network reads word by word into **one** state: what *animal* said has to survive every "
    "update until *it* is read. Attention reaches back from anywhere.",
    place="road",
)
readers = list(range(road.SUBJECT + 1, len(road.SENTENCE)))
reader = Slider("reader", "The word that looks back", readers, settings.reader, readers[0], readers[-1])
live_sliders([reader], key="path_sliders", view=_VIEW, settings=settings, on_change=state.merge)
live_plot(pictures["path"], key="path")
st.markdown(
    "The first attention (Bahdanau, 2014) scored a pair by a small network. Luong (2015) took the dot "
    "product: no parameters, one matrix product. Same random q and k below, two ways to score."
)
widths = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
live_sliders(
    [
        Slider("width", "Width of q and k", widths, settings.width, 1, 512),
        Slider("hidden", "Width of the hidden layer", widths, settings.hidden, 1, 512),
    ],
    key="scoring_sliders", view=_VIEW, settings=settings, on_change=state.merge,
)  # fmt: skip
live_plot(pictures["scoring"], key="scoring")

lesson.printed_numbers("soft-lookup")
lesson.source(softmax, core.trace_soft_lookup, additive_attention)
lesson.following(
    ("scaling.py", "Why are the scores divided by √d_k?"),
    ("playground.py", "All controls at once: the playground"),
)
state.write_link()
