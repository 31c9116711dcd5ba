"""The numbers of the lessons that /soft-lookup shows."""

from core.lessons.printed.number import Printed

NUMBERS: tuple[Printed, ...] = ()
