"""Exercises on paper: a sheet with room to write, and a second one with the answers.

Both are one HTML file each, without scripts and without anything from another place.
"""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from string import Template, ascii_uppercase

from core.exercises.exercise import Answer, Exercise, Part, Task, Wrong
from core.exercises.record import CONFIDENCE
from core.export.prose import block, line

Items = Iterable[tuple[Exercise, int]]  # each exercise, and the seed of its numbers

_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
@page { margin: 15mm; } /* the paper, A4 or Letter, is chosen when printing */
* { box-sizing: border-box; }
body {
  font: 11pt/1.45 system-ui, sans-serif; color: #000; background: #fff;
  max-width: 192mm; margin: 0 auto; padding: 6mm;
}
h1 { font-size: 17pt; margin: 0 0 2mm; }
h2 { font-size: 12.5pt; margin: 0 0 1.5mm; }
h2 small { font-weight: 400; font-size: 10pt; }
p { margin: 0 0 2mm; }
.name { display: flex; gap: 6mm; margin-bottom: 4mm; }
.name span { flex: 3; border-bottom: 1px solid #000; padding-top: 5mm; }
.name span + span { flex: 1; }
article { break-inside: avoid; border-top: 1.5px solid #000; padding: 3mm 0 4mm; }
.question { font-weight: 700; }
.part { margin: 2mm 0 3mm; }
.blank { display: inline-block; width: 38mm; height: 9mm; border: 1px solid #000; vertical-align: middle; }
.part p:last-child { margin-top: 1.5mm; }
.small { width: 18mm; height: 7mm; }
.number { display: inline-block; margin: 1mm 5mm 1mm 0; }
.options { list-style: upper-alpha; padding-left: 8mm; margin: 0; }
.options li { margin: 0 0 1mm; padding-left: 1mm; }
.blanks { padding-left: 8mm; margin: 2mm 0 0; columns: 3; }
.blanks li { margin-bottom: 2.5mm; }
.rule { display: inline-block; width: 28mm; border-bottom: 1px solid #000; }
table { border-collapse: collapse; max-width: 100%; }
th { font-weight: 400; padding: 0.5mm 1mm; text-align: right; }
thead th { text-align: center; vertical-align: bottom; }
td { border: 1px solid #000; width: 11mm; min-width: 6mm; height: 9mm; text-align: center; }
.given { margin: 0 0 2mm; }
.given th, .given td { border: 1px solid #000; width: auto; height: auto; padding: 0.5mm 3mm; }
.bars th, .bars td { border: 0; height: 8mm; text-align: left; padding: 0.5mm 3mm 0.5mm 0; }
svg { display: block; }
.sure { display: flex; flex-wrap: wrap; gap: 1mm 4mm; font-size: 10pt; margin-top: 3mm; }
.sure .rule { flex: 1; min-width: 30mm; }
.answer { border-left: 3px solid #000; padding-left: 3mm; margin: 2mm 0 3mm; }
.wrong { margin: 0 0 2mm; padding-left: 5mm; }
.wrong li { margin-bottom: 1mm; }
math { font-size: 105%; }
.brackets { border: solid #000; border-width: 0 1px; border-radius: 6px; padding: 0 4px; }
code { font-family: ui-monospace, monospace; font-size: 0.92em; }
@media print { body { max-width: none; padding: 0; } }
</style>
</head>
<body>
<h1>$title</h1>
$head
$articles
</body>
</html>
""")
_NAME = '<p class="name"><span>Name</span><span>Date</span></p>'


def worksheet(items: Items, title: str) -> str:
    """Return a sheet with the questions and room to write; nothing of the answers is in it.

    Args:
        items: the exercises in their order, each with the seed of its numbers.
        title: of the sheet.
    """
    return _page(items, title, _NAME, _questions)


def answer_sheet(items: Items, title: str) -> str:
    """Return the answers to a worksheet, what is behind the likely wrong ones, and why.

    Args:
        items: as in the worksheet.
        title: of the worksheet.
    """
    return _page(items, f"Answers to “{title}”", "", _answers)


def _page(items: Items, title: str, head: str, body: Callable[[Task], str]) -> str:
    articles = [
        f"<article><h2>{i}. {escape(exercise.title)} <small>({exercise.id}, {_numbers(seed)})</small></h2>"
        f"{body(exercise.make(seed))}</article>"
        for i, (exercise, seed) in enumerate(items, 1)
    ]
    return _PAGE.substitute(title=escape(title), head=head, articles="\n".join(articles))


def _numbers(seed: int) -> str:
    return f"numbers {seed}" if seed else "the lesson's numbers"


# --- the questions ------------------------------------------------------------------------------


def _asked(task: Task) -> str:
    given = block(task.setup).replace("<table>", '<table class="given">')
    return f'{given}<div class="question">{block(task.question)}</div>'


def _questions(task: Task) -> str:
    parts = "".join(_room(part) for part in task.parts)
    sure = "".join(f"<span>☐ {each}</span>" for each in (*CONFIDENCE, "I don't know"))
    return f'{_asked(task)}{parts}<p class="sure">How sure? {sure} Why? <span class="rule"></span></p>'


def _room(part: Part) -> str:
    label = f"<p>{line(part.label)}</p>" if part.label else ""
    words = "".join(f"<p>☐ or: {line(word)}</p>" for word in part.words)
    return f'<div class="part">{label}{_ROOMS[part.kind](part)}{words}</div>'


def _room_for_numbers(part: Part) -> str:
    if part.kind == "number":
        return '<span class="blank"></span>'
    names = part.names or [f"number {i + 1}" for i in range(_length(part))]
    return "".join(
        f'<span class="number">{line(name)} <span class="blank small"></span></span>' for name in names
    )


def _room_to_choose(part: Part) -> str:
    return _options(part.options)


def _room_to_order(part: Part) -> str:
    blanks = "".join('<li><span class="rule"></span></li>' for _ in part.options)
    return f'{_options(part.options)}<p>Their letters, in order:</p><ol class="blanks">{blanks}</ol>'


def _room_for_cells(part: Part) -> str:
    return f"<p>Shade the cells that you mean.</p>{_grid(part, frozenset())}"


def _room_for_a_row(part: Part) -> str:
    return f"<p>Draw each bar, from 0 to 1, and write its number.</p>{_bars(part, None)}"


_ROOMS = {
    "number": _room_for_numbers, "numbers": _room_for_numbers, "choose": _room_to_choose,
    "cells": _room_for_cells, "row": _room_for_a_row, "order": _room_to_order,
}  # fmt: skip


# --- the answers --------------------------------------------------------------------------------


def _answers(task: Task) -> str:
    parts = "".join(
        f"{f'<p>{line(part.label)}</p>' if part.label else ''}{_drawn(part)}" for part in task.parts
    )
    wrong = "".join(f"<li>{_wrong(task, each)}</li>" for each in task.wrong)
    likely = f'<p>Likely wrong answers:</p><ul class="wrong">{wrong}</ul>' if wrong else ""
    return f'{_asked(task)}<div class="answer">{parts}</div>{block(task.explain)}{likely}'


def _drawn(part: Part) -> str:
    """The right answer to a part, as a picture where it is one, and others that are just as right."""
    also = "".join(f"<p>Just as right: <strong>{_said(part, each)}</strong></p>" for each in part.also)
    if isinstance(part.answer, frozenset):
        return _grid(part, part.answer) + also
    if part.kind == "row" and isinstance(part.answer, tuple):
        return _bars(part, [float(x) for x in part.answer]) + also
    return f"<p><strong>{_said(part, part.answer)}</strong></p>{also}"


def _wrong(task: Task, wrong: Wrong) -> str:
    given = [
        _said(part, answer)
        for part, answer in zip(task.parts, wrong.answers, strict=True)
        if answer is not None
    ]
    return f"<strong>{' · '.join(given)}</strong> ({escape(wrong.misconception)}): {line(wrong.feedback)}"


def _said(part: Part, answer: Answer) -> str:
    """An answer in a line."""
    if isinstance(answer, frozenset):
        if len(part.rows) == 1:
            return ", ".join(line(part.options[j]) for _, j in sorted(answer)) or "none"
        cells = (f"({line(part.rows[i])}, {line(part.options[j])})" for i, j in sorted(answer))
        return ", ".join(cells) or "none"
    if isinstance(answer, tuple):
        if part.kind == "order":
            return " → ".join(_lettered(part, str(each)) for each in answer)
        return f"({', '.join(_number(float(x)) for x in answer)})"
    return _lettered(part, answer) if isinstance(answer, str) else _number(answer)


def _lettered(part: Part, option: str) -> str:
    if option not in part.options:
        return line(option)
    return f"{ascii_uppercase[part.options.index(option)]} {line(option)}"


def _number(x: float) -> str:
    text = f"{x:,.0f}" if x == int(x) and abs(x) < 1e15 else f"{x:.4g}"
    return text.replace("-", "−")


# --- what both draw -----------------------------------------------------------------------------


def _length(part: Part) -> int:
    return len(part.answer) if isinstance(part.answer, tuple) else 1


def _options(options: Sequence[str]) -> str:
    return f'<ol class="options">{"".join(f"<li>{line(each)}</li>" for each in options)}</ol>'


def _grid(part: Part, marked: frozenset[tuple[int, int]]) -> str:
    head = "".join(f'<th scope="col">{line(name)}</th>' for name in part.options)
    rows = "".join(
        f'<tr><th scope="row">{line(name)}</th>'
        + "".join(f"<td>{'●' if (i, j) in marked else ''}</td>" for j in range(len(part.options)))
        + "</tr>"
        for i, name in enumerate(part.rows)
    )
    return f"<table><thead><tr><td style='border:0'></td>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _bars(part: Part, weights: Sequence[float] | None) -> str:
    """Frames from 0 to 1 with a tick at each quarter; filled as far as the weights say."""
    rows = []
    for i, name in enumerate(part.options):
        fill = f'<rect width="{240 * weights[i]:.1f}" height="22" fill="#777"/>' if weights else ""
        ticks = "".join(f'<path d="M{x} 22v-6" stroke="#000"/>' for x in (60, 120, 180))
        frame = '<rect x=".5" y=".5" width="239" height="21" fill="none" stroke="#000"/>'
        number = f"{weights[i]:.4f}" if weights else '<span class="blank small"></span>'
        picture = f'<svg width="240" height="22" aria-hidden="true">{fill}{frame}{ticks}</svg>'
        rows.append(f'<tr><th scope="row">{line(name)}</th><td>{picture}</td><td>{number}</td></tr>')
    return f'<table class="bars"><tbody>{"".join(rows)}</tbody></table>'
