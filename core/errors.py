"""The errors of the core. Each message says what was expected, what came, and what to do."""


class ShapeError(ValueError):
    """The shapes of some arrays do not fit together."""


class MaskError(ValueError):
    """A mask is not a boolean array in which True means "may attend"."""


class SettingError(ValueError):
    """A setting lies outside its limits."""


class NumbersError(ValueError):
    """A table of numbers typed or pasted by a person cannot be read."""


class PoolError(ValueError):
    """A training cannot be put in line now."""


def require(condition: bool, message: str, error: type[ValueError] = ShapeError) -> None:
    """Raise ``error(message)`` unless the condition holds."""
    if not condition:
        raise error(message)


def divisors(n: int) -> list[int]:
    """All whole numbers that divide n, in rising order."""
    return [i for i in range(1, n + 1) if n % i == 0]


def choices(values: list[int]) -> str:
    """[1, 2, 4] as the words "1, 2 or 4"."""
    words = [str(value) for value in values]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]
