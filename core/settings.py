"""All that a picture depends on, in one frozen value, and its form as URL parameters.

One table, ``_PARAMETERS``, says for each parameter how a value is read from text, which repairs
are made, and how it is written. A link can never raise: a bad value becomes the nearest legal one
or the default, and a note says so.
"""

import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from core.errors import NumbersError, SettingError, divisors
from core.examples import WORKED_EXAMPLES
from core.numbers import Numbers, parse_compact
from core.tokens import tokenize

VERSION = "1"
SCALES = ("sqrt_d_k", "none", "d_k")
SOURCES = ("random", *WORKED_EXAMPLES, "patterns", "custom")
STAGES = ("scores", "scaled", "masked", "weights")
PANELS = ("cell", "saturation")
PAIRINGS = ("interleaved", "half")
PATTERN_HEADS = 4
MAX_D_K, MAX_HEADS, MAX_WINDOW, MAX_SEED, MAX_SHIFT = 512, 16, 64, 2**31 - 1, 10**6
# Parameters of a page, not of a picture: read elsewhere, so no surprise here.
PAGE_PARAMETERS = ("embed", "embed_options", "lecture", "hide")
# What "compare" pins: the controls. The inputs (text, seed, source, numbers) stay shared.
PINNED = (
    "d_k", "heads", "kv_heads", "causal", "scale", "rope", "rope_base", "rope_offset",
    "query_shift", "pairing", "window",
)  # fmt: skip


@dataclass(frozen=True)
class AttentionSettings:
    """What one attention picture is made of. Illegal values raise ``SettingError``.

    ``d_k``, ``heads`` and ``kv_heads`` are what the person chose; where the source brings its own
    numbers (worked examples, patterns, custom) ``n_heads``, ``n_kv_heads`` and the trace's shapes
    say what is in force.
    """

    text: str = "The animal didn't cross the street because it was too tired"
    source: str = "random"
    d_k: int = 16  # width of a query and a key, 2..512, even while rope is on
    heads: int = 4  # query heads, 1..16
    kv_heads: int = 0  # key/value heads, a divisor of heads; 0 becomes as many as heads
    causal: bool = False
    scale: str = "sqrt_d_k"  # "sqrt_d_k", "none" or "d_k": what scores are divided by
    rope: bool = False
    rope_base: float = 10000.0  # 1..1e7
    rope_offset: int = 0  # moves all positions together, +-1e6
    query_shift: int = 0  # moves the queries' positions alone, +-1e6
    pairing: str = "interleaved"
    window: int | None = None  # keys a query sees, itself included, 1..64; None = no window
    seed: int = 0  # 0..2^31-1
    stage: str = "weights"  # which of the four stages is drawn
    head: int | None = None  # the head that is looked at; None = all
    cell: tuple[int, int, int] | None = None  # (head, query, key) that is explained
    panel: str = "cell"  # what stands beside the heads: one cell's arithmetic, or saturation
    compare: str = ""  # the pinned setting, see pinned()
    numbers: Numbers = WORKED_EXAMPLES["three-tokens"].numbers  # for source "custom"

    def __post_init__(self) -> None:
        if self.kv_heads == 0:
            object.__setattr__(self, "kv_heads", self.heads)
        for name, parameter in _PARAMETERS.items():
            value, note = parameter.read(parameter.write(getattr(self, name)), self)
            if note:
                raise SettingError(note)
            object.__setattr__(self, name, value)  # the canonical form, such as single spaces

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words of the text; never empty."""
        return tokenize(self.text).tokens

    @property
    def n_heads(self) -> int:
        """The number of query heads in force."""
        return {"random": self.heads, "patterns": PATTERN_HEADS}.get(self.source, 1)

    @property
    def n_kv_heads(self) -> int:
        """The number of key/value heads in force."""
        return {"random": self.kv_heads, "patterns": PATTERN_HEADS}.get(self.source, 1)

    @property
    def given(self) -> Numbers | None:
        """The numbers that the source brings along; None if q, k and v are drawn or built."""
        if self.source in WORKED_EXAMPLES:
            return WORKED_EXAMPLES[self.source].numbers
        return self.numbers if self.source == "custom" else None

    @property
    def width(self) -> int:
        """d_k in force: of the given numbers, else the chosen one."""
        return len(self.given.q[0]) if self.given else self.d_k

    @property
    def shape(self) -> tuple[int, int, int]:
        """(H, Tq, Tk) of the pictures."""
        if self.given:
            return self.n_heads, len(self.given.q), len(self.given.k)
        n_tokens = len(self.tokens)
        return self.n_heads, n_tokens, n_tokens

    def to_query(self) -> dict[str, str]:
        """Every parameter as text, and the version, so that a link keeps its meaning for ever."""
        values = {name: p.write(getattr(self, name)) for name, p in _PARAMETERS.items()}
        return {"v": VERSION, **values}

    @classmethod
    def from_query(cls, query: Mapping[str, Any]) -> tuple["AttentionSettings", list[str]]:
        """Return the settings of URL parameters and a note for each value that was repaired.

        Args:
            query: name -> text, or name -> list of texts where a parameter may be given twice.
        """
        settings, notes = _read(query)
        return settings, list(notes.values())

    def changed(self, **values: Any) -> tuple["AttentionSettings", list[str]]:
        """Return the settings with some values replaced, repaired where need be, and notes.

        A chosen head or cell that the new picture no longer has is let go without a note, and
        where every head had keys and values of its own, that stays so for another number of heads.
        """
        if "heads" in values and self.kv_heads == self.heads:
            values.setdefault("kv_heads", values["heads"])
        written = {name: _PARAMETERS[name].write(value) for name, value in values.items()}
        settings, notes = _read({**self.to_query(), **written})
        silent = {"head", "cell"} - values.keys()
        return settings, [note for name, note in notes.items() if name not in silent]

    def pin(self) -> str:
        """The present controls as the text that ``compare`` holds."""
        query = self.to_query()
        return urlencode({name: query[name] for name in PINNED})

    def pinned(self) -> "AttentionSettings | None":
        """The pinned setting on the present inputs; None if nothing is pinned."""
        if not self.compare:
            return None
        return _read({**self.to_query(), "compare": "", **dict(parse_qsl(self.compare))})[0]


# --- reading and writing one parameter ---------------------------------------------------------

Reading = tuple[Any, str]  # the value, and a note or ""


@dataclass(frozen=True)
class _Parameter:
    """How a parameter is read, given what was read before it, and how it is written."""

    read: Callable[[str, Any], Reading]
    write: Callable[[Any], str] = str
    follows: str = ""  # the parameter whose value it takes where a link does not name it


class _SoFar:
    """The values read so far; stands in for settings while they are being read."""

    n_heads = AttentionSettings.n_heads
    n_kv_heads = AttentionSettings.n_kv_heads
    tokens = AttentionSettings.tokens
    given = AttentionSettings.given
    width = AttentionSettings.width
    shape = AttentionSettings.shape

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__ = values


def _read(query: Mapping[str, Any]) -> tuple[AttentionSettings, dict[str, str]]:
    notes: dict[str, str] = {}
    given: dict[str, str] = {}
    for name, value in query.items():
        texts = [value] if isinstance(value, str) else [str(text) for text in value]
        if not texts:
            continue
        if len(texts) > 1 and name not in PAGE_PARAMETERS:
            notes[f"{name} twice"] = f"{name} is given {len(texts)} times; the last one counts."
        if name in _PARAMETERS and texts:
            given[name] = texts[-1]
        elif name == "v" and texts != [VERSION]:
            notes[name] = f"This link is of version {_show(texts[-1])}; it is read as {VERSION}."
        elif name not in ("v", *PAGE_PARAMETERS, *_PARAMETERS):
            notes[name] = f"The link names {_show(name)}, which does not exist here; it is ignored."
    values: dict[str, Any] = {field.name: field.default for field in dataclasses.fields(AttentionSettings)}
    for name, parameter in _PARAMETERS.items():  # in order: later ones depend on earlier ones
        text = given.get(name, parameter.write(values[parameter.follows or name]))
        values[name], note = parameter.read(text, _SoFar(values))
        if note and name in given:
            notes[name] = note
    return AttentionSettings(**values), notes


def _show(text: str) -> str:
    return repr(text if len(text) <= 24 else text[:24] + "…")


def _default(name: str) -> Any:
    return AttentionSettings.__dataclass_fields__[name].default


def _nearest(x: float, legal: Iterable[int]) -> int:
    return min(legal, key=lambda value: (abs(value - x), value))  # a tie takes the smaller


def _number(text: str) -> float | None:
    """The finite or huge number that the text is, else None. Only plain digits are numbers."""
    return float(text) if re.fullmatch(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?", text, re.ASCII) else None


def _integer(name: str, low: int, high: int) -> _Parameter:
    def read(text: str, _: Any) -> Reading:
        x = _number(text)
        if x is None:
            value = _default(name)
            return value, f"{name} = {_show(text)} is not a whole number; {value} is used."
        value = round(min(max(x, low), high))
        return value, "" if value == x else _repaired(name, text, value, f"{low} to {high}")

    return _Parameter(read)


def _repaired(name: str, text: str, value: Any, legal: str) -> str:
    return f"{name} = {_show(text)} is not possible ({legal}); {value} is used."


def _choice(name: str, options: tuple[str, ...]) -> _Parameter:
    def read(text: str, _: Any) -> Reading:
        if text in options:
            return text, ""
        value = _default(name)
        return value, _repaired(name, text, value, ", ".join(options))

    return _Parameter(read)


def _boolean(name: str) -> _Parameter:
    def read(text: str, _: Any) -> Reading:
        if text in ("true", "false"):
            return text == "true", ""
        value = _default(name)
        return value, _repaired(name, text, str(value).lower(), "true or false")

    return _Parameter(read, lambda value: str(value).lower())


def _read_text(text: str, _: Any) -> Reading:
    tokens, notes = tokenize(text)
    if not tokens:
        return _default("text"), "The text holds no word, so the first sentence is shown; type one."
    repaired = " ".join(tokens)
    return repaired, " ".join(notes)


def _read_d_k(text: str, so_far: Any) -> Reading:
    value, note = _integer("d_k", 2, MAX_D_K).read(text, so_far)
    if so_far.rope and value % 2:
        even = "RoPE turns pairs, so d_k must be even while it is on"
        return value - 1, _repaired("d_k", text, value - 1, even)
    return value, note


def _read_kv_heads(text: str, so_far: Any) -> Reading:
    legal = divisors(so_far.heads)
    x = _number(text)
    value = so_far.heads if x is None else _nearest(min(max(x, 1), so_far.heads), legal)
    if value == x:
        return value, ""
    listed = ", ".join(map(str, legal))
    return value, _repaired("kv_heads", text, value, f"it must divide {so_far.heads} heads: {listed}")


def _read_rope(text: str, so_far: Any) -> Reading:
    value, note = _boolean("rope").read(text, so_far)
    if value and so_far.given and so_far.width % 2:
        return False, (
            f"RoPE turns pairs, so it needs an even width, and these keys have {so_far.width} "
            "columns; RoPE is off. Add or remove a column to use it."
        )
    return value, note


def _read_rope_base(text: str, _: Any) -> Reading:
    x = _number(text)
    if x is None:
        value = _default("rope_base")
        return value, f"rope_base = {_show(text)} is not a number; {value:g} is used."
    value = min(max(x, 1.0), 1e7)
    return value, "" if value == x else _repaired("rope_base", text, f"{value:g}", "1 to 1e7")


def _read_window(text: str, so_far: Any) -> Reading:
    if text == "none":
        return None, ""
    if _number(text) is None:
        return None, f"window = {_show(text)} is not a whole number or none; no window is used."
    return _integer("window", 1, MAX_WINDOW).read(text, so_far)


def _read_head(text: str, so_far: Any) -> Reading:
    x = _number(text)
    if text == "all" or (x is not None and 0 <= x < so_far.n_heads and x == int(x)):
        return None if x is None else int(x), ""
    return None, _repaired("head", text, "all", f"0 to {so_far.n_heads - 1}, or all")


def _read_cell(text: str, so_far: Any) -> Reading:
    if text == "none":
        return None, ""
    shape = so_far.shape
    parts = [_number(part) for part in text.split(",")]
    numbers = [x for x in parts if x is not None]
    if len(parts) == len(numbers) == 3 and all(
        0 <= x < n and x == int(x) for x, n in zip(numbers, shape, strict=True)
    ):
        return tuple(int(x) for x in numbers), ""
    size = " x ".join(map(str, shape))
    return None, _repaired("cell", text, "none", f"head,query,key within {size}")


def _read_compare(text: str, so_far: Any) -> Reading:
    if not text:
        return "", ""
    controls = {name: value for name, value in parse_qsl(text) if name in PINNED}
    if not controls:
        return "", f"compare = {_show(text)} names no control; nothing is pinned."
    inputs = {n: _PARAMETERS[n].write(getattr(so_far, n)) for n in ("text", "source", "numbers")}
    pinned, notes = _read({**inputs, **controls})
    repaired = pinned.pin()
    # What RoPE can do depends on the inputs, which change after pinning: no fault of the link.
    faults = [note for name, note in notes.items() if name != "rope"]
    return repaired, f"In the pinned setting: {' '.join(faults)}" if faults else ""


def _read_numbers(text: str, _: Any) -> Reading:
    try:
        return parse_compact(text), ""
    except NumbersError as error:
        return _default("numbers"), f"The numbers of the link cannot be read. {error}"


def _write_float(x: float) -> str:
    return str(int(x)) if math.isfinite(x) and x == int(x) else repr(x)


_PARAMETERS: dict[str, _Parameter] = {
    "text": _Parameter(_read_text),
    "source": _choice("source", SOURCES),
    "numbers": _Parameter(_read_numbers, lambda numbers: numbers.compact()),
    "seed": _integer("seed", 0, MAX_SEED),
    "rope": _Parameter(_read_rope, lambda value: str(value).lower()),
    "d_k": _Parameter(_read_d_k),
    "heads": _integer("heads", 1, MAX_HEADS),
    "kv_heads": _Parameter(_read_kv_heads, follows="heads"),
    "causal": _boolean("causal"),
    "scale": _choice("scale", SCALES),
    "rope_base": _Parameter(_read_rope_base, _write_float),
    "rope_offset": _integer("rope_offset", -MAX_SHIFT, MAX_SHIFT),
    "query_shift": _integer("query_shift", -MAX_SHIFT, MAX_SHIFT),
    "pairing": _choice("pairing", PAIRINGS),
    "window": _Parameter(_read_window, lambda w: "none" if w is None else str(w)),
    "stage": _choice("stage", STAGES),
    "head": _Parameter(_read_head, lambda h: "all" if h is None else str(h)),
    "cell": _Parameter(_read_cell, lambda c: "none" if c is None else ",".join(map(str, c))),
    "panel": _choice("panel", PANELS),
    "compare": _Parameter(_read_compare),
}
