"""An exercise on what makes a cache grow."""

from itertools import product

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import apart, pick
from core.lessons.kv_cache import KVCacheSettings
from core.lessons.kv_memory import trace_memory


def _settings(context: int, batch: int) -> KVCacheSettings:
    return KVCacheSettings(context=context, batch=batch)


def _factors(context: int, longer: int, more: int) -> tuple[float, float, float, float]:
    """How many times the cache grows: right; factors added; the batch left out; n squared."""
    after, before = (trace_memory(_settings(*at)).cache for at in ((context * longer, more), (context, 1)))
    return after / before, float(longer + more), float(longer), float(longer**2 * more)


_GROWTHS = tuple(
    (context, longer, more)
    for context, longer, more in product((1024, 2048, 4096), (2, 4, 8), (3, 4, 8, 16))
    if apart(_factors(context, longer, more), 0.1) and (context, longer, more) != (4096, 2, 4)
)


def _longer_and_more(seed: int) -> Task:
    """Context and batch grow together. Twins draw all of it."""
    context, longer, more = pick(seed, (4096, 2, 4), _GROWTHS)
    right, added, alone, squared = _factors(context, longer, more)
    settings = _settings(context * longer, more)
    return Task(
        setup=f"A server holds the KV cache of one text of {context:,} tokens. Then it serves {more} texts "
        f"at once, each of {context * longer:,} tokens, with the same model.",
        question="How many times as large is its cache then?",
        parts=(Part("number", right),),
        wrong=(
            Wrong((added,), "factors of growth add up", f"Each text is {longer} times as long, and there are "
                  f"{more} of them: multiply."),
            Wrong((alone,), "texts in a batch share a cache", "Each text has keys and values of its own."),
            Wrong((squared,), "the cache grows with the square of the tokens", "The score matrix does. A "
                  "cache holds one key and one value for each token."),
        ),
        explain=f"{longer} × {more} = {right:g}. The cache grows in proportion to tokens and to texts. It is "
        "often what limits how many texts a server can hold, and how long they may be.",
        link=settings.to_query(),
    )  # fmt: skip


GROWING_CACHE = (
    Exercise("N18", "Longer texts, and more of them", "sharing and cache", "core", "kv-cache",
             ("lesson A, KV caching: the cache grows with context and batch",
              "lesson C, Shared heads: the cache limits texts and length"), _longer_and_more),
)  # fmt: skip
