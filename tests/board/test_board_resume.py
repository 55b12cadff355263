"""A meeting of a program that paused goes on: at a limit, where a person is waited for, where nobody listens."""

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable
from pathlib import Path

import pytest

from folkmoot.app.program.program_plans import open_workspace
from folkmoot.app.run.people import answer
from folkmoot.board import BoardMeeting, BoardMember, BoardResult, HumanAgent, TimeKeeper
from folkmoot.core.brief import Limits
from folkmoot.core.errors import BriefError, FolkmootError, LimitReached, RecordError, Waiting
from folkmoot.core.event import Entry, Opened, Paused
from folkmoot.council import AgentWrapper, Council, DebateStep
from folkmoot.engine import driver
from tests.council.agents import Agent, own_place

SAID = "<Message><Verdict>HIRE</Verdict><VerdictReasoning>So.</VerdictReasoning><Withdrawn>true</Withdrawn><Content>Yes.</Content></Message>"


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


async def stopped(going: Awaitable[BoardResult], error: type[FolkmootError] = LimitReached) -> str:
    """The id of a meeting that stands still, for that reason."""
    with pytest.raises(error) as caught:
        await going
    return caught.value.debate


def essence(result: BoardResult) -> object:
    return [(turn.key, turn.text) for turn in result.messages], result.states, result.recommendation


async def test_a_meeting_of_guests_goes_on_wherever_it_was_cut_and_calls_nobody_twice() -> None:
    whole = Agent(talk)
    expected = await meeting(whole).resume(await stopped(meeting(whole).hold()), limits=Limits())
    assert (expected.outcome.status, expected.verdict, len(whole.heard)) == ("decided", "HIRE", 6)
    agent = Agent(talk)
    debate = await stopped(meeting(agent).hold())
    for asks in range(2, 7):
        assert await stopped(meeting(agent).resume(debate, limits=Limits(asks=asks))) == debate
    result = await meeting(agent).resume(debate, limits=Limits(asks=7))
    assert essence(result) == essence(expected)
    assert agent.heard == whole.heard
    again = await meeting(agent).resume(result.outcome.debate)
    assert (essence(again), len(agent.heard)) == (essence(result), 6)


async def test_only_the_same_members_can_go_on() -> None:
    begun = await stopped(meeting(Agent(talk)).hold())
    others = BoardMeeting("Hire Kim?", [BoardMember("Ann"), BoardMember("Cy")], agent=talk)
    with pytest.raises(BriefError, match=f"{begun} is a debate of Ann and Bob, not of Ann and Cy"):
        await others.resume(begun)
    with pytest.raises(BriefError, match="Bob: guest:Bob belongs to a program"):
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
    result = await table.resume(debate, limits=Limits())
    assert (result.outcome.status, result.verdict) == ("decided", "HIRE")
    assert Counter(waited) == {"Ann": 2, "TimeKeeper": 1}
    assert [turn.fields["Content"] for turn in result.messages if turn.by == "Ann"] == ["I think so.", "Yes."]
    assert (result.states["Ann"].has_withdrawn, result.states["Bob"].message_count, len(agent.heard)) == (True, 3, 3)


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
    result = await table.hold()
    assert result.states["Ann"].verdict == "HIRE"
    assert [turn.text for turn in result.messages if turn.by == "TimeKeeper"] == ["Hurry up."]
    assert "Personality: Calm" in questions[0]
    assert result.outcome.transcript.brief
    seats = {
        participant.name: (participant.seat, participant.duty)
        for participant in result.outcome.transcript.brief.participants
    }
    people = {"Ann": ("human", "debater"), "Bob": ("guest:Bob", "debater"), "TimeKeeper": ("human", "moderator")}
    assert seats == people


async def test_at_the_console_until_nobody_sits_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = tmp_path / "typed"
    typed.write_text("I am not sure.\n", "utf-8")
    with typed.open(encoding="utf-8") as console:
        monkeypatch.setattr(sys, "stdin", console)
        table = meeting(Agent(talk), Ann=HumanAgent())
        debate = await stopped(table.hold())
        with pytest.raises(
            Waiting, match=r"Ann has to answer \(message\), there is no terminal to ask at: folkmoot answer "
        ):
            await table.resume(debate, limits=Limits())
        typed.write_text(f"I am not sure.\n{SAID}\n", "utf-8")
        result = await table.resume(debate, limits=Limits())
    assert [turn.text for turn in result.messages if turn.by == "Ann"] == ["I am not sure.", SAID]
    assert result.outcome.status == "decided"


# ---- streams that nobody listens to any more ----------------------------------------------------------------------


class Blocking(Agent):
    """An agent that counts its answers and gives the sixth only when it is released."""

    def __init__(self) -> None:
        super().__init__(talk)
        self.answered, self.released = 0, False

    async def __call__(self, prompt: str) -> str:
        if self.answered == 5 and not self.released:
            await asyncio.Event().wait()
        self.answered += 1
        return await super().__call__(prompt)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, there is time to note the pause."""
    monkeypatch.setattr(driver, "GRACE", 600.0)


async def leave_board(table: BoardMeeting, left: int, keep: list[object]) -> str:
    items = table.stream()
    keep.append(items)
    debates: list[str] = []
    async for item in items:
        if isinstance(item, Entry) and isinstance(item.event, Opened):
            async with open_workspace() as workspace:
                debates = [summary.debate for summary in await workspace.list()]
        left -= 1
        if not left:
            break
    return debates[0]


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


async def until_paused(debate: str) -> None:
    async with asyncio.timeout(120):
        while not await paused(debate):  # noqa: ASYNC110 - what is waited for is in the store
            await asyncio.sleep(0.01)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(("left", "keeps_generator"), [(1, False), (8, False), (15, False), (8, True)])
def test_a_meeting_that_was_left_goes_on(left: int, keeps_generator: bool) -> None:
    """Whether the loop ends at once, with the generator still held, or the generator is gone before."""
    agent = Blocking()
    table = BoardMeeting("Hire Kim?", [BoardMember("Ann"), BoardMember("Bob")], agent=agent)
    keep: list[object] = []

    async def leave() -> str:
        debate = await leave_board(table, left, keep)
        if not keeps_generator:
            keep.clear()
            await until_paused(debate)
        return debate

    debate = asyncio.run(leave())
    assert (agent.answered < 6, asyncio.run(paused(debate))) == (True, True)
    agent.released = True
    result = asyncio.run(table.resume(debate))
    assert (result.outcome.status, result.verdict) == ("decided", "HIRE")
    assert agent.answered == 6


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(("left", "keeps_generator"), [(1, False), (2, False), (2, True)])
def test_a_council_that_was_left_goes_on(left: int, keeps_generator: bool) -> None:
    agent = Blocking()
    council = Council("c", [DebateStep([AgentWrapper(agent, "Ann"), AgentWrapper(agent, "Bob")], rounds=1)])
    keep: list[object] = []

    async def leave() -> str:
        debate = await leave_council(council, left, keep)
        if not keeps_generator:
            keep.clear()
            await until_paused(debate)
        return debate

    debate = asyncio.run(leave())
    assert (agent.answered < 6, asyncio.run(paused(debate))) == (True, True)
    agent.released = True
    result = asyncio.run(council.resume(debate))
    assert list(result["proposals"]) == ["Ann", "Bob", "Ann_round_0", "Bob_round_0"]
    assert agent.answered == 6
