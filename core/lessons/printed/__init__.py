"""The numbers that the source lessons print, each computed here by the public functions.

Where a printed number is wrong, ``right`` says so and the remark says why. A file for each page.
"""

from core.lessons.printed import block, cost, heads, kv_cache, masking, positions, scaling, soft_lookup
from core.lessons.printed.number import Printed

PRINTED: tuple[Printed, ...] = (
    *soft_lookup.NUMBERS,
    *scaling.NUMBERS,
    *masking.NUMBERS,
    *heads.NUMBERS,
    *cost.NUMBERS,
    *block.NUMBERS,
    *positions.NUMBERS,
    *kv_cache.NUMBERS,
)
