"""The three hardest cases of many machines: two drivers, a database that goes in the middle, code that has changed."""

import asyncio
import json
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import cast
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest

from folkmoot.app.run.workspace import Workspace
from folkmoot.core.agent import Recorder
from folkmoot.core.errors import RecordConflict, RecordError
from folkmoot.core.event import PLAY_EVENTS, Asked, Attempted, Called, Closed, Entry, Opened, Resumed
from folkmoot.core.transcript import fold
from folkmoot.models.base import Request
from folkmoot.protocols.known import Choices
from folkmoot.record.postgres import PostgresStore
from folkmoot.record.store import chain_lines, read
from folkmoot.testing.replay import essence
from folkmoot.testing.store_checks import InMemoryStore
from tests.record.pg import Postgres, running, statement_waits
from tests.workers.chaos_kit import start, stop
from tests.workers.workers_kit import House, Turned, house

pytestmark = pytest.mark.alone


class Once(Turned):
    """A model whose calls only the pool puts on record."""

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """See ``models.base.Model``."""
        return await self._send(request, recorder)


async def entries_of(place: House, debate: str) -> tuple[Entry, ...]:
    return read(await place.workspace.store.read(debate))


async def unbroken(first: Entry) -> tuple[Entry, ...]:
    """The same debate from its first entry on, held by one process that nothing befalls."""
    workspace = Workspace(InMemoryStore())
    workspace.pool.add_agent("model", Once())
    await workspace.store.append("whole", chain_lines([first]), after=0)
    await workspace.resume("whole")
    entries = await workspace.entries("whole")
    await workspace.close()
    return entries


def calls(entries: tuple[Entry, ...]) -> list[tuple[str, str]]:
    return [(entry.event.key, entry.event.call) for entry in entries if isinstance(entry.event, Called)]


async def check_whole(place: House, debate: str) -> tuple[Entry, ...]:
    """A debate is over, is what it would be where nothing befell it, and holds no answer twice; its entries."""
    entries = await entries_of(place, debate)
    assert isinstance(entries[-1].event, Closed)
    assert essence(fold(entries)) == essence(fold(await unbroken(entries[0])))
    assert len(calls(entries)) == len(set(calls(entries)))
    await place.workspace.verify(debate)
    return entries


# ---- two drivers of one debate --------------------------------------------------------------------------------------


async def tried(place: House, debate: str, times: int) -> None:
    """Wait until so many calls are on record as begun."""
    async with asyncio.timeout(120):
        while sum(isinstance(entry.event, Attempted) for entry in await entries_of(place, debate)) < times:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


def _no_lock(_: object) -> str:
    return ""


async def test_of_two_drivers_without_a_fence_the_record_lets_one_through(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As on two machines: on one, the second is refused before it asks anything.
    monkeypatch.setattr("folkmoot.app.run.workspace.lock_place", _no_lock)
    async with house(database, "", Once(waits=True)) as first_house, house(database, "", Once(waits=True)) as two:
        await first_house.lay("both", rounds=2)
        outcomes: list[str] = []

        async def drive(place: House, name: str) -> None:
            try:
                outcomes.append(f"{name} {(await place.workspace.resume('both')).status}")
            except RecordConflict:
                outcomes.append(f"{name} refused")

        async with asyncio.timeout(120), asyncio.TaskGroup() as group:
            first = group.create_task(drive(first_house, "one"))
            await tried(first_house, "both", 2)
            group.create_task(drive(two, "two"))
            await tried(two, "both", 4)
            first_house.model.go.set()
            await first
            two.model.go.set()
        entries = await check_whole(two, "both")
    assert outcomes[0] == "one refused"
    assert [outcome.partition(" ")[0] for outcome in outcomes] == ["one", "two"]
    assert sum(isinstance(entry.event, Resumed) for entry in entries) == 2
    # What was in flight is paid twice, and no more: the answers of the first came to a record that had gone on.
    assert len(first_house.model.history) <= 2
    assert len(two.model.history) == len(calls(entries))
    assert sum(isinstance(entry.event, Attempted) for entry in entries) == len(calls(entries)) + 2


# ---- a database that goes in the middle ------------------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class Way:
    """The way to a database's server, on a port of its own, that loses what is sent on it.

    Attributes:
        lose: the link on which these bytes are sent to the server is cut before the server's answer comes back.
        lost: how many links were cut.
    """

    folder: str
    lose: bytes = b""
    lost: int = 0
    port: int = 0
    links: list[asyncio.StreamWriter] = field(default_factory=list[asyncio.StreamWriter])

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["Way"]:
        """Open it as long as the context lasts."""
        server = await asyncio.start_server(self._meet, "127.0.0.1")
        self.port = server.sockets[0].getsockname()[1]
        yield self
        server.close()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_unix_connection(f"{self.folder}/.s.PGSQL.5432")
        self.links.append(writer)
        deaf = asyncio.Event()

        async def ask() -> None:
            while data := await reader.read(2**20):
                if self.lose and self.lose in data:
                    self.lose = b""
                    self.lost += 1
                    deaf.set()
                server_writer.write(data)
            server_writer.close()

        async def answer() -> None:
            while (data := await server_reader.read(2**20)) and not deaf.is_set():
                writer.write(data)
            writer.transport.abort()
            server_writer.close()

        with suppress(OSError):
            async with asyncio.TaskGroup() as group:
                group.create_task(ask())
                group.create_task(answer())


@asynccontextmanager
async def way_to(database: str) -> AsyncGenerator[tuple[Way, str]]:
    """A way to that database, and its address there."""
    parts = urlsplit(database)
    async with Way(folder=parse_qs(parts.query)["host"][0]).open() as way:
        yield way, f"postgresql://postgres@127.0.0.1:{way.port}{parts.path}?sslmode=disable"


async def test_an_append_that_was_stored_though_nobody_was_told_is_read_and_not_repeated(
    database: str, temporal: str
) -> None:
    model = Once(waits=True)
    async with way_to(database) as (way, address), house(database, temporal, model) as place:
        straight, place.workspace = place.workspace, Workspace(PostgresStore.open(address), pool=place.workspace.pool)
        await place.queue.submit(await place.lay("deaf", rounds=2))
        async with place.working():
            await model.asked.wait()
            way.lose = b'"kind":"called"'
            model.go.set()
            await place.until("deaf", "done")
            entries = await check_whole(place, "deaf")
        assert way.lost == 1
        assert sum(isinstance(entry.event, Resumed) for entry in entries) == 2
        tries = [(entry.event.key, entry.event.call) for entry in entries if isinstance(entry.event, Attempted)]
        stored = [(entry.event.key, entry.event.call) for entry in entries if isinstance(entry.event, Called)]
        # Two were asked at once. What stood in the lost append was stored, so at most the other was asked again.
        assert 0 <= len(place.model.history) - len(stored) <= 1
        # The tries that stood in it were not sent, because nobody was told that they are on record.
        assert len(tries) - len(set(tries)) <= 2
        assert len(place.model.history) <= len(tries)
        assert set(tries) == set(stored)
        await place.workspace.close()
        place.workspace = straight


async def lock_lines(database: str) -> "asyncpg.Connection[asyncpg.Record]":
    """A link that lets nobody append as long as it is open."""
    link = await asyncpg.connect(database)
    await link.execute("BEGIN; LOCK TABLE folkmoot_line IN EXCLUSIVE MODE")
    return link


async def test_a_server_that_stops_while_an_append_is_in_flight_and_starts_again(own: Postgres, temporal: str) -> None:
    database = own.make()
    model = Once(waits=True)
    async with house(database, temporal, model) as place:
        await place.queue.submit(await place.lay("gone", rounds=2))
        async with place.working():
            await model.asked.wait()
            link = await lock_lines(database)
            model.go.set()
            async with asyncio.timeout(120):
                await statement_waits(database)
            await asyncio.to_thread(stop, own)
            link.terminate()
            await asyncio.sleep(0.5)
            await asyncio.to_thread(start, own)
            job = await place.until("gone", "done")
            entries = await check_whole(place, "gone")
    assert job.tries >= 1
    attempts = [entry.event for entry in entries if isinstance(entry.event, Attempted)]
    assert len(model.history) <= len(attempts)
    # Only the two calls whose answers were not on record yet are made again.
    assert len(attempts) - len(calls(entries)) <= 2
    assert sum(isinstance(entry.event, Resumed) for entry in entries) == 2


async def test_a_link_whose_server_has_just_said_goodbye_is_one_sentence(database: str) -> None:
    async with way_to(database) as (way, address):
        store = PostgresStore.open(address)
        await store.append("a", ("1",), after=0)
        assert await store.read("a") == ("1",)
        reason = b"SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0"
        for link in way.links:
            link.write(b"E" + (len(reason) + 4).to_bytes(4) + reason)
        await asyncio.sleep(0.1)
        with pytest.raises(RecordError, match=r"cannot be used: the connection to its server was lost\.$"):
            await store.read("a")
        for link in way.links:
            link.transport.abort()
        await asyncio.sleep(0.1)
        await store.append("a", ("2",), after=1)
        assert await store.read("a") == ("1", "2")
        await store.close()


@pytest.fixture
def own() -> Generator[Postgres]:
    """A server of the test's own."""
    with running() as server:
        yield server


# ---- code that has changed under an unfinished debate ----------------------------------------------------------------


async def begun(place: House, *, rounds: int = 2) -> tuple[Entry, ...]:
    """The beginning of a debate, up to an answer in the middle."""
    await place.lay("source", rounds=rounds)
    await place.workspace.resume("source")
    entries = await entries_of(place, "source")
    called = [entry.seq for entry in entries if isinstance(entry.event, Called)]
    return entries[: called[len(called) // 2]]


async def test_a_record_that_other_code_has_made_is_parked_with_the_entry_that_differs(
    database: str, temporal: str
) -> None:
    async with house(database, temporal, Once()) as place:
        entries = await begun(place)
        asked_at = next(n for n, entry in enumerate(entries) if isinstance(entry.event, Asked))
        was = cast(Asked, entries[asked_at].event)
        other = replace(entries[asked_at], event=replace(was, ask=replace(was.ask, task="What older code has asked.")))
        lines = chain_lines([*entries[:asked_at], other, *entries[asked_at + 1 :]])
        await place.workspace.store.append("older", lines, after=0)
        await place.queue.submit("older")
        asked_before = len(place.model.history)
        async with place.working():
            job = await place.until("older", "parked")
        assert job.reason.startswith(f"entry {asked_at + 1}: the record has asked")
        assert "What older code has asked." in job.reason
        assert len(place.model.history) == asked_before
        assert await place.workspace.store.read("older") == tuple(lines)


async def test_a_debate_whose_words_and_rounds_are_no_longer_the_usual_ones_goes_on_as_it_began(
    database: str, temporal: str
) -> None:
    old = "Speak as was usual in an older version."
    async with house(database, temporal, Once()) as place:
        await place.lay("model")
        opened = cast(Opened, (await entries_of(place, "model"))[0].event)
        tree = json.loads(json.dumps(opened.protocol))
        tree["parts"][0]["task"] = old
        tree["parts"][1]["most"] = 3
        first = Entry(seq=1, at=1.0, event=replace(opened, protocol=tree), prev="")
        whole = await unbroken(first)
        middle = chain_lines(whole[: len(whole) // 2])
        await place.workspace.store.append("began", middle, after=0)
        await place.queue.submit("began")
        async with place.working():
            await place.until("began", "done")
            entries = await check_whole(place, "began")
    play = [entry.event for entry in entries if isinstance(entry.event, PLAY_EVENTS)]
    assert play == [entry.event for entry in whole if isinstance(entry.event, PLAY_EVENTS)]
    assert any(isinstance(event, Asked) and event.ask.task == old for event in play)
    assert (
        place.workspace.plan(opened.brief, protocol="round_robin", choices=Choices(rounds=1)).opened().protocol != tree
    )
