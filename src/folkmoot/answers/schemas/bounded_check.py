"""Checks of values against JSON Schemas that come from elsewhere: each takes a limited number of steps.

No regular expression of a schema is run, and nothing is fetched.
"""

import json
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, cast

MOST_STEPS = 100_000
"""The most steps that are taken for one answer."""

LOOK = 50
"""How many values, or characters of texts and names, are looked at in one step."""


class TooMuch(Exception):
    """A check took too many steps."""


class _Meter:
    """Counts the steps of a check, and knows equal values by their number.

    Args:
        roots: the schema and the value. Their parts are known by identity, since all of them stay.
    """

    def __init__(self, *roots: object) -> None:
        self._left = MOST_STEPS
        self._numbers = dict[object, int]()
        self._seen = dict[int, tuple[int, int]]()
        for root in roots:
            self._see(root)

    def _see(self, value: object) -> tuple[int, int]:
        """How large a value is, and its number: 1 has the same as 1.0, and true another."""
        place, size, key = id(value), len(value) if isinstance(value, str) else 1, value
        if isinstance(value, dict):
            table = {name: self._see(part) for name, part in cast("dict[str, object]", value).items()}
            size += sum(len(name) + part[0] for name, part in table.items())
            key = frozenset((name, part[1]) for name, part in table.items())
        elif isinstance(value, list):
            parts = [self._see(part) for part in cast("list[object]", value)]
            size += sum(part[0] for part in parts)
            key = tuple(part[1] for part in parts)
        elif isinstance(value, bool):
            key = (bool, value)
        seen = size, self._numbers.setdefault(key, len(self._numbers))
        self._seen[place] = seen
        return seen

    def count(self, steps: int, *values: object) -> None:
        """Take steps, and those for a look at these values.

        Raises:
            TooMuch: none are left.
        """
        self._left -= steps + sum((self._seen.get(id(value)) or self._see(value))[0] // LOOK for value in values)
        if self._left < 0:
            raise TooMuch

    def number(self, value: object) -> int:
        """The number that this value and all that are equal to it have."""
        return (self._seen.get(id(value)) or self._see(value))[1]


def best_error(schema: str, value: object) -> Any:
    """The error of ``jsonschema`` that says best why a value does not fit a schema; None where it fits.

    Raises:
        TooMuch: that would take too many steps.
        RecursionError: the schema or the value is too deep.
    """
    table = json.loads(schema, object_hook=_without_draft)
    return import_module("jsonschema.exceptions").best_match(_validator(table, value).iter_errors(value))


def _without_draft(table: dict[str, object]) -> dict[str, object]:
    """Part of a schema without the draft that it names: it would be checked by that one, which runs patterns."""
    return {name: part for name, part in table.items() if name != "$schema" or not isinstance(part, str)}


def _validator(schema: object, value: object) -> Any:
    library, meter = import_module("jsonschema"), _Meter(schema, value)  # here for start-up time
    known = library.Draft202012Validator
    choices = dict[int, tuple[frozenset[int], str]]()

    def unique(validator: Any, keyword: object, part: object, table: object) -> Iterator[Any]:
        items = cast("list[object]", part if keyword and isinstance(part, list) else [])
        if len(set(map(meter.number, items))) < len(items):
            yield library.ValidationError(f"{part!r} has non-unique elements")

    def chosen(validator: Any, keyword: list[object], part: object, table: object) -> Iterator[Any]:
        if id(keyword) not in choices:
            choices[id(keyword)] = frozenset(map(meter.number, keyword)), repr(keyword)
        numbers, words = choices[id(keyword)]
        if meter.number(part) not in numbers:
            yield library.ValidationError(f"{part!r} is not one of {words}")

    def limited(name: str, check: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
        def run(validator: Any, keyword: object, part: object, table: object) -> Iterator[Any]:
            meter.count(1, keyword, part)
            if name.startswith("unevaluated") and isinstance(part, list | dict):  # it compares each with each other one
                meter.count(len(cast("list[object]", part)) ** 2 // LOOK)
            for error in check(validator, keyword, part, table) or ():
                meter.count(1)
                yield error

        return run

    own = {"uniqueItems": unique, "enum": chosen, "pattern": _ignored}
    checks = {name: limited(name, check) for name, check in {**known.VALIDATORS, **own}.items()}
    # The parts of the schema are looked for once: else each reference to a name would look for all.
    resource = import_module("referencing.jsonschema").DRAFT202012.create_resource(schema)
    registry = import_module("referencing").Registry().with_resource(resource.id() or "", resource).crawl()
    return library.validators.extend(known, checks)(schema, registry=registry)


def _ignored(*args: object) -> tuple[Any, ...]:
    """A keyword that is only told to whoever answers."""
    return ()
