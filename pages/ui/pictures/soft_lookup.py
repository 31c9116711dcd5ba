"""The pictures of the soft lookup: the plane, the steps in numbers, the mistakes, the road here."""

from core.figures.soft_lookup import colour, describe_lookup, describe_path, lookup_figure, path_figure
from core.lessons.road import Cost, additive_cost, dot_product_cost, trace_scoring
from core.lessons.soft_lookup import (
    EDITABLE,
    STEPS,
    SoftLookup,
    SoftLookupSettings,
    softmax_over_queries,
    trace_soft_lookup,
)
from pages.ui.html import card, cards, mistakes, number, safe, table, vector
from pages.ui.matrix import matrix, row_of
from pages.ui.pictures.picture import Picture

_SHOWN = 6  # entries of a vector that are written out before "…"


def soft_lookup(settings: SoftLookupSettings) -> dict[str, Picture]:
    """Return the lookup in the plane and in numbers, its mistakes, and the road to attention."""
    lookup = trace_soft_lookup(settings)
    return {
        "lookup": Picture(
            lookup_figure(lookup),
            describe_lookup(lookup),
            "soft-lookup",
            beside=_steps(lookup) + _exact(lookup),
            even=True,
        ),
        "lookup_mistakes": Picture(None, below=_mistakes(lookup)),
        "path": Picture(path_figure(settings.reader), describe_path(settings.reader), "path-length"),
        "scoring": Picture(None, below=_scoring(settings)),
    }


# --- five steps -----------------------------------------------------------------------------------


def _steps(lookup: SoftLookup) -> str:
    step = lookup.settings.step
    return (
        f"<section class='lab-panel' aria-label='The steps in numbers'><h3>{step + 1} of {len(STEPS)}: "
        f"{STEPS[step]}</h3><p>{_sentence(lookup)}</p>{_edited(lookup)}{_table(lookup)}"
        f"<p>{_ask(lookup)}</p></section>"
    )


def _sentence(lookup: SoftLookup) -> str:
    """The present step, with the numbers of the first key."""
    name, root = safe(lookup.key_tokens[0]), lookup.k.shape[1] ** 0.5
    match lookup.settings.step:
        case 0:
            terms = " + ".join(
                f"{_short(a)}×{_short(b)}"
                for a, b in zip(lookup.q[:_SHOWN], lookup.k[0][:_SHOWN], strict=True)
            )
            more = " + …" if len(lookup.q) > _SHOWN else ""
            return f"q·{name} = {terms}{more} = <b>{number(float(lookup.products[0].sum()))}</b>"
        case 1:
            cold = lookup.settings.temperature in (0, 1)
            by = f"√{lookup.k.shape[1]} = {root:.4f}" + (
                "" if cold else f" and by the temperature {lookup.settings.temperature:g}"
            )
            return f"Divide each score by {by}."
        case 2:
            if lookup.settings.temperature == 0:
                return "At temperature 0 only the best match is left."
            taken = f" − {number(lookup.shift)}" if lookup.shift else ""
            why = " The largest is taken off first, so that exp cannot overflow." if taken else ""
            return f"exp of each{taken}. Their sum is <b>{number(lookup.total)}</b>.{why}"
        case 3:
            total = float(lookup.weights.sum())
            return f"Divide each by the sum {number(lookup.total)}. The weights sum to <b>{total:.6g}</b>."
    return f"Each weight times its value, added up: <b>{vector(lookup.output)}</b>"


def _table(lookup: SoftLookup) -> str:
    """Every number so far, a row for each key; a number that can be changed is a field."""
    step = lookup.settings.step
    header = ["", "q·k", "÷ √d_k", "exp", "weight"][: step + 2]
    rows = []
    for j, name in enumerate(lookup.key_tokens):
        mark = f"<i class='lab-dot' style='background:{colour(j)}'></i>"
        fields = (_field(stage, j, name, float(getattr(lookup, stage)[j])) for stage in EDITABLE[: step + 1])
        rows.append([f"{mark}{safe(name)}", *fields])
    if step >= 2:
        rows.append(["sum", "", "", number(lookup.total)])
    if step >= 3:
        rows[-1].append(f"{lookup.weights.sum():.6g}")
    if step == 0:  # what the scores are made of stands before them
        header[1:1] = ["k", "q × k"]
        for j, row in enumerate(rows):
            row[1:1] = [_given(lookup.k[j]), _cut(lookup.products[j])]
    if step == 4:
        header += ["v", "weight × v"]
        for row, v, share in zip(rows, [*lookup.v, ""], [*lookup.shares, lookup.output], strict=True):
            row += [_given(v), f"<b>{_cut(share)}</b>" if row is rows[-1] else _cut(share)]
    return table("Every number so far", header, rows, tall=len(rows) > 12)


def _field(stage: str, j: int, name: str, value: float) -> str:
    title = f"{stage} of {name}"
    return (
        f"<input class='lab-edit' data-setting='{stage}' data-within='edit' data-value='{value!r}' "
        f"value='{number(value)}' aria-label='{safe(title)}' autocomplete='off'>"
    )


def _edited(lookup: SoftLookup) -> str:
    if lookup.settings.edit is None:
        return ""
    stage = lookup.settings.edit[0]
    return (
        f"<p class='lab-bad'>You have typed over the {stage}: what stands before them no longer counts. "
        "<button type='button' class='lab-put' data-name='edit' data-put=''>Put back</button></p>"
    )


def _ask(lookup: SoftLookup) -> str:
    """A prediction to make, or numbers to try."""
    if lookup.settings.step < 4:
        return "<b>Predict:</b> which value will the output copy most, and how much of it? Then step on."
    if lookup.settings.source != "two-keys":
        return "Type over any number, or move the query."
    tries = (("0,2", "q = (0, 2)"), ("1,0", "q = (1, 0)"), ("2.5,0", "q = (2.5, 0)"), ("0,0", "q = (0, 0)"))
    return "Try " + "".join(
        f"<button type='button' class='lab-put' data-name='q' data-put='{put}'>{label}</button>"
        for put, label in tries
    )


def _exact(lookup: SoftLookup) -> str:
    """A dictionary's answer beside the soft one."""
    rows = [
        ["exact lookup", *map(number, lookup.exact_weights), _cut(lookup.exact_output)],
    ]
    if lookup.settings.step >= 4:
        rows.append(["soft lookup", *map(number, lookup.weights), f"<b>{_cut(lookup.output)}</b>"])
    header = ["", *(f"weight of {safe(name)}" for name in lookup.key_tokens), "output"]
    words = (
        "A dictionary answers with the best match alone. At temperature 0 attention does the same; "
        "above 0 every key has a say."
    )
    return (
        "<section class='lab-panel'><h3>Exact and soft</h3>"
        f"<p>{words}</p>{table('Exact and soft lookup', header, rows)}</section>"
    )


# --- mistakes -------------------------------------------------------------------------------------


def _mistakes(lookup: SoftLookup) -> str:
    settings = lookup.settings
    wrong = softmax_over_queries(settings)
    queries, keys = ([safe(name) for name in names] for names in settings.names)
    sums = ", ".join(number(float(x)) for x in wrong.sum(axis=1))
    right = _cut(lookup.output) if settings.step == len(STEPS) - 1 else "(see step 5)"
    items = [
        (
            "Softmax over the wrong axis",
            matrix("columns sum to 1", wrong, kind="weight", rows=queries, columns=keys)
            + f"<p>Now the rows sum to <b class='lab-bad'>{sums}</b>. Each query shares out 1: a row.</p>",
        ),
        (
            "Scores used as weights",
            f"<p>Without softmax the output is <b class='lab-bad'>{_cut(lookup.unnormalised)}</b> instead of "
            f"<b>{right}</b>: scores do not sum to 1 and may be negative.</p>",
        ),
        (
            "“The best match is copied”",
            f"<p>Only the exact lookup copies: <b class='lab-bad'>{_cut(lookup.exact_output)}</b>. "
            "Softmax never gives a key all of the weight, however good the match.</p>",
        ),
        (
            "“A score of 0 gives no weight”",
            f"<p>e<sup>0</sup> = 1. With q = 0 every score is 0 and each of the {len(keys)} keys gets "
            f"<b>{number(1 / len(keys))}</b>.</p>",
        ),
    ]
    return mistakes(items)


# --- the road here --------------------------------------------------------------------------------


def _scoring(settings: SoftLookupSettings) -> str:
    scoring = trace_scoring(settings.width, settings.hidden, settings.seed)
    names = scoring.tokens

    def weights(title, values) -> str:
        return matrix(title, values, kind="weight", rows=names, columns=names)

    return row_of(
        weights("Dot product (2015): weights", scoring.dot_weights),
        weights("Additive (2014): weights", scoring.additive_weights),
        _costs(len(names), settings.width, settings.hidden),
    )


def _costs(n: int, width: int, hidden: int) -> str:
    costs = {"q·k": dot_product_cost(n, n, width), "v·tanh(qW + kW′)": additive_cost(n, n, width, hidden)}
    rows = [[name, *_counts(cost)] for name, cost in costs.items()]
    title = f"Cost of {n} × {n} scores"
    body = table(title, ["score", "parameters", "multiplications", "tanh"], rows)
    return cards(card(title, body))


def _counts(cost: Cost) -> list[str]:
    return [f"{x:,}" for x in (cost.parameters, cost.multiplications, cost.tanhs)]


def _given(values) -> str:
    """A vector that somebody has chosen, in as few digits as it has."""
    shown = ", ".join(_short(x) for x in values[:_SHOWN])
    return f"({shown}{', …' if len(values) > _SHOWN else ''})" if len(values) else ""


def _cut(values) -> str:
    shown = vector(values[:_SHOWN])
    return shown if len(values) <= _SHOWN else shown[:-1] + ", …)"


def _short(x: float) -> str:
    return f"{x:.4g}".replace("-", "−")
