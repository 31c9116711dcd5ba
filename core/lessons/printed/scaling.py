"""The numbers of the lessons that /scaling shows."""

from core.lessons.printed.number import Printed

NUMBERS: tuple[Printed, ...] = ()
