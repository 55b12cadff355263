"""A program that speaks JSON-RPC in lines, as the Agent Client Protocol does: bounded, and ended with all it started.

What is no message of the protocol is left alone: programs print greetings and warnings. All that comes is counted, so
that no program can fill the memory or talk for ever.
"""

import asyncio
import json
import os
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Protocol

from folkmoot.core.errors import ModelError, Unavailable, Unreadable
from folkmoot.core.json_values import as_object, read_object

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


class RpcError(Exception):
    """The program answers a request with an error."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code


class Listener(Protocol):
    """What is told of that which the program says by itself."""

    def notified(self, method: str, params: Mapping[str, object]) -> None:
        """Take a notification; a ``ModelError`` ends the conversation."""
        ...

    def requested(self, method: str, params: Mapping[str, object]) -> Mapping[str, object] | None:
        """The result of a request of the program; None where there is no such method here."""
        ...


class RpcProcess:
    """The connection with a running program: one request at a time; what else comes is taken while its answer is awaited.

    Args:
        name: the model's name, for errors.
        listener: is told what the program says by itself.
        process: the program.
    """

    def __init__(self, name: str, listener: Listener, process: Process) -> None:
        self._name, self._listener, self._process = name, listener, process
        self._bytes = self._requests = self._sent = 0
        self._greeted = self._strange = False

    async def request(self, method: str, **params: object) -> Mapping[str, object]:
        """Send a request, and wait for its result.

        Raises:
            RpcError: the program answers with an error.
            ModelError: it has ended, or says more than it may.
        """
        self._sent += 1
        self._send({"id": self._sent, "method": method, "params": params})
        return await self._answer()

    async def cancel(self, method: str, **params: object) -> None:
        """Tell the program to stop, and wait for the answer to the last request, but not for long; it is not used."""
        self._send({"method": method, "params": params})
        with suppress(TimeoutError, ModelError, RpcError):
            async with asyncio.timeout(CANCEL_SECONDS):
                await self._answer()

    def _send(self, message: Mapping[str, object]) -> None:
        stdin = self._process.stdin
        if stdin and not stdin.is_closing():
            stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    async def _answer(self) -> Mapping[str, object]:
        """The result of the last request."""
        while True:
            message = await self._message()
            method, params = message.get("method"), as_object(message.get("params"))
            if isinstance(method, str) and "id" in message:
                self._requests += 1
                if self._requests > MOST_REQUESTS:
                    raise Unreadable(f"{self._name} asked for more than {MOST_REQUESTS:,} things", kind="garbled")
                result = self._listener.requested(method, params)
                missing = {"code": METHOD_NOT_FOUND, "message": "Method not found", "data": {"method": method}}
                self._send({"id": message["id"], **({"error": missing} if result is None else {"result": result})})
            elif isinstance(method, str):
                self._listener.notified(method, params)
            elif message.get("id") == self._sent and "error" in message:
                error = as_object(message["error"])
                code, words = error.get("code"), error.get("message", message["error"])
                raise RpcError(code if isinstance(code, int) else 0, str(words))
            elif message.get("id") == self._sent:
                return as_object(message.get("result"))

    async def _message(self) -> Mapping[str, object]:
        """The next message."""
        while True:
            line = await self._line()
            if message := read_object(line):
                self._greeted = True
                return message
            self._strange = self._strange or bool(line.strip())

    async def _line(self) -> bytes:
        assert self._process.stdout
        line: bytes | None = None
        while line is None:
            try:
                async with asyncio.timeout(CANCEL_SECONDS):
                    line = await self._process.stdout.readline()
            except TimeoutError:
                # What it started may hold its output open.
                line = b"" if self._process.returncode is not None else None
            except ValueError as error:
                problem = f"{self._name} sent a line of more than {LINE_BYTES // 2**20} MiB"
                raise Unreadable(problem, kind="garbled") from error
        self._bytes += len(line)
        if self._bytes > MOST_BYTES:
            problem = f"{self._name} sent more than {MOST_BYTES // 2**20} MiB for one answer"
            raise Unreadable(problem, kind="garbled")
        if line:
            return line
        if self._strange and not self._greeted:
            problem = f"{self._name} ended; what it printed is not the Agent Client Protocol"
            raise Unavailable(problem, kind="request")
        raise Unavailable(f"{self._name} ended before it answered", kind="connection", again=True)


@asynccontextmanager
async def running(command: Sequence[str], folder: str, env: Sequence[str]) -> AsyncGenerator[Process]:
    """Start a program in a folder and a process group of its own; it is ended with the context.

    Args:
        command: the program and its arguments.
        folder: where it works.
        env: the names of the variables that it gets beside the usual ones.

    Raises:
        OSError: it cannot be started.
    """
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        env={name: os.environ[name] for name in (*ENVIRONMENT, *env) if name in os.environ},
        cwd=folder,
        start_new_session=True,
        limit=LINE_BYTES,
    )
    try:
        yield process
    finally:
        try:
            # It may end by itself, but not for long; what it has not read by now it need not read.
            if process.stdin and not process.stdin.is_closing():
                process.stdin.transport.abort()
            await _ended(process)
        finally:
            _kill_group(process.pid)
            _close_pipes(process)
        await _ended(process)


def _close_pipes(process: Process) -> None:
    """Let go of pipes that something may hold open which has left the process group."""
    transport: asyncio.SubprocessTransport = getattr(process, "_transport")  # noqa: B009
    transport.close()


async def _ended(process: Process) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(CANCEL_SECONDS):
            await process.wait()


def _kill_group(group: int) -> None:
    """End every process of a group that is still there; systems without groups end the program alone."""
    kill: Callable[[int, int], None] = getattr(os, "killpg", os.kill)
    with suppress(ProcessLookupError, PermissionError):
        kill(group, getattr(signal, "SIGKILL", signal.SIGTERM))
