"""Debates teach alike, whoever holds them: the command, a program, a council, patterns, a board."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path

import pytest

import folkmoot
from folkmoot.app.run.workspace import Workspace
from folkmoot.board import BoardMeeting, BoardMember
from folkmoot.core.brief import Brief, Limits, Participant
from folkmoot.council import Council, DebateStep
from folkmoot.learn.memory_store import MemoryStore
from folkmoot.pattern import DebatePattern, GroupedDebatePattern
from folkmoot.testing.store_checks import InMemoryStore
from tests.board.test_board_face import FILE, RODRIGUEZ, board
from tests.cli.commands import QUOTES
from tests.cli.commands import folkmoot as command
from tests.council.agents import chaired, own_place
from tests.council.councils import agents

TOPIC = "Should the depot buy electric buses?"
PEOPLE = tuple(Participant(name=name, seat="builtin:quotes") for name in ("Ann", "Bob", "Cy"))
SETTLED = chaired(["SUMMARY: Enough.\nSTATUS: SETTLED\nDECISION: Half of it."])
DEBATERS = [
    {"name": name, "role": "Investor", "system_prompt": "Argue."}
    for name in ("Bull", "Bear", "Owl", "Fox", "Hare", "Lynx")
]


async def by_program(store: Path) -> None:
    await folkmoot.debate(Brief(topic=TOPIC, participants=PEOPLE), store=store)


async def by_desk(store: Path) -> None:
    workspace = Workspace.at(store)
    await workspace.run(workspace.plan(Brief(topic=TOPIC, participants=PEOPLE)), "by-desk")
    await workspace.close()


async def by_council(store: Path) -> None:
    votes = agents(A="I vote for: B", B="I vote for: B", C="I vote for: A")
    await Council(steps=[DebateStep(votes, None, 0)], store=store).execute(TOPIC)


async def by_pattern(store: Path) -> None:
    await DebatePattern(llm=SETTLED, store=store).arun(TOPIC, DEBATERS[:2])


async def by_groups(store: Path) -> None:
    await GroupedDebatePattern(llm=chaired(["x"]), store=store).arun(TOPIC, DEBATERS)


async def by_board(store: Path) -> None:
    chen = BoardMember("Dr. Chen", "Analytical", "Publications", "Cites figures")
    voices = board({"Dr. Chen": ["HIRE"], "Prof. Rodriguez": ["HIRE"]})
    await BoardMeeting(TOPIC, [chen, RODRIGUEZ], documents=FILE, agent=voices, store=store).hold()


Face = Callable[[Path], Coroutine[object, object, None]]
FACES: list[Face] = [by_program, by_desk, by_council, by_pattern, by_groups, by_board]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_place(tmp_path, monkeypatch)


def learned(store: Path) -> list[str]:
    with MemoryStore.open(store) as shelf:
        return [str(body.body["status"]) for body in shelf.bodies("outcome")]


@pytest.mark.parametrize("hold", FACES)
def test_every_face_learns_once(place: Path, hold: Face) -> None:
    asyncio.run(hold(place))
    assert len(learned(place)) == 1
    assert command(place.parent, "learn").output == "0 learned, 1 known already, 0 not finished\n"


@pytest.mark.parametrize("hold", FACES)
def test_no_face_learns_where_the_owner_forbids_it(place: Path, hold: Face, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLKMOOT_LEARN", "false")
    asyncio.run(hold(place))
    assert learned(place) == []
    assert command(place.parent, "learn").output == "1 learned, 0 known already, 0 not finished\n"


def test_the_command_learns(place: Path) -> None:
    (place.parent / "b.md").write_text(
        f"# {TOPIC}\n\n## Ann\nrole: for it\n\n## Bob\nrole: against it\n", encoding="utf-8"
    )
    assert command(place.parent, "run", "b.md", *QUOTES, "--quiet").exit_code == 0
    assert len(learned(place)) == 1
    (place.parent / "folkmoot.toml").write_text("learn = false\n", encoding="utf-8")
    assert command(place.parent, "run", "b.md", *QUOTES, "--quiet").exit_code == 0
    assert len(learned(place)) == 1


def test_a_record_in_no_file_is_not_learned(place: Path) -> None:
    workspace = Workspace(InMemoryStore())
    came = asyncio.run(workspace.run(workspace.plan(Brief(topic=TOPIC, participants=PEOPLE)), "d"))
    assert (came.unlearned, place.exists()) == ("", False)


async def test_a_debate_that_paused_is_learned_when_it_ends(place: Path) -> None:
    workspace = Workspace.at(place)
    plan = workspace.plan(Brief(topic=TOPIC, participants=PEOPLE, limits=Limits(asks=2)))
    assert (await workspace.run(plan, "d")).status == "paused"
    assert learned(place) == []
    assert (await workspace.resume("d", limits=Limits())).unlearned == ""
    assert len(learned(place)) == 1
    await workspace.close()


async def test_what_was_over_and_not_learned_is_learned_when_it_is_read_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOLKMOOT_LEARN", "false")
    await by_desk(place)
    monkeypatch.setenv("FOLKMOOT_LEARN", "true")
    workspace = Workspace.at(place)
    await workspace.resume("by-desk")
    assert len(learned(place)) == 1
    await workspace.close()


async def test_why_nothing_was_learned_is_told_and_harms_nothing(place: Path) -> None:
    (place.parent / "folkmoot.toml").write_text("learn = perhaps\n", encoding="utf-8")
    workspace = Workspace.at(place)
    came = await workspace.run(workspace.plan(Brief(topic=TOPIC, participants=PEOPLE)), "d")
    assert "folkmoot.toml" in came.unlearned
    assert came.transcript.closed
    await workspace.close()
