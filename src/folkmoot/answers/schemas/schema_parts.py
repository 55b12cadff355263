"""The parts of a JSON Schema: that each is there, and that a check of an answer against them comes to an end.

A schema may refer to itself: a list is an element and a list. Two kinds of that have no end. In one, parts lead to each
other without a step into the value: nobody can check that. In the other, each value needs a further value within it:
nobody can write that.
"""

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from typing import Any, cast

from folkmoot.answers.schemas.bounded_check import MOST_STEPS
from folkmoot.core.text import clip, flat

MOST_LEVELS = 60
"""The most parts of a schema that lead to each other without a step into the value."""

_REFERENCES = ("$ref", "$dynamicRef")

Table = Mapping[str, Any]

_LOST = (TypeError, ValueError, AttributeError, LookupError)
"""What a reference into something that is no schema ends in, beside being told as one that leads nowhere."""


class SchemaError(ValueError):
    """A schema that cannot be used."""


@dataclass(frozen=True, slots=True)
class _Part:
    """What a part of a schema leads to, by the identity of the tables.

    Attributes:
        same: the parts that look at the same value.
        needs: groups of parts; a value that fits has a value that fits one of each group, in itself or as itself.
    """

    same: list[int] = field(default_factory=list[int])
    needs: list[list[int]] = field(default_factory=list[list[int]])


def check_parts(schema: object) -> None:
    """Look at all that a schema leads to, so that nobody is asked in vain; nothing is fetched.

    Raises:
        SchemaError: a part is not there, or has no end.
    """
    parts = _parts(schema)
    try:
        order = tuple(TopologicalSorter({key: part.same for key, part in parts.items()}).static_order())
    except CycleError as error:
        raise SchemaError("a part of the schema refers to itself for the same value, without an end") from error
    steps, levels = dict[int, int](), dict[int, int]()
    for key in order:
        steps[key] = 1 + sum(steps[inner] for inner in parts[key].same)
        levels[key] = 1 + max((levels[inner] for inner in parts[key].same), default=0)
        if steps[key] > MOST_STEPS or levels[key] > MOST_LEVELS:
            raise SchemaError("the schema takes too long to check")
    if id(schema) in parts and id(schema) not in _finite(parts):
        raise SchemaError("each value that fits the schema needs another in it, without an end")


def _parts(schema: object) -> dict[int, _Part]:
    """The parts of a schema, and those that they refer to.

    Raises:
        SchemaError: one of these is not there.
    """
    draft, check = import_module("referencing.jsonschema").DRAFT202012, _library().Draft202012Validator.check_schema
    root = draft.create_resource(schema)
    resolver = import_module("referencing").Registry().resolver_with_root(root)
    budget = 2 * len(json.dumps(schema))  # characters of parts that stand where no schema stands, one in another
    pairs, parts = deque([(root, resolver, True)]), dict[int, _Part]()
    while pairs:
        resource, resolver, known = pairs.popleft()  # what only references lead to comes last
        contents = cast("object", resource.contents)
        if id(contents) in parts:
            continue
        if not known:
            budget -= len(json.dumps(contents))
            if budget < 0:
                raise SchemaError("the schema takes too long to check")
            check(contents)
        if not isinstance(contents, dict):
            continue
        table = cast("Table", contents)
        targets = [_look_up(resolver, table[name]) for name in _REFERENCES if name in table]
        parts[id(table)] = _part(table, [target.contents for target in targets])
        pairs.extend((draft.create_resource(target.contents), target.resolver, False) for target in targets)
        older: Table = table.get("definitions", {})  # which drafts before 2019 have in place of $defs
        inner = [*resource.subresources(), *map(draft.create_resource, older.values())]
        pairs.extendleft((subresource, resolver.in_subresource(subresource), True) for subresource in inner)
    return parts


def _look_up(resolver: Any, reference: str) -> Any:
    try:
        return resolver.lookup(reference)
    except (import_module("referencing.exceptions").Unresolvable, *_LOST) as error:
        name = clip(flat(reference), 200)
        raise SchemaError(f"the schema refers to {name!r}, which is not in it") from error


def _library() -> Any:
    return import_module("jsonschema")  # here for start-up time


def _part(table: Table, targets: Sequence[object]) -> _Part:
    every, one = [*targets, *table.get("allOf", ())], [table[name] for name in ("anyOf", "oneOf") if name in table]
    conditions = [table[name] for name in ("not", "if", "then", "else") if name in table]
    same = [
        *every,
        *(part for group in one for part in group),
        *conditions,
        *table.get("dependentSchemas", {}).values(),
    ]
    groups = [*([part] for part in (*every, *_contents(table))), *one]
    return _Part(_keys(same), [_keys(group) for group in groups if all(isinstance(part, dict) for part in group)])


def _keys(parts: Iterable[object]) -> list[int]:
    return [id(cast("object", part)) for part in parts if isinstance(part, dict)]


def _contents(table: Table) -> Iterator[object]:
    """The parts for what a value cannot be without: its required properties, or its first items."""
    if table.get("type") == "object":
        known, others = table.get("properties", {}), table.get("additionalProperties", True)
        yield from (known.get(name, others) for name in table.get("required", ()))
    elif table.get("type") == "array":
        first, least = table.get("prefixItems", []), int(table.get("minItems", 0))
        yield from first[:least]
        if least > len(first):
            yield table.get("items", True)


def _finite(parts: Mapping[int, _Part]) -> set[int]:
    """The parts that a value with an end can fit, as far as their references say."""
    left = {key: len(part.needs) for key, part in parts.items()}
    waiting: dict[int, list[tuple[int, int]]] = {}
    for key, part in parts.items():
        for n, group in enumerate(part.needs):
            for inner in group:
                waiting.setdefault(inner, []).append((key, n))
    ready, met = [key for key, count in left.items() if not count], set[tuple[int, int]]()
    finite = set(ready)
    while ready:
        for need in set(waiting.get(ready.pop(), ())) - met:
            met.add(need)
            left[need[0]] -= 1
            if not left[need[0]]:
                finite.add(need[0])
                ready.append(need[0])
    return finite
