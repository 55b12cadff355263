"""The keys of a brief as JSON Schema, for editors, for the description of the API, and for authors of briefs.

msgspec makes it of the types by which the reader checks (``app.brief.types``). Here what the reader takes beside that is
added: other names of keys, other spellings of words, one entry without brackets. The reader knows more: rules that join
several keys, names that are taken, files that are not there.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.json import schema_components

from folkmoot.app.brief.types import HEADER, LIMITS, PARTICIPANT, Key, as_written

Schema = dict[str, Any]
"""A JSON Schema as plain data."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"

PARTICIPANT_NAME = "BriefParticipant"
"""The name of the schema of a participant among the definitions."""


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
    return {
        "Brief": {"description": words, **_table(HEADER + LIMITS, "", references)},
        PARTICIPANT_NAME: {"description": "A participant of a debate.", **_table(PARTICIPANT, "", references)},
    }


def _table(keys: Sequence[Key], prefix: str, references: str) -> Schema:
    """A table with each name that it takes; those of a table inside only under its prefix."""
    named = [
        (name.removeprefix(prefix), as_written(key, name) if name != key.name else key)
        for key in keys
        for name in (key.name, *key.aliases)
        if name.startswith(prefix)
    ]
    schemas, _ = schema_components([key.checked for _, key in named], ref_template="{name}")
    properties: Schema = {}
    for (name, key), schema in zip(named, schemas, strict=True):
        words = f"The same as {key.name}: {key.help}" if key.written else key.help
        ways = list(_ways(keys, key, schema, references))
        properties[name] = {"description": words, "anyOf": ways}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _ways(keys: Sequence[Key], key: Key, schema: Schema, references: str) -> Iterator[Schema]:
    """What may stand behind a key, one way of writing it after the other; nothing counts as not given."""
    for way in schema["anyOf"]:
        if key.name == "participants" and way.get("type") == "array":
            # A moderator may stand beside the most debaters.
            person: Schema = {"anyOf": [{"type": "string"}, {"$ref": references + PARTICIPANT_NAME}]}
            yield {"type": "array", "items": person, "maxItems": int(key.high) + 1}
        elif "$ref" in way:
            yield _table(keys, f"{key.name}.", references)
        elif way.get("type") == "array":
            entry = {"anyOf": [*_words(key)]} if key.choices else _entry(key, way["items"])
            if key.low == 1:
                yield entry
            yield {**way, "items": entry}
        elif key.choices and way.get("type") in (None, "string"):
            yield from _words(key)
        elif way.get("type") == "object":
            yield _options(way)
        else:
            yield way
    if key.type is bool or key.name == "tool_usage":
        yield {"type": "boolean"}
        yield {"type": "string", "pattern": f"^({'|'.join(map(_anycase, _FLAGS))})$"}
    if key.form == "prose":
        yield {"type": "array", "items": {"type": "string"}}
    if key.form == "span":
        yield {"enum": [-1, 0]}


def _entry(key: Key, schema: Schema) -> Schema:
    """An entry of a list of texts; there numbers count as texts."""
    return schema if key.form == "model" else {**schema, "type": ["string", "number", "boolean"]}


def _options(way: Schema) -> Schema:
    """A table of options, or one for each name, in which nothing counts as not given; numbers count as texts."""
    inside = way["additionalProperties"]
    if "additionalProperties" in inside:
        return {**way, "additionalProperties": {"anyOf": [_options(inside), {"type": "null"}]}}
    entries = {"type": "array", "items": {"type": ["string", "number", "boolean"]}, "minItems": 1, "maxItems": 100}
    return {**way, "additionalProperties": {"anyOf": [{"type": ["string", "number", "boolean", "null"]}, entries]}}


_FLAGS = ("yes", "no", "on", "off", "true", "false")
"""A parser of YAML 1.2 gives the words that are not true or false as texts."""


def _words(key: Key) -> Iterator[Schema]:
    """The words of a choice: as they are documented, which editors offer, and in the other ways that are read."""
    yield {"enum": list(key.choices)}
    if key.further:  # kept to the letter
        yield {"type": "string", "minLength": 1, "description": "A name that another package offers."}
    else:
        yield {"type": "string", "pattern": rf"^\s*({'|'.join(map(_anycase, (*key.choices, *key.same)))})\s*$"}


def _anycase(word: str) -> str:
    """A pattern for a word in any case, with blanks or hyphens in the place of its underscores, or nothing."""
    letters = (f"[{letter.upper()}{letter}]" if letter.isalpha() else letter for letter in word.casefold())
    return re.sub("[_-]", r"[\\s_-]*", "".join(letters))
