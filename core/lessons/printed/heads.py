"""The numbers of the lessons that /heads shows."""

from core.lessons.printed.number import Printed

NUMBERS: tuple[Printed, ...] = ()
