"""Results have types: a program that uses the documented keys passes a strict type checker, and the keys are there."""

import asyncio
from pathlib import Path
from typing import Literal, assert_type

import pytest

import folkmoot
from folkmoot.app.run.outcome import DecisionData
from folkmoot.council import (
    AgentWrapper,
    Council,
    DebateStep,
    DebateStepData,
    ParallelStep,
    SharedStepData,
    SplitStep,
    StepResult,
)
from folkmoot.pattern import (
    DebatePattern,
    DebateState,
    MapReducePattern,
    MapReduceState,
    ReflectionPattern,
    ReflectionState,
)
from tests.council.agents import own_place


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_place(tmp_path, monkeypatch)


def answer(prompt: str) -> str:
    if "I vote for:" in prompt:
        return "I vote for: Ann"
    if "STATUS" in prompt:
        return "SUMMARY: All agree.\nSTATUS: SETTLED\nDECISION: Build."
    return "SCORE: 9\nFEEDBACK: Good." if "SCORE" in prompt else "Build it."


def people() -> list[AgentWrapper]:
    return [AgentWrapper(answer, name) for name in ("Ann", "Ben")]


def test_a_step_of_a_council_has_typed_keys() -> None:
    result = asyncio.run(DebateStep(people(), rounds=0).execute("Build or buy?"))
    data = result.data
    assert_type(data["winner"], str)
    assert_type(data["votes"], dict[str, int])
    assert_type(data.get("fallback"), Literal["first_proposal", "majority"] | None)
    assert (data["winner"], data["votes"]["Ann"], data is result) == ("Build it.", 2, True)
    assert set(result) <= set(DebateStepData.__annotations__)


@pytest.mark.parametrize("step", [ParallelStep(people()), SplitStep(AgentWrapper(answer, "Ann"), min_agents=2)])
def test_shared_work_has_typed_keys(step: ParallelStep | SplitStep) -> None:
    result = asyncio.run(step.execute("Build it.\n\nTest it."))
    assert_type(result.shared["output"], str)
    assert_type(result.shared.get("split_results"), list[str | None] | None)
    assert set(result) <= set(SharedStepData.__annotations__)
    assert isinstance(result, StepResult)


def test_the_events_of_a_council_have_typed_names() -> None:
    async def names() -> set[str]:
        items = Council(steps=[DebateStep(people(), rounds=0)]).stream_execute("Build or buy?")
        return {item.type async for item in items if not isinstance(item, StepResult)}

    assert {"step_start", "debate_start", "vote", "consensus", "debate_end", "step_end"} <= asyncio.run(names())


def test_patterns_have_typed_keys() -> None:
    debaters = [{"name": name, "role": "Thinks"} for name in ("Ann", "Ben")]
    debate = DebatePattern(llm=answer).run("Build or buy?", debaters).data
    assert_type(debate["is_settled"], bool)
    assert (debate["final_decision"], set(debate)) == ("Build.", set(DebateState.__annotations__))
    mapped = MapReducePattern(llm=answer).run("Count.", ["a", "b"]).data
    assert set(mapped) == set(MapReduceState.__annotations__)
    reflection = ReflectionPattern(llm=answer).run("Write.").data
    assert_type(reflection["final"], str)
    assert set(reflection) == set(ReflectionState.__annotations__)


def test_the_outcome_as_data_has_the_typed_keys() -> None:
    outcome = folkmoot.run("Tea or coffee?", model="builtin:quotes", participants="builtin")
    assert_type(outcome.kind, Literal["", "limit", "stopped", "unavailable", "waiting", "batch"])
    data = outcome.to_dict()
    decision = data["decision"]
    assert_type(decision, DecisionData | None)
    assert decision is not None
    assert_type(decision["status"], Literal["decided", "tie", "no_decision", "failed"])
    assert set(decision) == set(DecisionData.__annotations__)
    assert isinstance(decision["ballots"][0]["voter"], str)
