"""Arguments that a program gives. This file owns how one that cannot be used is refused, in one sentence."""

from moot.core.errors import BriefError


def whole(name: str, value: object, low: int, high: int | None = None) -> int:
    """A whole number within bounds; None for no upper one.

    Raises:
        BriefError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < low or (high is not None and value > high):
        bounds = f"from {low}" if high is None else f"from {low} to {high}"
        raise BriefError(f"{name} is {value!r}; it must be a whole number {bounds}", code="out_of_range")
    return value


def number(name: str, value: object, low: int, high: int) -> float:
    """A number within bounds.

    Raises:
        BriefError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise BriefError(f"{name} is {value!r}; it must be a number from {low} to {high}", code="out_of_range")
    return float(value)


def words(name: str, value: object) -> str:
    """A text that is not empty.

    Raises:
        BriefError: it is none.
    """
    if not isinstance(value, str) or not value.strip():
        raise BriefError(f"{name} is {value!r}; it must be a text that is not empty", code="wrong_type")
    return value
