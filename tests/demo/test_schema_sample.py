"""The least that fits a schema, as the built-in debater answers it."""

import json
from typing import Any

import pytest

from folkmoot.core.ask import Reply
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.roles import final_turn
from folkmoot.demo.debater import DemoDebater
from folkmoot.phases.helpers import FinalAnswer
from folkmoot.testing.replay import Harness

TASK = "Write it.\n\nDecision:\n  Tea\n\nBecause:\n  Calm."
PART = {"type": "object", "properties": {"a": {"type": "string"}, "n": {"type": "integer", "minimum": 2}}}

SCHEMAS: list[tuple[Any, Any]] = [
    (PART, {"a": "Tea", "n": 2}),
    ({"$defs": {"A": {"enum": ["x", "y"]}}, "anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}, "x"),
    ({"type": "array", "minItems": 2, "items": {"type": "boolean"}}, [False, False]),
    ({"type": ["null", "string"]}, None),
    ({"properties": {"c": {"const": 4}, "d": True}}, {"c": 4, "d": "Tea"}),
]


async def answered(schema: Any, task: str = TASK) -> Reply:
    """The answer of a debate in which nothing else is asked."""
    who = Participant(name="W", duty="aide", seat="builtin:quotes")
    tree = FinalAnswer(who="W", schema=json.dumps(schema), task=task, always=True)
    debate = await Harness(brief=Brief(topic="Tea?", participants=(who,)), protocol=tree).run({"W": DemoDebater()})
    turn = final_turn(debate.transcript)
    assert turn
    assert turn.reply
    return turn.reply


@pytest.mark.parametrize(("schema", "value"), SCHEMAS)
async def test_it_fits_and_has_the_words_of_the_decision(schema: Any, value: Any) -> None:
    assert json.loads(str((await answered(schema)).fields["ANSWER"])) == value


async def test_a_schema_without_an_end_is_cut() -> None:
    schema = {"$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}}, "$ref": "#/$defs/A"}
    assert (await answered(schema, "")).unread[0].reason.startswith("at $.a.a")
