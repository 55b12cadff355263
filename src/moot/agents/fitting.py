"""Arguments that a model writes for a tool. This file owns how they are read, and if they fit its schema."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

from moot.core.text import clean_data


def read_arguments(text: str) -> Mapping[str, object] | None:
    """The arguments that a model wrote; none where it wrote nothing, None where it wrote something else."""
    if not text.strip():
        return {}
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return clean_data(cast("dict[str, object]", value)) if isinstance(value, dict) else None


def misfit(schema: Mapping[str, object], arguments: Mapping[str, object]) -> str:
    """What is wrong with arguments, looked at from outside: what is required, types, choices; "" where nothing is."""
    for name in _texts(schema.get("required")):
        if name not in arguments:
            return f"the argument {name} is missing"
    properties = schema.get("properties")
    for name, asked in cast("Mapping[str, object]", properties).items() if isinstance(properties, Mapping) else ():
        if name not in arguments or not isinstance(asked, Mapping):
            continue
        told, value = cast("Mapping[str, object]", asked), arguments[name]
        kinds = _texts(told.get("type"))
        if kinds and not any(_is(kind, value) for kind in kinds):
            return f"the argument {name} must be of type {' or '.join(kinds)}"
        choices = told.get("enum")
        if isinstance(choices, list | tuple) and value not in choices:
            return f"the argument {name} must be one of {', '.join(map(str, cast('Sequence[object]', choices)))}"
    return ""


def _texts(value: object) -> tuple[str, ...]:
    """A text or a list of texts."""
    if isinstance(value, str):
        return (value,)
    return tuple(map(str, cast("Sequence[object]", value))) if isinstance(value, list | tuple) else ()


def _is(kind: str, value: object) -> bool:
    match kind:
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "integer":
            return not isinstance(value, bool) and (
                isinstance(value, int) or (isinstance(value, float) and value % 1 == 0)
            )
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case "null":
            return value is None
        case _:
            return True
