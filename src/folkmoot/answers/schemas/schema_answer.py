"""An answer that has to be JSON and fit a JSON Schema: what a prompt says, and how it is read and checked.

The schema may come from a caller over the network.
"""

import json
import re
from importlib import import_module
from typing import Any, cast

from folkmoot.answers.schemas.bounded_check import TooMuch, best_error
from folkmoot.answers.values import Fault
from folkmoot.core.text import clip, flat

MOST_SCHEMA = 64 * 1024
"""The most characters of a schema."""

TRIALS: tuple[object, ...] = ({}, [], "", 0, None)
"""Values that are checked against a schema before anybody is asked: a schema that goes round in circles shows at once."""


class SchemaError(ValueError):
    """A schema that cannot be used."""


_FENCE = re.compile(r"```[\w-]*\s*\n(.*?)\n?\s*```", re.DOTALL)


def schema_text(schema: object, most: int = MOST_SCHEMA) -> str:
    """A schema as the text that is recorded, of so many characters at most.

    Raises:
        SchemaError: it is none, or is too large.
    """
    library = _library()
    try:
        text = json.dumps(schema, ensure_ascii=False, allow_nan=False)
        if len(text) > most:
            raise SchemaError(f"the schema has more than {most:,} characters")
        if '"patternProperties"' in text:
            raise SchemaError("patternProperties is not supported in a schema")
        library.Draft202012Validator.check_schema(schema)
        _check_references(schema)
        for value in TRIALS:
            best_error(schema, value)
    except library.SchemaError as error:
        raise SchemaError(f"this is no JSON Schema: {_shortened(error.message)}") from error
    except (TooMuch, RecursionError) as error:
        raise SchemaError("the schema takes too long to check") from error
    except ValueError as error:
        raise error if isinstance(error, SchemaError) else SchemaError("this is no JSON Schema") from error
    return text


def _check_references(schema: object) -> None:
    """See that each reference leads to a part of the schema that is a schema itself; nothing is fetched.

    Raises:
        SchemaError: one leads elsewhere.
    """
    referencing, draft = import_module("referencing"), import_module("referencing.jsonschema").DRAFT202012
    root = draft.create_resource(schema)
    parts, references = [(root, referencing.Registry().resolver_with_root(root))], list[tuple[str, Any]]()
    known = set[int]()
    while parts:
        part, resolver = parts.pop()
        table = part.contents
        known.add(id(table))
        if not isinstance(table, dict):
            continue
        references += [(table[name], resolver) for name in ("$ref", "$dynamicRef") if name in table]
        older = cast("dict[str, Any]", table).get("definitions", {})  # which drafts before 2019 have in place of $defs
        inner = (*part.subresources(), *map(draft.create_resource, older.values()))
        parts += [(resource, resolver.in_subresource(resource)) for resource in inner]
    for reference, resolver in references:
        try:
            found = id(resolver.lookup(reference).contents) in known
        except (referencing.exceptions.Unresolvable, TypeError, ValueError, AttributeError, LookupError):
            found = False  # a place within something that is no schema ends in one of the others
        if not found:
            raise SchemaError(f"the schema refers to {_shortened(repr(reference))}, which is no schema in it")


def schema_instructions(schema: str) -> str:
    """What a prompt says about an answer that has to fit a schema."""
    return f"Answer with JSON alone, nothing before or after it. It has to fit this JSON Schema:\n{schema}"


def read_schema_answer(schema: str, words: str) -> str | Fault:
    """The answer as JSON text, if it is JSON and fits the schema; else what is wrong with it."""
    try:
        value = _decoded(words)
    except (ValueError, RecursionError):
        return Fault("malformed")
    wanted = json.loads(schema)
    value = _in_its_object(wanted, value)
    problem = _problem(wanted, value)
    return Fault(problem) if problem else json.dumps(value, ensure_ascii=False)


def _in_its_object(schema: object, value: object) -> object:
    """The value; a list by itself as the one member of the object that should hold it, for models leave that out."""
    match schema:
        case {"type": "object", "required": [str(name)]} if isinstance(value, list):
            return {name: cast("object", value)}
        case _:
            return value


def _decoded(words: str) -> object:
    """The one JSON value of an answer: alone, in a code fence, or from the first brace or bracket to the last.

    Raises:
        ValueError: there is none, or a name stands in it twice.
    """
    fenced = _FENCE.findall(words)
    within = (words[words.find(left) : words.rfind(right) + 1] for left, right in ("{}", "[]"))
    for text in (words, *(fenced if len(fenced) == 1 else ()), *within):
        try:
            return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
        except json.JSONDecodeError:
            continue
    raise ValueError(words)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name stands there twice")
    return dict(pairs)


def _refuse(word: str) -> object:
    raise ValueError(word)


def _problem(schema: object, value: object) -> str:
    """Why a value does not fit a schema, in words; "" where it fits."""
    try:
        error = best_error(schema, value)
    except import_module("referencing.exceptions").Unresolvable:
        return "the schema refers to something that is not in it"
    except (TooMuch, RecursionError):
        return "the schema takes too long to check"
    if error is None:
        return ""
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path)
    return f"at ${_shortened(place)} {_shortened(error.message)}".replace(": ", " ")


def _library() -> Any:
    return import_module("jsonschema")  # here for start-up time


def _shortened(text: str) -> str:
    return clip(flat(text), 200)
