"""The numbers that the source lessons print, each computed here by the public functions.

Where a printed number is wrong, ``right`` says so and the remark says why. A file for each page.
"""

from core.lessons.printed import heads, kv_cache, masking, scaling, soft_lookup
from core.lessons.printed.number import Printed

PRINTED: tuple[Printed, ...] = (
    *soft_lookup.NUMBERS,
    *scaling.NUMBERS,
    *masking.NUMBERS,
    *heads.NUMBERS,
    *kv_cache.NUMBERS,
)
