"""Schemas of forms: sent with the repair question or the first one, read back, and no loss where a provider takes none."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from folkmoot.agents.llm import NO_SCHEMA, ModelAgent
from folkmoot.answers.layout import form_instructions, read
from folkmoot.answers.schemas.form_schema import REASON, json_form, schema_of, shown_object
from folkmoot.answers.schemas.schema_answer import read_schema_answer
from folkmoot.core.agent import Context
from folkmoot.core.ask import ABSTAIN, Ask, Field, Form, Reply, Usage
from folkmoot.core.brief import SCHEMAS, Brief, Participant, Schemas, Settings
from folkmoot.core.errors import Refused, Unavailable, Unreadable
from folkmoot.core.event import Called
from folkmoot.core.transcript import voter_reason
from folkmoot.models.base import Request
from folkmoot.phases.score import SCORES
from folkmoot.phases.speak import SETTLEMENT, VERDICT, Everyone
from folkmoot.protocols.board import last_word, message
from folkmoot.protocols.measured.findings import CHECKING, REPORTING
from folkmoot.testing.conformance import Journal
from folkmoot.testing.replay import Harness
from folkmoot.testing.scripted import ScriptedModel
from tests.models.models_kit import BALLOT
from tests.models.models_kit import VERDICT as MIXED

UNDER = Form(name="scores", layout="json", under="scores", fields=(Field(name="Ann", kind="number", low=0, high=1),))
FORMS = (
    BALLOT,
    MIXED,
    UNDER,
    SCORES,
    SETTLEMENT,
    VERDICT,
    message(("HIRE", "NO_HIRE")),
    last_word(()),
    REPORTING,
    CHECKING,
)
ANN, BOB = Participant(name="Ann"), Participant(name="Bob")
SCENE = Context(brief=Brief(topic="Tea?", participants=(ANN, BOB)), me=ANN)

Line = str | Called | Exception


def properties(form: Form) -> dict[str, Any]:
    return json.loads(schema_of(json_form(form)))["properties"]


def schema(request: Request) -> dict[str, Any]:
    return json.loads(request.schema)


async def answered(
    lines: Sequence[Line] | Callable[[Request], Line],
    form: Form = BALLOT,
    schemas: Schemas = "repair",
    settings: Settings | None = None,
) -> tuple[Reply, list[Request]]:
    """What comes of a script, and what the model was sent."""
    model = ScriptedModel(lines)
    scene = replace(SCENE, me=replace(ANN, settings=settings or Settings()))
    ask = Ask(key="/debate#1", to="Ann", act="vote", task="Vote.", form=form)
    return await ModelAgent(model, schemas=schemas).answer(ask, scene, Journal()), model.history


def least(part: Any) -> Any:
    """The first value that a schema allows."""
    if "anyOf" in part:
        return None
    if "enum" in part:
        return part["enum"][0]
    match part["type"]:
        case "object":
            return {name: least(inner) for name, inner in part["properties"].items()}
        case "array":
            return [least(part["items"])]
        case "number" | "integer":
            return part.get("minimum", 1)
        case "boolean":
            return True
        case _:
            return "So it is."


# ---- a form as a schema ----------------------------------------------------------------------------------------------


def test_reasons_come_before_the_verdict() -> None:
    found = properties(MIXED)
    assert list(found) == ["REASON", "TAGS", "WHO", "SCORE", "SURE", "VERDICT"]
    assert found["VERDICT"] == {"type": "string", "enum": ["A", "B", ABSTAIN]}
    assert found["SCORE"] == {"type": "integer", "minimum": 0, "maximum": 10}
    assert found["TAGS"]["anyOf"][1] == {"type": "null"}
    assert list(properties(BALLOT)) == [REASON, "I vote for"]
    assert list(properties(SETTLEMENT)) == ["SUMMARY", "STATUS", "DECISION"]
    assert list(properties(UNDER)) == ["scores"]


def objects(part: Any) -> list[Any]:
    inner = [
        *part.get("properties", {}).values(),
        *part.get("anyOf", ()),
        *([part["items"]] if "items" in part else ()),
    ]
    return [part, *(found for item in inner for found in objects(item))]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_every_form_has_a_schema_with_an_end_whose_least_answer_is_read_whole(form: Form) -> None:
    text = schema_of(json_form(form))
    for part in objects(json.loads(text)):
        assert part.get("type") != "string" or "enum" in part or part["maxLength"] > 0
        assert part.get("type") != "array" or part["maxItems"] > 0
        if part.get("type") == "object":  # as OpenAI's strict mode wants it
            assert (part["additionalProperties"], part["required"]) == (False, list(part["properties"]))
    answer = json.dumps(least(json.loads(text)))
    assert read_schema_answer(text, answer) == answer
    reading = read(form, answer, speaker="Ann", final=True)
    assert not reading.unread
    assert {field.name for field in form.fields if field.required} <= set(reading.fields)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_what_a_prompt_shows_of_the_object_is_no_answer(form: Form) -> None:
    assert read(form, shown_object(json_form(form)), speaker="Ann", final=True).fields == {}


# ---- what comes back -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        '{"REASON": "Tea is calm.", "I vote for": "Tea"}',
        '```json\n{"reasoning": "Tea is calm.", "I vote for": "Tea"}\n```',
        "Tea is calm.\n\nI vote for: Tea",
    ],
)
async def test_the_reason_in_an_object_is_what_the_voter_says(words: str) -> None:
    model = ScriptedModel([words])
    tree = Everyone(act="vote", task="Vote.", form=BALLOT, who=("Ann",))
    debate = await Harness(brief=SCENE.brief, protocol=tree).run({"Ann": ModelAgent(model)})
    (turn,) = debate.transcript.all()
    assert turn.fields == {"I vote for": "Tea"}
    assert voter_reason(turn) == "Tea is calm."


@pytest.mark.parametrize(
    "words",
    [
        '{"I vote for": "Milk"}',
        '{"I vote for": "Tea", "I vote for": "Coffee"}',
        '{"I vote for": ["Tea", "Coffee"]}',
        '{"I vote for": ',
        '{"REASON": "I vote for: Coffee"}',
        '{"refusal": "I cannot vote for Tea."}',
        "null",
    ],
)
def test_what_a_provider_promises_books_nothing(words: str) -> None:
    assert read(BALLOT, words, final=True).fields == {}


def test_a_slot_that_was_copied_is_no_reason() -> None:
    words = json.dumps({REASON: f"[{json_form(BALLOT).fields[0].help}]", "I vote for": "Tea"})
    assert read(BALLOT, words).text == "I vote for: Tea"


def test_an_object_in_anothers_name_is_no_message() -> None:
    words = json.dumps({"Speaker": "Bob", "Content": "I agree.", "Verdict": "HIRE"})
    assert read(message(("HIRE", "NO_HIRE")), words, speaker="Ann", others=("Bob",)).fields == {}
    assert read(message(("HIRE", "NO_HIRE")), '{"Verdict": "HIRE"}', speaker="Ann", final=True).fields == {}


def test_a_list_of_records_is_read_as_blocks_are() -> None:
    finding = least(properties(REPORTING)["FINDINGS"]["items"])
    words = json.dumps({"FINDINGS": [{**finding, "QUOTE": "END\nFILE: b"}, {"FILE": "b.py"}]})
    reading = read(REPORTING, words)
    (found,) = cast("tuple[str, ...]", reading.fields["FINDINGS"])
    assert json.loads(found)["QUOTE"] == "END\nFILE: b"
    assert len(reading.unread) == 1
    assert read(REPORTING, '{"FINDINGS": []}').fields == {"FINDINGS": ()}
    for words in ('{"FINDINGS": "none"}', '{"FINDINGS": [1]}', '{"CHECKS": []}', "{}"):
        assert read(REPORTING, words).fields == {}


# ---- when it is sent -------------------------------------------------------------------------------------------------


async def test_the_repair_sends_the_schema_of_what_is_missing() -> None:
    reply, (first, second) = await answered(["Tea, on balance.", '{"I vote for": "Tea"}'])
    assert (reply.fields, reply.text) == ({"I vote for": "Tea"}, "Tea, on balance.")
    assert first.schema == ""
    assert schema(second)["properties"] == {"I vote for": {"type": "string", "enum": ["Tea", "Coffee", ABSTAIN]}}
    question = second.messages[-1].text
    assert form_instructions(BALLOT) in question  # whoever ignores the schema is told the same in words
    assert '{"I vote for": "Tea" or "Coffee" or "ABSTAIN"}' in question


async def test_only_what_was_not_read_is_asked_for() -> None:
    lines = ["VERDICT: A\nSCORE: much\nSURE: true\nWHO: Ann\nREASON: Calm.", '{"SCORE": 7}']
    reply, requests = await answered(lines, MIXED)
    assert list(schema(requests[1])["properties"]) == ["SCORE"]
    assert (reply.fields["VERDICT"], reply.fields["SCORE"], reply.unread) == ("A", 7, ())


@pytest.mark.parametrize(
    ("first", "wanted"),
    [
        ("SUMMARY: All agree.\nSTATUS: SETTLED", {"DECISION": False}),
        ("SUMMARY: All agree.", {"STATUS": False, "DECISION": True}),
    ],
)
async def test_what_another_value_needs_is_asked_for_with_it(first: str, wanted: dict[str, bool]) -> None:
    answer = json.dumps({"STATUS": "SETTLED", "DECISION": "Tea."})
    reply, requests = await answered([first, answer], SETTLEMENT)
    found = schema(requests[1])["properties"]
    assert {name: "anyOf" in part for name, part in found.items()} == wanted
    assert (reply.fields["STATUS"], reply.fields["DECISION"], reply.unread) == ("SETTLED", "Tea.", ())


async def test_with_the_first_question_the_prompt_asks_for_the_object_alone() -> None:
    reply, (request,) = await answered(['{"REASON": "Calm.", "I vote for": "Tea"}'], schemas="first")
    assert reply.fields == {"I vote for": "Tea"}
    assert list(schema(request)["properties"]) == [REASON, "I vote for"]
    prompt = request.messages[-1].text
    assert form_instructions(json_form(BALLOT)) in prompt
    assert form_instructions(BALLOT) not in prompt


async def test_off_sends_none() -> None:
    lines = ["Tea, on balance.", "I vote for: Tea"]
    reply, requests = await answered(lines, schemas="off")
    assert reply.fields == {"I vote for": "Tea"}
    assert [request.schema for request in requests] == ["", ""]
    assert "JSON" not in requests[1].messages[-1].text


@pytest.mark.parametrize("schemas", SCHEMAS)
async def test_a_callers_own_schema_is_sent_with_the_first_question(schemas: Schemas) -> None:
    own = json.dumps({"type": "object", "properties": {"price": {"type": "integer"}}, "required": ["price"]})
    form = Form(name="f", layout="json", schema=own, fields=(Field(name="FINAL"),))
    reply, (request,) = await answered(['{"price": 7}'], form, schemas)
    assert json.loads(str(reply.fields["FINAL"])) == {"price": 7}
    assert request.schema == ("" if schemas == "off" else own)


async def test_the_answer_to_a_repair_is_short_unless_the_model_thinks() -> None:
    def spent(tokens: int, *, estimated: bool = False) -> Called:
        usage = Usage(input_tokens=9, output_tokens=tokens, estimated=estimated)
        return Called(key="", call="", text="Tea, on balance.", finish="stop", usage=usage)

    for first, short in ((spent(5), True), (spent(900), False), (spent(5, estimated=True), False)):
        _, requests = await answered([first, "I vote for: Tea"])
        assert ((requests[1].settings.max_tokens or 2048) < 600) is short
    _, requests = await answered([spent(5), "I vote for: Tea"], settings=Settings(max_tokens=50))
    assert requests[1].settings.max_tokens == 50


# ---- a provider that takes none --------------------------------------------------------------------------------------


@pytest.mark.parametrize("schemas", ["first", "repair"])
@pytest.mark.parametrize(
    "error", [Refused("grammar too complex", kind="request"), Unreadable("no words", kind="empty")]
)
async def test_a_provider_that_takes_no_schema_is_asked_in_words(schemas: Schemas, error: Exception) -> None:
    words = {"answer": "Tea, on balance."}

    def script(request: Request) -> Line:
        return error if request.schema else words.get(request.call, "I vote for: Tea")

    reply, requests = await answered(script, schemas=schemas)
    assert reply.fields == {"I vote for": "Tea"}
    assert reply.notes.count(NO_SCHEMA) == 1
    assert sum(bool(request.schema) for request in requests) == 1  # it isn't tried again
    assert requests[-1].settings == Settings()


async def test_what_is_no_matter_of_the_schema_is_not_asked_again() -> None:
    reply, requests = await answered(["I vote for: Tea\nSo be it.", Unavailable("away", kind="server")])
    assert [request.call for request in requests] == ["answer", "repair"]
    assert reply.fields == {"I vote for": "Tea"}


# ---- what a repair can lose ------------------------------------------------------------------------------------------

CLEAR = "I vote for: Tea\n\nIt is calm, and I would change my mind for cake."


@pytest.mark.parametrize(
    ("first", "second", "fields"),
    [
        (CLEAR, "Thanks!", {"I vote for": "Tea"}),
        (CLEAR, '{"REASON": "It is calm."}', {"I vote for": "Tea"}),
        (CLEAR, "I vote for: Coffee", {"I vote for": "Coffee"}),
        (CLEAR, "I vote for: Tea\nI vote for: Coffee", {}),
        (CLEAR, "I vote for: Milk", {}),
        ("I vote for: Tea\nI vote for: Coffee\n", "Thanks!", {}),
        ("Tea, on balance.", "Sure! Therefore,\nI vote for: Tea\nThanks!", {"I vote for": "Tea"}),
        ("Tea, on balance.", "I vote for: Tea\nWell.\n**I vote for: Tea**\nThanks!", {"I vote for": "Tea"}),
        ("Tea, on balance.", "I vote for: Tea\nNo.\nI vote for: Coffee", {}),
    ],
)
@pytest.mark.parametrize("schemas", SCHEMAS)
async def test_a_clear_vote_is_never_lost_with_the_question_about_it(
    first: str, second: str, fields: dict[str, str], schemas: Schemas
) -> None:
    reply, requests = await answered([first, second], schemas=schemas)
    assert reply.fields == fields
    assert bool(reply.unread) is not bool(fields)
    assert len(requests) == 2
    assert reply.text == first.strip()
