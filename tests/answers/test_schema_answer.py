"""Answers that have to fit a JSON Schema: read strictly, checked within bounds, and asked for again in words."""

import json
from typing import Any

import pytest

from moot.answers.layout import form_instructions, read, repair_question
from moot.answers.schemas.schema_answer import MOST_SCHEMA, SchemaError, schema_text
from moot.core.ask import Field, Form

PRICE = {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]}


def reading(words: str, schema: Any = PRICE) -> tuple[str, str]:
    """What is read, and why nothing is."""
    form = Form(name="deliver", layout="json", fields=(Field(name="ANSWER"),), schema=json.dumps(schema))
    result = read(form, words)
    return str(result.fields.get("ANSWER", "")), "".join(result.unread)


@pytest.mark.parametrize("words", ['{"price": 3}', 'Here:\n```json\n{"price": 3}\n```', 'It is {"price": 3}, I think.'])
def test_one_value_is_read_wherever_it_stands(words: str) -> None:
    assert reading(words) == ('{"price": 3}', "")


@pytest.mark.parametrize("words", ["three", '{"price": 3, "price": 4}', '{"price": NaN}', '{"price": 3'])
def test_what_is_no_json_is_not_read(words: str) -> None:
    assert reading(words) == ("", "ANSWER: malformed")


def test_what_does_not_fit_is_asked_for_again_with_the_place() -> None:
    form = Form(name="deliver", layout="json", fields=(Field(name="ANSWER"),), schema=json.dumps(PRICE))
    question = repair_question(form, read(form, '{"price": "much"}'))
    assert "- ANSWER: at $.price 'much' is not of type 'number'." in question
    assert form_instructions(form).endswith(json.dumps(PRICE))
    assert reading("[1]", {"type": "array", "items": {"type": "string"}})[1].startswith("ANSWER: at $[0] 1 is not")


def test_a_schema_from_elsewhere_does_no_harm() -> None:
    assert reading('"a"', {"$ref": "https://example.org/s.json"})[1] == (
        "ANSWER: the schema refers to something that is not in it"
    )
    assert reading("1", {"$ref": "#"})[1] == "ANSWER: the schema takes too long to check"
    doubled: dict[str, Any] = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(30)}
    deep = {"$defs": {**doubled, "d30": {"type": "string"}}, "$ref": "#/$defs/d0"}
    assert reading('"a"', deep)[1] == "ANSWER: the schema takes too long to check"
    assert reading('"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"', {"type": "string", "pattern": "(a+)+$"})[1] == ""


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"type": "objekt"}, "this is no JSON Schema: 'objekt'"),
        ({"const": "x" * MOST_SCHEMA}, "has more than"),
        ({"patternProperties": {"a": {}}}, "patternProperties is not supported"),
        ({"const": float("nan")}, "this is no JSON Schema"),
        ({"$ref": "https://example.org/s.json"}, "refers to 'https://example.org/s.json', which is not in it"),
        ({"$defs": {"a": {"items": {"$ref": "#/$defs/b"}}}}, "refers to '#/\\$defs/b', which is not in it"),
        ({"definitions": {"a": {"$ref": "#b"}}}, "refers to '#b', which is not in it"),
    ],
)
def test_what_is_no_schema_is_refused(schema: Any, problem: str) -> None:
    with pytest.raises(SchemaError, match=problem):
        schema_text(schema)


WITHIN: list[dict[str, Any]] = [
    {"$ref": "#/definitions/a", "definitions": {"a": {"$ref": "#/definitions/b"}, "b": True}},
    {"$defs": {"a": {"$anchor": "b"}}, "items": {"$ref": "#b"}},
    {"$id": "urn:x", "items": {"$ref": "urn:x"}},
    {"anyOf": [{"$id": "urn:tool:f", "$defs": {"a": {}}, "properties": {"n": {"$ref": "#/$defs/a"}}}]},
    {"properties": {"$ref": {"const": {"$ref": "#/lost"}}}},
]


@pytest.mark.parametrize("schema", WITHIN)
def test_what_a_schema_refers_to_is_found_within_it(schema: Any) -> None:
    assert json.loads(schema_text(schema)) == schema
