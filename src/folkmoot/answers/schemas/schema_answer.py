"""An answer that has to be JSON and fit a JSON Schema from elsewhere: how it is read and checked.

A check takes a limited number of steps. No regular expression of a schema is run, and nothing is fetched.
"""

import json
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, cast

from folkmoot.answers.values import Fault
from folkmoot.core.text import clip, flat

MOST_STEPS = 100_000
"""The most steps that are taken for one answer."""

LOOK = 100
"""How many characters of a value or of a part of the schema are looked at in one step."""

_FENCE = re.compile(r"```[\w-]*\s*\n(.*?)\n?\s*```", re.DOTALL)


class TooMuch(Exception):
    """A check took too many steps."""


def read_schema_answer(schema: str, words: str) -> str | Fault:
    """The answer as JSON text, if it is JSON and fits the schema; else what is wrong with it."""
    try:
        value = _decoded(words)
    except (ValueError, RecursionError):
        return Fault("malformed")
    match json.loads(schema):
        case {"type": "object", "required": [str(name)]} if isinstance(value, list):
            value = {name: cast("object", value)}  # models leave the object around a list out
        case _:
            pass
    try:
        error = best_error(schema, value)
    except import_module("referencing.exceptions").Unresolvable:
        return Fault("the schema refers to something that is not in it")
    except (TooMuch, RecursionError):
        return Fault("the schema takes too long to check")
    if error is None:
        return json.dumps(value, ensure_ascii=False)
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path)
    return Fault(f"at ${shortened(place)} {shortened(error.message)}".replace(": ", " "))


def _decoded(words: str) -> object:
    """The one JSON value of an answer: alone, in a code fence, or from the first brace or bracket to the last.

    Raises:
        ValueError: there is none, or a name stands in it twice.
    """

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len({name for name, _ in pairs}) < len(pairs):
            raise ValueError("a name is there twice")
        return dict(pairs)

    def refuse(word: str) -> object:
        raise ValueError(word)

    fenced = _FENCE.findall(words)
    within = (words[words.find(left) : words.rfind(right) + 1] for left, right in ("{}", "[]"))
    for text in (words, *(fenced if len(fenced) == 1 else ()), *within):
        try:
            return json.loads(text, object_pairs_hook=unique, parse_constant=refuse)
        except json.JSONDecodeError:
            continue
    raise ValueError(words)


def shortened(text: str) -> str:
    """What ``jsonschema`` says, in one line."""
    return clip(flat(text), 200)


def best_error(schema: str, value: object) -> Any:
    """The error of ``jsonschema`` that says best why a value does not fit a schema; None where it fits.

    Raises:
        TooMuch: that would take too many steps.
        RecursionError: the schema or the value is too deep.
    """
    library = import_module("jsonschema")  # here for start-up time
    left, texts = MOST_STEPS, dict[int, tuple[object, str]]()

    def text_of(part: object) -> str:
        """A part as text, the same for all that JSON Schema calls equal."""
        if id(part) not in texts:
            texts[id(part)] = part, json.dumps(part, sort_keys=True)
        return texts[id(part)][1]

    def spend(steps: int) -> None:
        nonlocal left
        left -= steps
        if left < 0:
            raise TooMuch

    def without_draft(table: dict[str, object]) -> dict[str, object]:
        # A part would be checked by the draft that it names, which runs patterns.
        return {name: part for name, part in table.items() if name != "$schema" or not isinstance(part, str)}

    # The library compares each value with each other one for these.
    def unique(validator: Any, keyword: object, part: object, table: object) -> Iterator[Any]:
        items = cast("list[object]", part if keyword and isinstance(part, list) else [])
        if len(set(map(text_of, items))) < len(items):
            yield library.ValidationError(f"{part!r} has non-unique elements")

    def chosen(validator: Any, keyword: list[object], part: object, table: object) -> Iterator[Any]:
        if text_of(part) not in map(text_of, keyword):
            yield library.ValidationError(f"{part!r} is not one of {keyword!r}")

    def limited(name: str, check: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
        def run(validator: Any, keyword: object, part: object, table: object) -> Iterator[Any]:
            size = len(text_of(keyword)) + len(text_of(part))
            if name.startswith("unevaluated") and isinstance(part, list | dict):  # it compares each with each other one
                size += len(cast("list[object]", part)) ** 2
            spend(1 + size // LOOK)
            for error in check(validator, keyword, part, table) or ():
                spend(1)
                yield error

        return run

    known = library.Draft202012Validator
    # A pattern is only told to whoever answers.
    own: dict[str, Any] = {"uniqueItems": unique, "enum": chosen, "pattern": lambda *_: ()}  # pyright: ignore[reportUnknownLambdaType]
    checks = {name: limited(name, check) for name, check in {**known.VALIDATORS, **own}.items()}
    table = _exact(json.loads(schema, object_hook=without_draft))
    # The parts of the schema are looked for once: else each reference to a name would look for all.
    resource = import_module("referencing.jsonschema").DRAFT202012.create_resource(table)
    registry = import_module("referencing").Registry().with_resource(resource.id() or "", resource).crawl()
    errors = library.validators.extend(known, checks)(table, registry=registry).iter_errors(_exact(value))
    return import_module("jsonschema.exceptions").best_match(errors)


def _exact(value: object) -> Any:
    """A value with its numbers as JSON Schema compares them: 1.0 is 1."""
    text = json.dumps(value)
    return json.loads(text, parse_float=lambda text: int(number) if (number := float(text)).is_integer() else number)
