"""Attention as a soft dictionary lookup: one query, in five steps that can be stopped and changed."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from core.errors import NumbersError
from core.examples import WORKED_EXAMPLES
from core.lessons.road import SENTENCE, SUBJECT
from core.numbers import Numbers, parse_compact
from core.ops.attention import softmax
from core.query import (
    Linked,
    Parameter,
    Reading,
    choice,
    decimal,
    integer,
    number_list,
    repaired,
    write_float,
)
from core.readonly import ReadOnly

STEPS = ("Dot products", "Scale", "Exponentials", "Normalise", "Weighted sum")
EDITABLE = ("scores", "scaled", "exponentials", "weights")  # what can be typed over, in their order
SOURCES = (*WORKED_EXAMPLES, "custom")
MIN_TEMPERATURE, MAX_TEMPERATURE = 0.01, 10.0  # or 0
_LARGEST_EXPONENT = 30.0  # beyond it exp is shown after the shift by the row's maximum


@dataclass(frozen=True)
class SoftLookupSettings(Linked):
    """One query against its keys. Illegal values raise ``SettingError``."""

    source: str = "two-keys"
    numbers: Numbers = WORKED_EXAMPLES["three-tokens"].numbers  # for source "custom"
    query: int = 0  # the row of Q that asks
    q: tuple[float, ...] = ()  # asks instead of that row
    temperature: float = 1.0  # the scaled scores are divided by it; 0 is the exact lookup
    edit: tuple[str, tuple[float, ...]] | None = None  # one of EDITABLE, and what was typed over it
    step: int = 0  # of STEPS
    reader: int = 7  # the word that looks back at "animal"
    width: int = 8  # of q and k, where additive and dot-product scores are compared
    hidden: int = 8  # width of the additive score's hidden layer
    seed: int = 0  # of the numbers drawn for that

    SILENT = frozenset({"query", "q", "edit"})
    UPSTREAM: ClassVar = frozenset({"source", "numbers", "query", "q", "temperature"})

    @property
    def given(self) -> Numbers:
        """Q, K and V of the source."""
        return self.numbers if self.source == "custom" else WORKED_EXAMPLES[self.source].numbers

    @property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of the queries and of the keys."""
        if self.source == "custom":
            return (
                tuple(f"q{i}" for i in range(len(self.given.q))),
                tuple(f"k{j}" for j in range(len(self.given.k))),
            )
        example = WORKED_EXAMPLES[self.source]
        return example.query_tokens, example.key_tokens

    @classmethod
    def merged(cls, query: Mapping[str, str], changed: Collection[str]) -> tuple[Self, list[str]]:
        """Return the settings after a change: what was typed over a later step is let go."""
        query = dict(query)
        if cls.UPSTREAM.intersection(changed) and "edit" not in changed:
            query["edit"] = ""
        if {"source", "numbers", "query"}.intersection(changed) and "q" not in changed:
            query["q"] = ""
        if "source" in changed and "query" not in changed:
            query["query"] = "0"
        return super().merged(query, changed)


@dataclass(frozen=True)
class SoftLookup(ReadOnly):
    """Every number of one lookup. Arrays are read-only float64."""

    settings: SoftLookupSettings
    query_token: str
    key_tokens: tuple[str, ...]
    q: np.ndarray  # [d_k]
    k: np.ndarray  # [Tk, d_k]
    v: np.ndarray  # [Tk, d_v]
    products: np.ndarray  # [Tk, d_k] q times k, entry by entry
    scores: np.ndarray  # [Tk] their sums, or what was typed over them
    divisor: float  # sqrt(d_k) times the temperature
    scaled: np.ndarray  # [Tk] scores / divisor; the scores over sqrt(d_k) at temperature 0
    shift: float  # taken off before exp where it could overflow, else 0
    exponentials: np.ndarray  # [Tk]
    total: float  # their sum
    weights: np.ndarray  # [Tk] they sum to 1, unless typed over
    shares: np.ndarray  # [Tk, d_v] weight times value
    output: np.ndarray  # [d_v] the sum of the shares
    exact_weights: np.ndarray  # [Tk] all on the best match; equal matches share
    exact_output: np.ndarray  # [d_v]
    unnormalised: np.ndarray  # [d_v] the scores themselves used as weights: a mistake


def trace_soft_lookup(settings: SoftLookupSettings) -> SoftLookup:
    """Return softmax(q K^T / (sqrt(d_k) temperature)) V with every number on the way.

    Args:
        settings: valid by construction.

    Returns:
        A trace; a step that was typed over holds what was typed, and the later steps follow from it.
    """
    given, i = settings.given, settings.query
    q = np.array(settings.q or given.q[i])
    k, v = np.array(given.k), np.array(given.v)
    typed = dict([settings.edit]) if settings.edit else {}

    products = q * k
    scores = _typed(typed, "scores", products.sum(axis=1))
    root = k.shape[1] ** 0.5
    cold = settings.temperature == 0
    divisor = root if cold else root * settings.temperature
    scaled = _typed(typed, "scaled", scores / divisor)
    shift = float(scaled.max()) if np.abs(scaled).max() > _LARGEST_EXPONENT else 0.0
    exact = exact_lookup(scaled)
    exponentials = _typed(typed, "exponentials", exact > 0 if cold else np.exp(scaled - shift))
    total = float(exponentials.sum())
    if "exponentials" in typed:
        normalised = exponentials / total if total else np.zeros(len(k))
    else:
        normalised = exact if cold else softmax(scaled)
    weights = _typed(typed, "weights", normalised)
    shares = weights[:, None] * v
    queries, keys = settings.names
    return SoftLookup(
        settings=settings,
        query_token=queries[i],
        key_tokens=keys,
        q=q,
        k=k,
        v=v,
        products=products,
        scores=scores,
        divisor=divisor,
        scaled=scaled,
        shift=shift,
        exponentials=exponentials,
        total=total,
        weights=weights,
        shares=shares,
        output=shares.sum(axis=0),
        exact_weights=exact,
        exact_output=exact @ v,
        unnormalised=scores @ v,
    )


def exact_lookup(scores: np.ndarray) -> np.ndarray:
    """Return the weights of a dictionary lookup: 1 for the best match, the limit of temperature 0.

    Args:
        scores: ``[Tk]``.

    Returns:
        ``[Tk]``, sums to 1; equal best matches share it.
    """
    best = np.isclose(scores, scores.max(), rtol=1e-12, atol=1e-12)
    return best / best.sum()


def softmax_over_queries(settings: SoftLookupSettings) -> np.ndarray:
    """Return the weights that a softmax over the wrong axis gives: columns sum to 1, rows do not.

    Args:
        settings: whose Q and K are taken, all queries.

    Returns:
        ``[Tq, Tk]``.
    """
    q, k = np.array(settings.given.q), np.array(settings.given.k)
    return softmax(q @ k.T / k.shape[1] ** 0.5, axis=0)


def _typed(typed: dict[str, tuple[float, ...]], stage: str, computed: np.ndarray) -> np.ndarray:
    return np.array(typed[stage]) if stage in typed else np.asarray(computed, dtype=float)


# --- reading and writing what has rules of its own ------------------------------------------------


def _read_numbers(text: str, so_far: Any) -> Reading:
    try:
        return parse_compact(text), ""
    except NumbersError as error:
        return so_far.default("numbers"), f"The numbers of the link cannot be read. {error}"


def _read_temperature(text: str, so_far: Any) -> Reading:
    value, note = decimal("temperature", 0.0, MAX_TEMPERATURE).read(text, so_far)
    if 0 < value < MIN_TEMPERATURE:
        legal = f"0, or {MIN_TEMPERATURE} to {MAX_TEMPERATURE:g}"
        return MIN_TEMPERATURE, repaired("temperature", text, MIN_TEMPERATURE, legal)
    return value, note


def _read_query(text: str, so_far: Any) -> Reading:
    return integer("query", 0, len(so_far.given.q) - 1).read(text, so_far)


def _read_edit(text: str, so_far: Any) -> Reading:
    if not text:
        return None, ""
    stage, _, rest = text.partition(":")
    if stage not in EDITABLE:
        return None, repaired("edit", text, "none", f"one of {', '.join(EDITABLE)}, as scores:1,0")
    values, note = _key_list.read(rest, so_far)
    if note or not values:
        return None, note or repaired("edit", text, "none", "numbers after the colon")
    if stage in ("exponentials", "weights") and min(values) < 0:
        return None, repaired("edit", text, "none", f"{stage} are not negative")
    return (stage, values), ""


def _write_edit(edit: tuple[str, tuple[float, ...]] | None) -> str:
    return f"{edit[0]}:{_key_list.write(edit[1])}" if edit else ""


_key_list = number_list("edit", lambda so_far: len(so_far.given.k))
SoftLookupSettings.PARAMETERS = {
    "source": choice("source", SOURCES),
    "numbers": Parameter(_read_numbers, lambda numbers: numbers.compact()),
    "query": Parameter(_read_query),
    "q": number_list("q", lambda so_far: len(so_far.given.k[0])),
    "temperature": Parameter(_read_temperature, write_float),
    "edit": Parameter(_read_edit, _write_edit),
    "step": integer("step", 0, len(STEPS) - 1),
    "reader": integer("reader", SUBJECT + 1, len(SENTENCE) - 1),
    "width": integer("width", 1, 512),
    "hidden": integer("hidden", 1, 512),
    "seed": integer("seed", 0, 2**31 - 1),
}
