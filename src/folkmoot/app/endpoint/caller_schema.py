"""The JSON Schema of a caller over the network: taken as text, or refused before anybody is asked."""

import json
from importlib import import_module
from typing import Any, cast

from folkmoot.answers.schemas.schema_answer import TooMuch, best_error, shortened

MOST_SCHEMA = 64 * 1024
"""The most characters of a schema."""

TRIALS: tuple[object, ...] = ({}, [], "", 0, None)
"""Values that are checked against a schema before anybody is asked: a schema that goes round in circles shows at once."""


class SchemaError(ValueError):
    """A schema that cannot be used."""


def schema_text(schema: object, most: int = MOST_SCHEMA) -> str:
    """A schema as the text that is recorded, of so many characters at most.

    Raises:
        SchemaError: it is none, or is too large.
    """
    library = import_module("jsonschema")  # here for start-up time
    try:
        text = json.dumps(schema, ensure_ascii=False, allow_nan=False)
        if len(text) > most:
            raise SchemaError(f"the schema has more than {most:,} characters")
        if '"patternProperties"' in text:
            raise SchemaError("patternProperties is not supported in a schema")
        library.Draft202012Validator.check_schema(schema)
        _check_references(schema)
        for value in TRIALS:
            best_error(text, value)
    except library.SchemaError as error:
        raise SchemaError(f"this is no JSON Schema: {shortened(error.message)}") from error
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
            raise SchemaError(f"the schema refers to {shortened(repr(reference))}, which is no schema in it")
