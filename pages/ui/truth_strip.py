"""The truth strip under each attention picture: shapes, row sums, and PyTorch's verdict."""

from concurrent.futures import TimeoutError as NotYet

from core.settings import AttentionSettings
from core.trace import AttentionTrace
from core.truth import Facts, facts
from pages.ui import judge
from pages.ui.html import safe
from pages.ui.torch_says import wait_for

_PATIENCE = 0.03  # seconds at rest; once PyTorch is imported it answers in less


def truth_strip(trace: AttentionTrace, name: str = "") -> str:
    """Return the strip that stands under a picture; the name tells which of two it is about."""
    known = facts(trace)
    chips = [f"<b>{name}</b>"] if name else []
    chips += [f"{tensor} <b>{list(shape)}</b>" for tensor, shape in known.shapes.items()]
    size = trace.settings.n_heads // trace.settings.n_kv_heads
    if size > 1:
        chips.append(f"<b>{trace.settings.n_kv_heads}</b> heads of k and v, each read by <b>{size}</b>")
    if known.n_hidden:
        chips.append("<i class='lab-hatch'></i> hidden by the mask")
    return (
        "<section class='lab-truth' aria-label='Checks'><p>"
        + " ".join(f"<span class='lab-chip'>{chip}</span>" for chip in chips)
        + f"</p><p>{_row_sums(known)} · {_verdict(trace)}</p>{_hidden(known, trace)}</section>"
    )


def expect_verdict(settings: AttentionSettings) -> None:
    """Ask PyTorch before the strip is drawn, if PyTorch is there already: then it answers in time."""
    if judge.has_answered():
        judge.ask(judge.about_attention(settings))


def wait_for_verdict(settings: AttentionSettings) -> None:
    """Ask PyTorch once the page has been on the screen for a second, and show what it says."""
    wait_for(judge.about_attention(settings))


def _row_sums(known: Facts) -> str:
    if known.row_sums is None:
        return "no row has a visible key"
    low, high = (f"{x:.12g}" for x in known.row_sums)
    return f"rows of weights sum to <b>{low if low == high else f'{low} … {high}'}</b>"


def _verdict(trace: AttentionTrace) -> str:
    name = "largest difference from PyTorch's scaled_dot_product_attention:"
    future = judge.answer(
        judge.about_attention(trace.settings)
    )  # None while a slider moves: PyTorch is asked at rest
    try:
        result = None if future is None else future.result(timeout=_PATIENCE)
    except NotYet:
        future = None
    except Exception:  # whatever kept the second process from answering
        return "PyTorch could not be asked; install it with <code>pip install -r requirements.txt</code>"
    if future is None:
        return f"{name} <b>…</b>"
    return f"{name} <b>{'no row to compare' if result is None else f'{result:.1e}'}</b>"


def _hidden(known: Facts, trace: AttentionTrace) -> str:
    if not known.hidden_queries:
        return ""
    rows = ", ".join(f"{i} “{safe(trace.query_tokens[i])}”" for i in known.hidden_queries)
    return (
        f"<p><b>No visible key for query {rows}.</b> Softmax of nothing would be 0/0; here its weights "
        "and its output are 0, and it is left out of the comparison.</p>"
    )
