"""The page of the lecture: the order is kept, changed, brought by link and file, and presented."""

import json
import re
from html import escape
from urllib.parse import unquote

import pytest

from core.exercises.place import BY_ID
from core.lecture.forms import as_link, read, written
from core.lecture.order import Item, RunningOrder
from core.lecture.ready import READY
from core.lecture.stops import STOPS
from pages.ui import share as box
from pages.ui.lecture_panels import PANELS

ORDER = RunningOrder(
    "Mine",
    (Item("masking", notes="say <b>this</b>"), Item("exercises", (("id", "X10"),), minutes=4), Item("cost")),
)
OTHER = RunningOrder("Other", (Item("heads", minutes=9),))
KEPT = written(ORDER, 3)


@pytest.fixture
def lecture(open_page):
    """Return a function that opens the page by a link, in a browser that keeps a text."""

    def open_(kept=KEPT, **link):
        return open_page("lecture.py", link).send("order_keeper", kept=kept)

    return open_


def saved(page):
    """What the browser is told to keep."""
    return read(page.data("order_keeper")["saved"])[0]


def revision(page):
    return page.data("order_keeper")["revision"]


def labels(page):
    return {button.label for button in page.app.button}


def field(page, of):
    """The field of the chosen item for one of its values."""
    (key,) = [key for key in page.keys if key.startswith(f"item_{of}")]
    return page.app.get_by_key(key)


def fill(page, of, value):
    """Leave a value in a field of the chosen item."""
    return page.set(field(page, of).key, value)


def load(page, content):
    page.app.file_uploader(key="order_file").set_value(("l.json", content, "application/json"))
    return page.run()


def test_a_new_session_writes_nothing_before_the_browser_has_spoken(open_page):
    page = open_page("lecture.py", {})
    assert page.data("order_keeper")["fresh"] is True
    page.send("order_keeper", kept=written(ORDER, 3))
    assert page.data("order_keeper")["fresh"] is False
    assert (saved(page), revision(page)) == (ORDER, 3)


def test_an_older_text_of_another_window_is_not_taken(lecture):
    page = lecture().send("order_keeper", kept=written(OTHER, 2))
    assert saved(page) == ORDER
    assert saved(page.send("order_keeper", kept=written(OTHER, 4))) == OTHER


def test_an_item_is_renamed_timed_and_given_notes(lecture):
    page = lecture()
    fill(page, "name", "  First   mask ")
    fill(page, "minutes", 12)
    fill(page, "notes", "a\nb")
    assert saved(page).items[0] == Item("masking", (), "First mask", "a\nb", 12)
    assert saved(page).items[1:] == ORDER.items[1:]
    assert revision(page) == 6
    page.set("order_title", "New title")
    assert (saved(page).title, len(saved(page).items)) == ("New title", 3)


def test_an_item_is_given_its_first_and_its_last_panel(lecture):
    def panels(page):
        return dict(saved(page).items[0].query).get("lecture")

    page = lecture()
    assert panels(fill(page, "opens", "3. With it")) == "3"  # and on to the end of the page
    assert field(page, "ends").options[0] == "3. With it"
    assert panels(fill(page, "ends", "4. Without, with, and the difference")) == "3-4"
    assert panels(fill(page, "opens", "6. Lesson B’s row, by each way")) == "6-6"
    assert page.warnings == []
    assert field(lecture(item="2"), "opens").options[0] == "1. What is given"


def test_the_chosen_item_goes_along_when_it_moves(lecture):
    page = lecture().set("order_item", "2. X10: The first row".replace(":", "\\:"))
    page.click("↓ Down")
    assert [item.page for item in saved(page).items] == ["masking", "cost", "exercises"]
    assert page.app.get_by_key("order_item").value.startswith("3. X10")
    assert page.app.get_by_key("item_down").disabled
    page.click("↑ Up").click("↑ Up")
    assert [item.page for item in saved(page).items] == ["exercises", "masking", "cost"]
    assert page.app.get_by_key("item_up").disabled
    assert page.link["item"] == "1"


def held(page, before):
    """What the boxes for a choice hold in the browser: a box that is told nothing new keeps its label."""
    boxes = [node.proto for node in page.app.selectbox if node.key != "order_pick"]
    first = {box.id: box.options[box.default] for box in boxes}
    return {box.id: box.raw_value if box.set_value else before.get(box.id, first[box.id]) for box in boxes}


def test_choosing_another_item_changes_nothing(open_page):
    # AppTest by itself sends what is shown; a browser sends what its boxes hold.
    order = READY["demonstration"]
    page = open_page("lecture.py", {}).send("order_keeper", kept=written(order, 1))
    boxes = held(page, {})
    for number in (2, 3, 1, 4, 3, 5, 2):
        states = page.app._tree.get_widget_states()
        choice = page.app.get_by_key("order_item")
        sent = {**boxes, choice.proto.id: choice.options[number - 1]}
        for each in states.widgets:
            if each.id in sent:
                each.string_value = sent[each.id]
        page.app._run(states)
        boxes = held(page._seen(), boxes)
        assert field(page, "name").value == order.items[number - 1].name
        assert (saved(page), revision(page)) == (order, 1)


def test_a_label_that_a_field_does_not_offer_changes_nothing(lecture):
    page = lecture()
    for of in ("opens", "ends"):
        states = page.app._tree.get_widget_states()
        for each in states.widgets:
            if each.id == field(page, of).proto.id:
                each.string_value = "1. A panel of another page"
        page.app._run(states)
        assert (saved(page._seen()), revision(page)) == (ORDER, 3)


def test_what_an_items_field_sends_late_changes_that_item(lecture):
    page = lecture()
    late = field(page, "name").proto.id
    page.app.get_by_key("item_down").click()
    states = page.app._tree.get_widget_states()
    for each in states.widgets:
        if each.id == late:
            each.string_value = "Typed just before the press"
    page.app._run(states)
    names = [item.name for item in saved(page._seen()).items]
    assert names == [ORDER.items[1].name, "Typed just before the press", "Cost"]


@pytest.mark.parametrize(("of", "most"), [("name", 100), ("notes", 2000)])
def test_a_text_that_is_too_long_gets_a_sentence_and_stays_to_be_shortened(of, most, lecture):
    page = lecture()
    long = "<b>x</b>" * 300
    fill(page, of, long)
    sentence = f"The {of} may have {most:,} characters; these are 2,400. Shorten the text."
    assert page.warnings == [sentence]
    fill(page, "minutes", 7)
    page.click("↓ Down")
    assert (page.warnings, field(page, of).value) == ([sentence], long)
    page.set("order_item", page.app.get_by_key("order_item").options[0])
    assert page.warnings == []
    page.set("order_item", page.app.get_by_key("order_item").options[1])
    assert (page.warnings, field(page, of).value) == ([sentence], long)
    assert saved(page).items[1] == Item("masking", notes="say <b>this</b>", minutes=7)
    fill(page, of, long[:most])
    assert page.warnings == []
    assert getattr(saved(page).items[1], of) == long[:most]


def test_a_title_that_is_too_long_gets_a_sentence_and_stays_to_be_shortened(lecture):
    page = lecture().set("order_title", "t" * 330)
    assert page.warnings == ["The title may have 100 characters; these are 330. Shorten it."]
    assert (saved(page).title, page.app.get_by_key("order_title").value) == ("Mine", "t" * 330)


def test_what_is_removed_comes_back(lecture):
    page = lecture(item="3").click("Remove")
    assert saved(page).items == ORDER.items[:2]
    assert field(page, "name").value == ORDER.items[1].name
    page.app.get_by_key("order_undo").click()
    assert saved(page.run()) == ORDER
    assert "order_undo" not in page.keys


def test_emptying_asks_first_and_can_be_undone(lecture):
    page = lecture().click("Empty the order").click("No, keep it")
    assert saved(page) == ORDER
    page.click("Empty the order").click("Yes, empty it")
    assert saved(page).items == ()
    page.app.get_by_key("order_undo").click()
    assert saved(page.run()) == ORDER


@pytest.mark.parametrize(("picked", "page_added"), [("heads", "heads"), ("X30", "exercises")])
def test_a_page_or_an_exercise_is_added_by_choosing(picked, page_added, lecture):
    page = lecture().set("order_pick", picked).click("Add")
    assert saved(page).items[:3] == ORDER.items
    added = saved(page).items[3]
    assert added.page == page_added
    assert field(page, "name").value == added.name
    assert page_added != "exercises" or dict(added.query)["id"] == picked


@pytest.mark.parametrize("key", READY)
def test_a_ready_lecture_is_taken_at_once_where_there_is_none(key, lecture):
    page = lecture(kept="")
    page.app.get_by_key(f"ready_{key}").click()
    page.run()
    assert saved(page) == READY[key]
    assert page.warnings == []


@pytest.mark.parametrize(
    "answer", ["Take it in place of mine", "Add its items to mine", "Leave mine as it is"]
)
@pytest.mark.parametrize("way", ["link", "file"])
def test_another_order_takes_nothing_away_without_being_asked(way, answer, lecture):
    if way == "link":
        page = lecture(order=as_link(OTHER))
        assert "order" not in page.link or page.link["order"] == ""  # it is not in the address any more
    else:
        page = load(lecture(), written(OTHER).encode())
    assert saved(page) == ORDER
    page.click(answer)
    wanted = {"T": OTHER, "A": ORDER.added(*OTHER.items), "L": ORDER}[answer[0]]
    assert saved(page) == wanted
    assert answer not in labels(page)
    if answer[0] == "T":
        page.app.get_by_key("order_undo").click()
        assert saved(page.run()) == ORDER


def test_a_link_is_taken_at_once_where_there_is_none(lecture):
    page = lecture(kept="", order=as_link(OTHER))
    assert saved(page) == OTHER
    assert page.warnings == []


@pytest.mark.parametrize("text", ["x", "A" * 7000, "<script>", as_link(ORDER)[:40]])
def test_a_hostile_link_is_told_and_loses_nothing(text, lecture):
    page = lecture(order=text)
    assert len(page.warnings) == 1
    assert "cannot be read" in page.warnings[0]
    assert saved(page) == ORDER


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"{}", b"[" * 100_000, b"x" * 900_000])
def test_a_hostile_file_is_told_and_loses_nothing(content, lecture):
    page = load(lecture(), content)
    assert page.warnings == ["This is no running order of Attention Lab; choose a file that was saved here."]
    assert saved(page) == ORDER
    assert fill(page, "minutes", 2).warnings == []


def test_what_a_file_holds_is_repaired_with_a_note(lecture):
    text = json.dumps({"attention-lab-lecture": 1, "title": "T", "items": [
        {"page": "nowhere"}, {"page": "cost", "query": {"n": "-5"}, "name": "<b>n</b>", "minutes": 1},
    ]})  # fmt: skip
    page = load(lecture(kept=""), text.encode())
    assert len(page.warnings) == 2
    assert "no page 'nowhere'" in page.warnings[0]
    assert "n = '-5'" in page.warnings[1]
    assert [item.name for item in saved(page).items] == ["<b>n</b>"]


def test_what_the_browser_kept_may_be_broken(lecture):
    page = lecture(kept="{broken")
    assert "put aside" in page.warnings[0]
    assert page.data("order_keeper")["unread"] is True
    page.set("order_pick", "cost").click("Add")
    assert [item.page for item in saved(page).items] == ["cost"]


# --- what is presented ---------------------------------------------------------------------------


def text(page):
    return page.html + "\n".join(str(getattr(node, "value", "")) for node in page.app.main)


def test_the_presenter_sees_notes_and_answer_of_the_item_and_the_next(lecture):
    page = lecture(presenter="true", item="1")
    assert escape("say <b>this</b>") in page.html
    assert "<b>this" not in page.html
    assert f"Next: {ORDER.items[1].name}" in page.html.replace("\u2068", "").replace("\u2069", "")
    task = BY_ID["X10"].make(0)
    assert task.explain not in text(page)
    page.send("conductor", at={"at": 1, "serial": 1})
    assert task.explain in text(page)
    assert task.question in text(page)
    assert page.link["item"] == "2"
    page.send("conductor", at={"at": 2, "serial": 2})
    assert task.explain not in text(page)
    assert "The end." in page.html


def test_the_answer_is_in_the_presenters_window_alone(lecture):
    explain = BY_ID["X10"].make(0).explain
    assert explain not in text(lecture(item="2"))
    assert explain in text(lecture(item="2", presenter="true"))


def test_the_windows_get_the_links_of_the_items_as_they_are_projected(lecture):
    links = lecture().data("start_lecture")["links"]
    assert links == lecture(presenter="true").data("conductor")["links"]
    assert links[0].startswith("masking?lecture=1&v=1&")
    assert "id=X10" in links[1]


def test_the_presenters_window_takes_up_the_order_of_its_link(lecture):
    page = lecture(kept="", presenter="true", order=as_link(OTHER))
    assert page.data("conductor")["links"] == [item.link for item in OTHER.items]
    page = lecture(presenter="true", order=as_link(OTHER))
    assert page.data("conductor")["links"] == [item.link for item in ORDER.items]
    page.click("Take it in place of mine")
    assert page.data("conductor")["links"] == [item.link for item in OTHER.items]


@pytest.mark.parametrize("item", ["99", "1e9", "-3", "4"])
def test_an_item_beyond_the_order_is_the_nearest_without_a_word(item, lecture):
    page = lecture(item=item)
    assert page.warnings == []
    assert field(page, "name").value == ORDER.items[0 if item == "-3" else 2].name


@pytest.mark.parametrize("item", ["1", "99"])
def test_the_presenter_without_an_order_is_led_to_the_page(item, lecture):
    page = lecture(kept="", presenter="true", item=item)
    assert page.warnings == []
    assert "conductor" not in page.keys
    assert page.app.get("page_link")


@pytest.mark.parametrize("key", READY)
def test_every_item_of_a_ready_lecture_opens_without_a_note(key, open_page):
    for item in READY[key].items:
        page = open_page(f"{item.page.replace('-', '_')}.py", {**dict(item.query), "lecture": "1"})
        assert page.warnings == [], item.name


OPENS = {  # what the notes of the ready lectures speak of: the panel that opens, and the last one
    "A table that answers without a match": ("Its numbers", "Its numbers"),
    "From scores to the output": ("A lookup in the plane", "Its numbers"),
    "A sentence as a grid": ("Attention", "One cell, step by step"),
    "Why the scores are divided": ("The spread of q·k", "What softmax makes of one row"),
    "Every token sees every token": ("Without a mask", "Without a mask"),
    "Hiding the future": ("With it", "One row, by each way"),
    "Several heads side by side": ("Attention", "Attention"),
    "All heads at once": ("A loop, or all at once: one answer", "What heads cost"),
    "What is left open": ("Attention does not see the order",) * 2,
    "Attention does not see order": ("Attention does not see the order", "Equivariant, not invariant"),
    "Pairs of numbers as dials": ("RoPE: turn q and k, pair by pair", "The score and the distance"),
    "What the base sets": ("The base, and long contexts", "Pairs that never come round"),
    "Two ways to pair": ("Which entries make a pair", "Two pairings, mixed"),
    "Query heads share keys and values": ("Query heads share keys and values",) * 2,
    "Decoding with a cache": (
        "Decoding: one token at a time", "The outputs are equal, the work is not",
    ),
    "What the cache takes": ("What the cache takes", "The same cache with other KV heads"),
    "One sentence, four heads": ("Attention", "One cell, step by step"),
    "With a mask and without": ("Without a mask", "Without, with, and the difference"),
    "Heads built by hand": ("Attention", "Attention"),
    "Why chat gets longer and dearer": ("What the cache takes", "The same cache with other KV heads"),
}  # fmt: skip


def test_every_item_of_a_ready_lecture_opens_what_its_notes_speak_of():
    found = {}
    for item in [item for order in READY.values() for item in order.items]:
        if item.page != "exercises":
            first, last = dict(item.query)["lecture"].split("-")
            panels = PANELS[item.page]
            found[item.name] = (panels[int(first) - 1].title, panels[int(last) - 1].title)
    assert found == OPENS


# The panels that show what an exercise asks for, as somebody has read them off the screen; settings, where
# they show it with these alone.
ANSWERED: dict[str, tuple[str, set[str], dict[str, str]]] = {
    "X01": (
        "soft-lookup",
        {"A lookup in the plane", "Its numbers", "Exact and soft"},
        {"source": "two-keys"},
    ),
    "X08": ("playground", {"Attention", "One cell, step by step"}, {"source": "three-tokens"}),
    "X19": ("scaling", {panel.title for panel in PANELS["scaling"]}, {}),
    "X10": ("masking", {panel.title for panel in PANELS["masking"]} - {"Without a mask"}, {}),
    "X32": ("positions", {"Attention does not see the order", "Equivariant, not invariant"}, {}),
    "X34": ("positions", {panel.title for panel in PANELS["positions"][6:10]}, {}),
    "X39": ("kv-cache", {"Query heads share keys and values", "Repeated in the wrong order"}, {}),
    "X42": ("kv-cache", {panel.title for panel in PANELS["kv-cache"][3:8]}, {}),
}


@pytest.mark.parametrize("key", READY)
def test_no_item_of_a_ready_lecture_shows_what_a_later_exercise_asks(key):
    """It sees the panels listed above, in their first state: no slider that is dragged, nothing said."""
    items = READY[key].items
    for at, asked in enumerate(items):
        if asked.page == "exercises":
            page, panels, settings = ANSWERED[dict(asked.query)["id"]]
            for item in items[:at]:
                if item.page == page and settings.items() <= dict(item.query).items():
                    first, last = map(int, dict(item.query)["lecture"].split("-"))
                    shown = {panel.title for panel in PANELS[page][first - 1 : last]}
                    assert not shown & panels, (item.name, asked.name)


def test_the_ready_lectures_take_their_time():
    exercises = [sum(item.page == "exercises" for item in order.items) for order in READY.values()]
    assert [order.minutes for order in READY.values()] == [50, 50, 10]
    assert exercises == [4, 4, 1]


# --- "Add to lecture" and "Share" on the pages ------------------------------------------------------


def test_every_page_with_a_state_can_be_added_and_shared(open_page):
    for address, stop in STOPS.items():
        if not address:  # Home has no state
            continue
        page = open_page(f"{address.replace('-', '_')}.py", {"v": "1"})
        data = page.data("add_state")
        assert data["page"] == address
        assert Item(address, tuple(data["query"].items())).query == tuple(data["query"].items())
        hidden = open_page(f"{address.replace('-', '_')}.py", {"v": "1", "hide": "add,share"})
        assert page.keys - hidden.keys == {"add_state", "share"}, stop.title


def test_every_page_that_opens_a_link_is_a_stop(open_page):
    pages = open_page("home.py", {}).app._registered_pages.values()
    titles = {page["url_pathname"]: page["page_name"] for page in pages}
    assert {address: titles[address] for address in STOPS} == {k: v.title for k, v in STOPS.items()}
    assert titles.keys() - STOPS.keys() == {"lecture"}


def test_every_page_but_the_lectures_own_can_be_projected(open_page):
    pages = open_page("home.py", {}).app._registered_pages.values()
    addresses = {page["url_pathname"] for page in pages}
    assert addresses - PANELS.keys() == {"lecture"}
    assert PANELS.keys() < addresses
    for panels in PANELS.values():
        assert all(panel.title and panel.parts for panel in panels)
        assert panels


@pytest.mark.parametrize(
    ("asked", "shown"),
    [("3", 3), ("2-4", 2), ("00003", 3), ("true", 1), ("0014", 14), ("999", 14), ("9" * 5000, 14)]
    + [(text, 0) for text in ("", "0", "-1", "abc", "1e3", "2.5", "٣", "<b>", "false")],
)
def test_which_panel_a_link_projects(asked, shown, open_page):
    page = open_page("scaling.py", {"v": "1", "lecture": asked})
    assert len(PANELS["scaling"]) == 14
    assert page.data("lecture")["panel"] == shown
    assert page.warnings == []


def test_a_repaired_link_says_so_in_a_lecture_too(open_page):
    page = open_page("scaling.py", {"d_k": "abc", "lecture": "2"})
    assert page.data("lecture")["panel"] == 2
    assert len(page.warnings) == 1
    assert "abc" in page.warnings[0]


def test_a_browser_that_keeps_nothing_leaves_it_to_the_session(open_page):
    page = open_page("masking.py", {"mask": "none", "v": "1"}).send(
        "add_state", added={"serial": 1, "kept": ""}
    )
    page.visit("lecture.py")
    (item,) = saved(page).items
    assert dict(item.query)["mask"] == "none"
    assert item.page == "masking"


@pytest.mark.parametrize("kept", [KEPT, "{broken", 5, None])
def test_a_browser_that_has_no_room_left_leaves_all_of_it_to_the_session(kept, open_page):
    page = open_page("masking.py", {"mask": "none", "v": "1"})
    for serial in (1, 2):
        page.send("add_state", added={"serial": serial, "kept": kept})
    page.visit("lecture.py")
    before = ORDER.items if kept == KEPT else ()
    assert saved(page).items[:-2] == before
    assert [item.page for item in saved(page).items[-2:]] == ["masking", "masking"]
    assert page.data("order_keeper")["fresh"] is False
    assert revision(page) == (5 if kept == KEPT else 2)  # newer than what the browser has


def share(open_page, monkeypatch, root, file="masking.py", **link):
    """Open a page's box of ways to share, as a browser sees it that knows the app by an address."""
    monkeypatch.setattr(box, "_root", lambda: root)
    page = open_page(file, {"v": "1", **link})
    return page.open("share")


def test_the_share_box_holds_a_short_link_and_a_code_of_the_address_that_the_browser_knows(
    open_page, monkeypatch
):
    page = share(open_page, monkeypatch, "https://lab.example.org/a/masking", mask="none", hide="seed")
    assert page.data("share_state")["query"] == {"v": "1", "mask": "none", "hide": "seed"}
    address = "https://lab.example.org/a/masking?v=1&mask=none&hide=seed"
    (code,) = re.findall(r'<img src="(data:[^"]+)" alt="QR code', page.html)
    assert escape(address) in page.html
    svg = unquote(code)
    # ISO/IEC 18004: at level M, 61 bytes need version 4 (62 fit), a square of 33, plus four at each side.
    assert len(address) == 57
    assert "viewBox='0 0 41 41'" in svg


def test_a_code_needs_an_address_that_a_phone_can_reach(open_page, monkeypatch):
    for root in (
        "http://localhost:8501/masking",
        "http://127.0.0.1:8501/masking",
        "http://0.0.0.0:8501/masking",
    ):
        page = share(open_page, monkeypatch, root)
        assert "<img" not in page.html
        assert any("A phone cannot reach" in caption.value for caption in page.app.caption)


def test_a_state_that_is_too_long_for_a_code_says_so(open_page, monkeypatch):
    numbers = f"{';'.join(['0.123456789'] * 60)}|{';'.join(['0.123456789'] * 60)}|{';'.join(['1'] * 60)}"
    page = share(
        open_page, monkeypatch, "https://lab.example.org/playground", "playground.py",
        source="custom", numbers=numbers,
    )  # fmt: skip
    assert "<img" not in page.html
    assert any("too long for a QR code" in caption.value for caption in page.app.caption)
