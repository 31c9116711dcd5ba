"""The numbers of the lessons that /kv-cache shows."""

from core.lessons.kv_cost import DecodingCost
from core.lessons.kv_sharing import kv_heads_of
from core.lessons.printed.number import Printed
from core.ops.heads import group_size, kv_head_of
from core.ops.kv_cache import cache_bytes

PAGE = "kv-cache"


def _times_smaller() -> float:
    full, shared = (cache_bytes(1, n_layers=1, n_kv_heads=count, d_head=1) for count in (32, 8))
    return full / shared


NUMBERS: tuple[Printed, ...] = (
    Printed("C-gqa4", PAGE, "H = 32, G = 8: query heads in a group", "4", lambda: group_size(32, 8)),
    Printed("C-gqa13", PAGE, "H = 32, G = 8: KV head of query head 13", "3", lambda: kv_head_of(13, 32, 8)),
    Printed(
        "C-gqa0-7", PAGE, "H = 32, G = 8: KV heads of query heads 0 to 7", "0, 0, 0, 0, 1, 1, 1, 1",
        lambda: kv_heads_of(32, 8)[:8],
    ),
    Printed("C-gqacache", PAGE, "H = 32, G = 8: the cache is so many times smaller", "4", _times_smaller,
            digits=0),
    Printed(
        "A-onstep", PAGE, "a new token after n = 1000 cached ones: dot products of each head", "O(n)",
        lambda: DecodingCost(1, 1, 1).dot_products(1001),
        remark="n + 1: the token sees itself. The projections of the token, O(D²), come on top.",
    ),
)  # fmt: skip
