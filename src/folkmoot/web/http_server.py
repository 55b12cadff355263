"""Start and stop the web server: a socket, uvicorn and the debates in one event loop."""

import asyncio
import io
import logging
import os
import socket
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, cast

from folkmoot.app.export.telemetry import attach_telemetry
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.notices import Notifier
from folkmoot.app.serve.server_parts import (
    Listener,
    ShutdownRequest,
    check_host,
    config_of,
    hosts_of,
    is_any,
    listen,
    own_address,
)
from folkmoot.web.app import make_app, open_site
from folkmoot.web.guard import Log, Logged
from folkmoot.web.site import ServerState
from folkmoot.workers.job_queue import check_queue, open_queue

PORT = 8323

SETTLE = 0.2
"""Seconds for sending the last entries to viewers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """The settings of the server.

    Attributes:
        store: the file of the records, or the address of their database.
        host: the address to listen on.
        port: the port; 0 for any free port.
        most: debates in parallel; None for the owner's setting.
        queue: whether workers run the debates.
        lan: whether the network that this machine is in may reach it without a token, at ``host`` 0.0.0.0.
        ready: called with the link that has the one-time token.
        say: called with sentences about what happens.
        log: takes JSON lines instead, also for every request; None for sentences.
    """

    store: Path | str
    host: str = "127.0.0.1"
    port: int = PORT
    most: int | None = None
    queue: bool = False
    lan: bool = False
    ready: Callable[[str], None]
    say: Callable[[str], None]
    log: Callable[[str], None] | None = None


async def serve(wanted: ServerSettings, config: Config) -> None:
    """Serve until a signal comes.

    Raises:
        BriefError: the address cannot be used, or there is no queue for that store.
        RecordError: the store cannot be opened.
    """
    if not wanted.lan:
        check_host(wanted.host, config.serve)
    if wanted.queue:
        check_queue(str(wanted.store))
    listening = listen(wanted.host, wanted.port)
    port = int(listening.getsockname()[1])
    workspace = Workspace.at(wanted.store)
    queue = open_queue(workspace.store) if wanted.queue else None
    workspace.config = config
    try:
        attach_telemetry(workspace)
        hosts = hosts_of(own_address() if wanted.lan else wanted.host, port, config.serve)
        async with open_site(workspace, config, hosts=hosts, most=wanted.most, queue=queue) as site:
            await _run(site, listening, wanted, port)
    finally:
        listening.close()
        await workspace.close()


@contextmanager
def _on_enter(act: Callable[[], None]) -> Generator[None]:
    """Do something after each line that is typed at the terminal."""
    loop, stdin = asyncio.get_running_loop(), cast("TextIO", sys.stdin or io.StringIO())

    def read() -> None:
        if stdin.readline():
            act()
        else:
            loop.remove_reader(stdin)

    typed = stdin.isatty() and os.name == "posix"
    if typed:
        loop.add_reader(stdin, read)
    try:
        yield
    finally:
        if typed:
            loop.remove_reader(stdin)


@contextmanager
def _logging(log: Log) -> Generator[None]:
    """Send the logs of libraries there too, for the time of the context."""
    logging.getLogger().addHandler(log)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(log)


async def _run(site: ServerState, listening: socket.socket, wanted: ServerSettings, port: int) -> None:
    log = Log(wanted.log or wanted.say, as_json=wanted.log is not None)
    site.workspace.watchers.each.append(log)
    site.runner.tell_error = log.take_error
    config = config_of(Logged(make_app(site), log), lifespan="off", log_level="warning")
    up = asyncio.Event()
    server = Listener(config, up.set)
    name = wanted.host if not is_any(wanted.host) else own_address() if wanted.lan else "127.0.0.1"
    name = f"[{name}]" if ":" in name else name
    base = f"http://{name}:{port}"
    notifier = Notifier(site.workspace, site.runner.config.notify, base, log.say)
    wants_notices = bool(notifier.wanted.webhook or notifier.wanted.smtp)
    if wants_notices:
        site.workspace.watchers.each.append(notifier)
    message = "stopping after the answers in progress; press Ctrl-C again to stop at once"
    ending = ShutdownRequest(site.runner, waits=lambda: log.say(message), stop_now=server.stop_now)

    def tell_link() -> None:
        wanted.ready(f"{base}/?token={site.auth.new_link()}")

    async with asyncio.TaskGroup() as group:
        serving = group.create_task(server.serve(sockets=[listening]))
        await up.wait()
        with _logging(log), ending.listening(), _on_enter(tell_link):
            notifying = group.create_task(notifier.run()) if wants_notices else None
            tell_link()
            await ending.asked.wait()
            await site.runner.close()
            await asyncio.sleep(SETTLE)
            if notifying:
                notifying.cancel()
            site.live.close()
            server.leave()
            await serving
