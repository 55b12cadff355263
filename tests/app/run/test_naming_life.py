"""One start and one end, however a debate went: paused, cancelled, cut, failed, forked, taken up again."""

import asyncio
from collections.abc import Sequence

import pytest

from folkmoot.app.run.fork import fork
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.agent import Agent, Context, Recorder
from folkmoot.core.ask import Ask, Reply
from folkmoot.core.brief import Brief, Limits, Participant
from folkmoot.core.event import Entry, Opened
from folkmoot.engine.driver import DriverOptions, StopRequest, debate
from folkmoot.protocols.known import KNOWN, build
from folkmoot.protocols.spec import dump, load
from folkmoot.record.ledger import Ledger
from folkmoot.report.turn_text import NAMES, Namer
from folkmoot.testing.replay import SeededAgent
from folkmoot.testing.store_checks import InMemoryStore
from tests.kits.thoroughness import some

FEW = tuple(Participant(name=name, seat="ollama:old") for name in ("Ann", "Bob", "Cy"))
MANY = (*FEW, *(Participant(name=name, seat="ollama:old") for name in ("Di", "Eve", "Flo", "Gus", "Hal")))
CHAIR = Participant(name="Chair", seat="ollama:old", duty="moderator")


class Broken:
    """A seat that never answers."""

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        raise ValueError("broken")


class Still:
    """A seat that answers when the world has ended."""

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        await asyncio.sleep(3600)
        raise AssertionError


def names(entries: Sequence[Entry]) -> list[str]:
    namer = Namer()
    return [named.type for entry in entries if (named := namer.name(entry))]


def check(entries: Sequence[Entry], *, closed: bool = True) -> list[str]:
    """One start, in front; one end, behind everything, where the debate is over, and none before."""
    texts = names(entries)
    assert set(texts) <= set(NAMES)
    assert (texts.count("debate_start"), texts[0]) == (1, "debate_start")
    assert texts.count("debate_end") == closed
    assert texts[-1] == "debate_end" if closed else texts[-1] != "debate_end"
    return texts


def opened(name: str) -> Opened:
    brief = Brief(topic="Tea?", participants=(*(MANY if name == "grouped" else FEW), CHAIR), seed=5)
    return Opened(brief=brief, protocol=dump(build(name, brief)), name=name)


async def go(
    workspace: Workspace, seat: Agent, opening: Opened, hosting: DriverOptions | None = None, name: str = "d"
) -> None:
    ledger = Ledger(workspace.store, name, clock=workspace.clock)
    await ledger.open()
    seats = dict.fromkeys([participant.name for participant in opening.brief.participants], seat)
    await debate(opening, load(opening.protocol), seats, ledger=ledger, options=hosting)


def at_desk() -> Workspace:
    return Workspace(InMemoryStore(), clock=lambda: 1000.0)


@pytest.mark.parametrize("name", some(KNOWN, 3))
async def test_whatever_the_protocol(name: str) -> None:
    workspace, opening = at_desk(), opened(name)
    await go(workspace, SeededAgent(), opening)
    whole = check(await workspace.entries("d"))
    lines = await workspace.lines("d")
    for cut in range(1, len(lines), max(1, len(lines) // 7)):
        await workspace.store.append(f"cut{cut}", lines[:cut], after=0)
        await go(workspace, SeededAgent(), opening, name=f"cut{cut}")
        again = check(await workspace.entries(f"cut{cut}"))
        assert again == whole, "what was cut is told once"
    forked = await fork(workspace, "d", at=len(lines) // 2)
    parent = (await workspace.entries(forked))[0].event
    assert isinstance(parent, Opened)
    await go(workspace, SeededAgent(), parent, name=forked)
    assert check(await workspace.entries(forked)) == whole
    assert check(await workspace.entries("d")) == whole, "a fork adds nothing to its parent"


@pytest.mark.parametrize("name", some(KNOWN, 3))
async def test_a_debate_that_is_stopped_again_and_again(name: str) -> None:
    workspace, opening = at_desk(), opened(name)
    for asks in range(1, 100, 6):
        await go(workspace, SeededAgent(), opening, DriverOptions(limits=Limits(asks=asks)))
        texts = names(entries := await workspace.entries("d"))
        if texts[-1] == "debate_end":
            break
        check(entries, closed=False)
        assert texts[-1] == "debate_pause"
        await go(workspace, SeededAgent(), opening, DriverOptions(stop=StopRequest(reason="enough for today")))
        check(await workspace.entries("d"), closed=False)
    check(await workspace.entries("d"))


@pytest.mark.parametrize("name", some(KNOWN, 3))
async def test_a_debate_in_which_nobody_answers(name: str) -> None:
    workspace = at_desk()
    await go(workspace, Broken(), opened(name))
    assert "agent_error" in check(await workspace.entries("d"))


@pytest.mark.parametrize("name", ["panel", "arena", "chaired"])
async def test_a_debate_that_is_cancelled_and_taken_up(name: str) -> None:
    workspace, opening = at_desk(), opened(name)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await go(workspace, Still(), opening)
    assert check(await workspace.entries("d"), closed=False)[-1] == "debate_pause"
    await go(workspace, SeededAgent(), opening)
    check(await workspace.entries("d"))
    await go(workspace, SeededAgent(), opening)
    check(await workspace.entries("d"))
