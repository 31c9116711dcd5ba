"""Query heads under the KV heads that they read, in colour and by number."""

from core.figures.theme import PART_COLOURS
from core.lessons.kv_cache import Decoding
from core.lessons.kv_sharing import Sharing
from pages.ui.html import number

_FULL_NAMES = {"MHA": "multi-head", "GQA": "grouped-query", "MQA": "multi-query"}


def sharing(trace: Decoding, found: Sharing) -> str:
    """Return both orders of sharing: each KV head's box holds the query heads that read it.

    A query head has the colour of the KV head that it belongs to, so a box of one colour is right.
    """
    settings = trace.settings
    h, g, size = settings.head, settings.kv_head, settings.group_size
    return (
        "<section class='lab-panel' role='region' aria-label='Sharing'>"
        f"<p class='lab-large'><b>{found.name}</b> ({_FULL_NAMES[found.name]}): "
        f"{_count(settings.heads, 'query')} ÷ {_count(settings.kv_heads, 'KV')} = <b>{size}</b> "
        f"in a group. {_saving(size)} "
        f"Head <b>{h}</b> reads KV head ⌊{h} / {size}⌋ = <b class='lab-good'>{g}</b>.</p>"
        f"{_boxes('Each KV head repeated in place: ⌊h / ' + str(size) + '⌋', found.reads, found, h)}"
        f"{_tiled(trace, found)}</section>"
    )


def colour(kv_head: int) -> str:
    """Return the colour of a KV head."""
    return PART_COLOURS[kv_head % len(PART_COLOURS)]


def _tiled(trace: Decoding, found: Sharing) -> str:
    h, n_kv = trace.settings.head, found.n_kv_heads
    if not found.mixed_up:
        return (
            f"<p>Tiling the KV heads (h mod {n_kv}) gives the same here: with one KV head, or one for each "
            "query head, there is no order to mix up.</p>"
        )
    reads = found.tiled[h]
    verdict = "good" if reads == found.reads[h] else "bad"
    return (
        _boxes(f"Wrong: the list of KV heads tiled: h mod {n_kv}", found.tiled, found, h)
        + f"<p><b class='lab-bad'>{len(found.mixed_up)} of {found.n_heads}</b> heads (dashed) read somebody "
        f"else’s keys and values: head {h} reads {h} mod {n_kv} = <b class='lab-{verdict}'>{reads}</b>. "
        "Every shape fits, nothing is raised; "
        f"outputs of token {trace.settings.step} are off by up to "
        f"<b class='lab-bad'>{number(found.tiled_difference)}</b>.</p>"
    )


def _boxes(title: str, reads: tuple[int, ...], found: Sharing, looked_at: int) -> str:
    groups = []
    for g in range(found.n_kv_heads):
        chips = []
        for h in (h for h in range(found.n_heads) if reads[h] == g):
            looks = ["lab-kv-qhead"]
            looks += ["lab-kv-wrong"] if found.reads[h] != g else []
            looks += ["lab-here"] if h == looked_at else []
            chips.append(f"<i class='{' '.join(looks)}' style='--c:{colour(found.reads[h])}'>{h}</i>")
        groups.append(f"<li style='--c:{colour(g)}'><b>KV {g}</b><span>{''.join(chips)}</span></li>")
    words = f"{title}. Head {looked_at} reads KV head {reads[looked_at]}"
    return (
        f"<h3 class='lab-kv-title'>{title}</h3><ul class='lab-kv' aria-label='{words}'>{''.join(groups)}</ul>"
    )


def _saving(size: int) -> str:
    if size == 1:
        return "Every query head has keys and values of its own."
    return f"The cache is <b>{size} times smaller</b> than with MHA."


def _count(n: int, kind: str) -> str:
    return f"{n} {kind} head{'s' if n > 1 else ''}"
