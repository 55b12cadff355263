"""A meeting of a program that paused goes on: at a limit, where a person is waited for, where nobody listens."""

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable
from pathlib import Path

import pytest

from moot.app.program.program_plans import open_workspace
from moot.app.run.people import answer
from moot.board import BoardMeeting, BoardMember, BoardResult, HumanAgent, TimeKeeper
from moot.core.brief import Limits
from moot.core.errors import BriefError, LimitReached, MootError, RecordError, Waiting
from moot.core.event import Entry, Opened, Paused
from moot.council import AgentWrapper, Council, DebateStep
from tests.council.agents import Agent, own_place

SAID = "<Message><Verdict>HIRE</Verdict><Withdrawn>true</Withdrawn><Content>Yes.</Content></Message>"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_place(tmp_path, monkeypatch)


def talk(who: str, prompt: str, n: int) -> str:
    """Three messages each, the verdict in the last; in a council a vote."""
    if "I vote for:" in prompt:
        return "I vote for: Ann"
    return SAID if n > 2 else f"<Message><Content>{who} says {n}.</Content></Message>"


def meeting(agent: object, **others: object) -> BoardMeeting:
    members = [BoardMember(name, agent=others.get(name, agent)) for name in ("Ann", "Bob")]
    keeper = TimeKeeper(agent=others.get("keeper"))
    return BoardMeeting("Hire Kim?", members, timekeeper=keeper, limits=Limits(asks=1), rounds=4)


async def stopped(going: Awaitable[BoardResult], error: type[MootError] = LimitReached) -> str:
    """The id of a meeting that stands still, for that reason."""
    with pytest.raises(error) as caught:
        await going
    return caught.value.debate


def essence(found: BoardResult) -> object:
    return [(turn.key, turn.text) for turn in found.messages], found.states, found.recommendation


async def test_a_meeting_of_guests_goes_on_wherever_it_was_cut_and_calls_nobody_twice() -> None:
    whole = Agent(talk)
    expected = await meeting(whole).resume(await stopped(meeting(whole).hold()), limits=Limits())
    assert (expected.outcome.status, expected.verdict, len(whole.heard)) == ("decided", "HIRE", 6)
    agent = Agent(talk)
    debate = await stopped(meeting(agent).hold())
    for asks in range(2, 7):
        assert await stopped(meeting(agent).resume(debate, limits=Limits(asks=asks))) == debate
    found = await meeting(agent).resume(debate, limits=Limits(asks=7))
    assert essence(found) == essence(expected)
    assert agent.heard == whole.heard
    again = await meeting(agent).resume(found.outcome.debate)
    assert (essence(again), len(agent.heard)) == (essence(found), 6)


async def test_only_the_same_members_can_go_on() -> None:
    begun = await stopped(meeting(Agent(talk)).hold())
    others = BoardMeeting("Hire Kim?", [BoardMember("Ann"), BoardMember("Cy")], agent=talk)
    with pytest.raises(BriefError, match=f"{begun} is a debate of Ann and Bob, not of Ann and Cy"):
        await others.resume(begun)
    with pytest.raises(BriefError, match="Bob: guest:Bob answers from within a program"):
        await meeting(Agent(talk), Bob="builtin:quotes").resume(begun)
    with pytest.raises(RecordError, match="there is no debate 'x'"):
        await meeting(Agent(talk)).resume("x")
    step = await DebateStep([AgentWrapper("builtin:quotes", name) for name in ("Ann", "Bob")]).execute("Hire Kim?")
    with pytest.raises(BriefError, match="is a debate of the kind debate_step, not board"):
        await meeting(Agent(talk)).resume(step.debate)


async def test_without_a_door_the_meeting_waits_and_goes_on_with_each_letter() -> None:
    agent = Agent(talk)
    table = meeting(agent, Ann="human", keeper="human")
    debate = await stopped(table.hold())
    waited: list[str] = []
    for _ in range(3):
        with pytest.raises(Waiting) as caught:
            await table.resume(debate, limits=Limits())
        waited.append(str(caught.value).partition(" has")[0])
        async with open_workspace() as workspace:
            await answer(workspace, debate, SAID if waited.count("Ann") > 1 else "I think so.")
    found = await table.resume(debate, limits=Limits())
    assert (found.outcome.status, found.verdict) == ("decided", "HIRE")
    assert Counter(waited) == {"Ann": 2, "TimeKeeper": 1}
    assert [turn.fields["Content"] for turn in found.messages if turn.by == "Ann"] == ["I think so.", "Yes."]
    assert (found.states["Ann"].has_withdrawn, found.states["Bob"].message_count, len(agent.heard)) == (True, 3, 3)


async def test_people_are_asked_in_place_as_members_and_as_timekeeper() -> None:
    questions: list[str] = []

    async def ask(question: str) -> str:
        questions.append(question)
        return SAID if "You are Ann" in question else "Hurry up."

    def well(prompt: str) -> str:
        return "Well."

    person = HumanAgent(input_handler=ask)
    table = BoardMeeting(
        "Hire Kim?",
        [BoardMember("Ann", "Calm", agent=person), BoardMember("Bob", agent=well)],
        timekeeper=TimeKeeper(agent=person),
        rounds=4,
    )
    found = await table.hold()
    assert found.states["Ann"].verdict == "HIRE"
    assert [turn.text for turn in found.messages if turn.by == "TimeKeeper"] == ["Hurry up."]
    assert "Personality: Calm" in questions[0]
    assert found.outcome.transcript.brief
    seats = {each.name: (each.seat, each.duty) for each in found.outcome.transcript.brief.participants}
    people = {"Ann": ("human", "debater"), "Bob": ("guest:Bob", "debater"), "TimeKeeper": ("human", "moderator")}
    assert seats == people


async def test_at_the_console_until_nobody_sits_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = tmp_path / "typed"
    typed.write_text("I am not sure.\n", "utf-8")
    with typed.open(encoding="utf-8") as console:
        monkeypatch.setattr(sys, "stdin", console)
        table = meeting(Agent(talk), Ann=HumanAgent())
        debate = await stopped(table.hold())
        with pytest.raises(Waiting, match=r"Ann has to answer \(message\), nobody sits at the console: moot answer "):
            await table.resume(debate, limits=Limits())
        typed.write_text(f"I am not sure.\n{SAID}\n", "utf-8")
        found = await table.resume(debate, limits=Limits())
    assert [turn.text for turn in found.messages if turn.by == "Ann"] == ["I am not sure.", SAID]
    assert found.outcome.status == "decided"


# ---- streams that nobody listens to any more ----------------------------------------------------------------------


class Slow(Agent):
    """An agent that takes its time, and counts the answers that it came to."""

    def __init__(self) -> None:
        super().__init__(talk)
        self.given = 0

    async def __call__(self, prompt: str) -> str:
        await asyncio.sleep(0.01)
        self.given += 1
        return await super().__call__(prompt)


async def leave_board(table: BoardMeeting, left: int, keep: list[object]) -> str:
    items = table.stream()
    keep.append(items)
    seen: list[str] = []
    async for item in items:
        if isinstance(item, Entry) and isinstance(item.event, Opened):
            async with open_workspace() as workspace:
                seen = [each.debate for each in await workspace.list()]
        left -= 1
        if not left:
            break
    return seen[0]


async def leave_council(council: Council, left: int, keep: list[object]) -> str:
    debate, items = "", council.stream_execute("Hire Kim?")
    keep.append(items)
    async for event in items:
        debate, left = event.debate or debate, left - (event.type == "agent_message")
        if not left:
            break
    return debate


async def paused(debate: str) -> bool:
    async with open_workspace() as workspace:
        return isinstance((await workspace.entries(debate))[-1].event, Paused)


@pytest.mark.parametrize(("left", "held"), [(1, False), (8, False), (15, False), (8, True)])
def test_a_meeting_that_was_left_goes_on(left: int, held: bool) -> None:
    """Whether the loop ends at once, with the generator still held, or the generator is gone before."""
    agent = Slow()
    table = BoardMeeting("Hire Kim?", [BoardMember("Ann"), BoardMember("Bob")], agent=agent)
    keep: list[object] = []

    async def leave() -> str:
        debate = await leave_board(table, left, keep)
        if not held:
            keep.clear()
            await asyncio.sleep(0.1)
            assert await paused(debate)
        return debate

    debate = asyncio.run(leave())
    assert asyncio.run(paused(debate))
    early = agent.given
    assert early < 6
    found = asyncio.run(table.resume(debate))
    assert (found.outcome.status, found.verdict) == ("decided", "HIRE")
    assert agent.given == 6


@pytest.mark.parametrize(("left", "held"), [(1, False), (2, False), (2, True)])
def test_a_council_that_was_left_goes_on(left: int, held: bool) -> None:
    agent = Slow()
    council = Council("c", [DebateStep([AgentWrapper(agent, "Ann"), AgentWrapper(agent, "Bob")], rounds=1)])
    keep: list[object] = []

    async def leave() -> str:
        debate = await leave_council(council, left, keep)
        if not held:
            keep.clear()
            await asyncio.sleep(0.1)
            assert await paused(debate)
        return debate

    debate = asyncio.run(leave())
    assert asyncio.run(paused(debate))
    assert agent.given < 6
    result = asyncio.run(council.resume(debate))
    assert list(result["proposals"]) == ["Ann", "Bob", "Ann_round_0", "Bob_round_0"]
    assert agent.given == 6
