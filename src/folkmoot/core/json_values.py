"""JSON of others, which may have any shape: what isn't there, or is something else, counts as empty."""

import json
from typing import cast


def as_object(value: object) -> dict[str, object]:
    """The value if it is an object, else an empty one."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """The value if it is a list, else an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def objects(value: object) -> list[dict[str, object]]:
    """The objects of a list; none where it is no list."""
    return [cast("dict[str, object]", item) for item in as_list(value) if isinstance(item, dict)]


def read_json(raw: bytes | str) -> object:
    """The value of a JSON text; None where it is none."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def read_object(raw: bytes | str) -> dict[str, object]:
    """The object of a JSON text; an empty one where it is none."""
    return as_object(read_json(raw))
