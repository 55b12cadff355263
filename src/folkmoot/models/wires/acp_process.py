"""A program that speaks JSON-RPC in lines, as the Agent Client Protocol does: bounded, and ended with all it started.

What is no message of the protocol is left alone: programs print greetings and warnings. All that comes is counted, so
that no program can fill the memory or talk for ever.
"""

import asyncio
import json
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol, TypeAlias, cast

from folkmoot.core.errors import ModelError, Unavailable, Unreadable

LINE_BYTES = 2**24
"""The most bytes of one line."""

MOST_BYTES = 2**26
"""The most bytes that a program may send for one answer."""

MOST_REQUESTS = 1000
"""How many requests of a program are answered."""

CANCEL_SECONDS = 2.0
"""Seconds that a program gets to stop by itself, and again to end."""

METHOD_NOT_FOUND = -32601

ENVIRONMENT = (
    *("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"),
    *("APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME"),
    *("PROCESSOR_ARCHITECTURE", "USERPROFILE"),
)
"""The environment variables that every program gets."""

Fields: TypeAlias = Mapping[str, Any]
"""An object of JSON."""


class RpcError(Exception):
    """The program answers a request with an error."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code


class Listener(Protocol):
    """What is told of that which the program says by itself."""

    def notified(self, method: str, params: Fields) -> None:
        """Take a notification; a ``ModelError`` ends the conversation."""
        ...

    def requested(self, method: str, params: Fields) -> Fields | None:
        """The result of a request of the program; None where there is no such method here."""
        ...


class RpcProcess(asyncio.SubprocessProtocol):
    """The connection with a running program.

    Args:
        name: the model's name, for errors.
        listener: is told what the program says by itself.
    """

    def __init__(self, name: str, listener: Listener) -> None:
        self._name, self._listener = name, listener
        self._waiting: dict[int, asyncio.Future[Fields]] = {}
        self._line, self._bytes, self._requests, self._sent = bytearray(), 0, 0, 0
        self._fault: ModelError | None = None
        self._greeted = self._strange = False
        self._settled, self._ended = asyncio.Event(), asyncio.Event()

    # ---- what asyncio tells ------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the pipes of the program that has started."""
        self._process = cast(asyncio.SubprocessTransport, transport)
        self._stdin = cast(asyncio.WriteTransport, self._process.get_pipe_transport(0))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Take a piece of the program's output."""
        self._bytes += len(data)
        if self._bytes > MOST_BYTES:
            self._fail(Unreadable(f"{self._name} sent more than {_mib(MOST_BYTES)} for one answer", kind="garbled"))
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._line += line
            if not self._fault:
                self._take(bytes(self._line))
            self._line.clear()
        self._line += rest if not self._fault else b""
        if len(self._line) > LINE_BYTES:
            self._fail(Unreadable(f"{self._name} sent a line of more than {_mib(LINE_BYTES)}", kind="garbled"))

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Give up what is waited for when the program closes its output."""
        if fd == 1:
            if self._line:
                self._take(bytes(self._line))
            self._fail(self._gone())

    def process_exited(self) -> None:
        """Take note that the program has ended; what it wrote before may still come, but not for long.

        What it started may hold its output open.
        """
        self._ended.set()
        asyncio.get_running_loop().call_later(CANCEL_SECONDS, lambda: self._fail(self._gone()))

    # ---- what we say -------------------------------------------------------------------------------------------------

    async def request(self, method: str, **params: object) -> Fields:
        """Send a request, and wait for its result.

        Raises:
            RpcError: the program answers with an error.
            ModelError: it has ended, or says more than it may.
        """
        if self._fault:
            raise self._fault
        self._sent += 1
        self._settled.clear()
        future = self._waiting[self._sent] = asyncio.get_running_loop().create_future()
        self._send({"id": self._sent, "method": method, "params": params})
        return await future

    def notify(self, method: str, **params: object) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    async def settle(self) -> None:
        """Wait until all requests are answered, but not for long; the answers are not used."""
        with suppress(TimeoutError):
            async with asyncio.timeout(CANCEL_SECONDS):
                await self._settled.wait()

    def _send(self, message: Fields) -> None:
        if not self._stdin.is_closing():
            self._stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    # ---- what the program says ---------------------------------------------------------------------------------------

    def _take(self, line: bytes) -> None:
        try:
            message: Any = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            message = line
        if not isinstance(message, dict):
            self._strange = self._strange or message is not None
            return
        self._greeted = True
        fields = cast("dict[str, Any]", message)
        method, params = fields.get("method"), as_fields(fields.get("params"))
        try:
            if not isinstance(method, str):
                self._answered(fields)
            elif "id" in fields:
                self._answer(fields["id"], method, params)
            else:
                self._listener.notified(method, params)
        except ModelError as error:
            self._fail(error)

    def _answered(self, message: Fields) -> None:
        number = message.get("id")
        future = self._waiting.pop(number, None) if isinstance(number, int) else None
        if not self._waiting:
            self._settled.set()
        if future is None or future.done():
            return
        if "error" in message:
            error = as_fields(message["error"])
            code, words = error.get("code"), error.get("message", message["error"])
            future.set_exception(RpcError(code if isinstance(code, int) else 0, str(words)))
        else:
            future.set_result(as_fields(message.get("result")))

    def _answer(self, number: object, method: str, params: Fields) -> None:
        self._requests += 1
        if self._requests > MOST_REQUESTS:
            raise Unreadable(f"{self._name} asked for more than {MOST_REQUESTS:,} things", kind="garbled")
        result = self._listener.requested(method, params)
        missing = {"error": {"code": METHOD_NOT_FOUND, "message": "Method not found", "data": {"method": method}}}
        self._send({"id": number, **(missing if result is None else {"result": result})})

    def _fail(self, fault: ModelError) -> None:
        """End all that is waited for with a fault, the first that there is."""
        self._fault = self._fault or fault
        self._line.clear()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(self._fault)
        self._waiting.clear()
        self._settled.set()

    def _gone(self) -> ModelError:
        if self._strange and not self._greeted:
            problem = f"{self._name} ended; what it printed is not the Agent Client Protocol"
            return Unavailable(problem, kind="request")
        return Unavailable(f"{self._name} ended before it answered", kind="connection", again=True)

    # ---- the end -----------------------------------------------------------------------------------------------------

    async def close(self) -> None:
        """Let the program end by itself, but not for long; then end it, and whatever it started."""
        try:
            if not self._stdin.is_closing():
                self._stdin.abort()  # what it has not read by now it need not read
            await self._until_ended()
        finally:
            _kill_group(self._process.get_pid())
            self._process.close()
        await self._until_ended()

    async def _until_ended(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(CANCEL_SECONDS):
                await self._ended.wait()


@asynccontextmanager
async def running(
    command: Sequence[str], folder: str, env: Sequence[str], process: RpcProcess
) -> AsyncGenerator[RpcProcess]:
    """Start a program in a folder and a process group of its own; it is ended with the context.

    Args:
        command: the program and its arguments.
        folder: where it works.
        env: the names of the variables that it gets beside the usual ones.
        process: the connection.

    Raises:
        OSError: it cannot be started.
    """
    environment = {name: os.environ[name] for name in (*ENVIRONMENT, *env) if name in os.environ}
    await asyncio.get_running_loop().subprocess_exec(
        lambda: process,
        *command,
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        env=environment,
        cwd=folder,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        await process.close()


def _kill_group(group: int) -> None:
    """End every process of a group that is still there; systems without groups end the program alone."""
    kill: Callable[[int, int], None] = getattr(os, "killpg", os.kill)
    with suppress(ProcessLookupError, PermissionError):
        kill(group, getattr(signal, "SIGKILL", signal.SIGTERM))


def as_fields(value: object) -> Fields:
    """A value of JSON as an object; an empty one where it is none."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _mib(size: int) -> str:
    return f"{size // 2**20} MiB"
