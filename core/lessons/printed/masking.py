"""The numbers of the lessons that /masking shows."""

from core.lessons.printed.number import Printed

NUMBERS: tuple[Printed, ...] = ()
