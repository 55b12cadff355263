"""SQLite under a layer over the file system: power is lost at any call, syncs lie, writes are short or fail.

What a disk may hold then is made by ``recorded_writes``. Where syncs do what they say nothing that was acknowledged is
missing. Where they lie nobody can promise that; but what is left is a beginning of the record, or it is refused.
"""

import asyncio
import random
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from folkmoot.app.plan.settings import Config
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import RecordError
from folkmoot.core.event import Event, Replied
from folkmoot.record.sqlite import SqliteStore
from folkmoot.record.store import decode
from tests.kits.left_out import need_programs
from tests.kits.thoroughness import MORE, some
from tests.record.recorded_writes import ACKS, Disk, Run, Write, compile_layer, record

NOTING = """
import asyncio, os
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import FolkmootError, RecordError
from folkmoot.record.sqlite import SqliteStore

class Noting(SqliteStore):
    async def append(self, debate, lines, *, after):
        await super().append(debate, lines, after=after)
        if debate == "d":
            os.pwrite(acks, (after + len(lines)).to_bytes(2, "little"), 0)

async def open_store(folder, pages):
    for _ in range(3):
        try:
            store = Noting.open(folder + "/folkmoot/records.db")
            break
        except RecordError as error:
            print(error)
    else:
        return None
    try:
        await store.write(lambda connection: connection.execute(f"PRAGMA wal_autocheckpoint = {pages}").fetchall())
    except RecordError as error:
        print(error)
    return store

def run(folder):
    global acks
    acks = os.open(folder + "/acks", os.O_RDWR | os.O_CREAT)
    asyncio.run(main(folder))
"""
"""A store that notes what was acknowledged, and moves its log into the file after so many pages."""

LINES = f"""{NOTING}
async def main(folder):
    store, after = await open_store(folder, 20), 0
    for _ in range(24 if store else 0):
        lines = [f"line {{seq}} " + "é" * (50 + 997 * (seq % 5)) for seq in range(after + 1, after + 4)]
        try:
            await store.append("d", lines, after=after)
            after += 3
        except RecordError as error:
            print(error)
            after = len(await store.read("d"))
    if store:
        await store.close()
"""

DEBATE = f"""{NOTING}
async def main(folder):
    store = await open_store(folder, 12)
    if not store:
        return
    workspace = Workspace(store, config=Config(learn=False))
    brief = Brief(topic="Tea?", participants=(Participant(name="Ann"), Participant(name="Bob")))
    plan = workspace.plan(brief, models=("builtin:quotes",))
    for _ in range(3):
        try:
            if await store.read("d"):
                await workspace.resume("d")
            else:
                await workspace.run(plan, "d")
            break
        except FolkmootError as error:
            print(error)
    await workspace.close()
"""

DATABASE = "folkmoot/records.db"

SECTORS = (512, 4096)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What a program did, and the lines of its record in the end."""

    writes: Sequence[Write]
    lines: tuple[str, ...]

    def disk(self, point: int, lying: Sequence[int] = ()) -> Disk:
        """The disk after so many calls."""
        disk = Disk(lying)
        for write in self.writes[:point]:
            disk.do(write)
        return disk

    @property
    def points(self) -> range:
        """After each call power can be lost."""
        return range(1, len(self.writes) + 1)

    @property
    def syncs(self) -> int:
        """How many syncs there are."""
        return sum(write.kind == "s" and write.name != ACKS for write in self.writes)


@pytest.fixture(scope="module")
def layer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The layer over the file system."""
    if not sys.platform.startswith("linux"):
        pytest.skip("NO LAYER: the layer over the file system is for Linux")
    need_programs("gcc", package="gcc libc6-dev")
    return compile_layer(tmp_path_factory.mktemp("layer"))


@pytest.fixture(scope="module")
def long_lines(layer: Path, tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """Lines that fill pages."""
    return recorded(tmp_path_factory.mktemp("lines"), LINES, layer)


@pytest.fixture(scope="module")
def debate(layer: Path, tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """A short debate."""
    return recorded(tmp_path_factory.mktemp("debate"), DEBATE, layer)


@pytest.fixture(scope="module", params=["long_lines", "debate"])
def recording(request: pytest.FixtureRequest) -> Recording:
    """Both, one after the other."""
    return request.getfixturevalue(request.param)


def recorded(folder: Path, program: str, layer: Path) -> Recording:
    """What a program does without a fault."""
    (run,) = record(folder, program, layer)
    assert {write.kind for write in run.writes} >= {*"wscmu"}
    assert run.said == ""
    return Recording(writes=run.writes, lines=asyncio.run(stored(run.disk / DATABASE)))


async def stored(path: Path) -> tuple[str, ...]:
    """The lines of the record, once the file has been found whole."""
    store = SqliteStore.open(path)
    lines = await store.read("d")
    await store.close()
    assert damage(path) == ""
    return lines


def damage(path: Path) -> str:
    """What SQLite finds wrong in a file."""
    with closing(sqlite3.connect(path)) as connection:
        problems = connection.execute("PRAGMA integrity_check").fetchall()
    return "" if problems == [("ok",)] else str(problems)


@pytest.mark.parametrize("sector", SECTORS)
async def test_a_loss_of_power_at_any_call_loses_nothing_that_was_acknowledged(
    recording: Recording, sector: int, tmp_path: Path
) -> None:
    chance = random.Random(sector)
    disk = recording.disk(0)
    for point in some(recording.points, 51):
        disk, folder = recording.disk(point), tmp_path / f"after-{point}"
        disk.lose_power(folder, chance, sector)
        lines = await stored(folder / DATABASE)
        assert len(lines) >= disk.promised, f"power was lost after {point} calls"
        assert lines == recording.lines[: len(lines)]
    assert disk.promised > 0


def what_was_said(lines: Sequence[str]) -> list[Event]:
    """The answers of a debate, and how it ended."""
    events = [decode(line).event for line in lines]
    replies = [
        replace(event, reply=replace(event.reply, seconds=0.0)) for event in events if isinstance(event, Replied)
    ]
    return [*replies, events[-1]]


async def test_a_debate_goes_on_after_a_loss_of_power_at_any_call(debate: Recording, tmp_path: Path) -> None:
    chance = random.Random(7)
    for point in some(debate.points, 69):
        folder = tmp_path / f"after-{point}"
        disk = debate.disk(point)
        disk.lose_power(folder, chance, chance.choice(SECTORS))
        if not disk.promised:
            continue
        workspace = Workspace(SqliteStore.open(folder / DATABASE), config=Config(learn=False))
        await workspace.resume("d")
        await workspace.verify("d")
        assert what_was_said(await workspace.lines("d")) == what_was_said(debate.lines)
        await workspace.close()


async def what_is_left(path: Path) -> tuple[str, ...] | str:
    """The lines of a debate that is found whole, or why it is not."""
    try:
        workspace = Workspace(SqliteStore.open(path, reading=True), config=Config(learn=False))
    except RecordError as error:
        return str(error)
    try:
        await workspace.verify("d")
        await workspace.check_store()
        return await workspace.lines("d")
    except RecordError as error:
        return str(error)
    finally:
        await workspace.close()


# ---- syncs that lie --------------------------------------------------------------------------------------------------


def lies(recording: Recording, chance: random.Random) -> Sequence[int]:
    """The syncs that say that they have synced, and have not: one, some, or all from one on."""
    first = chance.randrange(recording.syncs)
    return chance.choice(
        (
            (first,),
            [n for n in range(recording.syncs) if chance.random() < 0.3],
            range(first, recording.syncs),
        )
    )


@pytest.mark.parametrize("seed", some(range(16), 8))
async def test_a_sync_that_lies_loses_entries_but_never_changes_the_record(
    debate: Recording, seed: int, tmp_path: Path
) -> None:
    chance, losses = random.Random(seed), 0
    for point in some(debate.points, 11):
        disk, folder = debate.disk(point, lies(debate, chance)), tmp_path / f"after-{point}"
        disk.lose_power(folder, chance, chance.choice(SECTORS))
        left = await what_is_left(folder / DATABASE)
        if isinstance(left, tuple):
            assert left == debate.lines[: len(left)]
            assert damage(folder / DATABASE) == ""
        losses += disk.promised > (len(left) if isinstance(left, tuple) else 0)
    assert losses, "these lies have done no harm"


# ---- writes that fail ------------------------------------------------------------------------------------------------


FAULTS = ("eio", "short", "full", "sync")

SHARES = [(fault,) for fault in FAULTS] if MORE else [FAULTS]
"""The faults of a test each: together they need only one process that imports Folkmoot."""


async def broken(
    program: str, usual: Recording, faults: Sequence[str], step: int, layer: Path, folder: Path
) -> list[Run]:
    """What a program does when one of its writes fails: each of them, or one of so many."""
    writes = sum(write.kind == "w" and write.name != ACKS for write in usual.writes)
    steps = {"full": max(1, step // 3)}
    places = [(fault, place) for fault in faults for place in range(1, writes + 1, steps.get(fault, step))]
    runs = await asyncio.to_thread(record, folder / "broken", program, layer, places)
    complaints = {fault for run, (fault, _) in zip(runs, places, strict=True) if "records.db" in run.said}
    assert complaints == {*faults}
    return runs


@pytest.mark.parametrize("faults", SHARES)
async def test_a_write_that_fails_anywhere_loses_nothing_that_was_acknowledged(
    faults: Sequence[str], long_lines: Recording, layer: Path, tmp_path: Path
) -> None:
    for run in await broken(LINES, long_lines, faults, 21 if MORE else 199, layer, tmp_path):
        lines = await stored(run.disk / DATABASE)
        assert len(lines) >= run.promised
        assert lines == long_lines.lines[: len(lines)]


@pytest.mark.parametrize("faults", SHARES)
async def test_a_debate_goes_on_after_a_write_that_failed_anywhere(
    faults: Sequence[str], debate: Recording, layer: Path, tmp_path: Path
) -> None:
    for run in await broken(DEBATE, debate, faults, 3 if MORE else 51, layer, tmp_path):
        lines = await stored(run.disk / DATABASE)
        assert len(lines) >= run.promised
        if not lines:
            continue
        workspace = Workspace(SqliteStore.open(run.disk / DATABASE), config=Config(learn=False))
        await workspace.resume("d")
        await workspace.verify("d")
        assert what_was_said(await workspace.lines("d")) == what_was_said(debate.lines)
        await workspace.close()
