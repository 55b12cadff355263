"""Run the MCP server over standard input and output, or over HTTP, and shut it down cleanly.

Standard input is read by a daemon thread that passes lines to the event loop. So the server can end while nobody writes
to it; the SDK's own reader cannot be interrupted.
"""

import asyncio
import contextlib
import logging
import os
import sys
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from folkmoot.app.export.telemetry import attach_telemetry
from folkmoot.app.plan.settings import Config
from folkmoot.app.plan.settings_tables import Serving
from folkmoot.app.run.claims import AT_HAND
from folkmoot.app.run.queue_runner import open_runner
from folkmoot.app.run.runner import Runner
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.admission import MOST_REQUEST, Admission
from folkmoot.app.serve.server_parts import (
    Listener,
    ShutdownRequest,
    check_host,
    config_of,
    error_trace,
    hosts_of,
    listen,
)
from folkmoot.app.serve.spending import Spending
from folkmoot.core.errors import BriefError
from folkmoot.core.packages import missing_library
from folkmoot.core.text import clean, hide
from folkmoot.workers.job_queue import check_queue, open_queue

if TYPE_CHECKING:
    import anyio
    from starlette.types import ASGIApp


@contextmanager
def standard_input() -> Generator[int]:
    """Reserve standard input: child processes get an empty one.

    Yields:
        The descriptor to read from.
    """
    own = os.dup(sys.stdin.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    try:
        yield own
    finally:
        os.dup2(own, sys.stdin.fileno())  # ``own`` stays open: the thread may still read from it


class Lines:
    """The lines of a descriptor.

    Args:
        descriptor: is read in a separate thread.
    """

    def __init__(self, descriptor: int) -> None:
        self._reader = asyncio.StreamReader(limit=MOST_REQUEST)  # a longer message ends the connection
        self._over = False
        loop = asyncio.get_running_loop()

        def read() -> None:
            with contextlib.suppress(RuntimeError, OSError):  # the loop has ended before the input has
                while data := os.read(descriptor, 65536):
                    loop.call_soon_threadsafe(self._feed, data)
                loop.call_soon_threadsafe(self.end)

        threading.Thread(target=read, name="folkmoot-stdin", daemon=True).start()

    def _feed(self, data: bytes) -> None:
        if not self._over:  # else it is discarded, so that the writer is not blocked
            self._reader.feed_data(data)

    def end(self) -> None:
        """End the lines."""
        self._over = True
        self._reader.feed_eof()

    async def __aiter__(self) -> AsyncIterator[str]:
        try:
            while line := await self._reader.readline():
                yield line.decode("utf-8", "replace")
        except ValueError:
            logging.getLogger("folkmoot.mcp").error(
                "a message is longer than the maximum of %s bytes", f"{MOST_REQUEST:,}"
            )
            self.end()


PATH = "/mcp"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSettings:
    """The settings of the server.

    Attributes:
        store: the file of the records, or the address of their database.
        client: over standard input: the owner's name of its debates.
        max_cost: over standard input: US dollars for the session; None for no limit.
        max_debates: debates in parallel; None for the owner's setting.
        queue: whether workers run the debates.
        reads_all: over standard input: whether the client may read the other debates in the store.
        host: over HTTP: the address to listen on.
        port: over HTTP: the port; 0 for any free port.
        ready: over HTTP: called with the address.
    """

    store: Path | str
    client: str = "agent"
    max_cost: float | None = None
    max_debates: int | None = None
    queue: bool = False
    reads_all: bool = False
    host: str = "127.0.0.1"
    port: int = 0
    ready: Callable[[str], None] = lambda address: None


class Line(logging.Formatter):
    """Formats a line of the log, without the content of debates and without keys."""

    def formatException(self, ei: object) -> str:
        """The kind of the error and where it happened."""
        return f"({error_trace(cast('tuple[type, BaseException, object]', ei)[1])})"

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        return hide(" ".join(clean(super().format(record)).split()))


def log_to_stderr() -> None:
    """Write logs to standard error, because standard output carries the protocol."""
    stream = logging.StreamHandler(sys.stderr)
    stream.setFormatter(Line("folkmoot: %(message)s"))
    logging.basicConfig(level=logging.ERROR, handlers=[stream])


async def serve_stdio(wanted: HostSettings, config: Config) -> None:
    """Serve one client over standard input and output until it disconnects or a signal comes; then pause all debates.

    Raises:
        BriefError: the SDK is not installed.
        RecordError: the store cannot be opened.
    """
    check_sdk()
    from mcp.server.stdio import stdio_server

    from folkmoot.mcp.clients import Client
    from folkmoot.mcp.tools import make_server

    log_to_stderr()
    serving = Serving(parallel=wanted.max_debates or config.serve.parallel)
    async with _serving(wanted, config, serving.parallel) as ending:
        runner = ending.runner
        spending = Spending(runner, wanted.max_cost, session=runner.workspace.clock())
        admission = Admission(runner=runner, spending=spending, serving=serving, owner=f"{wanted.client}{AT_HAND}")
        server = make_server(Client(admission=admission, reads_all=wanted.reads_all))
        with standard_input() as descriptor:
            lines = Lines(descriptor)
            try:
                async with stdio_server(stdin=cast("anyio.AsyncFile[str]", lines)) as (reading, writing):
                    await _serve(ending, server.serve(reading, writing), lines.end)
            except* OSError:  # the client no longer reads
                pass


async def serve_http(wanted: HostSettings, config: Config) -> None:
    """Serve clients with a token over HTTP until a signal comes; then pause all debates.

    Raises:
        BriefError: the SDK is not installed, nobody has a token, or the address cannot be used.
        RecordError: the store cannot be opened.
    """
    check_sdk()
    serving = config.serve
    check_host(wanted.host, serving)
    if not serving.tokens:
        raise BriefError("over HTTP every client needs a token; first set one in [serve.tokens] of your folkmoot.toml")
    log_to_stderr()
    listening = listen(wanted.host, wanted.port)
    try:
        port = int(listening.getsockname()[1])
        name = f"[{wanted.host}]" if ":" in wanted.host else wanted.host
        async with _serving(wanted, config, wanted.max_debates or serving.parallel) as ending:
            app = make_app(ending.runner, serving, hosts_of(wanted.host, port, serving))
            server = Listener(
                config_of(app, lifespan="on", log_level="error"), lambda: wanted.ready(f"http://{name}:{port}{PATH}")
            )
            ending.stop_now = server.stop_now
            await _serve(ending, server.serve(sockets=[listening]), server.leave)
    finally:
        listening.close()


@asynccontextmanager
async def _serving(wanted: HostSettings, config: Config, limit: int) -> AsyncGenerator[ShutdownRequest]:
    """A runner over the store, for the time of the context; signals end what is served in it."""
    if wanted.queue:
        check_queue(str(wanted.store))
    workspace = Workspace.at(wanted.store)
    queue = open_queue(workspace.store) if wanted.queue else None
    workspace.config = config
    try:
        attach_telemetry(workspace)
        async with open_runner(workspace, config, limit=limit, queue=queue) as runner:
            ending = ShutdownRequest(runner)
            with ending.listening():
                yield ending
                await runner.close()
    finally:
        await workspace.close()


async def _serve(ending: ShutdownRequest, serving: Coroutine[None, None, None], leave: Callable[[], None]) -> None:
    """Serve until ``serving`` ends or a signal comes; then pause all debates and call ``leave``."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(serving)
        task.add_done_callback(lambda _: ending.asked.set())
        await ending.asked.wait()
        await ending.runner.close()
        leave()


def make_app(runner: Runner, serving: Serving, hosts: frozenset[str]) -> "ASGIApp":
    """The application over HTTP, behind its guard.

    Args:
        runner: runs the debates.
        serving: what the owner allows each client.
        hosts: the accepted values of the header ``Host``.
    """
    from mcp.server.transport_security import TransportSecuritySettings

    from folkmoot.mcp.http_guard import MOST, HttpGuard, Sessions
    from folkmoot.mcp.tools import make_server

    app = make_server().streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MOST_REQUEST,
        max_sessions=MOST * max(1, len(serving.tokens)),
        # The guard checks both, and knows the names of this machine.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return HttpGuard(
        Sessions(app), Admission(runner=runner, spending=Spending(runner, serving.daily), serving=serving), hosts
    )


def check_sdk() -> None:
    """Refuse to serve without the SDK.

    Raises:
        BriefError: it is not installed.
    """
    try:
        import mcp  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError as error:
        raise BriefError(missing_library("the MCP server", "mcp"), code="no_library") from error
