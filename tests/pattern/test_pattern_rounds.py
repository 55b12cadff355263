"""What a moderated debate asks in each round, a missing decision, the state's reducer, streams and warnings."""

import operator
from pathlib import Path
from typing import get_type_hints

import pytest

from folkmoot.app.program.program_plans import open_workspace
from folkmoot.core.event import Entry
from folkmoot.pattern import DebatePattern, DebateResult, DebateState
from tests.council.agents import Agent, chaired, own_place

PEOPLE = [{"name": "Bull", "role": "investor"}, {"name": "Bear", "role": "analyst"}]
GO_ON = "SUMMARY: Open.\nSTATUS: CONTINUE"
DONE = "SUMMARY: Done.\nSTATUS: SETTLED\nDECISION: Invest half."


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_place(tmp_path, monkeypatch)


async def test_each_round_has_a_task_of_its_own(place: Path) -> None:
    agent = chaired([GO_ON, GO_ON, DONE])
    result = await DebatePattern(llm=agent, max_rounds=3, store=place).arun("Invest?", PEOPLE)
    assert result["final_decision"] == "Invest half."
    first, second, third = agent.prompts("Bull")
    assert "This is round 1. Open the debate: state your position" in first
    assert "answer the arguments of the others" not in first
    for n, prompt in ((2, second), (3, third)):
        assert f"This is round {n}. Argue your position; answer the arguments of the others." in prompt
    reviews = agent.prompts("Moderator")
    assert [f"This is round {n} of 3" in prompt for n, prompt in enumerate(reviews, start=1)] == [True] * 3
    assert ["the last: no further round follows" in prompt for prompt in reviews] == [False, False, True]


def test_the_state_carries_its_reducer() -> None:
    hints = get_type_hints(DebateState, include_extras=True)
    assert hints["debate_history"].__metadata__ == (operator.add,)
    assert not any(hasattr(hint, "__metadata__") for name, hint in hints.items() if name != "debate_history")


async def test_a_debate_is_streamed(place: Path) -> None:
    pattern = DebatePattern(llm=chaired([DONE]), store=place)
    items = [item async for item in pattern.stream("Invest?", PEOPLE)]
    *entries, result = items
    assert isinstance(result, DebateResult)
    assert [entry.seq for entry in entries if isinstance(entry, Entry)] == list(range(1, len(entries) + 1))
    assert result == await pattern.aresume(result.outcome.debate)


async def test_a_stream_that_is_left_is_resumed_at_once(place: Path) -> None:
    agent: Agent = chaired([GO_ON, DONE])
    pattern = DebatePattern(llm=agent, store=place)
    async for item in pattern.stream("Invest?", PEOPLE):
        if isinstance(item, Entry) and item.seq > 8:
            break

    async with open_workspace(place) as workspace:
        debate = (await workspace.names())[0]
    assert (await pattern.aresume(debate))["final_decision"] == "Invest half."


@pytest.mark.parametrize(("n", "warned"), [(10, False), (11, True)])
async def test_a_crowd_is_warned_of_as_in_a_brief(place: Path, n: int, warned: bool) -> None:
    people = [{"name": f"P{i}", "role": "r"} for i in range(n)]
    result = await DebatePattern(llm=chaired([DONE]), store=place).arun("Invest?", people)
    many = "11 debaters are too many for one moderator: at most 10; use GroupedDebatePattern"
    assert result.warnings == ((many,) if warned else ())
