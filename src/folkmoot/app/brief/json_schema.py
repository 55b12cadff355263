"""The keys of a brief as JSON Schema, for editors, for the description of the API, and for authors of briefs.

It is made of the table of keys by which the reader checks (``app.brief.schema``). What the reader takes is never
refused here. The reader knows more: rules that join several keys, names that are taken, files that are not there.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from folkmoot.app.brief.field_values import MOST_LETTERS
from folkmoot.app.brief.schema import EXTENSION_NAME, HEADER, LIMITS, OPTION_NAME, PARTICIPANT, Key, as_written

Schema = dict[str, object]
"""A JSON Schema as plain data."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"

PARTICIPANT_NAME = "BriefParticipant"
"""The name of the schema of a participant among the definitions."""

_ANY_TEXT: Mapping[str, object] = {"type": ["string", "number", "boolean"]}
"""An entry of a list of texts: there numbers count as texts."""

_MODEL: Mapping[str, object] = {
    "type": "string",
    "pattern": r"^\s*([A-Za-z][A-Za-z0-9_-]*[:/][^/\s].*|human|retriever)\s*$",
}


def whole_schema() -> Schema:
    """The schema of a header as a document of its own; that of a participant is among its definitions."""
    schemas = dict(definitions("#/$defs/"))
    return {"$schema": DIALECT, **schemas.pop("Brief"), "$defs": schemas}


def definitions(references: str) -> Mapping[str, Schema]:
    """The schema of a header, and that of a participant: an entry in ``participants``, the settings under ``## Name``.

    Args:
        references: where they refer to each other.
    """
    words = "The header of a brief: the question, participants, protocol and limits."
    participant = _schema("A participant of a debate.", PARTICIPANT, references)
    return {"Brief": _schema(words, HEADER + LIMITS, references), PARTICIPANT_NAME: participant}


def _schema(words: str, keys: Sequence[Key], references: str) -> Schema:
    properties = dict(_properties(keys, "", references))
    return {"description": words, "type": "object", "properties": properties, "additionalProperties": False}


def _properties(keys: Sequence[Key], prefix: str, references: str) -> Iterator[tuple[str, Schema]]:
    """Each name that a table takes, with what may stand behind it; those of a table inside only under its prefix."""
    for key in keys:
        for name in (key.name, *key.aliases):
            if name.startswith(prefix):
                yield name.removeprefix(prefix), _property(keys, key, name, references)


def _property(keys: Sequence[Key], key: Key, name: str, references: str) -> Schema:
    words = key.help if name == key.name else f"The same as {key.name}: {key.help}"
    written = key if name == key.name else as_written(key, name)
    schemas = [*_values(keys, written, references), {"type": "null"}]  # a key without a value counts as not given
    return {"description": words, "anyOf": schemas}


def _values(keys: Sequence[Key], key: Key, references: str) -> Iterator[Schema]:
    """What may stand behind a key, one way of writing it after the other."""
    sizes: Schema = {"minItems": int(key.low), "maxItems": int(key.high)}
    match key.kind:
        case "flag":
            yield from _flags()
        case "whole" | "number":
            yield from _numbers(key)
        case "choice" | "choices":
            yield from _choices(key)
            if key.kind == "choices":
                yield {"type": "array", "items": {"anyOf": [*_choices(key)]}, "minItems": 1}
        case "tools":
            yield from _flags()
            server: Schema = {"type": "string", "pattern": "^mcp:[A-Za-z0-9][A-Za-z0-9_-]{0,31}$"}
            yield {"type": "array", "items": {"anyOf": [*_choices(key), server]}}
        case "texts":
            yield {"type": "array", "items": _ANY_TEXT, **sizes}
        case "paths" | "several":
            yield {"type": "string"}
            yield {"type": "array", "items": _ANY_TEXT, **sizes}
        case "letters":
            letters: Schema = {**_ANY_TEXT, "minLength": 1, "maxLength": MOST_LETTERS}
            yield letters
            yield {"type": "array", "items": letters, **sizes}
        case "model" | "models":
            yield {**_MODEL}
            if key.kind == "models":
                yield {"type": "array", "items": _MODEL, **sizes}
        case "people":
            person: Schema = {"anyOf": [{"type": "string"}, {"$ref": references + PARTICIPANT_NAME}]}
            yield {"type": "array", "items": person, "maxItems": int(key.high) + 1}
        case "options" | "named_options":
            yield _options() if key.kind == "options" else _named_options()
        case "table":
            inside = dict(_properties(keys, f"{key.name}.", references))
            yield {"type": "object", "properties": inside, "additionalProperties": False}
        case _:
            yield from _texts(key)


def _named_options() -> Schema:
    """A table of options for each extension that is named."""
    tables: Schema = {"anyOf": [_options(), {"type": "null"}]}
    names: Schema = {"pattern": f"^{EXTENSION_NAME}$"}
    return {"type": "object", "propertyNames": names, "additionalProperties": tables}


def _options() -> Schema:
    """A table of options of one extension."""
    value: Schema = {"type": ["string", "number", "boolean", "null"]}
    several: Schema = {"type": "array", "items": _ANY_TEXT, "minItems": 1, "maxItems": 100}
    names: Schema = {"pattern": f"^{OPTION_NAME}$"}
    return {"type": "object", "propertyNames": names, "additionalProperties": {"anyOf": [value, several]}}


def _texts(key: Key) -> Iterator[Schema]:
    """The kinds that are a text of some form; how long it may be the reader says, who does not count all blanks."""
    match key.kind:
        case "span":
            yield {"type": "string", "pattern": r"^(-1|0|[0-9]{1,6}(\.[0-9]{1,3})?(ms|s|m|h))$"}
            yield {"enum": [-1, 0]}
        case "term":
            yield {"type": "string", "pattern": "^[0-9]{1,6}(s|m|h|d|w)$"}
        case "prose":
            yield {"type": "string"}
            yield {"type": "array", "items": {"type": "string"}}
        case _:
            yield {"type": "string"}


def _flags() -> Iterator[Schema]:
    """Yes or no; a parser of YAML 1.2 gives the words that are not true or false as texts."""
    yield {"type": "boolean"}
    yield {"type": "string", "pattern": f"^({'|'.join(map(_anycase, _FLAGS))})$"}


_FLAGS = ("yes", "no", "on", "off", "true", "false")


def _numbers(key: Key) -> Iterator[Schema]:
    yield {"type": "integer" if key.kind == "whole" else "number", "minimum": key.low, "maximum": key.high}
    if key.choices:
        yield from _choices(key)


def _choices(key: Key) -> Iterator[Schema]:
    """The words of a choice: as they are documented, which editors offer, and in the other ways that are read."""
    yield {"enum": list(key.choices)}
    if key.further:
        yield {"type": "string", "minLength": 1, "description": "A name that another package offers."}
    elif key.loose:
        words = (*key.choices, *dict(key.same))
        yield {"type": "string", "pattern": rf"^\s*({'|'.join(map(_anycase, words))})\s*$"}


def _anycase(word: str) -> str:
    """A pattern for a word in any case, with blanks or hyphens in the place of its underscores."""
    letters = (f"[{letter.upper()}{letter}]" if letter.isalpha() else re.escape(letter) for letter in word.casefold())
    return "".join(letters).replace("_", "[ _-]+")
