"""Check a plain value of a program or of a settings file as the reader checks the same value in a brief."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from moot.app.brief.field_values import read_value
from moot.app.brief.schema import Key, get_key
from moot.app.brief.yaml_header import Items, Node, Scalar
from moot.core.ask import Value
from moot.core.errors import BriefError


def check_value(keys: Sequence[Key], name: str, value: object, *, whose: str = "") -> Value:
    """Check a value of a program as the reader checks the same value in a brief.

    Args:
        keys: the table of keys.
        name: the name of the key.
        value: the value.
        whose: the participant, for the sentence.

    Returns:
        The value as the reader reads it.

    Raises:
        BriefError: it cannot be that.
    """
    try:
        return read_value(replace(get_key(keys, name), aliases=()), _node(value)).value
    except BriefError as error:
        raise BriefError(f"{whose}{error}", code=error.code) from error


def _node(value: object) -> Node:
    """A value as it would stand in a brief."""
    if isinstance(value, list | tuple):
        return Items(line=0, items=tuple(_node(item) for item in cast("Sequence[object]", value)))
    if isinstance(value, str):
        return Scalar(line=0, text=value, plain=False)
    return Scalar(line=0, text=repr(value), plain=isinstance(value, int | float))
