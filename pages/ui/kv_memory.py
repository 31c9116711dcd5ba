"""The memory calculator: the product, three memories filled to scale, and a table of published models."""

from functools import cache as once

from core.lessons.kv_cache import KVCacheSettings
from core.lessons.kv_memory import Card, Memory, bytes_per_token, weight_bytes
from core.lessons.kv_models import GB, GIB, MODELS
from pages.ui.html import table


def memory(found: Memory) -> str:
    """Return the bytes of the cache as a product, and how they fill 8, 24 and 80 GB."""
    s = found.settings
    name = found.model.name if found.model else "Your own sizes"
    return (
        "<section class='lab-panel' role='region' aria-label='Memory'>"
        f"<p class='lab-large'>{name}: 2 × {s.layers} layers × {s.kv_heads} KV heads × {s.d_head} × "
        f"{s.bytes_per_value} byte{'s' if s.bytes_per_value > 1 else ''} = <b>{found.per_token:,} B</b> "
        f"a token; × {s.context:,} tokens × {s.batch:,} sequence{'s' if s.batch > 1 else ''} = "
        f"<b>{size(found.cache)}</b> <small>({found.cache / GIB:,.2f} GiB)</small></p>"
        f"{_cards(found)}{_shared(found)}{_remarks(found)}</section>"
    )


def size(n_bytes: int) -> str:
    """Return bytes in the unit that suits them; 1 GB is 10^9 bytes."""
    for unit, name in ((10**12, "TB"), (GB, "GB"), (10**6, "MB"), (10**3, "kB")):
        if n_bytes >= unit:
            return f"{n_bytes / unit:,.2f} {name}"
    return f"{n_bytes:,} B"


def _cards(found: Memory) -> str:
    return f"<div class='lab-kv-fits'>{''.join(_card(card, found) for card in found.cards)}</div>"


def _card(card: Card, found: Memory) -> str:
    weights, cache = (min(100 * each / card.capacity, 100) for each in (card.weights, card.cache))
    cache = min(cache, 100 - weights)
    total = card.weights + card.cache
    verdict = (
        f"<b class='lab-good'>fits</b>, {size(card.capacity - total)} left"
        if card.fits
        else f"<b class='lab-bad'>does not fit</b>, {size(total - card.capacity)} too much"
    )
    if card.longest == 0:
        room = "no room for a single token" if card.weights >= card.capacity else "less than one token"
    else:
        room = f"room for {card.longest:,} tokens" + (" a sequence" if found.settings.batch > 1 else "")
    of = " beside the weights" if card.weights else ""
    return (
        f"<div class='lab-kv-fit'><b>{card.gigabytes} GB</b>"
        f"<span class='lab-kv-gauge' role='img' aria-label='{card.gigabytes} GB: weights "
        f"{size(card.weights)}, cache {size(card.cache)}'>"
        f"<i class='lab-kv-w' style='width:{weights:.2f}%'></i>"
        f"<i class='lab-kv-c' style='width:{cache:.2f}%'></i></span>"
        f"<span>{verdict}; {room}{of}</span></div>"
    )


def _shared(found: Memory) -> str:
    names = {1: "MQA", found.settings.heads: "MHA"}
    largest = max(found.by_kv_heads.values())
    rows = []
    for count, n_bytes in found.by_kv_heads.items():
        here = count == found.settings.kv_heads
        label = f"{names.get(count, 'GQA')}, H<sub>kv</sub> = {count}" + (" ◂" if here else "")
        width = 100 * n_bytes / largest
        rows.append(
            f"<div class='lab-kv-fit'><b>{label}</b><span class='lab-kv-gauge'>"
            f"<i class='lab-kv-c' style='width:{width:.2f}%'></i></span><span>{size(n_bytes)}</span></div>"
        )
    return "<h3 class='lab-kv-title'>The same cache with other KV heads</h3>" + (
        f"<div class='lab-kv-fits'>{''.join(rows)}</div>"
    )


def _remarks(found: Memory) -> str:
    key = (
        f"<i class='lab-kv-key lab-kv-w'></i>weights, {size(found.weights)} at 2 bytes each "
        "<i class='lab-kv-key lab-kv-c'></i>cache."
    )
    alone = "<i class='lab-kv-key lab-kv-c'></i>cache. Weights are not counted: the sizes are your own."
    words = [key if found.model else alone]
    if found.model and found.settings.context > found.model.context:
        words.append(
            f"<b class='lab-bad'>{found.settings.context:,} tokens are more than {found.model.name} was "
            f"published for: {found.model.context:,}.</b>"
        )
    if found.model and found.model.window and found.settings.context > found.model.window:
        words.append(
            f"With its sliding window only {found.model.window:,} tokens need to stay in the cache: "
            f"{size(found.per_token * found.model.window * found.settings.batch)}."
        )
    words.append(
        "GB = 10⁹ bytes, GiB = 2³⁰. What else a program needs (activations, its own buffers) is not counted."
    )
    return f"<p class='lab-dim'>{' '.join(words)}</p>"


@once
def published(bytes_per_value: int) -> str:
    """Return the table of published models, each figure with its source."""
    rows = []
    for model in MODELS.values():
        each = bytes_per_token(model, bytes_per_value)
        full = bytes_per_token(model, bytes_per_value, model.heads)
        rows.append(
            [
                f"<b>{model.name}</b>",
                f"{model.layers}",
                f"{model.heads}",
                f"{model.kv_heads}",
                f"{model.d_head}",
                f"{model.context:,}",
                f"{each:,} B",
                f"{full:,} B" if full != each else "the same",
                size(each * model.context),
                f"{model.parameters / 1e9:.3f} · 10⁹",
                size(weight_bytes(model)),
                f"{model.source}. {model.remark}",
            ]
        )
    width = f"{bytes_per_value} byte{'s' if bytes_per_value > 1 else ''}"
    header = [
        "model", "layers", "H", "H<sub>kv</sub>", "d", "context limit", f"cache, a token at {width}",
        "with H<sub>kv</sub> = H",
        "cache at the limit", "parameters", "at 2 bytes each", "source of the sizes",
    ]  # fmt: skip
    return (
        "<section class='lab-panel lab-wrap lab-kv-models'>"
        + table("Published models", header, rows)
        + "<p class='lab-dim'>H<sub>kv</sub> is as large as H where a configuration does not name it; "
        "d = hidden_size / num_attention_heads. Parameters are counted from the published shapes. "
        "GB = 10⁹ bytes.</p></section>"
    )


def models_table(settings: KVCacheSettings) -> str:
    """Return the table of published models for the chosen width of a number."""
    return published(settings.bytes_per_value)
