"""Parts that all servers share: addresses and host names, connection limits, signals, error reports.

A server that others can reach must know its callers by a token, and must know its own names: else a foreign page could
reach it through the browser of the person at the machine. An error report says where an error came from,
and no values.
"""

import asyncio
import ipaddress
import signal
import socket
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Literal, cast

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from folkmoot.app.plan.settings_tables import Serving
from folkmoot.app.run.runner import Runner
from folkmoot.app.serve.hang_up import leave_terminals, open_terminals, stop_signals
from folkmoot.core.errors import BriefError

if TYPE_CHECKING:
    from starlette.types import ASGIApp
    from uvicorn._types import ASGISendEvent

MOST_PLACES = 8
"""The most places of an error that are told, the innermost ones."""


def error_trace(error: BaseException) -> str:
    """The kind of an error and the places that it went through, the innermost first: module and line, nothing said.

    It is the error that others came from: the cause, and of a group the first.
    """
    while inner := _first_of_group(error):
        error = inner
    places = [_place(frame, line) for frame, line in _walk(error)][-MOST_PLACES:]
    return " < ".join([type(error).__name__, *reversed(places)])


def _first_of_group(error: BaseException) -> BaseException | None:
    if isinstance(error, BaseExceptionGroup):
        return cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error.__cause__


def _walk(error: BaseException) -> Iterator[tuple[FrameType, int]]:
    trace = error.__traceback__
    while trace:
        yield trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next


def _place(frame: FrameType, line: int) -> str:
    return f"{frame.f_globals.get('__name__', '?')}:{line}"


LOOPBACK = ("127.0.0.1", "localhost", "::1")


def check_host(host: str, serving: Serving) -> None:
    """Refuse to be reached from elsewhere where nobody would need a token.

    Raises:
        BriefError: no token is set, or it is unclear by which name the machine is reached.
    """
    if is_loopback(host):
        return
    if not serving.tokens:
        problem = (
            f"{host} can be reached from other machines; set a token in [serve.tokens] of your own folkmoot.toml first"
        )
        raise BriefError(problem, code="inconsistent")
    if is_any(host) and not serving.hosts:
        problem = f"{host} means every address; list in [serve] hosts the names by which this machine is reached"
        raise BriefError(problem, code="inconsistent")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    address = _address(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def is_any(host: str) -> bool:
    """Whether an address stands for all of the machine's."""
    address = _address(host)
    return address is not None and address.is_unspecified


def hosts_of(host: str, port: int, serving: Serving) -> frozenset[str]:
    """The values of the header ``Host`` that are answered, in small letters."""
    names = [*LOOPBACK] if is_loopback(host) else [host, *LOOPBACK]
    host_names = [f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in names]
    more = [name for host in serving.hosts for name in (host, f"{host}:{port}")]
    return frozenset(text.lower() for text in (*host_names, *more))


def own_address() -> str:
    """The address under which the network that this machine is in reaches it.

    Raises:
        BriefError: it is in none.
    """
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
            way.connect(("192.0.2.1", 9))  # of TEST-NET-1 (RFC 5737); of UDP nothing is sent by this
            return str(way.getsockname()[0])
    except OSError as error:
        problem = "this machine is in no network, so that no other device can reach it; leave out --lan"
        raise BriefError(problem, code="no_port") from error


def listen(host: str, port: int) -> socket.socket:
    """A socket at an address; port 0 takes any.

    Raises:
        BriefError: it cannot be listened at.
    """
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        new_socket = socket.socket(family, kind, proto)
        try:
            new_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            new_socket.bind(address)
        except BaseException:
            new_socket.close()
            raise
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BriefError(
            f"the server cannot listen at {host}:{port}: {reason}; try --port 0", code="no_port"
        ) from error
    return new_socket


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


GRACE = 5
"""Seconds that open requests have when a server is ended; the debates had theirs before."""


class Listener(uvicorn.Server):
    """uvicorn; what signals ask for is this file's business.

    Args:
        config: what is served, and how.
        up: told when it answers.
    """

    def __init__(self, config: uvicorn.Config, up: Callable[[], None]) -> None:
        super().__init__(config)
        self._up = up

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        self._up()

    def leave(self) -> None:
        """End, when the open requests are answered or their grace is over."""
        self.should_exit = True

    def stop_now(self) -> None:
        """End without waiting for open requests."""
        self.force_exit = True

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Capture none."""
        yield


@dataclass(slots=True, eq=False)
class ShutdownRequest:
    """What somebody's signals ask for: first to stop after the answers in progress, then at once.

    Attributes:
        runner: where the debates run.
        waits: told at the first signal, where answers are in hand.
        stop_now: told at each further one.
        asked: set when the server shall end.
        terminals: the standard streams that are terminals.
    """

    runner: Runner
    waits: Callable[[], None] = lambda: None
    stop_now: Callable[[], None] = lambda: None
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    terminals: tuple[int, ...] = field(default_factory=open_terminals)

    def hang_up(self) -> None:
        """SIGHUP: the terminal is gone, so nobody reads what is said."""
        leave_terminals(self.terminals)
        self.terminals = ()
        self.press()

    def press(self) -> None:
        """Ctrl-C, or SIGTERM."""
        if not self.asked.is_set():
            self.asked.set()
            if self.runner.running:
                self.waits()
            return
        self.stop_now()
        for debate in self.runner.running:
            self.runner.stop(debate, now=True)

    @contextmanager
    def listening(self) -> Generator[None]:
        """Signals come here; before and after they mean what they did."""
        loop = asyncio.get_running_loop()

        def call(number: int, _: FrameType | None) -> None:
            closed = number not in (signal.SIGINT, signal.SIGTERM)
            loop.call_soon_threadsafe(self.hang_up if closed else self.press)

        before = {item: signal.signal(item, call) for item in stop_signals()}
        try:
            yield
        finally:
            for signals, old in before.items():
                signal.signal(signals, old)


HEAD_SECONDS = 10.0
"""Time for the head of a request to come in."""

IDLE_SECONDS = 10
"""Time between an answer and the next request of a connection."""

LONGEST_HEAD = 64 * 1024
"""Bytes of the head of a request."""

LONGEST_FRAME = 64 * 1024
"""Bytes of a message that somebody sends over a WebSocket."""

MOST = 2000
"""Connections at once; further requests are answered by 503."""


class TimedHttp(H11Protocol):
    """HTTP/1.1 where the head of a request has to come in time: uvicorn waits for one that has begun without end."""

    _waits: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a head that has begun."""
        super().data_received(data)
        if self.transport.get_protocol() is not self or (self.cycle and not self.cycle.response_complete):
            self._stop_waiting()
        elif self._waits is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._waits = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._waits is not None:
            self._waits.cancel()
            self._waits = None


class RefusableWebSockets(WebSocketsSansIOProtocol):
    """WebSockets that may be refused by an answer: uvicorn logs an error after each of these."""

    async def send(self, message: "ASGISendEvent") -> None:
        """Send something; a refusal is the end of the handshake as well."""
        await super().send(message)
        self.handshake_complete = self.handshake_complete or self.close_sent


def config_of(app: "ASGIApp", *, lifespan: Literal["on", "off"], log_level: str) -> uvicorn.Config:
    """How an application is served, with limits on what a connection may take."""
    return uvicorn.Config(
        app,
        http=TimedHttp,
        ws=RefusableWebSockets,
        log_config=None,
        log_level=log_level,
        access_log=False,
        lifespan=lifespan,
        server_header=False,
        ws_max_size=LONGEST_FRAME,
        h11_max_incomplete_event_size=LONGEST_HEAD,
        limit_concurrency=MOST,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=GRACE,
    )
