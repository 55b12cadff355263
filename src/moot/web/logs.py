"""What a server says of itself, a line for each event. This file owns that no secret, and nothing said, gets into it.

A request is named by its route, never by its address: there stand tokens, and words that somebody looks for.
"""

import contextlib
import json
import logging
import time
from collections.abc import Callable, Sequence
from typing import cast

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from moot.core.event import Closed, Entry, Opened, Paused, Resumed
from moot.web.web_site import find_pass

STARTS = frozenset({"http.response.start", "websocket.http.response.start"})
SWITCHED = 101
FORBIDDEN = 403
BROKEN = 500


class Log(logging.Handler):
    """Writes lines; it also takes what libraries log, and watches the debates of a desk.

    Args:
        write: takes a line, or a sentence for a person.
        as_json: whether lines are JSON, for programs. Else only debates and what is broken are told.
        clock: seconds since 1970.
    """

    def __init__(self, write: Callable[[str], None], *, as_json: bool, clock: Callable[[], float] = time.time) -> None:
        super().__init__(logging.WARNING)
        self._write, self._as_json, self._clock = write, as_json, clock

    def say(self, sentence: str) -> None:
        """Tell a sentence of our own."""
        self._tell(sentence, event="said", text=sentence)

    def emit(self, record: logging.LogRecord) -> None:
        """Take in what a library logs; of those that are not ours without what it fills in."""
        text = record.getMessage() if record.name.startswith("moot.") else str(record.msg)
        self._tell(f"{record.name}: {text}", event="noted", level=record.levelname, logger=record.name, text=text)

    def request(self, scope: Scope, status: int, seconds: float) -> None:
        """A request is done."""
        method, path = scope.get("method", "WEBSOCKET"), route_of(scope)
        if self._as_json:
            told = {"method": method, "path": path, "status": status, "seconds": round(seconds, 4)}
            self._tell("", event="request", **told, **{"pass": _who(scope, status), "debate": _debate(scope, status)})
        elif status >= BROKEN:
            self._tell(f"{method} {path or 'an unknown page'}: {status}")

    def take(self, debate: str, entries: Sequence[Entry]) -> None:
        """Tell where a debate begins and ends."""
        for entry in entries:
            match entry.event:
                case Opened():
                    self._tell(f"debate begun: {debate}", event="debate begun", debate=debate)
                case Resumed():
                    self._tell(f"debate taken up again: {debate}", event="debate resumed", debate=debate)
                case Closed(status=status):
                    self._tell(f"debate ended: {debate}: {status}", event="debate ended", debate=debate, status=status)
                case Paused(kind=kind):
                    why = kind or "stopped"
                    self._tell(f"debate paused: {debate}: {why}", event="debate paused", debate=debate, status=why)
                case _:
                    pass

    def end(self, debate: str) -> None:
        """Nothing is told: the entries have."""

    def _tell(self, sentence: str, **known: object) -> None:
        with contextlib.suppress(OSError):  # nobody reads it any more
            self._write(json.dumps({"at": round(self._clock(), 3), **known}) if self._as_json else sentence)


class Logged:
    """The application with a line for each request that is done.

    Args:
        app: the application behind its guard.
        log: takes the lines.
    """

    def __init__(self, app: ASGIApp, log: Log) -> None:
        self._app, self._log = app, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and tell."""
        begun, status = time.perf_counter(), 0

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] in STARTS:
                status = message["status"]
            elif message["type"] == "websocket.accept":
                status = SWITCHED
            elif message["type"] == "websocket.close" and not status:
                status = FORBIDDEN
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            self._log.request(scope, status, time.perf_counter() - begun)


def route_of(scope: Scope) -> str:
    """The template of the route that a request came to; "" where there is none."""
    return cast("str", getattr(scope.get("route"), "path", ""))


def _who(scope: Scope, status: int) -> str:
    """Whose pass it is: that of a session, a program's by its name, or a link's; "" for nobody that is known."""
    if holder := find_pass(HTTPConnection(scope)):
        return "session" if holder.machine else f"token:{holder.owner}"
    return "share" if _let_in(status) and route_of(scope).startswith("/api/") else ""


def _debate(scope: Scope, status: int) -> str:
    """The debate that it is about; "" where that is only what somebody has typed."""
    return str(scope.get("path_params", {}).get("debate", "")) if _let_in(status) else ""


def _let_in(status: int) -> bool:
    return 0 < status < 400
