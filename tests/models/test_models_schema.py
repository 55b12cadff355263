"""Schemas on the wires: sent where the owner wants it, left out where a provider refuses them, and never trusted."""

import json
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import pytest
import pytest_asyncio

from folkmoot.agents.llm import NO_SCHEMA, ModelAgent
from folkmoot.answers.layout import read
from folkmoot.answers.schemas.form_schema import schema_of
from folkmoot.core.ask import ABSTAIN, Ask, Field, Form
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import Refused
from folkmoot.core.event import Called
from folkmoot.core.transcript import Turn
from folkmoot.models.base import Request
from folkmoot.models.pool import Pool
from folkmoot.phases.speak import Everyone
from folkmoot.phases.vote import ballot_form
from folkmoot.testing.replay import Harness
from folkmoot.testing.scripted import ScriptedModel
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Wires
from tests.models.models_kit import HASTY, environment

BALLOT = ballot_form(("Tea", "Coffee"))
VERDICT = Form(
    name="verdict",
    fields=(
        Field(name="VERDICT", kind="choice", choices=("A", "B"), abstain=True),
        Field(name="SCORE", kind="number", low=0, high=10),
        Field(name="SURE", kind="flag"),
        Field(name="TAGS", kind="list", choices=("x", "y"), required=False),
        Field(name="WHO", kind="list"),
        Field(name="REASON"),
    ),
)
PEOPLE = tuple(Participant(name=name, seat="x") for name in ("Ann", "Bob"))


def asking(form: Form | None, act: str = "vote") -> Ask:
    return Ask(key="/debate#1", to="Ann", act=act, task="Vote.", form=form)


async def turns_of(model: ScriptedModel, form: Form, *, schemas: bool) -> tuple[Turn, ...]:
    """The turns of two who are asked for a form."""
    tree = Everyone(act="vote", task="Vote.", form=form)
    agent = ModelAgent(model, schemas=schemas)
    debate = await Harness(brief=Brief(topic="Tea?", participants=PEOPLE), protocol=tree).run(
        {"Ann": agent, "Bob": agent}
    )
    return tuple(debate.transcript.all())


def test_a_form_is_a_schema_with_the_reasons_first() -> None:
    schema: dict[str, Any] = json.loads(schema_of(asking(VERDICT)))
    assert schema["required"] == list(schema["properties"]) == ["REASON", "TAGS", "WHO", "SCORE", "SURE", "VERDICT"]
    assert schema["properties"]["VERDICT"] == {"type": "string", "enum": ["A", "B", ABSTAIN]}
    assert schema["properties"]["SCORE"] == {"type": "number", "minimum": 0, "maximum": 10}
    assert schema["properties"]["TAGS"]["anyOf"][1] == {"type": "null"}
    under = Form(name="s", layout="json", under="scores", fields=(Field(name="a", kind="number"),))
    assert list(json.loads(schema_of(asking(under)))["properties"]) == ["scores"]
    assert schema_of(asking(BALLOT, "draft")) == schema_of(asking(None)) == ""
    assert schema_of(asking(Form(name="f", layout="tags", fields=(Field(name="A"),)))) == ""


WRONG = [
    '{"I vote for": "Milk"}',
    '{"I vote for": "Tea", "I vote for": "Coffee"}',
    '{"I vote for": ["Tea", "Coffee"]}',
    '{"I vote for": ',
    '{"refusal": "I cannot vote for Tea."}',
    "null",
]


@pytest.mark.parametrize("words", WRONG)
def test_what_a_provider_promises_books_nothing(words: str) -> None:
    assert read(BALLOT, words).fields == {}


async def test_repair_questions_with_and_without_a_schema() -> None:
    prose = ["I vote for: Tea", "Tea has the better reasons, on balance.", "My ballot goes as I said above."]

    def script(request: Request) -> str:
        if request.schema:
            (choice,) = json.loads(request.schema)["properties"].values()
            return json.dumps({"I vote for": choice["enum"][0]})
        return prose[0] if request.call == "repair" else prose[len(plain.history) % 3]

    def repairs(model: ScriptedModel) -> int:
        return sum(request.call == "repair" for request in model.history)

    plain, shaped = ScriptedModel(script), ScriptedModel(script)
    for model, schemas in ((plain, False), (shaped, True)):
        for _ in range(15):
            turns = await turns_of(model, BALLOT, schemas=schemas)
            assert [turn.fields for turn in turns] == [{"I vote for": "Tea"}] * 2
    assert repairs(plain) > 10
    assert repairs(shaped) == 0


async def test_a_provider_that_refuses_a_schema_is_asked_in_words() -> None:
    def script(request: Request) -> str | Exception:
        return Refused("grammar too complex", kind="request") if request.schema else "I vote for: Tea"

    turns = await turns_of(ScriptedModel(script), BALLOT, schemas=True)
    assert [turn.fields for turn in turns] == [{"I vote for": "Tea"}] * 2
    assert all(turn.reply and NO_SCHEMA in turn.reply.notes for turn in turns)
    refused = await turns_of(ScriptedModel(lambda request: Refused("no", kind="refused")), BALLOT, schemas=True)
    assert [turn.reply for turn in refused] == [None, None]


@pytest_asyncio.fixture
async def wires() -> AsyncGenerator[Wires, None]:
    def play(call: Call) -> Plan:
        return Plan(text=json.dumps(shape_in(call.body)))

    async with Wires(script=play).serve() as wires:
        yield wires


def shape_in(body: Mapping[str, Any]) -> object:
    """The schema that a request has, wherever it stands on its wire."""
    openai, claude = body.get("response_format"), body.get("output_config")
    return openai["json_schema"]["schema"] if openai else claude["format"]["schema"] if claude else body.get("format")


@pytest.mark.parametrize("name", ["ollama:tiny", "openai:gpt-4o-mini", "anthropic:claude-haiku-4-5"])
async def test_each_wire_has_a_place_for_it(wires: Wires, name: str) -> None:
    pool = Pool(env=environment(wires.url, ("OPENAI", "ANTHROPIC")), retry=HASTY)
    tree = Everyone(act="vote", task="Vote.", form=VERDICT)
    who = Participant(name="Ann", seat=name)
    agent = ModelAgent(pool.model(name), schemas=True)
    debate = await Harness(brief=Brief(topic="Tea?", participants=(who,)), protocol=tree).run({"Ann": agent})
    calls = [
        entry.event for entry in debate.entries if isinstance(entry.event, Called) and entry.event.call == "answer"
    ]
    assert json.loads(calls[0].text) == json.loads(schema_of(asking(VERDICT)))
    await pool.close()
