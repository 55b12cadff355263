"""Learning at the desk: when a debate ends, once, again after its owner said something; made again the same."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from folkmoot.app.export.learned import (
    add_note,
    calibration,
    domain_ratings,
    learn,
    learn_all,
    learned_items,
    personas,
    relations,
    search,
    weights,
)
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.ask import Field, Form
from folkmoot.core.brief import Participant
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.core.event import Opened
from folkmoot.core.roles import ORIGINS, RECALL, RETRIEVER
from folkmoot.learn.memory_store import MemoryStore
from folkmoot.record.sqlite import SqliteStore
from tests.kits.processes import with_imports
from tests.learn.lessons_kit import THREE, TWO, Paper

BUSES = "Should the depot buy electric buses?"


def paper(winner: str = "Ann", people: Mapping[str, str] = TWO, *, topic: str = BUSES, sure: float = 0.8) -> Paper:
    """A debate in which everybody proposes and one wins by the votes of all others."""
    debate_paper = Paper(people, topic=topic)
    for name in people:
        debate_paper.say(name, "propose", ANSWER=f"{name}'s way", CONFIDENCE=sure)
    ballots = tuple(Ballot(voter=name, choice=winner) for name in people if name != winner)
    decision = Decision(status="decided", winner=winner, text=f"{winner}'s way", ballots=ballots)
    return debate_paper.end(decision)


@pytest.fixture
async def workspace(tmp_path: Path) -> AsyncGenerator[Workspace]:
    place = Workspace.at(tmp_path / "record.sqlite")
    place.config, place.clock = Config(), lambda: 5000.0
    yield place
    await place.close()


async def keep(workspace: Workspace, name: str, debate_paper: Paper, at: float = 1000.0) -> None:
    await workspace.store.append(name, debate_paper.lines(at), after=0)


def memory_rows(workspace: Workspace) -> list[tuple[object, ...]]:
    assert workspace.memory_place
    with MemoryStore.open(workspace.memory_place) as shelf:
        return shelf.contents()


RECALLED = Form(name="recall", fields=(Field(name=ORIGINS, kind="list"),))
"""The form of a recall, with the debates that it is from."""


async def everything(workspace: Workspace) -> tuple[object, ...]:
    """What memory holds and all that is worked out from it, to the last bit."""
    views = (
        await domain_ratings(workspace),
        await calibration(workspace),
        await personas(workspace),
        await relations(workspace),
    )
    return memory_rows(workspace), repr(views)


async def fill(workspace: Workspace) -> None:
    """Some debates, of which one is not over and one is none to learn from."""
    for n in range(4):
        await keep(workspace, f"d{n}", paper("Ann" if n % 2 else "Bob", topic=f"{BUSES} Line {n}"), at=1000.0 * n)
    recalling = Paper(TWO, topic="Trams?", others=(Participant(name="Librarian", seat=RETRIEVER, duty="aide"),))
    recalling.say("Librarian", RECALL, form=RECALLED, ORIGINS=("d0", "d1"))
    await keep(workspace, "used", recalling.end(), at=9000.0)
    unfinished = Paper(TWO)
    unfinished.say("Ann", "propose", ANSWER="x")
    await keep(workspace, "open", unfinished)


# ---- learning ------------------------------------------------------------------------------------------------------


async def test_a_debate_is_learned_once(workspace: Workspace) -> None:
    await keep(workspace, "d", paper())
    assert await learn(workspace, "d")
    before = memory_rows(workspace)
    assert not await learn(workspace, "d")
    assert memory_rows(workspace) == before
    assert [memory.debate for memory in await search(workspace, "electric buses")] == ["d"]
    assert await search(workspace, "buses", kind="pattern") == ()


async def test_all_are_learned_that_are_over(workspace: Workspace) -> None:
    await fill(workspace)
    await workspace.store.append("damaged", [*paper().lines()[:2], paper().lines()[-1]], after=0)
    learned = await learn_all(workspace)
    assert learned.new == ("d0", "d1", "d2", "d3", "used")
    assert (learned.known, learned.open, learned.damaged) == (0, 1, ("damaged",))
    again = await learn_all(workspace)
    assert (again.new, again.known) == ((), 5)


async def test_memory_that_cannot_be_written_damages_no_record(workspace: Workspace) -> None:
    await keep(workspace, "d", paper())
    assert memory_rows(workspace) == []
    with closing(sqlite3.connect(workspace.memory_place or "")) as other:
        other.execute("CREATE TRIGGER full BEFORE INSERT ON memory_debate BEGIN SELECT RAISE(ABORT, 'no room'); END")
    with pytest.raises(RecordError, match=r"What was learned cannot be kept in or read from .*: no room"):
        await learn_all(workspace)


async def test_a_casting_teaches_nothing(workspace: Workspace) -> None:
    debate_paper = paper()
    assert isinstance(debate_paper.events[0], Opened)
    debate_paper.events[0] = replace(debate_paper.events[0], name="casting")
    await keep(workspace, "cast-1", debate_paper)
    assert not await learn(workspace, "cast-1")
    assert (await learn_all(workspace)).known == 1


async def test_there_is_nothing_to_learn_from_nothing(workspace: Workspace) -> None:
    with pytest.raises(RecordError, match="there is no debate 'x'"):
        await learn(workspace, "x")


# ---- again ---------------------------------------------------------------------------------------------------------


async def test_a_rebuild_gives_the_same_bit_by_bit(workspace: Workspace) -> None:
    await fill(workspace)
    for name in ("d3", "used", "d1", "d0", "d2"):
        await learn(workspace, name)
    await add_note(workspace, "d1", "resolve", "Ann's way")
    await add_note(workspace, "d2", "domain", "transport")
    await add_note(workspace, "d0", "forget")
    before = await everything(workspace)
    learned = await learn_all(workspace, rebuild=True)
    assert len(learned.new) == 5
    assert await everything(workspace) == before


class Killed(BaseException):
    """What ends a process, as far as its own code can tell."""


class Dying(SqliteStore):
    """A store in whose reading the process ends."""

    left = 1_000_000

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        self.left -= 1
        if self.left < 0:
            raise Killed
        return await super().read(debate, after=after, limit=limit)


async def test_a_rebuild_that_is_killed_at_any_step_goes_on_to_the_same(tmp_path: Path) -> None:
    store = Dying.open(tmp_path / "record.sqlite")
    workspace = Workspace(store, config=Config())
    await fill(workspace)
    await add_note(workspace, "d1", "resolve", "Ann's way")
    await learn_all(workspace)
    before, kills = await everything(workspace), 0
    for step in range(100):
        store.left = step
        try:
            await learn_all(workspace, rebuild=True)
            break
        except Killed:
            kills += 1
        store.left = 1_000_000
        assert await everything(workspace) == before
        await learn_all(workspace)
        assert await everything(workspace) == before
    assert kills >= 8
    assert await everything(workspace) == before
    await workspace.close()


KILLER = """
import asyncio, os, signal, sqlite3
from pathlib import Path
from folkmoot.app.plan.settings import Config
from folkmoot.app.run import workspace as workspace_module
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.export.learned import learn_all

connect, steps = sqlite3.connect, STEPS

def tick():
    global steps
    steps -= 1
    if steps == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return 0

def watched(*given, **named):
    made = connect(*given, **named)
    if given[0] == Path(MEMORY) and "check_same_thread" in named and steps:
        made.set_progress_handler(tick, 10)
    return made

async def main():
    desk = Workspace.at(Path(MEMORY))
    desk.config = Config()
    sqlite3.connect = watched
    await learn_all(desk, rebuild=True)

asyncio.run(main())
"""


@pytest.mark.system
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("steps", [1, 3, 30, 60, 100, 140, 180, 220, 260, 300])
async def test_a_process_that_is_killed_leaves_a_shelf_that_can_be_filled_up(
    workspace: Workspace, steps: int, tmp_path: Path
) -> None:
    await fill(workspace)
    await add_note(workspace, "d1", "resolve", "Ann's way")
    await learn_all(workspace)
    before = await everything(workspace)
    constants = f"MEMORY, STEPS = {str(workspace.memory_place)!r}, {steps}"
    command, environment = [sys.executable, "-c", f"{constants}\n{KILLER}"], with_imports(os.environ)
    ran = await asyncio.to_thread(subprocess.run, command, cwd=tmp_path, env=environment, capture_output=True)
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    assert await everything(workspace) == before
    await learn_all(workspace)
    assert await everything(workspace) == before


async def test_use_lifts_a_memory_into_a_slower_tier_and_a_rebuild_gives_the_same_tiers(workspace: Workspace) -> None:
    await fill(workspace)
    for n in range(2):
        again = Paper(TWO, topic="Rails?", others=(Participant(name="Librarian", seat=RETRIEVER, duty="aide"),))
        again.say("Librarian", RECALL, form=RECALLED, ORIGINS=("d0",))
        await keep(workspace, f"more{n}", again.end(), at=9100.0 + n)
    tiers = {"d0": ("slow", 3), "d1": ("medium", 1), "d2": ("fast", 0), "d3": ("fast", 0)}
    for rebuild in (False, True):
        await learn_all(workspace, rebuild=rebuild)
        memories = await search(workspace, "electric buses")
        assert {memory.debate: (memory.tier, memory.uses) for memory in memories if memory.debate in tiers} == tiers


# ---- what the owner says -------------------------------------------------------------------------------------------


async def test_the_truth_makes_right_and_wrong(workspace: Workspace) -> None:
    await keep(workspace, "d", paper())
    await learn(workspace, "d")
    assert await calibration(workspace) == {}
    entries = await workspace.count_entries("d")
    await add_note(workspace, "d", "resolve", " bob's \n way ")
    assert await workspace.count_entries("d") == entries
    (outcome,) = (await learned_items(workspace, "d", ["outcome"]))["outcome"]
    assert outcome.body["trust"] == "refuted"
    calibrations = await calibration(workspace)
    assert {
        name: (player_calibration.n, player_calibration.accuracy, round(player_calibration.brier.score, 2))
        for name, player_calibration in calibrations.items()
    } == {
        "ollama:a": (1, 0.0, 0.64),
        "ollama:b": (1, 1.0, 0.04),
    }
    await add_note(workspace, "d", "resolve", "Ann's way")
    assert (await calibration(workspace))["ollama:a"].accuracy == 1.0
    assert [summary.debate for summary in await workspace.list()] == ["d"]


async def test_what_is_forgotten_is_gone_and_stays_gone(workspace: Workspace) -> None:
    await keep(workspace, "d", paper())
    await add_note(workspace, "d", "forget")
    assert await search(workspace, "electric buses") == ()
    assert await domain_ratings(workspace) == ()
    assert (await learn_all(workspace, rebuild=True)).new == ("d",)
    assert (await learned_items(workspace, "d", ["outcome"])) == {"outcome": []}
    assert await workspace.entries("d")


BAD: list[tuple[str, Literal["resolve", "domain", "forget"], str, type[Exception], str]] = [
    ("d", "resolve", " ", BriefError, "give the answer in 1 to 500 characters"),
    ("d", "domain", "x" * 501, BriefError, "give the domain in 1 to 500"),
    ("open", "resolve", "x", RecordError, "open is not over"),
    ("none", "forget", "", RecordError, "there is no debate 'none'"),
]


@pytest.mark.parametrize(("debate", "what", "text", "kind", "message"), BAD)
async def test_what_cannot_be_said(
    workspace: Workspace,
    debate: str,
    what: Literal["resolve", "domain", "forget"],
    text: str,
    kind: type[Exception],
    message: str,
) -> None:
    await keep(workspace, "d", paper())
    await keep(workspace, "open", Paper(TWO))
    with pytest.raises(kind, match=message):
        await add_note(workspace, debate, what, text)


# ---- ratings and weights -------------------------------------------------------------------------------------------


async def test_ratings_are_by_domain_and_side_swaps_are_one_result(workspace: Workspace) -> None:
    back = {"Ann": "ollama:b", "Bob": "ollama:a"}
    await keep(workspace, "d1", paper("Ann"), at=1000.0)
    await keep(workspace, "d2", paper("Ann", back), at=2000.0)
    await keep(workspace, "d3", paper("Ann", THREE, topic="Trams?"), at=3000.0)
    await learn_all(workspace)
    await add_note(workspace, "d3", "domain", "rail")
    plain, rail = await domain_ratings(workspace)
    assert (plain.domain, rail.domain) == ("", "rail")
    assert [(rating.name, round(rating.value), rating.games) for rating in plain.ratings] == [
        ("ollama:a", 1500, 1),
        ("ollama:b", 1500, 1),
    ]
    assert plain.elo == {"ollama:a": 1500.0, "ollama:b": 1500.0}
    assert [rating.name for rating in rail.ratings] == ["ollama:a", "ollama:b", "openai:c"]
    assert rail.ratings[0].value > rail.ratings[1].value
    assert rail.apart == ()
    assert await domain_ratings(workspace, "rail") == (rail,)
    assert await domain_ratings(workspace, "law") == ()


async def test_groups_that_never_met_are_named(workspace: Workspace) -> None:
    await keep(workspace, "d1", paper("Ann"))
    await keep(workspace, "d2", paper("Ann", {"Ann": "groq:x", "Bob": "groq:y"}))
    await learn_all(workspace)
    (rated_domain,) = await domain_ratings(workspace)
    assert rated_domain.apart == (("groq:x", "groq:y"), ("ollama:a", "ollama:b"))


async def test_seats_without_a_model_enter_no_figure(workspace: Workspace) -> None:
    await keep(workspace, "d", paper("Ann", {"Ann": "builtin:quotes", "Bob": "builtin:quotes"}))
    await add_note(workspace, "d", "resolve", "Ann's way")
    assert await domain_ratings(workspace) == ()
    assert await calibration(workspace) == {}
    assert await weights(workspace) == {}


async def test_answers_without_confidence_are_graded_but_not_calibrated(workspace: Workspace) -> None:
    debate_paper = Paper(TWO)
    debate_paper.say("Ann", "propose", ANSWER="Buy")
    await keep(workspace, "d", debate_paper.end())
    await add_note(workspace, "d", "resolve", "Buy")
    assert await calibration(workspace) == {}


async def test_votes_weigh_by_what_was_right_once_enough_is_graded(workspace: Workspace) -> None:
    for n in range(20):
        await keep(workspace, f"d{n}", paper(topic=f"Case {n}"))
        await add_note(workspace, f"d{n}", "resolve", "Ann's way" if n < 18 else "Bob's way")
        if n == 18:
            assert await weights(workspace) == {"ollama:a": None, "ollama:b": None}
    values = await weights(workspace)
    assert values["ollama:b"] == 0.0
    assert values["ollama:a"] == pytest.approx(1.846, abs=0.001)
