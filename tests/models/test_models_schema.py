"""Schemas on the wires: each has a place for them."""

import json
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import pytest
import pytest_asyncio

from folkmoot.agents.llm import ModelAgent
from folkmoot.answers.schemas.form_schema import json_form, schema_of
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.event import Called
from folkmoot.models.pool import Pool
from folkmoot.models.wires.anthropic_messages import UNBOUNDED
from folkmoot.models.wires.refused_parts import PartsOfWire, RefusedParts
from folkmoot.phases.speak import Everyone
from folkmoot.testing.replay import Harness
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Wires
from tests.models.models_kit import HASTY, VERDICT, environment


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


def _kept_from_thinking(body: Mapping[str, Any]) -> bool:
    return body.get("think") is False or body.get("chat_template_kwargs") == {"enable_thinking": False}


@pytest.mark.parametrize("name", ["ollama:tiny", "llamacpp:tiny", "vllm:tiny"])
async def test_only_the_repair_is_asked_for_without_thinking(wires: Wires, name: str) -> None:
    names = ("LLAMACPP", "VLLM")
    pool = Pool(env=environment(wires.url, names), retry=HASTY)
    tree = Everyone(act="vote", task="Vote.", form=VERDICT)
    who = Participant(name="Ann", seat=name)
    wires.script = lambda call: Plan(text="Hm.")
    await Harness(brief=Brief(topic="Tea?", participants=(who,)), protocol=tree).run(
        {"Ann": ModelAgent(pool.model(name))}
    )
    asked = [call.body for call in wires.calls if call.body.get("messages")]
    assert [_kept_from_thinking(body) for body in asked] == [False, True]
    await pool.close()


@pytest.mark.parametrize("name", ["ollama:tiny", "openai:gpt-4o-mini", "anthropic:claude-haiku-4-5"])
async def test_each_wire_has_a_place_for_it(wires: Wires, name: str) -> None:
    pool = Pool(env=environment(wires.url, ("OPENAI", "ANTHROPIC")), retry=HASTY)
    tree = Everyone(act="vote", task="Vote.", form=VERDICT)
    who = Participant(name="Ann", seat=name)
    agent = ModelAgent(pool.model(name), schemas="first")
    debate = await Harness(brief=Brief(topic="Tea?", participants=(who,)), protocol=tree).run({"Ann": agent})
    calls = [
        entry.event for entry in debate.entries if isinstance(entry.event, Called) and entry.event.call == "answer"
    ]
    refused = RefusedParts(PartsOfWire(), keywords=UNBOUNDED if name.startswith("anthropic") else frozenset())
    assert json.loads(calls[0].text) == refused.schema(schema_of(json_form(VERDICT)))
    await pool.close()
