"""The JSON Schema of a brief beside its reader: it knows the same keys, and refuses nothing that the reader takes."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from folkmoot.app.brief.json_schema import PARTICIPANT_NAME, whole_schema
from folkmoot.app.brief.reader import read_brief
from folkmoot.app.brief.types import HEADER, LIMITS, PARTICIPANT, Key
from folkmoot.app.brief.yaml_header import split
from folkmoot.core.errors import BriefError
from tests.paths import EXAMPLES, ROOT

SCHEMA: dict[str, Any] = whole_schema()
BRIEF: Any = Draft202012Validator(SCHEMA)
PERSON: Any = Draft202012Validator({**SCHEMA["$defs"][PARTICIPANT_NAME], "$defs": SCHEMA["$defs"]})


def parsed(text: str) -> Any:
    """What a parser of YAML 1.2 makes of a text, as an editor has it."""
    parser: Any = YAML(typ="safe", pure=True)
    return parser.load(StringIO(text))


def test_the_schema_is_one_and_is_published() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert json.loads((ROOT / "docs" / "reference" / "brief.schema.json").read_text("utf-8")) == SCHEMA


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.md")), ids=lambda path: path.stem)
def test_every_example_fits(path: Path) -> None:
    header = split(path.read_text("utf-8")).header
    if header is not None:
        BRIEF.validate(parsed(header) or {})


def names(keys: tuple[Key, ...]) -> list[str]:
    """All names that a table of keys takes."""
    return [name for key in keys for name in (key.name, *key.aliases)]


def takes(header: str, *, inside: bool) -> bool:
    """Whether the reader knows a key, whatever it holds; in a header, or in an entry of its participants."""
    text = f"participants: [{{name: Ada, {header}}}, Bo]" if inside else header
    try:
        read_brief(f"---\n{text}\n---\n# Tea?\n")
    except BriefError as error:
        return error.code != "unknown_key"
    return True


@pytest.mark.parametrize("inside", [False, True], ids=["header", "participant"])
def test_the_reader_and_the_schema_know_the_same_keys(inside: bool) -> None:
    keys = PARTICIPANT if inside else HEADER + LIMITS
    listed = set((SCHEMA["$defs"][PARTICIPANT_NAME] if inside else SCHEMA)["properties"])
    candidates = {*listed, *names(HEADER + LIMITS + PARTICIPANT), *(hint for key in keys for hint in key.hints), "zzz"}
    assert {name for name in candidates if takes(f"{name}: ~", inside=inside) and name != "name" * inside} == listed - {
        "name" * inside
    }


@pytest.mark.parametrize(("table", "keys"), [("limits", LIMITS), ("search", PARTICIPANT)])
def test_a_table_inside_knows_the_same_keys(table: str, keys: tuple[Key, ...]) -> None:
    holder = SCHEMA if table == "limits" else SCHEMA["$defs"][PARTICIPANT_NAME]
    inside = set(holder["properties"][table]["anyOf"][0]["properties"])
    words = {name.removeprefix(f"{table}.") for name in names(keys)} | {"zzz", "price"}
    known = {word for word in words if takes(f"{table}: {{{word}: ~}}", inside=table == "search")}
    assert known == inside


VALUES = (
    "~", "yes", "Off", "true", "0", "1", "-1", "7", "0.5", "2.5", "1e3", "4000000000", "Ada", "a text of some words",
    "10m", "2d", "ollama:qwen3:8b", "openai/gpt-4o", "human", "mcp:files", "[]", "[Ada, Bo]", "[one]", "[1, 2, 3]",
    "{}", "[yes, no]",
    "['', '']", "[ollama:a, openai:b]", "[{name: Ada}, {name: Bo, weight: 2}]", "'quoted'", "['END']",
)  # fmt: skip


def writings(key: Key) -> list[str]:
    """What may be tried behind a key: its example, its choices in several spellings, numbers at its limits, others."""
    words = [*key.choices, *dict(key.same)]
    spelt = (
        [word.upper() for word in words] + [word.replace("_", " ") for word in words] + [f"[{word}]" for word in words]
    )
    limits = [f"{n:g}" for n in (key.low, key.high, key.low - 1, key.high + 1)]
    return list(dict.fromkeys((key.example, *words, *spelt, *limits, *VALUES)))


def accepted(text: str) -> bool:
    """Whether the reader takes a header, alone."""
    try:
        read_brief(text, folder=None)
    except BriefError as error:
        # What joins several keys, and names, is beyond a schema.
        return error.code in ("inconsistent", "duplicate_name", "bad_name", "no_file", "unsafe_path", "duplicate_key")
    return True


@pytest.mark.parametrize("key", [*HEADER, *LIMITS], ids=lambda key: key.name)
def test_what_the_reader_takes_in_a_header_the_schema_takes(key: Key) -> None:
    count = 0
    for value in writings(key):
        header = f"{key.name}: {value}"
        if accepted(f"---\n{header}\n---\n# Tea?\n"):
            count += 1
            assert not list(BRIEF.iter_errors(parsed(header))), header
    assert count > 1


@pytest.mark.parametrize("key", [key for key in PARTICIPANT if key.name != "name"], ids=lambda key: key.name)
def test_what_the_reader_takes_of_a_participant_the_schema_takes(key: Key) -> None:
    count = 0
    for value in writings(key):
        setting = f"{key.name}: {value}"
        if accepted(f"---\nparticipants:\n- name: Ada\n  {setting}\n- Bo\n---\n# Tea?\n"):
            count += 1
            assert not list(PERSON.iter_errors(parsed(setting))), setting
    assert count > 1


@pytest.mark.parametrize(
    "header",
    [
        "protokol: panel", "rounds: 99", "rounds: many", "options: [only]", "topology: cube", "moderator: perhaps",
        "limits: {price: 3}", "limits: {asks: 0}", "participants: [{name: Ada, temperature: 9}]", "model: nothing",
        "limits: 5", "participants: Ada", "topic: [a, b]", "seed: 1.5", "debate_end_condition: []",
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_both(header: str) -> None:
    assert list(BRIEF.iter_errors(parsed(header)))
    with pytest.raises(BriefError):
        read_brief(f"---\n{header}\n---\n# Tea?\n")
