"""A worker in a network of its own whose cable is pulled: nothing refuses it, and nothing answers.

It needs the right to make network namespaces; where that is missing, it is left out, and under FOLKMOOT_CI it fails.
"""

import asyncio
import os
import subprocess
import sys
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from folkmoot.core.event import Called, Closed
from tests.kits.left_out import leave_out, need_programs
from tests.workers.test_workers_processes import end, place

pytestmark = pytest.mark.alone

HERE, THERE = "10.213.77.1", "10.213.77.2"
Connect = Callable[[], Awaitable[tuple[StreamReader, StreamWriter]]]


def ip(*words: str) -> None:
    """Change the network."""
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Network:
    """A network of its own, with a cable to this one."""

    def __init__(self) -> None:
        self.name, self.cable = f"folkmoot{os.getpid()}", f"m{os.getpid() % 10**6}"

    def lay(self) -> None:
        """Make it."""
        ip("netns", "add", self.name)
        ip("link", "add", self.cable, "type", "veth", "peer", "name", "far", "netns", self.name)
        ip("addr", "add", f"{HERE}/30", "dev", self.cable)
        ip("-n", self.name, "addr", "add", f"{THERE}/30", "dev", "far")
        ip("-n", self.name, "link", "set", "far", "up")
        self.pull(out=False)

    def pull(self, *, out: bool) -> None:
        """Pull the cable out, or plug it in again."""
        ip("link", "set", self.cable, "down" if out else "up")


@contextmanager
def apart() -> Generator[Network]:
    """A network of its own, for the time of a test."""
    network = Network()
    if not sys.platform.startswith("linux"):
        pytest.skip("NO NAMESPACES: only Linux has networks for single processes")
    need_programs("ip", package="iproute2")
    try:
        try:
            network.lay()
        except subprocess.CalledProcessError as error:
            leave_out(f"NO RIGHT to make network namespaces, which needs root: {error.stderr.decode().strip()}")
        yield network
    finally:
        for words in (("link", "delete", network.cable), ("netns", "delete", network.name)):
            subprocess.run(["ip", *words], check=False, capture_output=True)


@asynccontextmanager
async def relayed(connect: Connect) -> AsyncGenerator[int]:
    """A port of this end of the cable that hands everything on; its number."""
    ends: list[StreamWriter] = []

    async def pour(reader: StreamReader, writer: StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def relay(reader: StreamReader, writer: StreamWriter) -> None:
        inner, outer = await connect()
        ends.extend((writer, outer))
        async with asyncio.TaskGroup() as group:
            group.create_task(pour(reader, outer))
            group.create_task(pour(inner, writer))

    server = await asyncio.start_server(relay, HERE, 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for writer in ends:
            writer.transport.abort()
        await asyncio.sleep(0.1)


async def test_a_worker_that_nobody_reaches_loses_its_debate_and_writes_nothing_more(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = urlsplit(database)
    folder = parts.query.removeprefix("host=")
    with apart() as network:
        async with place(database, tmp_path, monkeypatch) as here:
            model = urlsplit(here.server.url)
            async with (
                relayed(lambda: asyncio.open_unix_connection(f"{folder}/.s.PGSQL.5432")) as records,
                relayed(lambda: asyncio.open_connection(model.hostname, model.port)) as models,
            ):
                store = f"postgresql://postgres@{HERE}:{records}{parts.path}"
                words = ("-m", "folkmoot", "worker", "--name", "far", "--lease", "2", "--store", store)
                env = {**here.env, "OLLAMA_HOST": f"http://{HERE}:{models}"}
                program = ("ip", "netns", "exec", network.name, sys.executable, *words)
                far = await asyncio.create_subprocess_exec(*program, env=env, stdout=PIPE, stderr=PIPE)
                near: Process | None = None
                try:
                    await here.submit("cut")
                    await here.held("cut", 2)
                    network.pull(out=True)
                    near = await here.work("near")
                    await here.done("cut")
                finally:
                    network.pull(out=False)
                    _, log = await end(far)
                    if near is not None:
                        await end(near)
            events = [entry.event for entry in await here.entries("cut")]
    assert [type(event) for event in events].count(Closed) == 1
    calls = [(event.key, event.call) for event in events if isinstance(event, Called)]
    assert len(calls) == len(set(calls))
    assert "cut: interrupted" in log
