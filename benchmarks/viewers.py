"""Measures a thousand viewers of one debate over server-sent events, against limits.

The server runs a debate of about 50 entries a second in its own process; the viewers are raw sockets in another one.
One in twenty of them stops reading after its first bytes, and continues when the debate is over.

1. Every viewer, even a slow one, gets each entry once and in order.
2. 95 of 100 entries reach a viewer within 250 ms of their timestamp.
3. The debate takes as long with slow viewers as with the same number of fast ones.
4. The server's memory does not grow while the debate runs.

Run it with ``make bench`` or ``python benchmarks/viewers.py [--viewers 1000 --seconds 10]``; it exits with 1 if a limit
is exceeded. On a busy machine 2 and 3 say little.
"""

import argparse
import asyncio
import json
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import uvicorn
from starlette.types import ASGIApp

from folkmoot.app.plan.settings import Config
from folkmoot.app.plan.settings_tables import Serving
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.brief import Brief, Limits, Participant, View
from folkmoot.core.event import Called, Replied
from folkmoot.models.base import Request, Traits
from folkmoot.phases.base import Rounds
from folkmoot.phases.speak import Everyone
from folkmoot.record.hub import StoredLine
from folkmoot.web.app import make_app, open_site
from folkmoot.web.auth import session_cookie

PEOPLE, PAUSE = 5, 0.4
"""Who answers, and seconds for an answer: a round of 5 is 21 entries in 0.4 seconds, some 50 a second."""

SLOW, WATCHED = 20, 10
"""One viewer in so many is slow; of one in so many the times are taken."""

MOST_MS, MOST_RATIO, MOST_GROWTH = 250.0, 1.1, 16.0
"""Milliseconds to a viewer for 95 of 100 entries; time beside slow viewers over time beside quick ones; megabytes."""

WORDS = "word " * 60
IDS = re.compile(rb"^id: (\d+)$", re.MULTILINE)
TIMES = re.compile(rb'^data: \{"v":\d+,"seq":\d+,"at":([\d.]+)', re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What came of one debate with its viewers.

    Attributes:
        viewers: how many looked on.
        whole: how many of them had every entry once and in order.
        entries: of the debate.
        seconds: from its first question to its end.
        late: milliseconds to a viewer, for half and for 95 of 100 entries.
        grown: megabytes by which the server grew from a quarter of the debate to its end.
        peak: megabytes that it had at most.
    """

    viewers: int
    whole: int
    entries: int
    seconds: float
    late: tuple[float, float]
    grown: float
    peak: float


# ---- the server, in a process of its own -----------------------------------------------------------------------------


async def serve(folder: Path, rounds: int) -> None:
    """Hold one debate and serve it: the way there is the first line of output, the debate goes on with a line of input.

    The second line of output is what was measured.
    """
    model = Talker()
    workspace, plan = _debate(folder, model, rounds)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen(4096)
    host = f"127.0.0.1:{listening.getsockname()[1]}"
    async with open_site(workspace, workspace.config or Config(), hosts=[host]) as site, asyncio.TaskGroup() as group:
        server = _server(make_app(site))
        serving = group.create_task(server.serve(sockets=[listening]))
        holding = group.create_task(workspace.run(plan, "d1"))
        async with aclosing(workspace.hub.follow("d1")) as items:
            async for item in items:
                if isinstance(item, StoredLine) and item.seq > PEOPLE:  # everybody is asked
                    break
        secret = site.auth.exchange(site.auth.new_link())
        print(json.dumps({"host": host, "cookie": f"{session_cookie(host)}={secret}"}), flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        model.go.set()
        sizes: list[float] = []
        while not holding.done():
            sizes.append(_megabytes())
            await asyncio.sleep(0.1)
        entries = await workspace.entries("d1")
        took = entries[-1].at - next(entry.at for entry in entries if isinstance(entry.event, Replied))
        early = sizes[len(sizes) // 4]
        figures = {"entries": len(entries), "seconds": took, "grown": sizes[-1] - early, "peak": max(sizes)}
        print(json.dumps(figures), flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        server.should_exit = True
        await serving
    await workspace.close()


def _debate(folder: Path, model: "Talker", rounds: int) -> tuple[Workspace, Plan]:
    """The workspace, and the debate that runs in it."""
    workspace = Workspace.at(folder / "folkmoot.sqlite")
    workspace.config = replace(Config(), serve=Serving(requests=1_000_000))
    for n in range(PEOPLE):
        workspace.pool.add_agent(f"m{n}", model)
    brief = Brief(
        topic="Who looks on?",
        participants=tuple(Participant(name=f"P{n}", seat=f"guest:m{n}") for n in range(PEOPLE)),
        limits=Limits(parallel=PEOPLE),
    )
    protocol = Rounds(each=Everyone(act="argue", task="Argue.", view=View(last=0)), most=rounds)
    return workspace, Plan(brief=brief, name="bench", protocol=protocol)


class Talker:
    """A model that begins to answer when it may, and then takes its time."""

    name, traits = "guest:talker", Traits()
    drops: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.go = asyncio.Event()

    def quote(self, request: Request) -> Quote:
        """A few tokens."""
        return Quote(model=self.name, tokens=100)

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer after a while."""
        await self.go.wait()
        await asyncio.sleep(PAUSE)
        return Called(key="", call=request.call, text=WORDS, model=self.name, served=self.name, finish="stop")

    async def close(self) -> None:
        """Nothing to give back."""


def _server(app: ASGIApp) -> uvicorn.Server:
    config = uvicorn.Config(
        app, log_level="error", access_log=False, lifespan="off", backlog=4096, timeout_graceful_shutdown=5
    )
    return uvicorn.Server(config)


def _megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() / 1024**2


# ---- the viewers, in another -----------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Viewer(asyncio.Protocol):
    """One raw socket that reads server-sent events.

    Attributes:
        request: what it sends.
        slow: whether it stops reading after the first bytes.
        timed: whether the times of what it gets are taken.
    """

    request: bytes
    slow: bool
    timed: bool
    last: int = 0
    wrong: int = 0
    begun: float = 0.0
    late: list[float] = field(default_factory=list[float])
    here: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    line: asyncio.Transport | None = None
    _rest: bytes = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask."""
        self.line = cast("asyncio.Transport", transport)
        self.line.write(self.request)

    def data_received(self, data: bytes) -> None:
        """Read on."""
        now = time.time()
        whole, mark, self._rest = (self._rest + data).rpartition(b"\n\n")
        for number in IDS.findall(whole):
            self.wrong += int(number) != self.last + 1
            self.last = int(number)
        if self.timed and mark and self.begun:
            self.late += [now - float(at) for at in TIMES.findall(whole) if float(at) > self.begun]
        if self.last and not self.here.is_set():
            self.here.set()
            if self.slow and self.line:
                self.line.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        self.here.set()
        self.over.set()


async def look_on(host: str, cookie: str, viewers: int, *, slow: bool) -> None:
    """Look on until the debate is over: the first line of output says that all are there, the second what they saw."""
    loop = asyncio.get_running_loop()
    path = "/api/v1/debates/d1/entries?follow=true"
    # Of HTTP 1.0, so that the body comes as it is, without the frames of chunks.
    head = f"GET {path} HTTP/1.0\r\nHost: {host}\r\nAccept: text/event-stream\r\nCookie: {cookie}\r\n\r\n"
    name, _, port = host.partition(":")
    viewers_ = [Viewer(head.encode(), slow and n % SLOW == 1, n % WATCHED == 0) for n in range(viewers)]
    for start in range(0, viewers, 50):
        for viewer in viewers_[start : start + 50]:
            made_socket = socket.socket()
            made_socket.setblocking(False)
            if viewer.slow:
                made_socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            await loop.sock_connect(made_socket, (name, int(port)))
            await loop.create_connection(lambda viewer=viewer: viewer, sock=made_socket)
        for viewer in viewers_[start : start + 50]:
            await viewer.here.wait()
    begun = time.time()
    for viewer in viewers_:
        viewer.begun = begun
    print("ready", flush=True)
    for viewer in viewers_:
        if not viewer.slow:
            await viewer.over.wait()
    for viewer in viewers_:
        if viewer.slow and viewer.line:
            viewer.line.resume_reading()
    for viewer in viewers_:
        await viewer.over.wait()
    late = sorted(1000 * seconds for viewer in viewers_ for seconds in viewer.late if not viewer.slow)
    ends = max(viewer.last for viewer in viewers_)
    whole = sum(not viewer.wrong and viewer.last == ends for viewer in viewers_)
    half, most = late[len(late) // 2], late[len(late) * 95 // 100]
    print(json.dumps({"viewers": viewers, "whole": whole, "last": ends, "late": [half, most]}), flush=True)


# ---- both together ---------------------------------------------------------------------------------------------------


def measure(viewers: int, seconds: float, *, slow: bool) -> Measured:
    """One debate with its viewers.

    Args:
        viewers: how many look on.
        seconds: how long the debate takes, about.
        slow: whether one in twenty is slow.
    """
    rounds = max(1, round(seconds / PAUSE))
    with tempfile.TemporaryDirectory() as folder, _child("serve", folder, str(rounds)) as server:
        way = cast("dict[str, str]", json.loads(_line(server)))
        with _child("look", way["host"], way["cookie"], str(viewers), "slow" if slow else "") as looking:
            assert _line(looking) == "ready"
            _go(server)
            server_figures = json.loads(_line(server))
            viewer_figures = json.loads(_line(looking))
            looking.wait(30)
        _go(server)
        server.wait(30)
    return Measured(
        viewers=viewers,
        whole=viewer_figures["whole"] if viewer_figures["last"] == server_figures["entries"] else 0,
        entries=server_figures["entries"],
        seconds=server_figures["seconds"],
        late=(viewer_figures["late"][0], viewer_figures["late"][1]),
        grown=server_figures["grown"],
        peak=server_figures["peak"],
    )


def _child(*words: str) -> "subprocess.Popen[str]":
    command = [sys.executable, __file__, "--part", *words]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _line(child: "subprocess.Popen[str]") -> str:
    assert child.stdout
    if line := child.stdout.readline().strip():
        return line
    raise SystemExit(f"{child.args} ended with {child.wait(30)}")


def _go(child: "subprocess.Popen[str]") -> None:
    assert child.stdin
    child.stdin.write("\n")
    child.stdin.flush()


def missed(quick: Measured, slow: Measured) -> list[str]:
    """The limits that do not hold, in words."""
    faults: list[str] = []
    for name, figures in (("quick", quick), ("with slow ones", slow)):
        if figures.whole != figures.viewers:
            faults.append(
                f"{name}: {figures.viewers - figures.whole} of {figures.viewers} viewers have a gap or a double"
            )
        if figures.late[1] >= MOST_MS:
            faults.append(f"{name}: 95 of 100 entries are there within {figures.late[1]:.0f} ms, not {MOST_MS:.0f}")
        if figures.grown >= MOST_GROWTH:
            faults.append(f"{name}: the server grew by {figures.grown:.1f} MB, {MOST_GROWTH:.0f} are allowed")
    if slow.seconds >= MOST_RATIO * quick.seconds:
        faults.append(
            f"slow viewers make the debate {slow.seconds / quick.seconds:.2f} times as long, not {MOST_RATIO}"
        )
    return faults


def main() -> int:
    """Measure, print the table beside the limits; 1 where one does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, default=1000, help="how many look on (1000)")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long the debate takes, about (10)")
    parser.add_argument("--part", nargs="+", default=[], help=argparse.SUPPRESS)
    options = parser.parse_args()
    words = cast("list[str]", options.part)
    if words:
        part(words)
        return 0
    measured = [measure(options.viewers, options.seconds, slow=slow) for slow in (False, True)]
    print("viewers   all quick   one in 20 slow   limit")
    for name, show, limit in ROWS:
        print(f"{name:28}  {show(measured[0]):>12}  {show(measured[1]):>14}   {limit}")
    faults = missed(*measured)
    for fault in faults:
        print(f"out of reach: {fault}")
    return int(bool(faults))


def part(words: list[str]) -> None:
    """Be one of the two processes."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    match words:
        case ["serve", folder, rounds]:
            asyncio.run(serve(Path(folder), int(rounds)))
        case ["look", host, cookie, viewers, slow]:
            asyncio.run(look_on(host, cookie, int(viewers), slow=bool(slow)))
        case _:
            raise SystemExit("viewers.py: no such part")


ROWS: tuple[tuple[str, Callable[[Measured], str], str], ...] = (
    ("whole and in order", lambda of: f"{of.whole} of {of.viewers}", "all"),
    ("entries", lambda of: str(of.entries), ""),
    ("entries a second", lambda of: f"{of.entries / of.seconds:.0f}", "about 50"),
    ("the debate takes, s", lambda of: f"{of.seconds:.2f}", f"slow below {MOST_RATIO} x quick"),
    ("ms to a viewer, half", lambda of: f"{of.late[0]:.0f}", ""),
    ("ms to a viewer, 95%", lambda of: f"{of.late[1]:.0f}", f"below {MOST_MS:.0f}"),
    ("the server grows by, MB", lambda of: f"{of.grown:.1f}", f"below {MOST_GROWTH:.0f}"),
    ("the server has at most, MB", lambda of: f"{of.peak:.0f}", ""),
)


if __name__ == "__main__":
    sys.exit(main())
