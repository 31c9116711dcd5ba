"""All that a picture depends on, in one frozen value, and its form as URL parameters.

One table, ``_PARAMETERS``, says for each parameter how a value is read from text, which repairs
are made, and how it is written.
"""

from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import parse_qsl, urlencode

from core.errors import NumbersError, divisors
from core.examples import WORKED_EXAMPLES
from core.numbers import Numbers, parse_compact
from core.query import (
    Linked,
    Parameter,
    Reading,
    boolean,
    choice,
    decimal,
    integer,
    nearest,
    number_in,
    repaired,
    shown,
)
from core.tokens import tokenize

SCALES = ("sqrt_d_k", "none", "d_k")
SOURCES = ("random", *WORKED_EXAMPLES, "patterns", "custom")
STAGES = ("scores", "scaled", "masked", "weights")
PANELS = ("cell", "saturation")
PAIRINGS = ("interleaved", "half")
PATTERN_HEADS = 4
MAX_D_K, MAX_HEADS, MAX_WINDOW, MAX_SEED, MAX_SHIFT = 512, 16, 64, 2**31 - 1, 10**6
# What "compare" pins: the controls. The inputs (text, seed, source, numbers) stay shared.
PINNED = (
    "d_k", "heads", "kv_heads", "causal", "scale", "rope", "rope_base", "rope_offset",
    "query_shift", "pairing", "window",
)  # fmt: skip


@dataclass(frozen=True)
class AttentionSettings(Linked):
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
        super().__post_init__()

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

    def changed(self, **values: Any) -> tuple[Self, list[str]]:
        """Return the settings with some values replaced, repaired where need be, and notes.

        Where every head had keys and values of its own, that stays so for another number of heads.
        """
        if "heads" in values and self.kv_heads == self.heads:
            values.setdefault("kv_heads", values["heads"])
        return super().changed(**values)

    def pin(self) -> str:
        """The present controls as the text that ``compare`` holds."""
        query = self.to_query()
        return urlencode({name: query[name] for name in PINNED})

    def pinned(self) -> "AttentionSettings | None":
        """The pinned setting on the present inputs; None if nothing is pinned."""
        if not self.compare:
            return None
        return self._read({**self.to_query(), "compare": "", **dict(parse_qsl(self.compare))})[0]


# --- reading and writing what has rules of its own ------------------------------------------------


def read_text(text: str, _: Any) -> Reading:
    """The words of a text, with single spaces; cut where there are too many."""
    tokens, notes = tokenize(text)
    if not tokens:
        sentence = AttentionSettings.default("text")
        return sentence, "The text holds no word, so the first sentence is shown; type one."
    return " ".join(tokens), " ".join(notes)


def _read_d_k(text: str, so_far: Any) -> Reading:
    value, note = integer("d_k", 2, MAX_D_K).read(text, so_far)
    if so_far.rope and value % 2:
        even = "RoPE turns pairs, so d_k must be even while it is on"
        return value - 1, repaired("d_k", text, value - 1, even)
    return value, note


def _read_kv_heads(text: str, so_far: Any) -> Reading:
    legal = divisors(so_far.heads)
    x = number_in(text)
    value = so_far.heads if x is None else nearest(min(max(x, 1), so_far.heads), legal)
    if value == x:
        return value, ""
    listed = ", ".join(map(str, legal))
    return value, repaired("kv_heads", text, value, f"it must divide {so_far.heads} heads: {listed}")


def _read_rope(text: str, so_far: Any) -> Reading:
    value, note = boolean("rope").read(text, so_far)
    if value and so_far.given and so_far.width % 2:
        return False, (
            f"RoPE turns pairs, so it needs an even width, and these keys have {so_far.width} "
            "columns; RoPE is off. Add or remove a column to use it."
        )
    return value, note


def _read_window(text: str, so_far: Any) -> Reading:
    if text == "none":
        return None, ""
    if number_in(text) is None:
        return None, f"window = {shown(text)} is not a whole number or none; no window is used."
    return integer("window", 1, MAX_WINDOW).read(text, so_far)


def _read_head(text: str, so_far: Any) -> Reading:
    x = number_in(text)
    if text == "all" or (x is not None and 0 <= x < so_far.n_heads and x == int(x)):
        return None if x is None else int(x), ""
    return None, repaired("head", text, "all", f"0 to {so_far.n_heads - 1}, or all")


def _read_cell(text: str, so_far: Any) -> Reading:
    if text == "none":
        return None, ""
    shape = so_far.shape
    parts = [number_in(part) for part in text.split(",")]
    numbers = [x for x in parts if x is not None]
    if len(parts) == len(numbers) == 3 and all(
        0 <= x < n and x == int(x) for x, n in zip(numbers, shape, strict=True)
    ):
        return tuple(int(x) for x in numbers), ""
    size = " x ".join(map(str, shape))
    return None, repaired("cell", text, "none", f"head,query,key within {size}")


def _read_compare(text: str, so_far: Any) -> Reading:
    if not text:
        return "", ""
    controls = {name: value for name, value in parse_qsl(text) if name in PINNED}
    if not controls:
        return "", f"compare = {shown(text)} names no control; nothing is pinned."
    inputs = {n: _PARAMETERS[n].write(getattr(so_far, n)) for n in ("text", "source", "numbers")}
    pinned, notes = AttentionSettings._read({**inputs, **controls})
    repaired = pinned.pin()
    # What RoPE can do depends on the inputs, which change after pinning: no fault of the link.
    faults = [note for name, note in notes.items() if name != "rope"]
    return repaired, f"In the pinned setting: {' '.join(faults)}" if faults else ""


def _read_numbers(text: str, _: Any) -> Reading:
    try:
        return parse_compact(text), ""
    except NumbersError as error:
        return AttentionSettings.default("numbers"), f"The numbers of the link cannot be read. {error}"


_PARAMETERS: dict[str, Parameter] = {
    "text": Parameter(read_text),
    "source": choice("source", SOURCES),
    "numbers": Parameter(_read_numbers, lambda numbers: numbers.compact()),
    "seed": integer("seed", 0, MAX_SEED),
    "rope": Parameter(_read_rope, lambda value: str(value).lower()),
    "d_k": Parameter(_read_d_k),
    "heads": integer("heads", 1, MAX_HEADS),
    "kv_heads": Parameter(_read_kv_heads, follows="heads"),
    "causal": boolean("causal"),
    "scale": choice("scale", SCALES),
    "rope_base": decimal("rope_base", 1.0, 1e7),
    "rope_offset": integer("rope_offset", -MAX_SHIFT, MAX_SHIFT),
    "query_shift": integer("query_shift", -MAX_SHIFT, MAX_SHIFT),
    "pairing": choice("pairing", PAIRINGS),
    "window": Parameter(_read_window, lambda w: "none" if w is None else str(w)),
    "stage": choice("stage", STAGES),
    "head": Parameter(_read_head, lambda h: "all" if h is None else str(h)),
    "cell": Parameter(_read_cell, lambda c: "none" if c is None else ",".join(map(str, c))),
    "panel": choice("panel", PANELS),
    "compare": Parameter(_read_compare),
}

AttentionSettings.PARAMETERS = _PARAMETERS
AttentionSettings.SILENT = frozenset({"head", "cell"})
