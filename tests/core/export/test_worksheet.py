"""Exercises on paper: everything renders, the questions hold nothing of the answers, the answers hold all."""

import re
from html.parser import HTMLParser

import pytest

from core.exercises import EXERCISES
from core.exercises.place import BY_ID
from core.export.prose import block, line
from core.export.worksheet import answer_sheet, worksheet

SEEDS = range(4)
ITEMS = [pytest.param(each, seed, id=f"{each.id}-{seed}") for each in EXERCISES for seed in SEEDS]
VOID = {"meta", "rect", "path", "br", "hr", "mspace"}


class Reader(HTMLParser):
    """The text of a page, and whether every tag is closed in its turn."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.open, self.pieces, self.tags = [], [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.pieces.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.pieces).split())


def longest(text):
    """The longest piece of a Markdown text that stands in a page as it is."""
    return max(re.split(r"\$[^$]*\$|[`\n*|]|\s\s", text), key=len).strip()


def of_one(sheet, exercise, seed):
    page = sheet([(exercise, seed)], "A title")
    return page, Reader(page)


@pytest.mark.parametrize(("exercise", "seed"), ITEMS)
def test_both_sheets_render_without_a_rest_of_latex_or_anything_from_outside(exercise, seed):
    for sheet in (worksheet, answer_sheet):
        page, read = of_one(sheet, exercise, seed)
        assert "$" not in read.text
        assert "\\" not in read.text
        assert "`" not in read.text
        assert "|--" not in read.text
        assert not {"script", "link", "img", "iframe"} & set(read.tags)
        assert not re.search(r"(src|href)=|url\(|@import", page)
        assert re.findall(r"https?://[^\"']*", page.replace("http://www.w3.org/1998/Math/MathML", "")) == []
        assert exercise.title in read.text
        assert f"numbers {seed}" in read.text if seed else "the lesson's numbers" in read.text
        for text in (exercise.make(seed).setup, exercise.make(seed).question):
            assert longest(text) in read.text


@pytest.mark.parametrize(("exercise", "seed"), ITEMS)
def test_the_worksheet_holds_nothing_of_the_answers(exercise, seed):
    task, (page, read) = exercise.make(seed), of_one(worksheet, exercise, seed)
    assert longest(task.explain) not in read.text
    assert block(task.explain) not in page
    for wrong in task.wrong:
        assert longest(wrong.feedback) not in read.text
    assert "●" not in read.text  # no cell is marked
    assert 'fill="#777"' not in page  # no bar is drawn
    for part in task.parts:
        if part.kind == "number" and abs(part.answer - round(part.answer)) > 1e-6:
            assert f"{part.answer:.3f}" not in read.text
            assert f"{part.answer:.4g}" not in read.text
        for option in (*part.options, *part.words, *part.names, *part.rows):
            assert longest(option) in read.text  # but all there is to choose from


@pytest.mark.parametrize(("exercise", "seed"), ITEMS)
def test_the_answer_sheet_holds_the_answers_what_is_behind_wrong_ones_and_why(exercise, seed):
    task, (page, read) = exercise.make(seed), of_one(answer_sheet, exercise, seed)
    assert longest(task.explain) in read.text
    for wrong in task.wrong:
        assert wrong.misconception in read.text
        assert longest(wrong.feedback) in read.text
    for part in task.parts:
        if isinstance(part.answer, frozenset):
            assert page.count("●") >= len(part.answer)
        elif part.kind == "row" and not isinstance(part.answer, str):
            assert page.count('fill="#777"') >= len(part.options)
        assert page.count("Just as right:") == sum(len(each.also) for each in task.parts)
        if isinstance(part.answer, str):
            assert f"{'ABCDEFGHIJ'[part.options.index(part.answer)]} {line(part.answer)}" in page


def test_a_table_of_numbers_is_a_table():
    """N05: a heading of three columns and six tokens, with the weights of lesson B."""
    page, _ = of_one(worksheet, BY_ID["N05"], 0)
    table = re.search(r'<table class="given">(.*?)</table>', page, re.DOTALL)[1]
    rows = [re.findall(r"<t[hd]>(.*?)</t[hd]>", row) for row in table.split("</tr>")[:-1]]
    assert rows[0] == ["token", "weight", "value"]
    assert rows[1:] == [
        ["The", "0.05", "0.1"], ["cat", "0.60", "0.5"], ["sat", "0.20", "0.3"],
        ["on", "0.10", "0.2"], ["the", "0.03", "0.1"], ["mat", "0.02", "0.4"],
    ]  # fmt: skip


def test_the_answers_of_known_exercises():
    """By hand: softmax of (1, 0)/√2; 15 of 36 cells; row 0 sees itself alone."""
    page, read = of_one(answer_sheet, BY_ID["X01"], 0)
    assert "0.3302" in read.text
    assert "0 (the best match takes all)" in read.text
    _, read = of_one(answer_sheet, BY_ID["X12"], 0)
    assert "15" in read.text.split("exactly 0?")[1][:5]
    page, _ = of_one(answer_sheet, BY_ID["X10"], 0)
    assert re.findall(r'width="([\d.]+)" height="22" fill', page) == ["240.0"] + ["0.0"] * 5
    page, _ = of_one(answer_sheet, BY_ID["X11"], 0)
    grid = re.search(r"<tbody>(.*?)</tbody>", page)[1]
    rows = [re.findall(r"<td>(.?)</td>", row) for row in grid.split("</tr>")[:-1]]
    assert rows == [["●"] * 3, ["●"] * 3, [""] * 3]  # the last row sees all keys anyway


def test_cards_have_letters_and_as_many_blanks():
    page, _ = of_one(worksheet, BY_ID["X24"], 0)
    assert page.count('<span class="rule"></span></li>') == 6
    cards = BY_ID["X24"].make(0).parts[0]
    letters = ["ABCDEF"[cards.options.index(card)] for card in cards.answer]
    answers = of_one(answer_sheet, BY_ID["X24"], 0)[1].text
    assert " → ".join(f"{a} {card}" for a, card in zip(letters, cards.answer, strict=True)) in answers
    # Scaling may come before or after hiding, and before the dot products too.
    assert answers.count("Just as right:") == 2


def test_a_sheet_numbers_its_exercises_and_asks_for_a_name():
    items = [(BY_ID["X10"], 0), (BY_ID["X01"], 17), (BY_ID["X01"], 0)]
    text = Reader(worksheet(items, "Week <3>")).text
    assert text.startswith("Week <3> Week <3> Name Date 1. The first row (X10, the lesson's numbers)")
    assert "2. The share of the other value (X01, numbers 17)" in text
    assert "3. The share of the other value (X01, the lesson's numbers)" in text
    assert Reader(answer_sheet(items, "Week <3>")).text.startswith("Answers to “Week <3>”")


def test_an_empty_set_is_an_empty_sheet():
    assert "<article>" not in worksheet([], "Nothing")


def test_html_in_a_text_shows_literally():
    assert block("<script>alert(1)</script> [a](http://b.c) ![x](y.png)").count("<script") == 0
    assert "&lt;b&gt;" in line("<b>x</b>")
    assert "href" not in block("[a](http://b.c) <http://b.c>")
    assert "<img" not in block("![x](y.png)")


def test_mathematics_becomes_mathml():
    html = line(r"$\sqrt{d_k}$ and $a < b$")
    assert "<msqrt>" in html
    assert html.count("<math") == 2
    assert Reader(html).text.endswith("a < b")
    matrix = line(r"$\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}$")
    assert re.findall(r"<mn>(\d)</mn>", matrix) == ["1", "2", "3", "4"]
    assert 'class="brackets"' in matrix
