"""The built-in debater's answer where it has to fit a JSON Schema: the least that fits, with the decision's words."""

import json
from collections.abc import Mapping
from typing import cast

from folkmoot.core.ask import Ask
from folkmoot.core.text import flat

DEEP = 8
"""How deep an answer is filled in; a schema that refers to itself has no end."""

_DECISION = "Decision:"


def sample_answer(ask: Ask, schema: str) -> str:
    """The least answer that is likely to fit a schema."""
    root: object = json.loads(schema)
    rows = ask.task.partition(f"{_DECISION}\n")[2].partition("\n\n")[0]
    return json.dumps(_value(root, root, flat(rows) or ask.act, DEEP), ensure_ascii=False)


def _value(part: object, root: object, words: str, deep: int) -> object:
    schema = _table(part)
    if not deep:
        return None
    if isinstance(pointer := schema.get("$ref"), str):
        return _value(_resolved(root, pointer), root, words, deep - 1)
    if "const" in schema:
        return schema["const"]
    for key in ("enum", "anyOf", "oneOf", "allOf"):
        if choices := _items(schema.get(key)):
            first = choices[0]
            return first if key == "enum" else _value(first, root, words, deep - 1)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = next(iter(_items(kind)), kind)
    least = schema.get("minimum", schema.get("minItems", 0))
    match kind:
        case "object":
            inner = _table(schema.get("properties"))
            return {name: _value(item, root, words, deep - 1) for name, item in inner.items()}
        case "array":
            return [_value(schema.get("items"), root, words, deep - 1)] * (least if isinstance(least, int) else 0)
        case "integer" | "number":
            return least
        case "boolean":
            return False
        case "null":
            return None
        case _:
            return words


def _resolved(root: object, place: str) -> object:
    """What a reference within a schema stands for; None where it leads nowhere."""
    for step in place.removeprefix("#").strip("/").split("/"):
        root = _table(root).get(step) if step else root
    return root


def _table(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def _items(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
