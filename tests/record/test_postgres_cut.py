"""PostgreSQL behind a line that is cut at each message: before a request arrives, or before its answer comes back."""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

import pytest

from folkmoot.app.plan.settings import Config
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import RecordAway, RecordError
from folkmoot.core.event import Closed, Event, Replied
from folkmoot.record import postgres
from folkmoot.record.postgres import PostgresStore
from folkmoot.record.store import Append, decode

BRIEF = Brief(topic="Tea?", participants=(Participant(name="Ann"), Participant(name="Bob")))


@dataclass(slots=True, eq=False)
class Line:
    """A line to a server that is cut once.

    Attributes:
        folder: where the server's socket is.
        at: the request at which it is cut, counted from 1; 0 for never.
        answered: whether the request arrives, and only its answer is lost.
        requests: how many there were.
    """

    folder: str
    at: int = 0
    answered: bool = False
    requests: int = 0
    _ends: list[StreamWriter] = field(default_factory=list[StreamWriter])

    async def carry(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Carry one connection."""
        inner, outer = await asyncio.open_unix_connection(f"{self.folder}/.s.PGSQL.5432")
        self._ends += [writer, outer]
        cut = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            back = group.create_task(self._pour(inner, writer, cut))
            with suppress(OSError):
                while not cut.is_set() and (data := await reader.read(65_536)):
                    self.requests += 1
                    if self.requests == self.at:
                        cut.set()
                        if not self.answered:
                            back.cancel()
                            break
                    outer.write(data)
            if not cut.is_set():
                outer.close()
        for end in (writer, outer):
            end.transport.abort()

    async def _pour(self, reader: StreamReader, writer: StreamWriter, cut: asyncio.Event) -> None:
        """Carry what comes back, until the line is cut: then the next answer is lost."""
        with suppress(OSError):
            while (data := await reader.read(65_536)) and not cut.is_set():
                writer.write(data)
        writer.close()

    @asynccontextmanager
    async def held(self) -> AsyncGenerator[int]:
        """A context in which it can be used; its port."""
        server = await asyncio.start_server(self.carry, "127.0.0.1", 0)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            for end in self._ends:
                end.transport.abort()
            await asyncio.sleep(0)


class Noting(PostgresStore):
    """Notes what was acknowledged."""

    promised = 0

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        await super().append(debate, lines, after=after)
        if debate.startswith("d"):
            self.promised = after + len(lines)


async def run(store: PostgresStore, debate: str) -> list[str]:
    """Run a debate, and resume it where the store fails; the errors."""
    workspace, errors = Workspace(store, config=Config(learn=False)), list[str]()
    plan = workspace.plan(BRIEF, models=("builtin:quotes",))
    for _ in range(3):
        try:
            if await store.read(debate):
                await workspace.resume(debate)
            else:
                await workspace.run(plan, debate)
            break
        except RecordError as error:
            errors.append(str(error))
    await workspace.close()
    return errors


def what_was_said(lines: Sequence[str]) -> list[Event]:
    """The answers, and how it ended."""
    events = [decode(line).event for line in lines]
    replies = [event for event in events if isinstance(event, Replied)]
    answers = [replace(event, reply=replace(event.reply, seconds=0.0)) for event in replies]
    return [*answers, *(event for event in events if isinstance(event, Closed))]


async def cut_everywhere(database: str) -> None:
    """Run debates over a line that is cut at each message in turn, and check what is stored."""
    parts = urlsplit(database)
    line = Line(parts.query.removeprefix("host="))
    sure = PostgresStore.open(database)
    async with line.held() as port:
        address = f"postgresql://postgres@127.0.0.1:{port}{parts.path}"
        assert await run(Noting.open(address), "d0") == []
        whole, line.requests = what_was_said(await sure.read("d0")), 0
        await run(Noting.open(address), "d1")  # the tables are there now
        many, complaints = line.requests, 0
        for line.answered in (False, True):
            for at in range(1, many + 1):
                line.at, line.requests, debate = at, 0, f"d-{at}-{line.answered}"
                store = Noting.open(address)
                complaints += bool(await run(store, debate))
                lines = await sure.read(debate)
                assert len(lines) >= store.promised > 0
                assert what_was_said(lines) == whole, f"cut at request {at}"
                await Workspace(sure).verify(debate)
        assert complaints > many
    await sure.close()


async def test_a_line_that_is_cut_at_any_message_loses_nothing_that_was_acknowledged(database: str) -> None:
    await cut_everywhere(database)


async def test_an_error_that_counts_as_stored_is_noticed(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = postgres.notify_callers

    def notify(outcomes: Sequence[tuple[Append, RecordError | None]]) -> None:
        usual([(append, None if isinstance(error, RecordAway) else error) for append, error in outcomes])

    monkeypatch.setattr(postgres, "notify_callers", notify)
    with pytest.raises(AssertionError):
        await cut_everywhere(database)
