"""The presenter's window: notes, the answer, what comes next, the clock; it drives the projected window.

Votes from phones would arrive here, as counts: ``_hands`` is their place. There are none yet.
"""

import streamlit as st

from core.exercises.exercise import Task
from core.exercises.hands import advice, right_share
from core.exercises.place import BY_ID, PlaceSettings
from core.lecture.order import Item, RunningOrder
from core.lecture.stops import EXERCISES, STOPS
from pages.ui import running_order, state, style
from pages.ui.attempts import task_of
from pages.ui.hands import option_text, show_of_hands
from pages.ui.html import safe, show
from pages.ui.live import component, reported
from pages.ui.order_editor import choose

_KEY = "conductor"
_HEARD, _COUNTS = "_conductor_heard", "_presenter_counts"


def presenter(order: RunningOrder, at: int) -> None:
    """Show everything that only the one who speaks may see."""
    if not order.items:
        if not running_order.known():  # the browser is about to say what it keeps
            return
        st.info("There is no running order in this browser yet.")
        st.page_link("lecture.py", label="Make one", icon=":material/arrow_forward:")
        return
    item = order.items[at]
    _conductor(order, at)
    left, right = st.columns([3, 2], gap="large")
    with left:
        show(
            f"<section class='lab-speaker'><h2>{at + 1} / {len(order.items)} · {safe(item.name)}</h2>",
            f"<p class='lab-notes'>{safe(item.notes) or 'No notes.'}</p></section>",
        )
        _answer(item)
    with right:
        _next(order, at)
        choose(order, at, brief=True)
        st.page_link("lecture.py", label="Change the running order", icon=":material/edit:")


def _conductor(order: RunningOrder, at: int) -> None:
    def told() -> None:
        report = reported(_KEY, "at")
        if isinstance(report, dict):
            st.session_state[_HEARD] = report["serial"]
            state.change(item=report["at"] + 1)

    data = {
        "links": [item.link for item in order.items],
        "starts": list(order.starts),
        "minutes": [item.minutes for item in order.items],
        "at": at,
        "heard": st.session_state.get(_HEARD, 0),
    }
    component("conductor")(key=_KEY, data=data, on_at_change=told)


def _answer(item: Item) -> None:
    if item.page != EXERCISES:
        return
    place, _ = PlaceSettings.from_query(dict(item.query))
    if not place.id:
        return
    task = task_of(BY_ID[place.id], place.seed)
    answer = style.literal(option_text(task, tuple(part.answer for part in task.parts)))
    with st.container(border=True, key="lab_answer"):
        st.markdown(f"{task.question}\n\n**Answer: {answer}.** {task.explain}")
        _hands(place, task)
        if task.wrong:
            lines = [f"- {style.literal(each.misconception)}" for each in task.wrong]
            st.markdown("\n".join(["Expect:", "", *dict.fromkeys(lines)]))


def _hands(place: PlaceSettings, task: Task) -> None:
    """Let the hands be counted here: the projected window shows them, covered at first."""
    held = st.session_state.setdefault(_COUNTS, {}).setdefault((place.id, place.seed), {})
    counts = held.get("hands", ""), held.get("again", "")  # an order keeps none
    show_of_hands(task, place.seed, counts, held.update, name=f"{place.id}:{place.seed}", revealed=True)
    shares = [right_share(task, place.seed, text) for text in counts]
    said = [f"{share:.0%}" for share in shares if share is not None]
    if said:
        last = next(share for share in reversed(shares) if share is not None)
        st.markdown(f"**Right: {', then '.join(said)}.** {advice(last)}")


def _next(order: RunningOrder, at: int) -> None:
    if at + 1 == len(order.items):
        show("<section class='lab-speaker'><h3>Next</h3><p>The end.</p></section>")
        return
    after = order.items[at + 1]
    words = f"{safe(STOPS[after.page].title)} · {after.minutes} min"
    show(f"<section class='lab-speaker'><h3>Next: {safe(after.name)}</h3><p>{words}</p></section>")
    st.button("Go to it now", key="go_on", on_click=state.change, kwargs={"item": at + 2})
