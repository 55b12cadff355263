"""Answers that have to fit a JSON Schema: read strictly, checked within bounds, and asked for again in words."""

import json
from typing import Any

import pytest

from folkmoot.answers.layout import form_instructions, read, repair_question
from folkmoot.answers.schemas.schema_answer import read_schema_answer
from folkmoot.app.endpoint.caller_schema import MOST_SCHEMA, SchemaError, schema_text
from folkmoot.core.ask import Field, Form
from tests.kits.clock import within
from tests.kits.codes import codes

PRICE = {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]}


def reading(words: str, schema: Any = PRICE) -> tuple[str, str]:
    """What is read, and why nothing is."""
    form = Form(name="deliver", layout="json", fields=(Field(name="ANSWER"),), schema=json.dumps(schema))
    result = read(form, words)
    return str(result.fields.get("ANSWER", "")), "".join(codes(result))


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


@pytest.mark.parametrize(
    "draft", ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"]
)
@pytest.mark.parametrize("place", ["alone", "$ref", "allOf", "not"])
def test_no_regular_expression_of_a_caller_runs(draft: str, place: str) -> None:
    """A part that names a draft of its own is checked as the whole is."""
    slow = {"$schema": draft, "type": "string", "pattern": "^(a+)+$"}
    parts = {"alone": slow, "$ref": {"$ref": "#/$defs/a", "$defs": {"a": slow}}, "allOf": {"allOf": [slow]}}
    schema = parts.get(place, {"not": {"not": slow}})
    assert schema_text(schema)
    assert reading(json.dumps("a" * 60 + "b"), schema)[1] == ""


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"type": "objekt"}, "this is no JSON Schema: 'objekt'"),
        ({"const": "x" * MOST_SCHEMA}, "has more than"),
        ({"patternProperties": {"a": {}}}, "patternProperties is not supported"),
        ({"const": float("nan")}, "this is no JSON Schema"),
        ({"$ref": "https://example.org/s.json"}, "refers to 'https://example.org/s.json', which is no schema in it"),
        ({"$defs": {"a": {"items": {"$ref": "#/$defs/b"}}}}, "refers to '#/\\$defs/b', which is no schema in it"),
        ({"definitions": {"a": {"$ref": "#b"}}}, "refers to '#b', which is no schema in it"),
        ({"$dynamicRef": "#b"}, "refers to '#b', which is no schema in it"),
        ({"$ref": "#/minimum/x", "minimum": 5}, "refers to '#/minimum/x', which is no schema in it"),
        ({"$ref": "#/x", "x": {"type": "string"}}, "refers to '#/x', which is no schema in it"),
        ({"$ref": "#/minimum", "minimum": 5}, "refers to '#/minimum', which is no schema in it"),
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


EQUAL: list[tuple[list[Any], bool]] = [
    ([1, 1.0], True),
    ([{"a": [1, 2]}, {"a": [1.0, 2]}], True),
    ([{"a": 1, "b": 2}, {"b": 2, "a": 1}], True),
    ([1, True], False),
    ([0, False, None, "0", "", [], {}], False),
    ([[1, 2], [2, 1]], False),
    ([[True], [1]], False),
    ([9007199254740993, 9007199254740992.0], False),
]


@pytest.mark.parametrize(("values", "same"), EQUAL)
def test_values_are_equal_as_json_schema_says(values: list[Any], same: bool) -> None:
    assert (reading(json.dumps(values), {"uniqueItems": True})[1] != "") is same
    assert (reading(json.dumps([values[0]]), {"items": {"enum": [values[1]]}})[1] == "") is same


def numbered(n: int) -> list[dict[str, int]]:
    return [{"a": number} for number in range(n)]


LARGE: dict[str, tuple[dict[str, Any], object]] = {
    "each other item": ({"uniqueItems": True}, numbered(6_000)),
    "each choice": ({"items": {"enum": numbered(5_000)}}, [{"a": -1}] * 6_000),
    "each name": ({"items": {"required": [f"n{n}" for n in range(7_000)]}}, [{}] * 20_000),
    "each property": ({"items": {"properties": {f"n{n}": {} for n in range(5_000)}}}, [{}] * 20_000),
    "each part": ({"anyOf": [{"type": "string"}] * 3_000}, numbered(6_000)),
    "each item before": ({"items": {}, "unevaluatedItems": False}, [1] * 20_000),
    "each part for its name": (
        {"$defs": {"a": {"$anchor": "x"}, **{f"n{n}": {} for n in range(5_000)}}, "items": {"$ref": "#x"}},
        [1] * 20_000,
    ),
}
"""Schemas and answers, as large as they may be, in which something would be looked at for each of something else."""


@pytest.mark.parametrize("name", LARGE)
def test_no_check_takes_long(name: str) -> None:
    schema, value = LARGE[name]
    with within(1):
        found = read_schema_answer(json.dumps(schema), json.dumps(value))
    assert isinstance(found, str) is (name in ("each other item", "each part for its name"))


def doubled(parts: int, times: int) -> dict[str, Any]:
    """A schema of parts that each ask so many times for the next."""
    inner = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * times} for n in range(parts)}
    return {"$defs": {**inner, f"d{parts}": {"type": "string"}}, "$ref": "#/$defs/d0"}


@pytest.mark.parametrize("schema", [doubled(16, 2), {"$ref": "#"}, {"not": {"$ref": "#"}}, {"$dynamicRef": "#"}])
def test_a_schema_that_takes_too_long_to_check_is_refused(schema: Any) -> None:
    with pytest.raises(SchemaError, match="the schema takes too long to check"):
        schema_text(schema)
    few = doubled(8, 2)
    assert schema_text(few)
    assert reading('"a"', few)[1] == ""


def listed(**rest: Any) -> dict[str, Any]:
    """A schema of an object that needs another part, ``n``."""
    return {"type": "object", "required": ["n"], "properties": {"n": rest}}


RECURSIVE: list[tuple[dict[str, Any], Any]] = [
    (listed(anyOf=[{"$ref": "#"}, {"type": "null"}]), {"n": {"n": None}}),
    (listed(type="array", items={"$ref": "#"}), {"n": [{"n": []}]}),
    (
        listed(type="array", minItems=1, prefixItems=[{"type": "string"}], items={"$ref": "#"}),
        {"n": ["a", {"n": ["b"]}]},
    ),
    (listed(oneOf=[{"$ref": "#"}, True]), {"n": 1}),
    ({"properties": {"n": {"$ref": "#"}}}, {"n": {"n": {}}}),
    ({"properties": {"n": listed(**{"$ref": "#/properties/n"})}}, {}),
    ({"$dynamicAnchor": "a", "items": {"$dynamicRef": "#a"}}, [[], [[]]]),
]


@pytest.mark.parametrize(("schema", "value"), RECURSIVE)
def test_a_schema_of_values_within_values_is_used(schema: Any, value: Any) -> None:
    assert json.loads(reading(json.dumps(value), json.loads(schema_text(schema)))[0]) == value
