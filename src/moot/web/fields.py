"""Fields of answers as JSON. This file owns how they become values of a form."""

from collections.abc import Mapping

from pydantic import JsonValue

from moot.core.errors import BriefError
from moot.core.form import Value


def values(given: Mapping[str, JsonValue] | None) -> dict[str, Value] | None:
    """The fields of an answer; null leaves one out.

    Raises:
        BriefError: something that no field can hold.
    """
    if given is None:
        return None
    return {name: _value(name, value) for name, value in given.items() if value is not None}


def _value(name: str, value: JsonValue) -> Value:
    if isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(str(each) for each in value)
    raise BriefError(f"{name[:60]!r} must be a text, a number, true or false, or a list of texts", code="wrong_type")
